#include <gradus/autograd/pack_weights.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/decode.hpp>

#include "search/in_batches.hpp"

namespace gradus::models {

std::vector<std::vector<Decoded>> decode(const Ensemble& model,
                                         std::span<const std::vector<std::int64_t>> sources,
                                         const Search& search, const DecodeOptions& options) {
  return decode(model, sources, [&](std::span<const std::size_t> /*sources*/) { return search; }, options);
}

std::vector<std::vector<Decoded>> decode(const Ensemble& model,
                                         std::span<const std::vector<std::int64_t>> sources,
                                         const SearchOfBatch& search, const DecodeOptions& options) {
  const PackWeights pack_weights;  // packs the weights once, for all batches
  return in_batches<std::vector<Decoded>>(
      "decode", Sources(sources.begin(), sources.end()), options.batch_tokens,
      [&](const SourceBatch& batch, const std::vector<std::size_t>& chosen) {
        std::vector<std::vector<Decoded>> found =
            search(chosen)(model, batch.source, batch.lengths, options.max_steps);
        if (found.size() != chosen.size()) {
          fail("decode", "the search returned results for ", found.size(), " of ", chosen.size(), " sources");
        }
        return found;
      });
}

}  // namespace gradus::models
