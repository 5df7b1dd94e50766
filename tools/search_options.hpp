#pragma once

#include <gradus/autograd/runtime.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/sample.hpp>

#include <cstdint>
#include <string>

#include "translation.hpp"

namespace CLI {
class App;  // its header takes the compiler seconds
}

namespace gradus::tools {

/// How sentences are decoded, as the command line says: greedily unless a beam or sampling is asked for.
struct SearchOptions {
  models::BeamOptions beam = {.width = 1};
  bool sampling = false;
  models::SamplingOptions sample;
  std::uint64_t seed = 1;
  std::int64_t max_steps = 0;  ///< 0 for MaxSteps' own
  bool replace_unknown = true;
  std::int64_t threads = 0;  ///< 0 for as many as there are
  Precision precision = Precision::f32;

  /// @throws Error as the search does for options out of range.
  models::Search search() const;
  TranslationOptions translation() const;
  /// "greedy", "beam 5, length penalty 0.6", "sampled with seed 1".
  std::string description() const;
  void use_threads() const;
};

/// Makes each an option of the app. What does not go together is bad usage.
void add_search_options(CLI::App& app, SearchOptions& options);

}  // namespace gradus::tools
