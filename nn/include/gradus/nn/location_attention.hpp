#pragma once

#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

struct LocationOptions {
  std::int64_t filters = 8;  ///< K, the number of filters
  std::int64_t width = 31;  ///< R, odd: number of positions that a filter sees, (R − 1) / 2 on each side of j
  /// Normalises σ(e) instead of exp(e). This spreads the weights over more positions (Chorowski et al. 2015,
  /// section 2.3).
  bool smooth = false;
  /// In eval mode, positions more than `window` places from the likeliest previous position get weight 0. If
  /// `window` is 0, there is no limit. (Chorowski et al. 2015, section 2.3, measure the distance from the
  /// median position of the previous weights.)
  std::int64_t window = 0;
  double dropout = 0;
};

/// Additive attention whose energies also depend on the previous weights (Chorowski et al. 2015, section
/// 2.2):
///
///     f_t = F ∗ α_{t−1}                                       f_tjk = Σ_r F_kr α_{t−1, j + r − (R − 1) / 2}
///     e_tj = v_a · tanh(W_a s_{t−1} + U_a h_j + U_f f_tj)
///
/// α_{t−1} counts as 0 before the first and after the last position. At step 0 there are no previous weights;
/// α_{t−1} is then 1 at the first position and 0 elsewhere. The sizes of query (Q), values (D) and energy
/// space (A) are independent. Parameters: `W_a.weight` (A, Q), `U_a.weight` (A, D), `F` (K, R), `U_f.weight`
/// (A, K), `v_a` (A).
class LocationAttention : public ScoredAttention {
 public:
  /// @throws Error for sizes below 1, an even width, a negative window, and dropout outside [0, 1).
  LocationAttention(std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                    LocationOptions options = {});
  /// The keys are U_a h_j, (T, B, A). @throws Error as Attention::prepare() does, or if D is not
  /// `value_size`.
  Memory prepare(const Tensor& values, const Tensor& lengths) const override;

  Linear W_a, U_a;
  const Tensor F;
  Linear U_f;
  const Tensor v_a;

 protected:
  /// @throws Error if the query is not (B, Q), or the previous weights are not (B, T).
  Tensor energies(const Tensor& query, const Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override;

 private:
  bool smooth_;
  std::int64_t window_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
