#include <gradus/data/perplexity.hpp>

#include <cmath>

#include "metrics/ratio.hpp"

namespace gradus::data {

double perplexity(double nats, std::int64_t tokens) { return std::exp(ratio(nats, tokens)); }

}  // namespace gradus::data
