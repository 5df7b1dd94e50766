#include "first_token.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/clip.hpp>
#include <gradus/nn/schedule.hpp>

namespace tutorial {

using gradus::Tensor;
namespace nn = gradus::nn;

FirstTokenBatch first_token_batch(std::int64_t delay, std::int64_t batch_size, gradus::Generator& generator) {
  const auto symbol = [&] { return static_cast<std::int64_t>(generator.below(first_token_symbols)); };
  std::vector<std::int64_t> target, tokens;
  for (std::int64_t b = 0; b < batch_size; ++b) target.push_back(symbol());
  tokens = target;
  for (std::int64_t i = 0; i < delay * batch_size; ++i) tokens.push_back(first_token_symbols + symbol());
  return {.x = gradus::one_hot(gradus::tensor(tokens, {1 + delay, batch_size}), first_token_inputs),
          .target = gradus::tensor(target)};
}

double learn_first_token(const std::vector<Tensor>& parameters,
                         const std::function<Tensor(const Tensor& x)>& logits, std::int64_t delay,
                         std::int64_t steps, gradus::Generator& generator) {
  nn::Adam adam(parameters, {.learning_rate = 2e-3});
  nn::Scheduler scheduler(adam, nn::schedule::linear(1, 0.1, steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const FirstTokenBatch batch = first_token_batch(delay, 32, generator);
    adam.zero_grad();
    gradus::cross_entropy(logits(batch.x), batch.target).backward();
    nn::clip_grad_norm(parameters, 1);
    adam.step();
    scheduler.step();
  }
  const gradus::NoGrad no_grad;
  const FirstTokenBatch test = first_token_batch(delay, 1000, generator);
  const Tensor right = gradus::equal(gradus::argmax(logits(test.x)), test.target);
  return gradus::mean(right.to(gradus::Dtype::f32)).item();
}

}  // namespace tutorial
