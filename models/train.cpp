#include <gradus/autograd/runtime.hpp>
#include <gradus/models/train.hpp>
#include <gradus/nn/optim.hpp>

#include <cmath>
#include <memory>

namespace gradus::models {

std::vector<double> train(Seq2Seq& model, const std::function<data::Batch()>& next_batch,
                          const TrainOptions& options, const std::function<void(const TrainStep&)>& on_step) {
  if (options.steps < 1) fail("train", "the number of steps must be at least 1, and is ", options.steps);
  const std::vector<Tensor> parameters = model.parameters();
  nn::Adam adam(parameters, {.learning_rate = options.learning_rate});
  std::vector<double> losses;
  // Left in eval mode, whatever is thrown.
  const auto eval = [](Seq2Seq* trained) { trained->eval(); };
  const std::unique_ptr<Seq2Seq, decltype(eval)> guard(&model, eval);
  model.train();
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    const data::Batch batch = next_batch();
    adam.zero_grad();
    const Tensor loss = model.loss(batch);
    losses.push_back(loss.item());
    if (!std::isfinite(losses.back())) {
      fail("train", "the loss at step ", step, " is ", losses.back(),
           "; lower the learning rate or the clipping norm");
    }
    loss.backward();
    const double norm = nn::clip_grad_norm(parameters, options.clip_norm);
    if (!std::isfinite(norm)) {
      fail("train", "the norm of the gradient at step ", step, " is ", norm, "; lower the learning rate");
    }
    const double done =
        options.steps == 1 ? 0 : static_cast<double>(step - 1) / static_cast<double>(options.steps - 1);
    adam.set_learning_rate(options.learning_rate +
                           done * (options.final_learning_rate - options.learning_rate));
    adam.step();
    if (on_step) {
      on_step({.step = step, .loss = losses.back(), .gradient_norm = norm, .tokens = batch.target_tokens()});
    }
  }
  return losses;
}

}  // namespace gradus::models
