#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program.hpp"
#include "reversal.hpp"

namespace tutorial {

/// One model of a tutorial, with what was measured of it.
struct Result {
  std::string name;
  Training training;
  Scores scores;
};

/// Exact match by length as a text table, a column a model.
std::string table(const std::vector<Result>& results);

/// What a run measured, as JSON: for the pages that quote it.
std::string json(const std::string& program, const Options& options, const std::vector<Result>& results);

/// The alignment scores of all lengths up to `longest` together.
gradus::data::AlignmentScore alignment(const Scores& scores, std::int64_t longest);

}  // namespace tutorial
