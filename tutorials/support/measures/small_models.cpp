#include "small_models.hpp"

#include <gradus/compress/int8.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/loss.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <span>

#include "support/training/reversal.hpp"

namespace tutorial {
namespace {

namespace compress = gradus::compress;
namespace data = gradus::data;
namespace models = gradus::models;
using gradus::Tensor;

double bytes(const models::Seq2Seq& model, Format format) {
  double sum = 0;
  for (const Tensor& parameter : model.parameters()) {
    const auto count = static_cast<double>(parameter.numel());
    if (parameter.rank() != 2 || format == Format::dense) {
      sum += 4 * count;
    } else if (format == Format::int8) {
      sum += count + 4 * static_cast<double>(parameter.size(0));
    } else {
      const auto zeros = std::ranges::count(parameter.values<float>(), 0.0F);
      sum += 4 * (count - static_cast<double>(zeros)) + count / 8;
    }
  }
  return sum;
}

double milliseconds(const models::Seq2Seq& model, std::span<const data::Pair> pairs) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 20; ++round) {
    const auto start = Clock::now();
    for (const data::Pair& pair : pairs) models::greedy(model, {&pair, 1});
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    least = std::min(least, taken.count() / static_cast<double>(pairs.size()));
  }
  return least;
}

}  // namespace

double exact(const models::Seq2Seq& model, const data::Reversal& task) {
  return measure(model, task, {task.max_length()}).begin()->second.exact.fraction();
}

double exact_in_int8(models::Seq2Seq& model, const data::Reversal& task) {
  compress::round_to_int8(model);
  const compress::Int8Products products(model);
  return exact(model, task);
}

Small measure_small(const std::string& name, Format format, models::Seq2Seq& model,
                    const data::Reversal& task) {
  gradus::NamedTensors before;
  for (const auto& [parameter, tensor] : model.state_dict()) before.emplace_back(parameter, tensor.clone());
  std::optional<compress::Int8Products> products;
  if (format == Format::int8) {
    compress::round_to_int8(model);
    products.emplace(model);
  }
  gradus::Generator generator(3);
  const std::vector<data::Pair> pairs = held_out(task, task.max_length(), 100, generator);
  Small small{.name = name,
              .kilobytes = bytes(model, format) / 1000,
              .exact = exact(model, task),
              .perplexity = data::perplexity(models::evaluate_loss(model, pairs), 1),
              .milliseconds = milliseconds(model, std::span(pairs).first(10))};
  products.reset();
  model.load_state_dict(before);
  return small;
}

Table methods_table(const std::vector<Small>& rows) {
  Table table{.name = "methods", .rows_are = "model", .columns = {"kB", "exact match", "perplexity"}};
  for (const Small& row : rows) table.rows.push_back({row.name, {row.kilobytes, row.exact, row.perplexity}});
  return table;
}

Table times_table(const std::vector<Small>& rows) {
  Table table{.name = "time", .rows_are = "model", .columns = {"ms a sentence"}};
  for (const Small& row : rows) table.rows.push_back({row.name, {row.milliseconds}});
  return table;
}

}  // namespace tutorial
