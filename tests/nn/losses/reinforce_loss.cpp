// REINFORCE: compares advantages with a calculation by hand, and the mean gradient with the exact one.

#include <gradus/nn/normaliser.hpp>
#include <gradus/nn/reinforce_loss.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;

namespace {

// Weights (T_y, B, 1) over one position. Their gradient is −A / N, where A is the advantage and N the number
// of real tokens.
Tensor single(std::int64_t T_y, std::int64_t B) { return leaf(gradus::ones({T_y, B, 1}, Dtype::f64)); }

}  // namespace

TEST_CASE("the advantage is the later tokens' log-likelihood, less the other sequences' mean",
          "[nn][loss][reinforce]") {
  const Tensor r = tensor({{-1, -3}, {-2, -5}, {-6, 1e6}}, Dtype::f64), weights = single(3, 2);
  const Tensor loss = nn::reinforce_loss(weights, r, integers({3, 2}));
  CHECK(loss.item() == 0);
  loss.backward();
  // The baseline of a sequence is the mean log-likelihood of the other sequences' tokens: −4 for sequence 0
  // and −3 for sequence 1.
  const Tensor A = tensor({{3 + 2 - 2, 0 - 2}, {2 - 2, -2}, {-2, 0}}, Dtype::f64);
  CHECK(mismatch(squeeze(weights.grad(), 2), A / -5, rounding) == "");
}

TEST_CASE("a single sequence has no baseline", "[nn][loss][reinforce]") {
  const Tensor weights = single(2, 1);
  nn::reinforce_loss(weights, tensor({{-1}, {-2}}, Dtype::f64), Tensor()).backward();
  CHECK(mismatch(weights.grad(), tensor({{{1.5}}, {{1}}}, Dtype::f64), rounding) == "");
}

TEST_CASE("the log-likelihoods get no gradient, and a batch without steps a loss of 0",
          "[nn][loss][reinforce]") {
  const Tensor r = leaf(tensor({{-1, -3}}, Dtype::f64)), weights = single(1, 2);
  nn::reinforce_loss(weights, r, Tensor()).backward();
  CHECK_FALSE(r.grad().defined());
  CHECK(nn::reinforce_loss(weights, r, integers({0, 0})).item() == 0);
}

TEST_CASE("the mean of REINFORCE's gradients is the gradient of the expected loss", "[nn][loss][reinforce]") {
  constexpr std::int64_t draws = 50000;
  Tensor e = leaf(tensor({0.5, -0.5, 0}, Dtype::f64));
  const Tensor reward = tensor({-1, -2, -4}, Dtype::f64);
  sum(softmax(e) * -reward).backward();  // the exact expectation E[−r]
  const Tensor exact = e.grad();
  e.zero_grad();
  gradus::seed(1);
  const Tensor weights = nn::normaliser::hard().weights(expand(e, {draws, 3}), Tensor(), true);
  const Tensor r = sum(weights.detach() * reward, 1);
  nn::reinforce_loss(unsqueeze(weights, 0), unsqueeze(r, 0), Tensor()).backward();
  // The gradient of one draw has a standard deviation below 1. So four standard errors of the mean are below
  // 4 / √50000 < 0.018.
  CHECK(mismatch(e.grad(), exact, {0.018, 0}) == "");
  CHECK(std::abs(exact.to_vector<double>()[0]) > 0.1);
}

TEST_CASE("REINFORCE reports shapes that do not fit", "[nn][loss][reinforce]") {
  const Tensor r = gradus::zeros({2, 3}, Dtype::f64);
  CHECK_ERROR(
      nn::reinforce_loss(gradus::zeros({2, 4, 5}, Dtype::f64), r, Tensor()),
      "reinforce_loss: needs weights (T_y, B, T_x) and log-likelihoods (T_y, B), and got (2, 4, 5) and "
      "(2, 3); stack() the weights of all steps");
  CHECK_ERROR(nn::reinforce_loss(gradus::zeros({2, 3, 5}, Dtype::f64), r, integers({1, 3, 0})),
              "reinforce_loss: length 3 is outside [0, 2]");
}
