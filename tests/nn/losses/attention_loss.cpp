// Losses of attention weights. They average over real decoder steps only.

#include <gradus/nn/attention_loss.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
using gradus::tensor;
using gradus::nn::attention_entropy;
using gradus::nn::coverage_loss;

namespace {

constexpr std::int64_t T_y = 4, B = 3, T_x = 5;

struct Example {
  Generator generator{1};
  Tensor weights = leaf(softmax(random({T_y, B, T_x}, generator)));
  Tensor lengths = integers({3, 1, T_y});
};

// One sequence of weights, (T_y, 1, T_x) in f64.
Tensor steps(const gradus::NestedList& rows) {
  const Tensor x = tensor(rows, Dtype::f64);
  return x.reshape({x.size(0), 1, x.size(1)});
}

struct Loss {
  const char* name;
  Tensor (*f)(const Tensor& weights, const Tensor& target_lengths);
};
constexpr Loss losses[] = {{"attention_entropy", attention_entropy}, {"coverage_loss", coverage_loss}};

}  // namespace

TEST_CASE("the attention entropy is the mean of the real steps' entropies", "[nn][loss]") {
  const Example e;
  double total = 0;
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t t = 0; t < e.lengths.values<std::int64_t>()[static_cast<std::size_t>(b)]; ++t) {
      const Tensor alpha = e.weights[t][b];
      total -= sum(alpha * log(alpha)).item();
    }
  }
  CHECK(std::abs(attention_entropy(e.weights, e.lengths).item() - total / 8) < 1e-14);
}

TEST_CASE("the entropy is ln n for n equal weights, and 0 for a single weight of 1", "[nn][loss]") {
  CHECK(std::abs(attention_entropy(gradus::full({2, 3, 5}, 0.2, Dtype::f64), Tensor()).item() - std::log(5)) <
        1e-14);
  CHECK(attention_entropy(steps({{0, 1, 0}, {1, 0, 0}}), Tensor()).item() == 0);
}

TEST_CASE("a weight of 0 has a finite gradient under the entropy", "[nn][loss]") {
  const Tensor weights = leaf(steps({{0, 0.25, 0.75}}));
  attention_entropy(weights, Tensor()).backward();
  CHECK(mismatch(weights.grad(), steps({{0, -1 - std::log(0.25), -1 - std::log(0.75)}}), rounding) == "");
}

TEST_CASE("the coverage loss penalises attending to the same position again", "[nn][loss]") {
  CHECK(coverage_loss(steps({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), Tensor()).item() == 0);
  // The steps' coverage losses: 0, 0.25 + 0.5, 0.5 + 0.25. Before step 3, the coverage is (0.75, 1.25, 0).
  const Tensor again = steps({{0.5, 0.5, 0}, {0.25, 0.75, 0}, {0.5, 0.25, 0.25}});
  CHECK(std::abs(coverage_loss(again, Tensor()).item() - (0.75 + 0.75) / 3) < 1e-15);
  CHECK(coverage_loss(steps({{0, 1}, {0, 1}, {0, 1}, {0, 1}}), Tensor()).item() == 0.75);
}

TEST_CASE("the mean is over the real steps of the whole batch", "[nn][loss]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  INFO(loss.name);
  const Example e;
  double total = 0;
  for (std::int64_t b = 0; b < B; ++b) {
    const auto n = static_cast<std::int64_t>(e.lengths[b].item());
    total += static_cast<double>(n) * loss.f(e.weights.slice(b, b + 1, 1).slice(0, n), Tensor()).item();
  }
  CHECK(std::abs(loss.f(e.weights, e.lengths).item() - total / 8) < 1e-14);
}

TEST_CASE("decoder steps beyond a target's end are not read, and have no gradient", "[nn][loss]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  INFO(loss.name);
  const Example e;
  const Tensor padding = less_equal(e.lengths, gradus::arange(T_y).reshape({T_y, 1})).reshape({T_y, B, 1});
  const Tensor weights = leaf(masked_fill(e.weights, padding, std::numeric_limits<double>::quiet_NaN()));
  const Tensor same = loss.f(weights, e.lengths);
  CHECK(same.item() == loss.f(e.weights, e.lengths).item());
  same.backward();
  loss.f(e.weights, e.lengths).backward();
  CHECK(mismatch(weights.grad(), e.weights.grad()) == "");
  CHECK(mismatch(only_padding(weights.grad(), e.lengths), gradus::zeros({T_y, B, T_x})) == "");
}

TEST_CASE("source positions with weight 0 change neither loss", "[nn][loss]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  INFO(loss.name);
  const Example e;
  CHECK(std::abs(loss.f(pad(e.weights, 2, 0, 3), e.lengths).item() - loss.f(e.weights, e.lengths).item()) <
        1e-15);
}

TEST_CASE("attention losses of a batch without real steps are 0", "[nn][loss]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  const Example e;
  CHECK(loss.f(e.weights, integers({0, 0, 0})).item() == 0);
}

TEST_CASE("attention losses have correct gradients", "[nn][loss][gradients]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  INFO(loss.name);
  const Example e;
  const auto of_energies = [&](const std::vector<Tensor>& x) {  // masking makes some weights exactly 0
    const Tensor alpha = masked_softmax(x[0].reshape({T_y * B, T_x}), gradus::full({T_y * B}, 3, Dtype::i64));
    return loss.f(alpha.reshape({T_y, B, T_x}), e.lengths);
  };
  Generator generator(3);
  const Tensor energies = random({T_y, B, T_x}, generator);
  const auto of_weights = [&](const std::vector<Tensor>& x) { return loss.f(x[0], Tensor()); };
  check_gradients(gradus::gradcheck(of_energies, {energies}), 1);
  check_gradients(gradus::gradcheck(of_weights, {e.weights.detach()}), 1);
}

TEST_CASE("attention losses refuse shapes and lengths that do not fit", "[nn][loss]") {
  const Loss& loss = losses[GENERATE(0, 1)];
  const Example e;
  const std::string name = loss.name;
  CHECK_ERROR(loss.f(e.weights[0], e.lengths),
              name + ": the weights are (3, 5) and must be (T_y, B, T_x); stack() the weights of all steps");
  CHECK_ERROR(loss.f(e.weights, integers({1, 2})),
              name + ": the lengths are (2) and must be (3), one per row of the batch");
  CHECK_ERROR(loss.f(e.weights, integers({1, 2, 5})), name + ": length 5 is outside [0, 4]");
}
