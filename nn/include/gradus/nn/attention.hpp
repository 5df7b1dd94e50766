#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/module.hpp>

#include <optional>
#include <typeinfo>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The keys and values that a decoder attends to. They are computed once per batch, and read at every step.
struct Memory {
  Tensor values;   ///< (T, B, D): the annotations h_j, or the attention's projection of them
  Tensor keys;     ///< (T, B, ·): precomputed for the score; undefined if the score needs only the values
  Tensor lengths;  ///< (B), i64: number of real positions; undefined if all are T

  /// Selects sequences of the batch, as nn::State::select() does for a decoder's state. `rows` (i64, (K)) are
  /// the indices of the sequences. The result has tensors (T, K, ·) and lengths (K).
  Memory select(const Tensor& rows) const;
};

/// How the gradient is computed if an attention chooses positions. The choice itself has no gradient.
enum class Estimator {
  none,              ///< no position is drawn at random; the tape's gradient is exact
  straight_through,  ///< the tape's gradient, as if the choice were a softmax; biased
  reinforce,         ///< by reinforce_loss(), which models::loss() adds in training; unbiased, high variance
};

/// Computes the weight of each source position for a decoder step. An extension point, like DecoderStep.
/// models::Registry gives an attention a name for the command.
///
/// `prepare` runs once per batch, and does the work that needs no query. `attend` runs once per decoder step.
/// Every attention must give weight 0 to the positions beyond a sequence's length. After a softmax, each row
/// of weights sums to 1. With a window (Luong et al. 2015, eq. 10) or a walk (Raffel et al. 2017), the sum
/// may be smaller.
class Attention : public Module {
 public:
  struct Result {
    Tensor context;  ///< c = Σ_j α_j h_j, (B, D)
    Tensor weights;  ///< α, (B, T)
    std::vector<Tensor> tensors() const { return {context, weights}; }
  };

  /// Computes the memory that attend() reads. By default, returns the values and the lengths unchanged, and
  /// no keys.
  /// @param values  (T, B, D); elements beyond the lengths have no effect, but must be finite
  /// @param lengths (B), i64, or undefined
  /// @throws Error if the values are not (T, B, D), the lengths are not (B), or a length is outside [0, T].
  virtual Memory prepare(const Tensor& values, const Tensor& lengths) const;

  /// Computes the weights and the context of one decoder step.
  /// @param query            (B, Q): the decoder's state, s_{t−1} or s_t as the decoder chooses
  /// @param step             decoder step, from 0; Luong's local-m attention centres its window at this index
  /// @param previous_weights (B, T): the previous step's weights; undefined at step 0
  virtual Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                        const Tensor& previous_weights) const = 0;

  /// If threads may share this attention, and attention_sequence() can compute its score, returns the score
  /// for values of size `value_size`. Otherwise, and by default, returns nothing. The attentions of this
  /// library also return nothing for an object of a derived class, because its attend() may differ. Such a
  /// class may override fused_score().
  virtual std::optional<AttentionScore> fused_score(std::int64_t /*value_size*/) const {
    return std::nullopt;
  }

  /// Tells whether attend() draws positions in training, and how the gradient is then estimated.
  virtual Estimator estimator() const { return Estimator::none; }

 protected:
  /// True if this object's class is exactly `Class`, not a class derived from `Class`.
  template <class Class>
  bool is_exactly() const {
    return typeid(*this) == typeid(Class);
  }
};

}  // namespace gradus::nn
#pragma GCC visibility pop
