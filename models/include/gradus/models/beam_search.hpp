#pragma once

#include <gradus/models/constraints.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

struct BeamOptions {
  std::int64_t width = 5;       ///< K ≥ 1: hypotheses kept per step
  std::int64_t n_best = 1;      ///< n in [1, K]: number of results
  double length_penalty = 0.6;  ///< α ≥ 0; 0 prefers short outputs
  double coverage_penalty = 0;  ///< β ≥ 0; needs attention weights
  Constraints constraints = {};
};

/// Beam search. Each step keeps a source's K likeliest allowed continuations with a probability above 0.
/// Continuations that end in EOS are complete hypotheses. Complete hypotheses are ranked by (Wu et al. 2016,
/// eq. 14)
///
///     s(y, x) = ln p(y | x) / lp(y) + cp(x, y)
///     lp(y) = ((5 + |y|) / 6)^α                    |y| counts EOS
///     cp(x, y) = β Σ_i ln min(Σ_j p_ij, 1)         p_ij: the weight of source token i at step j
///
/// A sum Σ_j p_ij below the smallest normal float is replaced by this float, so that every score is finite. A
/// live hypothesis is one without EOS. An upper bound of its final score is its ln p so far, divided by lp at
/// the maximum length, without cp. The search stops when no bound exceeds the score of the n-th best complete
/// hypothesis. With K = 1 and n = 1 this is greedy decoding. If K is at least the number of possible outputs,
/// including those cut at the maximum length, the search is exhaustive.
///
/// Returns the n best results of each source, best first; fewer if fewer outputs exist. If the maximum length
/// is reached before n hypotheses are complete, incomplete hypotheses follow the complete ones. Ties between
/// continuations are ordered by the hypothesis that they extend, then by token id. A source's results do not
/// depend on the other sources in its batch.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
/// @throws Error if an option is outside its range, or the coverage penalty is used without attention
/// weights.
std::vector<std::vector<Decoded>> beam_search(const Ensemble& model, const Tensor& source,
                                              const Tensor& lengths, const BeamOptions& options,
                                              const MaxSteps& max_steps = {});

/// Beam search as a Search. @throws Error if an option is outside its range.
Search beam_search(const BeamOptions& options);

}  // namespace gradus::models
#pragma GCC visibility pop
