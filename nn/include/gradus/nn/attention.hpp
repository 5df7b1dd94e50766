#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// What a decoder looks back at: made once a sentence, read at every step.
struct Memory {
  Tensor values;   ///< (T, B, D), the annotations h_j, or what the attention makes of them
  Tensor keys;     ///< (T, B, ·), whatever the score needs of them; undefined when it needs nothing more
  Tensor lengths;  ///< (B), i64: how many of the T are real; undefined when all are

  /// Rows `rows` (i64, (K)) of the batch, (T, K, ·) and (K): as State::select() chooses them of a state.
  Memory select(const Tensor& rows) const;
};

/// The first extension point: how a decoder chooses where to look.
///
/// `prepare` runs once a sentence and does the work that no query is needed for. `attend` runs once a decoder
/// step. Whatever the score, weights over positions beyond a row's length must be 0. A softmax makes each row
/// sum to 1; a window over it (Luong et al. 2015, eq. 10) may leave less.
class Attention : public Module {
 public:
  struct Result {
    Tensor context;  ///< c = Σ_j α_j h_j, (B, D)
    Tensor weights;  ///< α, (B, T)
    std::vector<Tensor> tensors() const { return {context, weights}; }
  };

  /// Values and lengths as they are, and no keys.
  /// @param values  (T, B, D); any finite numbers beyond the lengths, which have no influence
  /// @param lengths (B), i64, or undefined
  /// @throws Error when the values are not (T, B, D), the lengths not (B), or one is outside [0, T].
  virtual Memory prepare(const Tensor& values, const Tensor& lengths) const;

  /// @param query            (B, Q): the decoder's state, before or after its update as the decoder decides
  /// @param step             of the decoder, from 0; local attention looks there
  /// @param previous_weights (B, T): those of the step before; undefined at step 0
  virtual Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                        const Tensor& previous_weights) const = 0;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
