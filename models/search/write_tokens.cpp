#include "search/write_tokens.hpp"

#include <gradus/autograd/recording.hpp>

#include <span>
#include <utility>

#include "model/batch_parts.hpp"
#include "search/steps.hpp"

namespace gradus::models {
namespace {

void append(Decoded& output, std::int64_t token, double log_probability) {
  output.tokens.push_back(token);
  output.token_log_probabilities.push_back(log_probability);
  output.log_probability += log_probability;
  output.score = output.log_probability;
}

bool ended(const Decoded& output, std::int64_t max_steps) {
  return std::ssize(output.tokens) >= max_steps ||
         (!output.tokens.empty() && output.tokens.back() == data::eos);
}

// The outputs of write_tokens() for one part of the sources; `first` is the part's first source in the batch.
std::vector<Decoded> write_share(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                 std::span<const std::int64_t> max_steps, const Choose& choose,
                                 std::int64_t first) {
  const NoGrad no_grad;
  std::vector<Decoded> outputs(max_steps.size());
  std::vector<std::int64_t> previous(outputs.size(), data::bos);
  std::vector<std::size_t> unfinished;
  std::vector<Tensor> weights;
  for_each_step(
      model, start(model, source, lengths),
      [&](std::int64_t /*step*/, Starts& /*at*/) {
        unfinished.clear();
        for (std::size_t b = 0; b < outputs.size(); ++b) {
          if (!ended(outputs[b], max_steps[b])) unfinished.push_back(b);
        }
        return unfinished.empty() ? Tensor() : tensor(previous);
      },
      [&](std::int64_t step, const Prediction& next) {
        weights.push_back(next.weights());
        for (const std::size_t b : unfinished) {
          const auto row = static_cast<std::int64_t>(b);
          previous[b] = choose(next, row, first + row, step);
          append(outputs[b], previous[b], next.log_probability(row, previous[b]));
        }
      });
  for (std::size_t b = 0; b < outputs.size(); ++b) {
    outputs[b].weights =
        alignment(weights, std::vector<std::int64_t>(outputs[b].tokens.size(), static_cast<std::int64_t>(b)),
                  lengths.values<std::int64_t>()[b]);
  }
  return outputs;
}

}  // namespace

std::vector<Decoded> write_tokens(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                  const std::vector<std::int64_t>& max_steps, const Choose& choose) {
  return by_parts<Decoded>(
      model, source, lengths, [&](const Tensor& some, const Tensor& their_lengths, std::int64_t first) {
        const auto steps = std::span(max_steps).subspan(static_cast<std::size_t>(first),
                                                        static_cast<std::size_t>(their_lengths.size(0)));
        return write_share(model, some, their_lengths, steps, choose, first);
      });
}

std::vector<std::int64_t> steps_of(const MaxSteps& max_steps, const Tensor& lengths) {
  std::vector<std::int64_t> steps;
  for (const std::int64_t length : lengths.values<std::int64_t>()) steps.push_back(max_steps.of(length));
  return steps;
}

std::vector<std::vector<Decoded>> one_each(std::vector<Decoded> decoded) {
  std::vector<std::vector<Decoded>> lists;
  for (Decoded& one : decoded) lists.push_back({std::move(one)});
  return lists;
}

}  // namespace gradus::models
