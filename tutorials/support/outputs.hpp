#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/search.hpp>

#include <span>
#include <string>
#include <vector>

/// Outputs of models, and their quality.
namespace tutorial {

/// The best output of a search for the source of each pair.
std::vector<gradus::models::Decoded> best_outputs(const gradus::models::Seq2Seq& model,
                                                  std::span<const gradus::data::Pair> pairs,
                                                  const gradus::models::Search& search,
                                                  const gradus::models::MaxSteps& max_steps = {});

/// A step of a decoder.
struct Step {
  std::string title;              ///< of its picture: the source and the output so far
  std::vector<std::string> next;  ///< the possible next tokens as text: <eos>, then the symbols
  std::vector<double> p;          ///< their probabilities
  double largest() const;         ///< the largest probability
};

/// The steps of greedy decoding of the source of `pair`, the least sure of its token first.
std::vector<Step> steps_by_sureness(const gradus::models::Seq2Seq& model, const gradus::data::Pair& pair,
                                    const gradus::data::Reversal& task);

/// The names of the numbers that `quality` returns.
const std::vector<std::string> qualities = {"exact match", "BLEU", "mean ln p", "perplexity",
                                            "less likely than the truth"};

/// Measures outputs against the true targets. `truth` has the model's probabilities of the true targets.
std::vector<double> quality(const std::vector<gradus::models::Decoded>& written,
                            const std::vector<gradus::data::Pair>& pairs,
                            const std::vector<gradus::models::Forced>& truth,
                            const gradus::data::Reversal& task);

}  // namespace tutorial
