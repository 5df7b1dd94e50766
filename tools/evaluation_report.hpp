#pragma once

#include <gradus/plot/curves.hpp>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "evaluation.hpp"

namespace gradus::tools {

using Evaluations = std::span<const Evaluation>;

/// A row a figure and a column a model, and each model's line of BLEU.
std::string table(Evaluations evaluations);

/// BLEU and exact match of each model, a row a bucket of source lengths.
std::string table_by_length(Evaluations evaluations);

/// BLEU over the mean source length of each bucket, a line a model.
plot::Curves curves_by_length(Evaluations evaluations);

/// Every figure of a model; null for what it has none of.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace gradus::tools
