#include <gradus/data/batch.hpp>

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "check_pair.hpp"

namespace gradus::data {
namespace {

using Tokens = std::span<const std::int64_t>;

// Writes the tokens down column b of a (T, size) matrix, from the given row on.
void write_column(std::vector<std::int64_t>& matrix, std::int64_t size, std::int64_t b, std::int64_t row,
                  Tokens tokens) {
  for (const std::int64_t token : tokens) matrix[row++ * size + b] = token;
}

}  // namespace

std::int64_t Batch::target_tokens() const {
  return std::accumulate(target_lengths.begin(), target_lengths.end(), std::int64_t{0});
}

Batch make_batch(std::span<const Pair> pairs) {
  if (pairs.empty()) fail("make_batch: there are no pairs; give at least one");
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
    const Tokens source = pairs[b].source, target = pairs[b].target;
    write_column(batch.source, batch.size, b, 0, source);
    write_column(batch.target_in, batch.size, b, 0, {&bos, 1});
    write_column(batch.target_in, batch.size, b, 1, target.first(target.size() - 1));
    write_column(batch.target_out, batch.size, b, 0, target);
  }
  return batch;
}

}  // namespace gradus::data
