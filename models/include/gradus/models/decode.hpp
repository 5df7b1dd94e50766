#pragma once

#include <gradus/models/search.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

struct DecodeOptions {
  MaxSteps max_steps = {};
  std::int64_t batch_tokens = 4096;  ///< maximum source tokens per batch, including padding
};

/// Decodes any number of sources with any search. The sources contain no BOS and no EOS. decode() sorts the
/// sources by length, and divides them into batches. A source longer than `batch_tokens` is a batch by
/// itself. The results are in the order of `sources`.
/// @throws Error if a source is empty, if `batch_tokens` is below 1, or if the search does not return one
/// list of results per source.
std::vector<std::vector<Decoded>> decode(const Ensemble& model,
                                         std::span<const std::vector<std::int64_t>> sources,
                                         const Search& search, const DecodeOptions& options = {});

/// Makes the search for one batch of decode().
/// @param sources indices into the `sources` of decode(), in the order of the batch
using SearchOfBatch = std::function<Search(std::span<const std::size_t> sources)>;

/// decode() with a separate search for each batch. Use this overload if a source's results must not depend on
/// its batch, for example to sample each source from its own generator.
std::vector<std::vector<Decoded>> decode(const Ensemble& model,
                                         std::span<const std::vector<std::int64_t>> sources,
                                         const SearchOfBatch& search, const DecodeOptions& options = {});

}  // namespace gradus::models
#pragma GCC visibility pop
