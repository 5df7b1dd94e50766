#pragma once

#include <cstdint>
#include <functional>
#include <vector>

/// The types of exercise 17: model, options and results of a beam search.
namespace search {

using Tokens = std::vector<std::int64_t>;

/// A model that writes tokens 0 … V − 1.
struct Model {
  std::int64_t eos;  ///< the token that ends an output
  /// ln p(· | y): V log-probabilities of the next token after the beginning y. y does not contain EOS.
  std::function<std::vector<double>(const Tokens& y)> log_p;
};

struct Options {
  std::int64_t width;       ///< K ≥ 1
  double alpha;             ///< exponent of the length penalty, ≥ 0
  std::int64_t max_length;  ///< maximum length of an output, including EOS; ≥ 1
};

struct Hypothesis {
  Tokens y;          ///< the output; ends in EOS if it is finished
  double log_p = 0;  ///< ln p(y): the sum over its tokens, including EOS
  double score = 0;  ///< log_p / lp(y)
};

}  // namespace search
