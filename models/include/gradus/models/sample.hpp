#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/models/constraints.hpp>
#include <gradus/models/search.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// How a token is drawn:
///
/// 1. The probabilities of the allowed tokens become p^(1/temperature), normalised.
/// 2. The `top_k` likeliest tokens are kept (Fan et al. 2018).
/// 3. Of these, the likeliest are kept: the fewest tokens whose probabilities add up to at least the fraction
///    `top_p` of the sum over all tokens of step 2 (nucleus, Holtzman et al. 2020).
/// 4. The token is drawn from the kept tokens, normalised.
///
/// Of equally likely tokens, those with lower ids are kept.
struct SamplingOptions {
  double temperature = 1;  ///< > 0; near 0, sampling approaches greedy decoding
  std::int64_t top_k = 0;  ///< ≥ 0; 0 keeps all
  double top_p = 1;        ///< in (0, 1]; 1 keeps all
  Constraints constraints = {};
};

/// Decodes by sampling: draws each token from the model's distribution, and feeds it to the next step. The
/// returned log-probabilities are the model's own and do not depend on the options. Each source has its own
/// generator, split from `generator` in batch order, so that the tokens of a source do not depend on those of
/// other sources.
///
/// @param source    (T, B), i64, or vectors (T, B, ·)
/// @param lengths   (B), i64
/// @throws Error if an option is outside its range.
std::vector<Decoded> sample(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                            const SamplingOptions& options, Generator& generator,
                            const MaxSteps& max_steps = {});

/// Sampling as a Search. The Search draws from a copy of `generator`. The copy advances with every call, so
/// each call draws other numbers.
/// @throws Error if an option is outside its range.
Search sample(const SamplingOptions& options, const Generator& generator);

/// Sampling as a Search of one batch: source b draws from a copy of generators[b].
/// @throws Error if an option is outside its range. The Search throws if the batch has another number of
/// sources.
Search sample(const SamplingOptions& options, std::vector<Generator> generators);

}  // namespace gradus::models
#pragma GCC visibility pop
