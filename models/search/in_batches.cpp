#include "search/in_batches.hpp"

#include <gradus/autograd/scope.hpp>
#include <gradus/data/tokens.hpp>

#include <algorithm>
#include <numeric>

namespace gradus::models {
namespace {

void check(std::string_view operation, const Sources& sources, std::int64_t tokens) {
  if (tokens < 1) {
    fail(operation, "the number of tokens per batch must be at least 1, and is ", tokens);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) {
      fail(operation, "source ", i, " is empty; remove empty sentences");
    }
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> batches_by_length(std::string_view operation, const Sources& sources,
                                                        std::int64_t tokens) {
  check(operation, sources, tokens);
  std::vector<std::size_t> by_length(sources.size());
  std::iota(by_length.begin(), by_length.end(), std::size_t{0});
  std::ranges::stable_sort(by_length, {}, [&](std::size_t i) { return sources[i].size(); });

  std::vector<std::vector<std::size_t>> batches;
  for (const std::size_t i : by_length) {
    // Source i is the longest so far.
    const bool fits = !batches.empty() && (std::ssize(batches.back()) + 1) * std::ssize(sources[i]) <= tokens;
    if (!fits) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

SourceBatch::SourceBatch(const Sources& sources, const std::vector<std::size_t>& chosen) {
  const std::size_t B = chosen.size();
  std::vector<std::int64_t> sizes;
  for (const std::size_t i : chosen) sizes.push_back(std::ssize(sources[i]));
  const auto T = static_cast<std::size_t>(std::ranges::max(sizes));
  std::vector<std::int64_t> padded(T * B, data::pad);
  for (std::size_t b = 0; b < B; ++b) {
    const std::span<const std::int64_t> tokens = sources[chosen[b]];
    for (std::size_t t = 0; t < tokens.size(); ++t) padded[t * B + b] = tokens[t];
  }
  source = tensor(padded, {static_cast<std::int64_t>(T), static_cast<std::int64_t>(B)});
  lengths = tensor(sizes);
}

}  // namespace gradus::models
