#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kit/finding.hpp"
#include "search.hpp"

/// Beam search in plain loops, right or with a known fault; and exhaustive search through all outputs.
namespace variants {

enum class Fault {
  none,
  greedy,              ///< K = 1, whatever the width
  continues_finished,  ///< stores finished hypotheses, but also continues them
  no_penalty,          ///< the score is ln p, without a length penalty
  by_length,           ///< divides by |y|
  multiplied,          ///< multiplies by lp
  fixed_alpha,         ///< α = 0.6, whatever the option
  without_eos,         ///< counts |y| without EOS
  one_less,            ///< uses |y| − 1 for |y|, also for unfinished hypotheses
  sum_without_eos,     ///< ln p without the term of EOS
  best_child,          ///< from step 2 on, each hypothesis keeps only its best continuation
  children_of_each,    ///< each hypothesis keeps its K best continuations: the beam grows
  keeps_place,         ///< a finished hypothesis stays in the beam, and competes with its sum ln p
  only_live_counted,   ///< keeps K live hypotheses; finished ones do not count towards K
  shrinks,             ///< each finished hypothesis reduces K for good
  first_finished,      ///< stops after the first step in which a hypothesis finishes
  early_bound,         ///< stops when the best finished score beats this step's live scores
  live_too,            ///< returns a live hypothesis if its score is better
  likeliest,           ///< returns the finished hypothesis with the largest sum
  worst,               ///< keeps and returns the least likely hypotheses
  one_shorter,         ///< at most max_length − 1 tokens
  one_longer,          ///< at most max_length + 1 tokens
  prunes,              ///< keeps only the K finished hypotheses with the largest sums
  stops_at_K,          ///< stops once K hypotheses are finished
  live_first,          ///< returns a live hypothesis if there is one
  wider,               ///< keeps K + 1 hypotheses
  at_most_V,           ///< keeps at most V hypotheses
  whole_division,      ///< computes (5 + |y|) / 6 in integers
  power_of_length,     ///< lp = |y|^α
  never_empty,         ///< EOS is not allowed as the first token
  last_token_missing,  ///< the last token of the vocabulary is not tried
  live_besides,        ///< keeps K live hypotheses, and every hypothesis that ends
  last_found,          ///< returns the hypothesis that finished last
  last_listed,         ///< like last_found, but if none is finished, returns the last live one
  one_per_token,       ///< keeps only the likeliest of the continuations that end in the same token
  no_repetition,       ///< does not write the same token twice in a row
  last_step,           ///< returns only a hypothesis that finished in the last step
};

search::Hypothesis beam(const search::Model& model, const search::Options& options,
                        Fault fault = Fault::none);

/// The best of all finished outputs of at most max_length tokens.
search::Hypothesis exhaustive(const search::Model& model, double alpha, std::int64_t max_length);

/// A fault that a learner may make, and the mistake to report for it.
struct Known {
  Fault fault;
  exercise::Mistake mistake;
};
const std::vector<Known>& known();
const exercise::Mistake& mistake_of(Fault fault);

}  // namespace variants
