#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/attention_loss.hpp>

#include <algorithm>
#include <numeric>

namespace gradus::nn {
namespace {

// The weights, with zeros beyond each target's end, and the number of real steps. `count` is 1 if there are
// no real steps, because the losses divide by `count`.
struct RealSteps {
  Tensor weights;
  double count;
};

RealSteps real_steps(const char* operation, const Tensor& weights, const Tensor& lengths) {
  if (weights.rank() != 3) {
    fail(operation, "the weights are ", weights.shape(),
         " and must be (T_y, B, T_x); stack() the weights of all steps");
  }
  const std::int64_t T = weights.size(0), B = weights.size(1);
  check_lengths(operation, lengths, B, T);
  const Tensor ends = lengths.defined() ? lengths : full({B}, static_cast<double>(T), Dtype::i64);
  const Tensor padding = less_equal(ends, unsqueeze(arange(T), 1));  // (T, B)
  const auto all = ends.values<std::int64_t>();
  const std::int64_t count = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  return {masked_fill(weights, unsqueeze(padding, 2), 0),
          static_cast<double>(std::max<std::int64_t>(count, 1))};
}

}  // namespace

Tensor attention_entropy(const Tensor& weights, const Tensor& target_lengths) {
  const auto [alpha, steps] = real_steps("attention_entropy", weights, target_lengths);
  const Tensor is_zero = equal(alpha, zeros({}, alpha.dtype()));
  const Tensor ln = log(masked_fill(alpha, is_zero, 1));  // avoids 0 · −∞ in both passes
  return -sum(alpha * ln) / steps;
}

Tensor coverage_loss(const Tensor& weights, const Tensor& target_lengths) {
  const auto [alpha, steps] = real_steps("coverage_loss", weights, target_lengths);
  const Tensor before = pad(alpha, 0, 1, 0).slice(0, alpha.size(0));  // α_{t−1}, and 0 at the first step
  return sum(minimum(alpha, cumsum(before, 0))) / steps;
}

}  // namespace gradus::nn
