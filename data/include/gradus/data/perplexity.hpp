#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::data {

/// exp(nats / tokens): among how many tokens, all alike, a model would have had to choose.
/// \param nats    summed over the tokens: -Σ ln p(y_t | y_<t, x).
/// \param tokens  EOS included, padding not. NaN for none.
double perplexity(double nats, std::int64_t tokens);

}  // namespace gradus::data
#pragma GCC visibility pop
