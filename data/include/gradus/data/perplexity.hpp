#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::data {

/// exp(nats / tokens): the number of tokens among which a uniform choice has the same cross-entropy. NaN
/// without tokens.
/// @param nats    the sum over the tokens, -Σ ln p(y_t | y_<t, x).
/// @param tokens  number of tokens, including EOS, without padding.
double perplexity(double nats, std::int64_t tokens);

}  // namespace gradus::data
#pragma GCC visibility pop
