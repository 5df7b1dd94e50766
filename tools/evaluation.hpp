#pragma once

#include <gradus/data/alignment_error.hpp>
#include <gradus/data/match_count.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure.hpp"
#include "saved_model.hpp"
#include "search_options.hpp"

namespace gradus::tools {

/// What is measured, and how.
struct EvaluationOptions {
  SearchOptions search;
  std::optional<data::BleuTokeniser> bleu_tokeniser;  ///< nothing for default_bleu_tokeniser()
  std::int64_t bucket = 5;                            ///< lengths of sources that are measured together
  bool any_reference = false;
  std::filesystem::path gold;  ///< links of the pairs, line by line; empty for none
};

/// What a model makes of pairs, measured in all ways.
struct Evaluation {
  std::string name;
  std::string signature;  ///< of BLEU
  Scores total;
  std::int64_t bucket = 0;                        ///< lengths in one
  std::map<std::int64_t, Scores> by_length;       ///< by the shortest source of a bucket, from 1
  std::optional<data::MatchCount> any_reference;  ///< of the distinct sources
  std::optional<data::AlignmentError> alignment;  ///< of the given targets
  std::vector<std::string> outputs;               ///< of each pair
};

/// @throws Error when the gold links are not as many lines as there are pairs, or name a token that a pair
/// does not have; and as everything that is measured with.
Evaluation evaluate_pairs(const std::string& name, const SavedModel& saved,
                          std::span<const data::SentencePair> pairs, const EvaluationOptions& options);

}  // namespace gradus::tools
