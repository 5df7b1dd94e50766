#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/search.hpp>

#include <span>
#include <string>
#include <vector>

/// Finds the outputs of models, and measures their quality.
namespace tutorial {

/// For the source of each pair: the best output that a search finds.
std::vector<gradus::models::Decoded> best_outputs(const gradus::models::Seq2Seq& model,
                                                  std::span<const gradus::data::Pair> pairs,
                                                  const gradus::models::Search& search,
                                                  const gradus::models::MaxSteps& max_steps = {});

/// A step of a decoder: the probabilities of its next token.
struct Step {
  std::string title;              ///< title of its picture: the source and the output so far
  std::vector<std::string> next;  ///< the possible next tokens as text: <eos>, then the symbols
  std::vector<double> p;          ///< their probabilities
  double largest() const;         ///< the largest probability
};

/// The steps of greedy decoding for the source of `pair`, sorted by their largest probability, smallest
/// first.
std::vector<Step> steps_by_sureness(const gradus::models::Seq2Seq& model, const gradus::data::Pair& pair,
                                    const gradus::data::Reversal& task);

/// The names of the measures in the result of quality().
const std::vector<std::string> qualities = {"exact match", "BLEU", "mean ln p", "perplexity",
                                            "less likely than the truth"};

/// Measures outputs against the true targets. `truth` holds the model's probabilities of those targets.
std::vector<double> quality(const std::vector<gradus::models::Decoded>& written,
                            const std::vector<gradus::data::Pair>& pairs,
                            const std::vector<gradus::models::Forced>& truth,
                            const gradus::data::Reversal& task);

}  // namespace tutorial
