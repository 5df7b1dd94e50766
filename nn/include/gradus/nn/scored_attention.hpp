#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/dropout.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Base class of attentions that differ only in their energies (Bahdanau et al. 2015, eq. 5 and 6):
///
///     α_tj = exp(e_tj) / Σ_k exp(e_tk)     over the real positions only
///     c_t  = Σ_j α_tj h_j
///
/// In training, dropout acts on the weights used for the context, not on the returned weights. A row without
/// real positions gets zero weights and a zero context.
class ScoredAttention : public Attention {
 public:
  /// @throws Error unless 0 ≤ dropout < 1.
  explicit ScoredAttention(double dropout = 0);
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  double dropout() const { return dropout_.probability(); }

 protected:
  /// The energies e, (B, T), for the arguments of attend(). Energies beyond a row's length are ignored.
  virtual Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                          const Tensor& previous_weights) const = 0;

 private:
  Dropout dropout_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
