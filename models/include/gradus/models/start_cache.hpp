#pragma once

#include <gradus/nn/decoder_step.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Keeps the starts of the sources that were decoded most recently. A start consists of the results computed
/// before the first step of a search: the initial state s_0, the annotations h_j, and the attention's keys
/// U_a h_j (Bahdanau et al. 2015, appendix A.1.2). If a source in the cache is decoded again, the encoder
/// does not run. All starts must come from the same model. Threads may share a cache.
class StartCache {
 public:
  /// One start for each member of an ensemble.
  using Starts = std::vector<nn::DecoderStep::Start>;

  /// @param most_bytes limit on the total size of the sources and starts in the cache; the least recently
  /// used sources are dropped first
  explicit StartCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The starts of a source, each with batch size 1, or nothing if the cache does not have them.
  std::optional<Starts> find(std::span<const std::int64_t> source);
  /// Keeps the starts, unless the cache has the source already, or source and starts together are larger than
  /// the limit.
  void insert(std::span<const std::int64_t> source, Starts starts);

  struct Use {
    std::int64_t hits = 0, misses = 0;  ///< results of find()
    std::int64_t bytes = 0;             ///< of the sources and starts
  };
  Use use() const;

 private:
  using Source = std::vector<std::int64_t>;
  struct Entry {
    Starts starts;
    std::int64_t bytes;
    std::list<const Source*>::iterator use;
  };

  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::map<Source, Entry> entries_;
  std::list<const Source*> by_use_;  // the most recently used source first
  Use use_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
