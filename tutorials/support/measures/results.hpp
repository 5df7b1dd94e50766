#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/page/program.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace tutorial {

/// A model of a tutorial, and its measurements.
struct Result {
  std::string name;
  Training training;
  Scores scores;
};

/// Trains the model on reversal for `options.steps` updates. Then measures it on held-out sources of these
/// lengths. Models with the same seed are trained on the same batches.
Result train_and_measure(const std::string& name, gradus::models::Seq2Seq& model,
                         const gradus::data::Reversal& task, const Options& options,
                         const std::vector<std::int64_t>& lengths, const AfterUpdate& after_update = {});

/// Table "exact_match": the fraction of held-out sources that a model reverses without a mistake. A row per
/// length, a column per model.
Table exact_match(const std::vector<Result>& results);

/// Table "alignment", for models with attention, over lengths up to `longest`. Step t should attend to source
/// token L − t + 1. Columns: the fraction of steps whose largest weight is there, and the mean weight there.
Table alignment(const std::vector<Result>& results, std::int64_t longest);

/// Table "time": seconds of training. They differ between two runs with the same seed. So this table must be
/// the last one of a results.json: tests compare the text before it.
Table training_time(const std::vector<Result>& results);

}  // namespace tutorial
