#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/dropout.hpp>
#include <gradus/nn/linear.hpp>

#include <array>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct MultiHeadOptions {
  double dropout = 0;  ///< dropout on the weights used for the output; the returned weights have no dropout
  bool bias = true;    ///< whether all four projections have a bias
  std::int64_t key_size = 0;    ///< PyTorch's kdim; 0 means E
  std::int64_t value_size = 0;  ///< PyTorch's vdim; 0 means E
};

/// The keys that each query sees.
struct AttentionMask {
  Tensor lengths;       ///< (B), i64: number of real keys of each sequence; undefined if all T_k are real
  bool causal = false;  ///< query i sees only keys 0 … i
};

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2), for all queries of a sequence at once:
///
///     head_i = softmax(Q_i K_iᵀ / √d) V_i,   Q_i = q W_i^Q,  K_i = k W_i^K,  V_i = v W_i^V,   d = E / heads
///     output = [head_1; …; head_h] W^O
///
/// Every attention in this library scores its queries against keys. The result is a weighted sum of values.
/// In most attentions, the weights are a softmax of the scores. The attentions differ in queries, keys,
/// values and score:
///
///                  query       keys and values   score of q and k     class
///     Bahdanau     s_{t−1}     every h_j         v·tanh(W q + U k)    AdditiveAttention
///     Luong, dot   s_t         every h_j         q·k                  DotProductAttention
///     scaled dot   s           every h_j         q·k / √D             ScaledDotProductAttention
///     self         each x_t    every x_j         Q_i·K_i / √d         forward(x, x, x)
///     cross        each y_t    every x_j         Q_i·K_i / √d         forward(y, x, x)
///
/// One head with identity projections computes scaled dot-product attention. In a decoder, the class is
/// cross-attention with one query per step: `prepare` projects the annotations to keys and values once. The
/// decoder's state and the context have size E.
///
/// Parameters as in PyTorch's MultiheadAttention: `in_proj_weight` (3E, E), with the rows for q, k and v in
/// this order; or, if the size of keys or values is not E, three separate weights: `q_proj_weight` (E, E),
/// `k_proj_weight` (E, key_size) and `v_proj_weight` (E, value_size). Further parameters: `in_proj_bias`
/// (3E), `out_proj.weight` (E, E) and `out_proj.bias` (E). The input projections are drawn from U(−b, b) with
/// b = √(6 / (rows + columns)), and `out_proj.weight` as in Linear. The biases are 0.
class MultiHeadAttention : public Attention {
 public:
  /// @throws Error unless 0 ≤ dropout < 1, `size` (E) and `heads` are at least 1, and `heads` divides `size`.
  /// Also throws for a negative key_size or value_size.
  MultiHeadAttention(std::int64_t size, std::int64_t heads, MultiHeadOptions options = {});

  struct Output {
    Tensor output;   ///< (T_q, B, E)
    Tensor weights;  ///< (B, heads, T_q, T_k); PyTorch returns their mean over axis 1
    std::vector<Tensor> tensors() const { return {output, weights}; }
  };
  /// Attends with all queries at once. For a query that sees no key, the weights are 0 and the output is
  /// `out_proj.bias`, or 0 without biases.
  /// @param query  (T_q, B, E)
  /// @param keys   (T_k, B, key_size)
  /// @param values (T_k, B, value_size)
  /// @throws Error if the sizes do not fit, or a length is outside [0, T_k].
  Output forward(const Tensor& query, const Tensor& keys, const Tensor& values,
                 const AttentionMask& mask = {}) const;

  /// The memory's values and keys, (T, B, E) each, are two projections of `values` (T, B, D). D must equal
  /// key_size and value_size.
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;
  /// The context is the output, (B, E). The weights are the mean over the heads. @throws Error if the query
  /// is not (B, E).
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;

  Linear out_proj;

 private:
  enum Part { q, k, v };
  Tensor project(Part part, const Tensor& x) const;
  Tensor split_heads(const Tensor& x) const;
  Output attend_projected(const Tensor& query, const Tensor& keys, const Tensor& values,
                          const AttentionMask& mask) const;

  std::int64_t heads_;
  Tensor in_proj_weight_;              // q, k and v stacked; undefined if keys or values have another size
  std::array<Tensor, 3> proj_weight_;  // one matrix each; undefined if in_proj_weight_ is defined
  Tensor in_proj_bias_;
  Dropout dropout_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
