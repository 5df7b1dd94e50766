#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A model's output for one source.
struct Decoded {
  std::vector<std::int64_t> tokens;  ///< includes EOS, unless the maximum length was reached first
  Tensor weights;  ///< (tokens, columns), f32: α_tj, see WeightColumns; undefined without attention
  std::vector<double> token_log_probabilities;  ///< the model's ln p(y_t | y_1 … y_{t−1}, x)
  double log_probability = 0;                   ///< ln p(y | x), the sum of token_log_probabilities
  double score = 0;  ///< ranks the outputs of a beam search; equals log_probability for other searches
};

}  // namespace gradus::models
#pragma GCC visibility pop
