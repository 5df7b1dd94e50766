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

/// Additive attention that records the arguments of attend(). With `follows`, the previous weights reduce the
/// energies, so that gradients also flow through them.
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
  /// The name of the state's entry with the previous weights, which attend() gets; empty if it gets none.
  std::string weights = {};

  std::unique_ptr<Watched> watched() const { return std::make_unique<Watched>(query, annotation, energy); }
};

/// Expects each step to call attend() once, with the step and the previous weights of its state. Checks the
/// first steps of a sentence, a later step from a state with weights that the checker made up, and the first
/// step again. Reports "attends-once", "told-step", "step-count" and "previous-weights".
void expect_told(const DecoderTask& task);

/// Expects steps to depend only on their arguments. Runs several batches in turn, also of different sizes,
/// selects rows as beam search does, runs the library's beam search, and turns on training mode. Reports
/// "changes-its-input", "remembers", "beam-search", "not-deterministic" and "training-differs".
void expect_independent_steps(const DecoderTask& task);

/// Checks the gradients of logits and weights of `steps` steps in training mode. If the decoder passes the
/// previous weights to attend(), the attention depends on them.
void expect_decoder_gradients(const DecoderTask& task, std::int64_t steps, const Mistake& mistake);

}  // namespace exercise
