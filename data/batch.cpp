#include <gradus/data/batch.hpp>

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "check_pair.hpp"

namespace gradus::data {
namespace {

using TokenIds = std::span<const std::int64_t>;

// Writes the tokens into column b of a (T, size) matrix, from row `row` on.
void write_column(std::vector<std::int64_t>& matrix, std::int64_t size, std::int64_t b, std::int64_t row,
                  TokenIds tokens) {
  for (const std::int64_t token : tokens) matrix[row++ * size + b] = token;
}

}  // namespace

std::int64_t Batch::target_tokens() const {
  return std::accumulate(target_lengths.begin(), target_lengths.end(), std::int64_t{0});
}

Batch select(const Batch& batch, std::span<const std::int64_t> rows) {
  if (rows.empty()) fail("select: no rows; give at least one");
  Batch part;
  part.size = std::ssize(rows);
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= batch.size) {
      fail("select: row ", row, " is outside a batch of ", batch.size, " sequences; rows count from 0");
    }
    part.source_lengths.push_back(batch.source_lengths[row]);
    part.target_lengths.push_back(batch.target_lengths[row]);
  }
  part.source_steps = std::ranges::max(part.source_lengths);
  part.target_steps = std::ranges::max(part.target_lengths);
  const auto copy = [&](const std::vector<std::int64_t>& from, std::int64_t steps,
                        std::vector<std::int64_t>& to) {
    to.reserve(steps * part.size);
    for (std::int64_t t = 0; t < steps; ++t) {
      for (const std::int64_t row : rows) to.push_back(from[t * batch.size + row]);
    }
  };
  copy(batch.source, part.source_steps, part.source);
  copy(batch.target_in, part.target_steps, part.target_in);
  copy(batch.target_out, part.target_steps, part.target_out);
  return part;
}

Batch make_batch(std::span<const Pair> pairs) {
  if (pairs.empty()) fail("make_batch: no pairs; give at least one");
  for (std::size_t i = 0; i < pairs.size(); ++i) check_pair("make_batch", pairs[i], i);

  Batch batch;
  batch.size = std::ssize(pairs);
  for (const Pair& pair : pairs) {
    batch.source_lengths.push_back(std::ssize(pair.source));
    batch.target_lengths.push_back(std::ssize(pair.target));
  }
  batch.source_steps = std::ranges::max(batch.source_lengths);
  batch.target_steps = std::ranges::max(batch.target_lengths);

  batch.source.assign(batch.source_steps * batch.size, pad);
  batch.target_in.assign(batch.target_steps * batch.size, pad);
  batch.target_out.assign(batch.target_steps * batch.size, pad);
  for (std::int64_t b = 0; b < batch.size; ++b) {
    const TokenIds source = pairs[b].source, target = pairs[b].target;
    write_column(batch.source, batch.size, b, 0, source);
    write_column(batch.target_in, batch.size, b, 0, {&bos, 1});
    write_column(batch.target_in, batch.size, b, 1, target.first(target.size() - 1));
    write_column(batch.target_out, batch.size, b, 0, target);
  }
  return batch;
}

}  // namespace gradus::data
