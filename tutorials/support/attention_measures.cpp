#include "attention_measures.hpp"

#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/trainer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "reversal.hpp"

namespace tutorial {

using gradus::Tensor;
namespace data = gradus::data;
namespace models = gradus::models;

namespace {

double median_milliseconds(models::Seq2Seq& model, const data::Reversal& task, const Options& options) {
  models::Trainer trainer(model, {training_batches(task, options.seed)},
                          {.steps = std::min<std::int64_t>(options.steps, 9)});
  std::vector<double> times;
  while (!trainer.finished()) {
    const auto start = std::chrono::steady_clock::now();
    trainer.step();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

// ln α_tj is e_tj minus a term that is the same for all j, so both have the same standard deviation over j.
double energy_spread(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs) {
  const gradus::NoGrad no_grad;
  double total = 0;
  for (const models::Forced& forced : models::force_decode(model, pairs)) {
    const Tensor e = log(clamp(forced.weights, 1e-30, 1));  // (steps, T), up to a constant per row
    total += mean(sqrt(variance(e, {1}, false, 0))).item();
  }
  return total / static_cast<double>(pairs.size());
}

Table update_times(const std::vector<std::string>& scores,
                   const std::function<std::unique_ptr<models::Seq2Seq>(const std::string& score,
                                                                        const data::Reversal& task)>& make,
                   const Options& options) {
  Table table{.name = "time",
              .rows_are = "ms an update",
              .columns = {"T = 12", "T = 50", "T = 12, composed", "T = 50, composed"},
              .digits = 1};
  for (const std::string& score : scores) {
    std::vector<double> times;
    const auto time = [&](std::int64_t T) {
      const data::Reversal task(10, T, T);
      times.push_back(median_milliseconds(*make(score, task), task, options));
    };
    for (const std::int64_t T : {12, 50}) time(T);
    const gradus::Composed composed;
    for (const std::int64_t T : {12, 50}) time(T);
    table.rows.push_back({score, times});
  }
  return table;
}

}  // namespace tutorial
