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

#include "files/saved_model.hpp"
#include "reports/measure.hpp"
#include "settings/search_options.hpp"

namespace gradus::tools {

/// Options of an evaluation.
struct EvaluationOptions {
  SearchOptions search;
  std::optional<data::BleuTokeniser> bleu_tokeniser;  ///< if empty: default_bleu_tokeniser()
  std::int64_t bucket = 5;                            ///< source lengths per bucket
  bool any_reference = false;
  std::filesystem::path gold;  ///< gold links, one line per pair; may be empty
};

/// A model's metrics on pairs.
struct Evaluation {
  std::string name;
  std::string signature, chrf_signature;  ///< signatures of BLEU and chrF
  Scores total;
  std::int64_t bucket = 0;                        ///< source lengths per bucket
  std::map<std::int64_t, Scores> by_length;       ///< key: the shortest source length of a bucket, from 1
  std::optional<data::MatchCount> any_reference;  ///< counts distinct sources
  std::optional<data::AlignmentError> alignment;  ///< with teacher forcing
  std::vector<std::string> outputs;               ///< one per pair
};

/// @param model in eval mode
/// @throws Error if the gold file does not have one line per pair, or a link is outside its pair. Errors of
/// the metrics are passed on.
Evaluation evaluate_pairs(const std::string& name, const models::Ensemble& model, const Sides& sides,
                          std::span<const data::SentencePair> pairs, const EvaluationOptions& options);

}  // namespace gradus::tools
