#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"
#include "reversal.hpp"
#include "table.hpp"

namespace tutorial {

/// One model of a tutorial, with what was measured of it.
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

/// "exact_match": the share of held-out sources reversed without a mistake, a row a length, a column a model.
Table exact_match(const std::vector<Result>& results);

/// "alignment": for each model that attends, over all lengths up to `longest`, in which share of the steps
/// the largest weight is on source token L − t + 1, and how large the weight is there in the mean.
Table alignment(const std::vector<Result>& results, std::int64_t longest);

/// "time": of training, in seconds. Keep it the last table of a results.json: it differs from run to run.
Table training_time(const std::vector<Result>& results);

}  // namespace tutorial
