#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// What a model made of one source.
struct Decoded {
  std::vector<std::int64_t> tokens;  ///< up to and including EOS; without it when the steps ran out
  Tensor weights;                    ///< (tokens, source length), f32: α_tj; undefined without attention
  std::vector<double> token_log_probabilities;  ///< ln p(y_t | y_1 … y_{t−1}, x), of the model itself
  double log_probability = 0;                   ///< ln p(y | x), their sum
  double score = 0;  ///< what a search ranks it by; the log-probability where nothing is ranked
};

}  // namespace gradus::models
#pragma GCC visibility pop
