#pragma once

#include <gradus/nn/attention.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
/// Ways to turn energies into weights, other than a softmax over all positions. The energies e are (B, T).
/// The lengths are (B), i64, or undefined if all are T. Only the first lengths[b] positions of row b get
/// weight. Energies beyond a row's length have no effect, and get gradient 0. In a row of length 0, all
/// weights are 0.
namespace gradus::nn {

// ---- Sparse weights ----
// These functions of gradus/nn/normaliser.hpp turn attention energies into weights. Many of the weights are
// exactly 0. The lengths are (B), i64, or undefined if all are T. A row of length 0 gets zeros.

/// Sparsemax (Martins and Astudillo 2016, eq. 1 and algorithm 1): for each row of e (B, T), the nearest point
/// of the simplex, the set of all weights that are at least 0 and sum to 1.
///
///     α_j = max(e_j − τ, 0),     τ = (Σ_{j∈S} e_j − 1) / |S|,     S = {j : α_j > 0}
///
/// With the sorted energies e_(1) ≥ e_(2) ≥ …, k is the largest number with 1 + k e_(k) > Σ_{i ≤ k} e_(i). S
/// holds the positions of the k largest energies. Positions outside S have weight 0 exactly.
/// Gradient: g_j − (Σ_{i∈S} g_i) / |S| for j ∈ S, 0 elsewhere (section 2.5). @throws Error when e is not (B,
/// T), a length is outside [0, T], an energy within a length is NaN or ∞, or all energies of a row are −∞.
Tensor sparsemax(const Tensor& energies, const Tensor& lengths);

/// Softmax over the k largest energies of each row (Gupta et al. 2021), for e (B, T). If a row's length is at
/// most k, all its positions get weight. Among equal energies, the earlier position is chosen first.
/// Gradient: that of a softmax at the chosen positions, 0 elsewhere. @throws Error when e is not (B, T), k is
/// below 1, or a length is outside [0, T].
Tensor top_k_softmax(const Tensor& energies, const Tensor& lengths, std::int64_t k);

// ---- Normalisers ----

/// How a ScoredAttention turns energies into weights; see set_normaliser().
struct Normaliser {
  /// Computes the weights (B, T) from energies and lengths. May draw random numbers, but only in training,
  /// and only from default_generator().
  std::function<Tensor(const Tensor& energies, const Tensor& lengths, bool training)> weights;
  Estimator estimator = Estimator::none;
};

namespace normaliser {

Normaliser sparsemax();
/// @throws Error for k below 1.
Normaliser top_k(std::int64_t k);

/// Hard attention (Xu et al. 2015, section 4.1): one position, drawn from the softmax of the energies,
///
///     s ~ softmax(e),     α_j = [j = s]
///
/// In eval mode, s is the position of the largest energy. No gradient flows from the context to the
/// energies. Instead, the energies get a gradient from reinforce_loss(), which uses the sum of each row of α.
/// This sum is 1, but has the gradient of ln softmax(e)_s.
Normaliser hard();

/// The straight-through Gumbel-softmax (Jang et al. 2017, sections 2.1 and 2.2). It is hard attention with a
/// different gradient:
///
///     s = arg max_j (e_j + G_j),     α_j = [j = s],     G_j = −ln(−ln U_j),   U_j uniform in (0, 1)
///
/// This draws s from softmax(e). In eval mode, G = 0. In the backward pass, α counts as
/// softmax((e + G) / temperature). This gradient is biased, so finite differences do not confirm it.
/// @throws Error unless 0 < temperature < ∞.
Normaliser gumbel(double temperature);

}  // namespace normaliser
}  // namespace gradus::nn
#pragma GCC visibility pop
