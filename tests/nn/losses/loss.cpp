// The loss is the mean over the real tokens. It must not read other tokens.

#include <gradus/nn/loss.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
using gradus::nn::masked_cross_entropy;

namespace {

constexpr std::int64_t T = 4, B = 3, V = 5;

struct Example {
  Generator generator{1};
  Tensor logits = leaf(random({T, B, V}, generator));
  Tensor targets = gradus::tensor(Ids{3, 0, 1, 1, 4, 2, 0, 0, 3, 2, 1, 0}, {T, B});
  Tensor lengths = integers({3, 1, T});
};

}  // namespace

TEST_CASE("the loss is the mean of -ln p over the real tokens", "[nn][loss]") {
  const Example e;
  const Tensor log_p = log_softmax(e.logits);
  double total = 0;
  for (const auto& [t, b] : {std::pair{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}, {3, 2}}) {
    const auto target = static_cast<std::int64_t>(e.targets[t][b].item());
    total -= log_p[t][b][target].item();
  }
  CHECK(std::abs(masked_cross_entropy(e.logits, e.targets, e.lengths).item() - total / 8) < 1e-14);
}

TEST_CASE("uniform logits have a loss of ln V per token", "[nn][loss]") {
  const Example e;
  const Tensor logits = gradus::zeros({T, B, V}, Dtype::f64);
  CHECK(std::abs(masked_cross_entropy(logits, e.targets, e.lengths).item() - std::log(5)) < 1e-14);
}

TEST_CASE("logits and targets beyond a length are not read, and have no gradient", "[nn][loss]") {
  const Example e;
  const double loss = masked_cross_entropy(e.logits, e.targets, e.lengths).item();
  const Tensor padding = 1 - real_steps(e.lengths, T).to(Dtype::f64), column = padding.reshape({T, B, 1});
  const Tensor nan = gradus::full({1}, std::numeric_limits<double>::quiet_NaN(), Dtype::f64);
  const Tensor logits = leaf(where(column.to(Dtype::i64), nan, e.logits));
  const Tensor targets = where(padding.to(Dtype::i64), integers({99}), e.targets);

  const Tensor same = masked_cross_entropy(logits, targets, e.lengths);
  CHECK(same.item() == loss);
  same.backward();
  CHECK(mismatch(only_padding(logits.grad(), e.lengths), gradus::zeros({T, B, V})) == "");
}

TEST_CASE("more padding does not change the loss", "[nn][loss]") {
  const Example e;
  const Tensor targets = gradus::concat({e.targets, gradus::zeros({2, B}, Dtype::i64)}, 0);
  CHECK(masked_cross_entropy(with_garbage(e.logits, e.lengths, 2), targets, e.lengths).item() ==
        masked_cross_entropy(e.logits, e.targets, e.lengths).item());
}

TEST_CASE("each real token's gradient sums to 0, and tokens have equal weights", "[nn][loss]") {
  const Example e;
  masked_cross_entropy(e.logits, e.targets, e.lengths).backward();
  const Tensor gradient = e.logits.grad();
  CHECK(mismatch(sum(gradient, 2), gradus::zeros({T, B}), rounding) == "");
  const Tensor p = softmax(e.logits)[0][1];  // sequence 1 has one real token, and its target is 0
  for (std::int64_t v = 0; v < V; ++v) {
    CHECK(std::abs(gradient[0][1][v].item() - (p[v].item() - (v == 0 ? 1 : 0)) / 8) < 1e-14);
  }
}

TEST_CASE("label smoothing spreads part of each target over all tokens", "[nn][loss]") {
  const Example e;
  const Tensor log_p = log_softmax(e.logits);
  double spread = 0;  // the sum of −mean_k ln p(k) over the real tokens
  for (const auto& [t, b] : {std::pair{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}, {3, 2}}) {
    spread -= mean(log_p[t][b]).item();
  }
  const double plain = masked_cross_entropy(e.logits, e.targets, e.lengths).item();
  CHECK(std::abs(masked_cross_entropy(e.logits, e.targets, e.lengths, 0.3).item() -
                 (0.7 * plain + 0.3 * spread / 8)) < 1e-14);
  CHECK_ERROR(masked_cross_entropy(e.logits, e.targets, e.lengths, 1.5),
              "cross_entropy: the label smoothing must be in [0, 1], and is 1.5");
}

TEST_CASE("the loss of a batch without real tokens is 0", "[nn][loss]") {
  const Example e;
  const Tensor loss = masked_cross_entropy(e.logits, e.targets, integers({0, 0, 0}));
  CHECK(loss.item() == 0);
  loss.backward();
  CHECK(mismatch(e.logits.grad(), gradus::zeros(e.logits.shape(), e.logits.dtype())) == "");
}

TEST_CASE("masked_cross_entropy refuses arguments that do not fit", "[nn][loss]") {
  const Example e;
  CHECK_ERROR(masked_cross_entropy(e.logits[0], e.targets[0], e.lengths),
              "masked_cross_entropy: needs logits (T, B, V) and targets (T, B), and got (3, 5) and (3)");
  CHECK_ERROR(
      masked_cross_entropy(e.logits, transpose(e.targets, 0, 1), e.lengths),
      "masked_cross_entropy: needs logits (T, B, V) and targets (T, B), and got (4, 3, 5) and (3, 4)");
  CHECK_ERROR(masked_cross_entropy(e.logits, e.targets, integers({3, 1, 5})),
              "masked_cross_entropy: length 5 is outside [0, 4]");
  CHECK_ERROR(masked_cross_entropy(e.logits, e.targets, integers({3, 1})),
              "masked_cross_entropy: the lengths are (2) and must be (3), one per row of the batch");
  const Tensor outside = gradus::full({T, B}, V, Dtype::i64);
  CHECK_ERROR(
      masked_cross_entropy(e.logits, outside, e.lengths),
      "cross_entropy: target 5 at position 0 of (4, 3) is outside [0, 5), the last axis of the logits "
      "(4, 3, 5)");
}

TEST_CASE("without lengths every token is real", "[nn][loss]") {
  const Example e;
  CHECK(masked_cross_entropy(e.logits, e.targets, Tensor()).item() ==
        masked_cross_entropy(e.logits, e.targets, integers({T, T, T})).item());
  CHECK_ERROR(masked_cross_entropy(e.logits, e.targets.to(Dtype::f64), e.lengths),
              "masked_cross_entropy: the targets (4, 3) must be i64, and is f64");
}
