#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/sample.hpp>
#include <gradus/models/search.hpp>
#include <gradus/models/start_cache.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

class SourceSearch;  // internal

/// A function that starts the search for one source. `source` describes the columns of the attention weights
/// that the search returns.
using SearchSteps =
    std::function<std::shared_ptr<SourceSearch>(const WeightColumns& source, const MaxSteps& max_steps)>;

/// greedy(), beam_search() and sample() for a RunningBatch. Each source gets the same outputs as if the
/// Search of the same name decoded only this source. @throws Error as these functions do.
SearchSteps greedy_steps(const Constraints& constraints = {});
SearchSteps beam_search_steps(const BeamOptions& options);
SearchSteps sample_steps(const SamplingOptions& options, const Generator& generator);
/// A search that writes the given tokens, as force_decode() does.
/// @throws Error if the target contains PAD or BOS, or EOS before its end. The search throws an Error when it
/// reaches a token outside the vocabulary.
SearchSteps forced_steps(std::vector<std::int64_t> target);

/// Continuous batching: sources are decoded together, and may join and leave between two steps. Each source
/// has its own search.
///
/// With nn::RowProducts or compress::Int8Products, every matrix product computes the rows of a batch
/// independently. The bits of a source's results then do not depend on the other sources in the batch, on
/// when these join, or on the StartCache. Only one thread at a time may use a RunningBatch.
class RunningBatch {
 public:
  using Id = std::uint64_t;

  /// @param model its members must be in eval mode, outlive this object, and not change
  /// @param cache keeps the starts of this model's sources; must outlive this object; nullptr: no cache
  /// @throws Error if the model is in training mode.
  explicit RunningBatch(const Ensemble& model, StartCache* cache = nullptr);
  ~RunningBatch();
  RunningBatch(const RunningBatch&) = delete;
  RunningBatch& operator=(const RunningBatch&) = delete;

  struct Newcomer {
    Id id;                                 ///< chosen by the caller, unique among those in the batch
    std::span<const std::int64_t> source;  ///< tokens without BOS and EOS; not empty
    SearchSteps search;
    MaxSteps max_steps;
  };
  /// Encodes the sources of the newcomers, and decodes the first step of each. @throws Error for an empty
  /// source, and as the model and the searches do. After an error, no newcomer has joined.
  void join(std::span<const Newcomer> newcomers);

  /// Decodes the next token of every source. Does nothing if the batch is empty. @throws Error as the model
  /// or a search does; all sources leave the batch in that case.
  void step();

  struct Finished {
    Id id;
    std::vector<Decoded> outputs;  ///< best first
  };
  /// Removes the sources whose search has ended, and returns their outputs.
  std::vector<Finished> take_finished();

  /// Removes a source and discards its results. Ignores an unknown id.
  void cancel(Id id);

  bool empty() const;
  std::int64_t size() const;           ///< number of sources
  std::int64_t rows() const;           ///< rows of the decoders' states, also of sources that have left
  std::int64_t source_length() const;  ///< T: every source is padded to this number of annotations

 private:
  class State;
  Ensemble model_;
  StartCache* cache_;
  std::unique_ptr<State> state_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
