#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "reversal.hpp"
#include "table.hpp"

namespace tutorial {

/// One model of a tutorial, with its measurements.
struct Result {
  std::string name;
  Training training;
  Scores scores;
};

/// Trains the model on reversal for `options.steps` updates, and measures it on held-out sources of these
/// lengths. Models that get the same seed are trained on the same batches.
Result train_and_measure(const std::string& name, gradus::models::Seq2Seq& model,
                         const gradus::data::Reversal& task, const Options& options,
                         const std::vector<std::int64_t>& lengths, const AfterUpdate& after_update = {});

/// Table "exact_match": the fraction of held-out sources reversed without a mistake; one row per length, one
/// column per model.
Table exact_match(const std::vector<Result>& results);

/// Table "alignment": for each model with attention, over all lengths up to `longest`, the fraction of steps
/// whose largest weight is on source token L − t + 1, and the mean weight there.
Table alignment(const std::vector<Result>& results, std::int64_t longest);

/// Table "time": seconds of training. Keep it the last table of a results.json, because it differs from run
/// to run.
Table training_time(const std::vector<Result>& results);

}  // namespace tutorial
