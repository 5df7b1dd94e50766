#pragma once

#include <gradus/nn/attention.hpp>
#include <gradus/nn/dropout.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Attention that has only to say what its energies are; the rest is the same for every score (Bahdanau
/// et al. 2015, eq. 5 and 6):
///
///     α_tj = exp(e_tj) / Σ_k exp(e_tk)     over the real positions alone
///     c_t  = Σ_j α_tj h_j
///
/// In training, dropout acts on the weights that make the context, not on those that are returned. A row
/// without a real position has zeros for weights and context.
class ScoredAttention : public Attention {
 public:
  /// @throws Error unless 0 ≤ dropout < 1.
  explicit ScoredAttention(double dropout = 0);
  Result attend(const Tensor& query, const Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override;
  double dropout() const { return dropout_.probability(); }

 protected:
  /// e, (B, T), of attend's arguments; what it says beyond a row's length is not used.
  virtual Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                          const Tensor& previous_weights) const = 0;

 private:
  Dropout dropout_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
