#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gradus::models {

using Sources = std::vector<std::span<const std::int64_t>>;

// Groups source indices into batches of similar length. A batch has at most `tokens` tokens, including
// padding; a longer source is a batch by itself. Throws if a source is empty, or if `tokens` is below 1.
std::vector<std::vector<std::size_t>> batches_by_length(std::string_view operation, const Sources& sources,
                                                        std::int64_t tokens);

// Selected sources as a padded batch.
struct SourceBatch {
  SourceBatch(const Sources& sources, const std::vector<std::size_t>& chosen);

  Tensor source, lengths;  // (T, B) and (B), i64
};

// Groups the sources into batches, and calls f(batch, source indices) for each one; f returns one result per
// source. Returns all results in the order of the sources.
template <class Result, class F>
std::vector<Result> in_batches(std::string_view operation, const Sources& sources, std::int64_t tokens,
                               const F& f) {
  std::vector<Result> results(sources.size());
  for (const std::vector<std::size_t>& chosen : batches_by_length(operation, sources, tokens)) {
    std::vector<Result> some = f(SourceBatch(sources, chosen), chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i) results[chosen[i]] = std::move(some[i]);
  }
  return results;
}

}  // namespace gradus::models
