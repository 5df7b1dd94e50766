#pragma once

#include <gradus/models/search.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

struct BeamOptions {
  std::int64_t width = 5;       ///< K, at least 1: how many hypotheses are kept at a step
  std::int64_t n_best = 1;      ///< in [1, K]: how many are given back
  double length_penalty = 0.6;  ///< α ≥ 0; 0 prefers short outputs
  double coverage_penalty = 0;  ///< β ≥ 0; it needs attention weights
};

/// Beam search. At each step the K likeliest continuations of a source's hypotheses are kept. Those that end
/// in EOS are set aside, and ranked by (Wu et al. 2016, eq. 14)
///
///     s(y, x) = ln p(y | x) / lp(y) + cp(x, y)
///     lp(y) = ((5 + |y|) / 6)^α                    |y| counts EOS
///     cp(x, y) = β Σ_i ln min(Σ_j p_ij, 1)         p_ij: the weight of source token i at step j
///
/// where a token that was never looked at counts as the smallest positive float, so that every score is
/// finite. The search ends when no other hypothesis can come among the best n: when none that is alive would
/// score more than the n-th, though it wrote EOS after the most steps with no further loss. With K = 1 and
/// n = 1 this is greedy decoding; with K as large as the number of all outputs, the best of them.
///
/// Gives the best n of each source, best first; fewer when there are no more outputs. Where steps ran out
/// before n had ended, hypotheses that did not end follow those that did. Equal ones are in the order of the
/// hypotheses that they continue, then of ids. Source i of a batch gives the same as on its own.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
/// @throws Error when an option is outside its range, or there are no weights for the coverage penalty.
std::vector<std::vector<Decoded>> beam_search(const Seq2Seq& model, const Tensor& source,
                                              const Tensor& lengths, const BeamOptions& options,
                                              const MaxSteps& max_steps = {});

/// As a search. @throws Error as above.
Search beam_search(const BeamOptions& options);

}  // namespace gradus::models
#pragma GCC visibility pop
