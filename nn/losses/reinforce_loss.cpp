#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/reinforce_loss.hpp>

#include <algorithm>
#include <limits>

namespace gradus::nn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The advantages A, (T_y, B), with zeros beyond the lengths.
Tensor advantages(const Tensor& log_likelihoods, const Tensor& lengths) {
  const NoGrad constant;
  const Tensor padding = less_equal(lengths, unsqueeze(arange(log_likelihoods.size(0)), 1));  // (T_y, B)
  const Tensor r = masked_fill(log_likelihoods, padding, 0), n = lengths.to(r.dtype());
  const Tensor of_row = sum(r, 0);  // (B)
  const Tensor baseline = (sum(of_row) - of_row) / clamp(sum(n) - n, 1, infinity);
  const Tensor centred = masked_fill(r - baseline, padding, 0);
  return flip(cumsum(flip(centred, 0), 0), 0);
}

}  // namespace

Tensor reinforce_loss(const Tensor& weights, const Tensor& log_likelihoods, const Tensor& target_lengths) {
  if (weights.rank() != 3 || log_likelihoods.shape() != weights.shape().without(2)) {
    fail("reinforce_loss", "needs weights (T_y, B, T_x) and log-likelihoods (T_y, B), and got ",
         weights.shape(), " and ", log_likelihoods.shape(), "; stack() the weights of all steps");
  }
  const std::int64_t T = weights.size(0), B = weights.size(1);
  check_lengths("reinforce_loss", target_lengths, B, T);
  const Tensor lengths =
      target_lengths.defined() ? target_lengths : full({B}, static_cast<double>(T), Dtype::i64);
  const Tensor A = advantages(log_likelihoods, lengths), chosen = sum(weights, 2);
  const double count = std::max(sum(lengths.to(Dtype::f64)).item(), 1.0);
  return sum(A * (chosen.detach() - chosen)) / count;
}

}  // namespace gradus::nn
