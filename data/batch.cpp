#include <gradus/data/batch.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "check.hpp"

namespace gradus::data {
namespace {

using Tokens = std::span<const std::int64_t>;

void check_ordinary(Tokens tokens, std::string_view side, std::size_t pair) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < first_symbol) {
      fail("make_batch: ", side, "[", i, "] of pair ", pair, " is ", tokens[i],
           ", but ordinary tokens start at ", first_symbol,
           "; leave out PAD (0) and BOS (1), and put EOS (2) at the target's end only");
    }
  }
}

void check_pair(const Pair& pair, std::size_t index) {
  if (pair.source.empty()) {
    fail("make_batch: the source of pair ", index,
         " is empty; drop the pair, attention needs a position to look at");
  }
  if (pair.target.empty() || pair.target.back() != eos) {
    fail("make_batch: the target of pair ", index, " does not end in EOS (2); append it");
  }
  check_ordinary(pair.source, "source", index);
  check_ordinary(Tokens(pair.target).first(pair.target.size() - 1), "target", index);
}

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
  for (std::size_t i = 0; i < pairs.size(); ++i) check_pair(pairs[i], i);

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
