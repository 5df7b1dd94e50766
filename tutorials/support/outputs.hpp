#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/force.hpp>
#include <gradus/models/search.hpp>

#include <span>
#include <string>
#include <vector>

/// What models write, and how good it is.
namespace tutorial {

/// The best output of a search for the source of each pair.
std::vector<gradus::models::Decoded> best_outputs(const gradus::models::Seq2Seq& model,
                                                  std::span<const gradus::data::Pair> pairs,
                                                  const gradus::models::Search& search,
                                                  const gradus::models::MaxSteps& max_steps = {});

/// A step of a decoder.
struct Step {
  std::string title;              ///< of its picture: the source, and what is written so far
  std::vector<std::string> next;  ///< what may follow, as text: <eos>, then the symbols
  std::vector<double> p;          ///< how likely each of these is
};

/// The step at which greedy decoding is the least sure of what it writes for the source of `pair`.
Step least_sure_step(const gradus::models::Seq2Seq& model, const gradus::data::Pair& pair,
                     const gradus::data::Reversal& task);

/// The headings of `quality`.
const std::vector<std::string> qualities = {"exact match", "BLEU", "mean ln p", "perplexity",
                                            "less likely than the truth"};

/// What is measured of outputs, beside the true targets and what the model says of those.
std::vector<double> quality(const std::vector<gradus::models::Decoded>& written,
                            const std::vector<gradus::data::Pair>& pairs,
                            const std::vector<gradus::models::Forced>& truth,
                            const gradus::data::Reversal& task);

}  // namespace tutorial
