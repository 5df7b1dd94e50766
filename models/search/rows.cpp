#include "search/rows.hpp"

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <numeric>

namespace gradus::models {
namespace {

std::vector<std::int64_t> first_numbers(std::int64_t n) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

Rows::Rows(std::int64_t sources) : sources_(first_numbers(sources)) {}

void Rows::select(const std::vector<std::int64_t>& rows, Starts& at) {
  if (rows == first_numbers(std::ssize(sources_))) return;
  std::vector<std::int64_t> sources;
  for (const std::int64_t row : rows) sources.push_back(sources_[static_cast<std::size_t>(row)]);
  const Tensor chosen = tensor(rows);
  for (auto& [state, memory] : at) {
    state = state.select(chosen);
    // Usually rows are only permuted among the rows of the same source. The memory then stays valid, because
    // all rows of a source have the same memory.
    if (sources != sources_) memory = memory.select(chosen);
  }
  sources_ = std::move(sources);
}

Tensor alignment(const std::vector<Tensor>& steps, const std::vector<std::int64_t>& rows,
                 const WeightColumns& columns) {
  if (rows.empty() || !steps.front().defined()) return {};
  Tensor result = empty({std::ssize(rows), columns.count});
  auto to = result.mutable_values<float>().begin();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Tensor row = steps[t][rows[t]];
    std::int64_t left = columns.count;
    for (const float weight : row.values<float>().first(static_cast<std::size_t>(columns.annotations()))) {
      const std::int64_t covered = std::min(columns.per_annotation, left);
      to = std::fill_n(to, covered, weight / static_cast<float>(covered));
      left -= covered;
    }
  }
  return result;
}

}  // namespace gradus::models
