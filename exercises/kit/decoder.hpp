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

/// Additive attention that records the arguments of attend(). If it `follows`, the previous weights reduce
/// the energies, so that gradients flow through them, too.
class Watched : public gradus::nn::AdditiveAttention {
 public:
  struct Call {
    std::int64_t step;
    gradus::Tensor previous_weights;
  };
  using AdditiveAttention::AdditiveAttention;

  Result attend(const gradus::Tensor& query, const gradus::nn::Memory& memory, std::int64_t step,
                const gradus::Tensor& previous_weights) const override;

  std::vector<Call>* calls = nullptr;  ///< null: not recorded
  bool follows = false;
};

struct DecoderTask {
  /// A decoder around this attention; in double, with fill()ed parameters.
  std::function<std::unique_ptr<gradus::nn::DecoderStep>(std::unique_ptr<Watched>)> make;
  std::int64_t vocabulary, annotation, query, energy;  ///< V, D, H, A
  /// Name in the state of the previous weights that attend() gets; empty if it gets none.
  std::string weights = {};

  std::unique_ptr<Watched> watched() const { return std::make_unique<Watched>(query, annotation, energy); }
};

/// Expects attend() to be called once per step, with the state's step and previous weights: from the start,
/// and from a state in the middle of a sentence with weights that no attention returned. Reports
/// "attends-once", "told-step", "step-count" and "previous-weights".
void expect_told(const DecoderTask& task);

/// Expects steps to depend only on their arguments: two batches in turn, batches of other sizes, rows
/// selected as beam search does, and training mode. Reports "changes-its-input", "remembers",
/// "not-deterministic" and "training-differs".
void expect_independent_steps(const DecoderTask& task);

/// Checks the gradients of logits and weights of `steps` steps, with an attention that follows the previous
/// weights if the task passes them on. In training mode.
void expect_decoder_gradients(const DecoderTask& task, std::int64_t steps, const Mistake& mistake);

}  // namespace exercise
