#pragma once

#include <gradus/models/search.hpp>

#include <cstdint>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

struct DecodeOptions {
  MaxSteps max_steps = {};
  std::int64_t batch_tokens = 4096;  ///< at most so many source tokens in a batch, padding included
};

/// Decodes any number of sources, without BOS and EOS, by any search: sources of about the same length
/// together, the results in the order of the sources. A source that alone has more than `batch_tokens` is a
/// batch of its own.
/// @throws Error when a source is empty, `batch_tokens` is below 1, or the search leaves sources out.
std::vector<std::vector<Decoded>> decode(const Seq2Seq& model,
                                         std::span<const std::vector<std::int64_t>> sources,
                                         const Search& search, const DecodeOptions& options = {});

}  // namespace gradus::models
#pragma GCC visibility pop
