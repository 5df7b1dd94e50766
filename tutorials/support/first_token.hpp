#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

/// The task of the tutorials on recurrent networks: remember the first token of a sequence. It is one of 8
/// symbols; `delay` further tokens follow, drawn from 8 others, which say nothing of it. Guessing is right
/// once in 8.
namespace tutorial {

constexpr std::int64_t first_token_symbols = 8;
constexpr std::int64_t first_token_inputs = 2 * first_token_symbols;  ///< numbers of a one-hot token

struct FirstTokenBatch {
  gradus::Tensor x;       ///< (1 + delay, B, first_token_inputs): one-hot tokens
  gradus::Tensor target;  ///< (B), i64: which symbol came first
};

FirstTokenBatch first_token_batch(std::int64_t delay, std::int64_t batch_size, gradus::Generator& generator);

/// Trains `parameters` with Adam on batches of 32, as tutorial 03 does; `logits` are (B, first_token_symbols)
/// for x. Returns the share of 1000 new sequences whose largest logit is at the target.
double learn_first_token(const std::vector<gradus::Tensor>& parameters,
                         const std::function<gradus::Tensor(const gradus::Tensor& x)>& logits,
                         std::int64_t delay, std::int64_t steps, gradus::Generator& generator);

}  // namespace tutorial
