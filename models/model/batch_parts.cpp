#include "model/batch_parts.hpp"

#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace gradus::models {
namespace {

constexpr std::int64_t fewest_sequences = 16, most_parameters = 1 << 21;
// If the weights do not fit a cache, a part needs more sequences. With few sequences, reading the weights
// takes most of the time.
constexpr std::int64_t fewest_sequences_out_of_cache = 64;

bool fits_cache(const Ensemble& model) { return model.parameter_count() <= most_parameters; }

std::int64_t parts_of(const Ensemble& model, std::int64_t B, std::int64_t fewest) {
  const std::int64_t parts = std::min<std::int64_t>(B / fewest, team::available());
  return parts > 1 && model.can_be_shared() ? parts : 1;
}

}  // namespace

std::int64_t parts_of_batch(const Ensemble& model, std::int64_t B) {
  return fits_cache(model) ? parts_of(model, B, fewest_sequences) : 1;
}

std::int64_t parts_of_search(const Ensemble& model, std::int64_t B) {
  const std::int64_t parts = parts_of(model, B, fewest_sequences);
  return parts == 1 || fits_cache(model) ? parts : parts_of(model, B, fewest_sequences_out_of_cache);
}

std::vector<std::int64_t> bounds_of_parts(std::span<const std::int64_t> lengths, std::int64_t parts) {
  const auto work = [](std::int64_t length) { return 2 * std::max<std::int64_t>(length, 0) + 10; };
  std::int64_t all = 0, before = 0;
  for (const std::int64_t length : lengths) all += work(length);
  std::vector<std::int64_t> bounds{0};
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    before += work(lengths[b]);
    while (before * parts >= all * std::ssize(bounds)) bounds.push_back(static_cast<std::int64_t>(b) + 1);
  }
  return bounds;
}

std::vector<Cut> cut(const data::Batch& batch, std::int64_t parts) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(batch.size));
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, std::greater(), [&](std::int64_t row) {
    const auto b = static_cast<std::size_t>(row);
    return batch.source_lengths[b] + batch.target_lengths[b];
  });
  std::vector<Cut> cuts(static_cast<std::size_t>(std::min(parts, batch.size)));
  for (std::size_t i = 0; i < rows.size(); ++i) cuts[i % cuts.size()].rows.push_back(rows[i]);
  for (Cut& one : cuts) one.batch = data::select(batch, one.rows);
  return cuts;
}

Generator of_rows(const Generator& draws, std::int64_t B, std::vector<std::int64_t> rows) {
  const BatchPart* const whole = draws.part();
  if (whole == nullptr) return draws.of_part({B, std::move(rows)});
  for (std::int64_t& row : rows) row = whole->sequences[static_cast<std::size_t>(row)];
  return draws.of_part({whole->batch, std::move(rows)});
}

}  // namespace gradus::models
