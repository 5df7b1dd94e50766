#include "descent.hpp"

#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/schedule.hpp>

namespace tutorial {

namespace nn = gradus::nn;

void descend(const std::vector<gradus::Tensor>& parameters, const Descent& how,
             const std::function<gradus::Tensor()>& loss) {
  nn::Adam adam(parameters, {.learning_rate = how.learning_rate});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, 0.1, how.steps));
  for (std::int64_t step = 0; step < how.steps; ++step) {
    adam.zero_grad();
    loss().backward();
    nn::clip_grad_norm(parameters, how.max_norm);
    adam.step();
    scheduler.step();
  }
}

}  // namespace tutorial
