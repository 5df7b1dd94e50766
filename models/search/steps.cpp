#include "search/steps.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>

namespace gradus::models {

std::vector<WeightColumns> weight_columns(const Ensemble& model, const Tensor& lengths) {
  const Encoder& first = model.members().front()->encoder;
  for (const Seq2Seq* member : model.members()) {
    if (member->encoder.steps_per_annotation() == first.steps_per_annotation() &&
        member->encoder.silence() == first.silence())
      continue;
    fail("decode",
         "the ensemble's members shorten their sources differently; give models with the same pyramid, "
         "convolution and silence");
  }
  std::vector<WeightColumns> columns;
  for (const std::int64_t length : lengths.values<std::int64_t>()) {
    columns.push_back(first.weight_columns(length));
  }
  return columns;
}

Starts start(const Ensemble& model, const Tensor& source, const Tensor& lengths) {
  Starts starts;
  for (const Seq2Seq* member : model.members()) starts.push_back(member->start(source, lengths));
  return starts;
}

void for_each_step(const Ensemble& model, Starts at,
                   const std::function<Tensor(std::int64_t t, Starts& at)>& input,
                   const std::function<void(std::int64_t t, const Prediction& next)>& visit) {
  const DrawsOfSteps draws(model.is_training());
  for (std::int64_t t = 0;; ++t) {
    const Tensor previous = input(t, at);
    if (!previous.defined()) return;
    std::vector<nn::DecoderStep::Output> outputs;
    {
      const auto guard = draws.at(t);
      for (std::size_t m = 0; m < at.size(); ++m) {
        outputs.push_back(model.members()[m]->decoder->step(previous, at[m].state, at[m].memory));
        at[m].state = outputs.back().state;
      }
    }
    visit(t, Prediction(outputs));
  }
}

}  // namespace gradus::models
