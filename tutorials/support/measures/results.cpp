#include "results.hpp"

#include <utility>

namespace tutorial {

namespace data = gradus::data;
namespace models = gradus::models;

Result train_and_measure(const std::string& name, models::Seq2Seq& model, const data::Reversal& task,
                         const Options& options, const std::vector<std::int64_t>& lengths,
                         const AfterUpdate& after_update) {
  const auto next_batch = training_batches(task, options.seed);
  Training training = train(name, model, next_batch, {.steps = options.steps}, after_update);
  return {name, std::move(training), measure(model, task, lengths)};
}

Table exact_match(const std::vector<Result>& results) {
  Table table{.name = "exact_match", .rows_are = "length", .columns = {}, .rows = {}};
  for (const auto& [length, score] : results.front().scores) {
    table.rows.push_back({std::to_string(length), {}});
    for (const Result& result : results) {
      table.rows.back().values.push_back(result.scores.at(length).exact.fraction());
    }
  }
  for (const Result& result : results) table.columns.push_back(result.name);
  return table;
}

Table alignment(const std::vector<Result>& results, std::int64_t longest) {
  Table table{.name = "alignment",
              .rows_are = "model",
              .columns = {"largest on token L − t + 1", "mean weight there"},
              .rows = {}};
  for (const Result& result : results) {
    data::AlignmentScore total{};
    for (const auto& [length, score] : result.scores) {
      if (length <= longest) total += score.alignment;
    }
    if (total.steps > 0) table.rows.push_back({result.name, {total.accuracy(), total.mean_weight()}});
  }
  return table;
}

Table training_time(const std::vector<Result>& results) {
  Table table{
      .name = "time", .rows_are = "model", .columns = {"seconds of training"}, .rows = {}, .digits = 1};
  for (const Result& result : results) table.rows.push_back({result.name, {result.training.seconds}});
  return table;
}

}  // namespace tutorial
