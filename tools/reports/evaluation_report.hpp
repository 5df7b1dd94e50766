#pragma once

#include <gradus/plot/curves.hpp>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "reports/evaluation.hpp"

namespace gradus::tools {

using Evaluations = std::span<const Evaluation>;

/// One row per metric and one column per model, then a line for BLEU and one for chrF per model.
std::string table(Evaluations evaluations);

/// BLEU and exact match of each model, one row per bucket of source lengths.
std::string table_by_length(Evaluations evaluations);

/// BLEU against the mean source length of each bucket, one curve per model.
plot::Curves curves_by_length(Evaluations evaluations);

/// All metrics of a model. Undefined metrics are null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace gradus::tools
