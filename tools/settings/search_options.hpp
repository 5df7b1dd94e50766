#pragma once

#include <gradus/autograd/precision.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/decode.hpp>
#include <gradus/models/running_batch.hpp>
#include <gradus/models/sample.hpp>

#include <cstdint>
#include <string>

#include "settings/effects.hpp"

namespace CLI {
class App;  // forward declaration: CLI11's header is slow to compile
}

namespace gradus::tools {

/// The largest width of a beam search on the command line.
inline constexpr std::int64_t widest_beam = 10000;

/// Options of a translation, without those of the search.
struct TranslationOptions {
  models::MaxSteps max_steps = {};
  /// Replaces an unknown token by the source token with the largest attention weight, if the model has
  /// attention and reads text.
  bool replace_unknown = true;
  std::int64_t batch_tokens = models::DecodeOptions{}.batch_tokens;
};

/// The command line's search options. Decoding is greedy unless a beam or sampling is requested.
struct SearchOptions {
  models::BeamOptions beam = {.width = 1};
  bool sampling = false;
  models::SamplingOptions sample;
  std::uint64_t seed = 1;
  models::Constraints constraints;
  std::int64_t max_steps = 0;  ///< 0: the default of MaxSteps, or more if min_length needs it
  bool replace_unknown = true;
  std::int64_t attention_top_k = 0;  ///< for use_top_k_attention(); 0: all positions
  std::int64_t threads = 0;          ///< 0: one per core, at most 16
  Precision precision = Precision::f32;

  /// The search for decode(). In sampling, each sentence has its own generator, which depends only on the
  /// seed and on the sentence's number, so that the outputs do not depend on the division into batches.
  /// @param first the number of the first source of decode(): how many sentences were decoded before
  /// @throws Error if an option is out of range. In sampling, the returned function throws it.
  models::SearchOfBatch search(std::int64_t first = 0) const;
  /// The same search for a models::RunningBatch, without `precision`. In sampling, every sentence has the
  /// generator of sentence 0.
  models::SearchSteps steps() const;
  TranslationOptions translation() const;
  /// The search in words, such as "greedy", "beam 5, length penalty 0.6" or "sampled with seed 1".
  std::string description() const;
  /// @param vocabulary the number of target tokens
  /// @throws UsageError if check_beam_fits() throws.
  void check_fits(std::int64_t vocabulary) const;
  /// Sets the number of threads, unless it is 0.
  void use_threads() const;
};

/// Adds --precision and --threads to the app.
void add_computing_options(CLI::App& app, SearchOptions& options);
/// Adds --attention-top-k.
void add_top_k_attention(CLI::App& app, std::int64_t& k);
/// Adds each field, except beam.n_best, as an option of the app. Conflicting options are usage errors.
void add_search_options(CLI::App& app, SearchOptions& options);
/// The search options that have an effect only with other options, or only on models with attention.
Effects search_effects(const SearchOptions& options, bool attends);

}  // namespace gradus::tools
