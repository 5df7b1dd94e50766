#include "first_token.hpp"

#include <gradus/autograd/ops.hpp>

#include <vector>

namespace tutorial {

using gradus::Tensor;

FirstTokenBatch first_token_batch(std::int64_t delay, std::int64_t batch_size, gradus::Generator& generator) {
  const auto symbol = [&] { return static_cast<std::int64_t>(generator.below(first_token_symbols)); };
  std::vector<std::int64_t> target, tokens;
  for (std::int64_t b = 0; b < batch_size; ++b) target.push_back(symbol());
  tokens = target;
  for (std::int64_t i = 0; i < delay * batch_size; ++i) tokens.push_back(first_token_symbols + symbol());
  return {.x = gradus::one_hot(gradus::tensor(tokens, {1 + delay, batch_size}), first_token_inputs),
          .target = gradus::tensor(target)};
}

double first_token_accuracy(const Tensor& logits, const Tensor& target) {
  return gradus::mean(gradus::equal(gradus::argmax(logits), target).to(gradus::Dtype::f32)).item();
}

}  // namespace tutorial
