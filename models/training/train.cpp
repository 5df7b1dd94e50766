#include <gradus/models/train.hpp>

#include <memory>

namespace gradus::models {

std::vector<double> train(Seq2Seq& model, const std::function<data::Batch()>& next_batch,
                          const TrainerOptions& options,
                          const std::function<void(const TrainStep&)>& on_step) {
  const auto eval = [](Seq2Seq* trained) { trained->eval(); };
  const std::unique_ptr<Seq2Seq, decltype(eval)> guard(&model, eval);
  Trainer trainer(model, {.next = next_batch}, options);
  std::vector<double> losses;
  while (!trainer.finished()) {
    const TrainStep step = trainer.step();
    losses.push_back(step.loss);
    if (on_step) on_step(step);
  }
  return losses;
}

}  // namespace gradus::models
