#pragma once

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "invariants.hpp"

/// Checks for any decoder that attends once per step.
namespace exercise {

/// Additive attention that records the calls of attend(). With `follows`, it subtracts twice the previous
/// weights from the energies, so that gradients also flow through the previous weights. Such calls are
/// not recorded.
class Watched : public gradus::nn::AdditiveAttention {
 public:
  struct Call {
    std::int64_t step;
    gradus::Tensor previous_weights, weights;  ///< weights: those that attend() returned
  };
  using AdditiveAttention::AdditiveAttention;

  Result attend(const gradus::Tensor& query, const gradus::nn::Memory& memory, std::int64_t step,
                const gradus::Tensor& previous_weights) const override;

  std::vector<Call>* calls = nullptr;  ///< receives the calls; null: no recording
  bool follows = false;
};

struct DecoderTask {
  /// Makes a decoder around this attention, in double and with parameters set by fill().
  std::function<std::unique_ptr<gradus::nn::DecoderStep>(std::unique_ptr<Watched>)> make;
  std::int64_t vocabulary, annotation, query, energy;  ///< V, D, H, A
  /// The name of the state's entry with the previous weights for attend(); empty if attend() gets no weights.
  std::string weights = {};

  std::unique_ptr<Watched> watched() const { return std::make_unique<Watched>(query, annotation, energy); }
};

/// Expects each step to call attend() once, with the state's step number and previous weights. Checks the
/// first steps of a sentence, then a later step with made-up previous weights, then the first step again.
/// Also expects the weights of attend() in the result. Reports "attends-once", "told-step", "step-count",
/// "previous-weights" and "other-weights".
void expect_told(const DecoderTask& task);

/// Expects a step to depend only on its arguments. Alternates between batches of different sizes, selects
/// rows as beam search does, runs the library's beam search, and turns on training mode. Reports
/// "changes-its-input", "remembers", "depends-on-step", "batch-differs", "beam-search", "not-deterministic"
/// and "training-differs".
void expect_independent_steps(const DecoderTask& task);

/// Runs `steps` steps in training mode, and checks the gradients of the logits and of the weights. If the
/// task's decoder passes the previous weights to attend(), the check uses an attention that depends on these
/// weights. Also expects gradients over many steps: a gradient that reaches the first state from step 2 must
/// also reach it from step 20. Reports "returned-weights-detached" and "gradient-cut".
void expect_decoder_gradients(const DecoderTask& task, std::int64_t steps, const Mistake& mistake);

}  // namespace exercise
