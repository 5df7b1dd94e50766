#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Which distribution is drawn from: p^(1/temperature), of the `top_k` likeliest tokens (Fan et al. 2018), of
/// which in turn only the fewest likeliest that have `top_p` of the probability are kept (the nucleus of
/// Holtzman et al. 2020), made to sum to 1. Of equally likely tokens the lower id is kept first.
struct SamplingOptions {
  double temperature = 1;  ///< > 0; towards 0 it becomes greedy
  std::int64_t top_k = 0;  ///< ≥ 0; 0 keeps all
  double top_p = 1;        ///< in (0, 1]; 1 keeps all
};

/// Decodes by drawing each token from what the model says of it, and giving it back as the next input. The
/// log-probabilities are the model's own, whatever the options. Each source is drawn for by a generator of
/// its own, split off `generator` in the batch's order, so that its tokens do not depend on its neighbours'.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
/// @throws Error when an option is outside its range.
std::vector<Decoded> sample(const Seq2Seq& model, const Tensor& source, const Tensor& lengths,
                            const SamplingOptions& options, Generator& generator,
                            const MaxSteps& max_steps = {});

/// As a search, which goes on drawing from its own copy of the generator. @throws Error as above.
Search sample(const SamplingOptions& options, const Generator& generator);

}  // namespace gradus::models
#pragma GCC visibility pop
