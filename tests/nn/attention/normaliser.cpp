// Sparse and drawn weights: compared with plain loops; gradients, padding, ties and errors.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/local_attention.hpp>
#include <gradus/nn/normaliser.hpp>

#include <functional>
#include <limits>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;
using gradus::tensor;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t B = 5, T = 6;

struct Example {
  Generator generator{3};
  Tensor energies = random({B, T}, generator);
  Tensor lengths = integers({4, T, 1, 3, 5});
};

Tensor row(const std::vector<double>& values) { return tensor(values, {1, std::ssize(values)}); }

// The projection onto the simplex, by bisection on τ: an algorithm independent of the library's, which sorts.
std::vector<double> projected(const std::vector<double>& e) {
  double low = *std::ranges::max_element(e) - 1, high = low + 1;
  const auto total = [&](double tau) {
    double sum = 0;
    for (const double x : e) sum += std::max(x - tau, 0.0);
    return sum;
  };
  for (int i = 0; i < 100; ++i) (total((low + high) / 2) > 1 ? low : high) = (low + high) / 2;
  std::vector<double> weights;
  for (const double x : e) weights.push_back(std::max(x - low, 0.0));
  return weights;
}

struct Kind {
  const char* name;
  std::function<Tensor(const Tensor& e, const Tensor& lengths)> weights;
};

// The kinds of weights that draw no random numbers.
std::vector<Kind> exact_kinds() {
  return {{"sparsemax", nn::sparsemax},
          {"top 1", [](const Tensor& e, const Tensor& n) { return nn::top_k_softmax(e, n, 1); }},
          {"top 2", [](const Tensor& e, const Tensor& n) { return nn::top_k_softmax(e, n, 2); }},
          {"top 9", [](const Tensor& e, const Tensor& n) { return nn::top_k_softmax(e, n, 9); }}};
}

// All kinds of weights. Every call uses the same random numbers.
std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds = exact_kinds();
  const auto drawn = [](const nn::Normaliser& normaliser) {
    return [normaliser](const Tensor& e, const Tensor& lengths) {
      gradus::seed(7);
      return normaliser.weights(e, lengths, true);
    };
  };
  kinds.push_back({"hard", drawn(nn::normaliser::hard())});
  kinds.push_back({"gumbel", drawn(nn::normaliser::gumbel(0.5))});
  return kinds;
}

}  // namespace

TEST_CASE("sparsemax is the nearest point of the simplex", "[nn][attention][sparse]") {
  const Example e;
  for (const double scale : {0.1, 1.0, 5.0}) {
    const Tensor weights = nn::sparsemax(e.energies * scale, e.lengths);
    for (std::int64_t b = 0; b < B; ++b) {
      const auto n = static_cast<std::int64_t>(e.lengths[b].item());
      const auto expected = projected((e.energies * scale)[b].slice(0, n).to_vector<double>());
      CHECK(difference(weights[b].slice(0, n).to_vector<double>(), expected, 1e-14) == "");
    }
  }
}

TEST_CASE("sparsemax of two energies is a clipped line", "[nn][attention][sparse]") {
  const Tensor weights =
      nn::sparsemax(tensor({{0.5, 0}, {0, 0}, {1, 0}, {3, 0}, {0, 0.75}}, Dtype::f64), Tensor());
  CHECK(mismatch(weights, tensor({{0.75, 0.25}, {0.5, 0.5}, {1, 0}, {1, 0}, {0.125, 0.875}}, Dtype::f64)) ==
        "");
}

TEST_CASE("sparsemax is exact for large energies, and for −∞", "[nn][attention][sparse]") {
  CHECK(mismatch(nn::sparsemax(row({4e15 + 0.5, 4e15, -1e300}), Tensor()), row({0.75, 0.25, 0})) == "");
  CHECK(mismatch(nn::sparsemax(row({-infinity, 2, 2.5}), Tensor()), row({0, 0.25, 0.75})) == "");
}

TEST_CASE("sparsemax does not change under a common shift, and its softer end is uniform",
          "[nn][attention][sparse]") {
  const Example e;
  CHECK(mismatch(nn::sparsemax(e.energies + 3, e.lengths), nn::sparsemax(e.energies, e.lengths), rounding) ==
        "");
  CHECK(mismatch(nn::sparsemax(gradus::zeros({1, 4}, Dtype::f64), Tensor()), row({0.25, 0.25, 0.25, 0.25})) ==
        "");
}

TEST_CASE("the gradient of sparsemax centres g on the support", "[nn][attention][sparse][gradients]") {
  const Tensor e = leaf(row({1, 0.5, -3, 0.9}));  // weights on {0, 1, 3}, so τ = (2.4 − 1) / 3
  nn::sparsemax(e, Tensor()).backward(row({1, 2, 100, 6}));
  CHECK(mismatch(e.grad(), row({-2, -1, 0, 3}), rounding) == "");
}

TEST_CASE("top-k keeps exactly k weights, of equal energies the earlier", "[nn][attention][sparse]") {
  const Tensor equal = gradus::zeros({1, 5}, Dtype::f64);
  CHECK(mismatch(nn::top_k_softmax(equal, Tensor(), 2), row({0.5, 0.5, 0, 0, 0})) == "");
  const Tensor e = row({0, std::log(3), -1, 0, std::log(4)});
  CHECK(mismatch(nn::top_k_softmax(e, Tensor(), 1), row({0, 0, 0, 0, 1})) == "");
  CHECK(mismatch(nn::top_k_softmax(e, Tensor(), 3), row({0.125, 0.375, 0, 0, 0.5}), rounding) == "");
  CHECK(mismatch(nn::top_k_softmax(e, integers({3}), 2), row({0.25, 0.75, 0, 0, 0}), rounding) == "");
}

TEST_CASE("top-k with k ≥ T is the softmax", "[nn][attention][sparse]") {
  const Example e;
  CHECK(mismatch(nn::top_k_softmax(e.energies, e.lengths, T), masked_softmax(e.energies, e.lengths)) == "");
}

TEST_CASE("weights of every kind sum to 1, ignore padding, and work in f32", "[nn][attention][sparse]") {
  const Example e;
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    const Tensor weights = kind.weights(e.energies, e.lengths);
    CHECK(mismatch(sum(weights, 1), gradus::ones({B}), rounding) == "");
    const Tensor padding = less_equal(unsqueeze(e.lengths, 1), gradus::arange(T));
    const Tensor garbage = leaf(pad(masked_fill(e.energies, padding, 1e3), 1, 0, 2, 1e3));
    const Tensor longer = kind.weights(garbage, e.lengths);
    CHECK(mismatch(longer, pad(weights, 1, 0, 2)) == "");
    longer.backward(random({B, T + 2}, const_cast<Example&>(e).generator));
    const Tensor beyond = masked_fill(
        garbage.grad(), equal(pad(padding.to(Dtype::f64), 1, 0, 2, 1), gradus::zeros({}, Dtype::f64)), 0);
    CHECK(mismatch(beyond, gradus::zeros({B, T + 2})) == "");
    const Tensor single = kind.weights(e.energies.to(Dtype::f32), e.lengths);
    CHECK(single.dtype() == Dtype::f32);
    CHECK(mismatch(single, weights, {1e-6, 0}) == "");
  }
}

TEST_CASE("a row without positions gets zeros and no gradient from every kind", "[nn][attention][sparse]") {
  Example e;
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    const Tensor x = leaf(e.energies);
    const Tensor weights = kind.weights(x, integers({4, 0, 1, 3, 5}));
    CHECK(mismatch(weights[1], gradus::zeros({T})) == "");
    weights.backward(random({B, T}, e.generator));
    CHECK(mismatch(x.grad()[1], gradus::zeros({T})) == "");
  }
}

TEST_CASE("sparse weights have correct gradients", "[nn][attention][sparse][gradients]") {
  const Example e;
  for (const Kind& kind : exact_kinds()) {
    if (std::string(kind.name) == "top 1") continue;  // its weights are constant
    INFO(kind.name);
    check_gradients(
        gradus::gradcheck([&](const auto& x) { return kind.weights(x[0] * x[1], e.lengths); },
                          {e.energies, gradus::full({T}, 0.5, Dtype::f64) + row({0, .1, .2, .3, .4, .5})[0]}),
        2);
  }
}

TEST_CASE("attention with sparse weights, or a predicted window, has correct gradients",
          "[nn][attention][sparse][gradients]") {
  Example e;
  const Tensor query = random({B, 3}, e.generator), values = random({T, B, 4}, e.generator);
  const auto check = [&](nn::AdditiveAttention& attention, std::size_t parameters) {
    check_gradients(nn::gradcheck(attention,
                                  [&](const auto& x) {
                                    const auto [c, alpha] = attention.attend(
                                        x[0], attention.prepare(x[1], e.lengths), 0, Tensor());
                                    return gradus::concat({c, alpha}, 1);
                                  },
                                  {query, values}),
                    parameters + 2);
  };
  nn::AdditiveAttention attention(3, 4, 7);
  attention.set_normaliser(nn::normaliser::sparsemax());
  check(attention, 3);
  attention.set_normaliser(nn::normaliser::top_k(2));
  check(attention, 3);
  nn::LocalPredictiveAttention local(3, 4, 7, 1.5);
  check(local, 5);
  local.set_normaliser(nn::normaliser::sparsemax());  // sparsemax over the window
  check(local, 5);
}

TEST_CASE("local attention puts its weight around the predicted position", "[nn][attention][sparse]") {
  Example e;
  constexpr double w = 1.5, sigma = w / 2;
  nn::LocalPredictiveAttention local(3, 4, 7, w);
  local.to(Dtype::f64);
  overwrite(local.v_a, 0);  // makes all energies equal
  const Tensor query = random({B, 3}, e.generator), values = random({T, B, 4}, e.generator);
  const nn::Memory memory = local.prepare(values, e.lengths);
  const auto p = local.position(query, memory).to_vector<double>();
  const Tensor weights = local.attend(query, memory, 0, Tensor()).weights;
  for (std::int64_t b = 0; b < B; ++b) {
    const auto n = static_cast<std::int64_t>(e.lengths[b].item());
    const double at = p[static_cast<std::size_t>(b)];
    CHECK((at > 0 && at < static_cast<double>(n)));
    int inside = 0;
    for (std::int64_t j = 0; j < n; ++j) inside += std::abs(static_cast<double>(j) - at) <= w;
    std::vector<double> expected;
    for (std::int64_t j = 0; j < T; ++j) {
      const double away = static_cast<double>(j) - at;
      expected.push_back(j < n && std::abs(away) <= w ? std::exp(-away * away / (2 * sigma * sigma)) / inside
                                                      : 0);
    }
    CHECK(difference(weights[b].to_vector<double>(), expected, 1e-14) == "");
  }
}

TEST_CASE("hard and Gumbel attention draw each position with its softmax probability",
          "[nn][attention][sparse]") {
  constexpr std::int64_t draws = 20000;
  const Tensor e = row({0, 1, -1, 0.5}), p = softmax(e);
  for (const auto& normaliser : {nn::normaliser::hard(), nn::normaliser::gumbel(0.3)}) {
    gradus::seed(1);
    const Tensor drawn = normaliser.weights(expand(e, {draws, 4}), Tensor(), true);
    // The tolerance 0.015 is more than four standard deviations of a frequency.
    CHECK(mismatch(mean(drawn, 0), p[0], {0.015, 0}) == "");
  }
}

TEST_CASE("hard attention's score has a gradient through the weights, and none through the context",
          "[nn][attention][sparse][gradients]") {
  Example e;
  nn::AdditiveAttention attention(3, 4, 7);
  attention.to(Dtype::f64);
  attention.set_normaliser(nn::normaliser::hard());
  const Tensor values = leaf(random({T, B, 4}, e.generator)), query = random({B, 3}, e.generator);
  const auto attend = [&] {
    return attention.attend(query, attention.prepare(values, e.lengths), 0, Tensor());
  };
  sum(attend().context).backward();
  CHECK_FALSE(attention.v_a.grad().defined());
  CHECK(sum(values.grad()).item() == 4 * B);  // only the drawn annotations get a gradient
  sum(attend().weights).backward();
  CHECK(max(abs(attention.v_a.grad())).item() > 0);
}

TEST_CASE("without training, drawn attention takes the largest energy and draws nothing",
          "[nn][attention][sparse]") {
  const auto before = gradus::default_generator().state();
  for (const auto& normaliser : {nn::normaliser::hard(), nn::normaliser::gumbel(0.3)}) {
    const Tensor e = tensor({{0, 3, 3, 9}, {2, 1, 0, 9}, {0, 0, 0, 9}}, Dtype::f64);
    CHECK(mismatch(normaliser.weights(e, integers({3, 3, 0}), false),
                   tensor({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}, Dtype::f64)) == "");
  }
  CHECK(gradus::default_generator().state() == before);
}

TEST_CASE("the drawn position depends on the seed and the row, not on the padding",
          "[nn][attention][sparse]") {
  const Tensor e = gradus::zeros({40, 8}, Dtype::f64);
  const auto drawn = [&](std::uint64_t seed, std::int64_t width) {
    gradus::seed(seed);
    return nn::normaliser::hard().weights(e.slice(0, width, 1), gradus::full({40}, 5, Dtype::i64), true);
  };
  CHECK(mismatch(drawn(1, 8).slice(0, 5, 1), drawn(1, 5)) == "");
  CHECK(mismatch(drawn(1, 8), drawn(2, 8)) != "");
  CHECK(mismatch(sum(drawn(1, 8), 0).slice(0, 5), gradus::full({5}, 8.0, Dtype::f64), {7.5, 0}) ==
        "");  // the draws vary
}

TEST_CASE("the Gumbel-softmax has the gradient of the perturbed softmax",
          "[nn][attention][sparse][gradients]") {
  Example e;
  constexpr double temperature = 0.7;
  const Tensor g = random({B, T}, e.generator), x = leaf(e.energies), y = leaf(e.energies);
  gradus::seed(5);
  nn::normaliser::gumbel(temperature).weights(x, e.lengths, true).backward(g);
  // Draws the noise of gumbel() again: row b uses stream b.
  gradus::seed(5);
  const Generator rows = gradus::default_generator().split();
  std::vector<double> noise;
  for (std::uint64_t b = 0; b < B; ++b) {
    Generator draw = rows.stream(b);
    for (std::int64_t j = 0; j < T; ++j) noise.push_back(-std::log(-std::log(draw.uniform())));
  }
  masked_softmax((y + tensor(noise, {B, T})) / temperature, e.lengths).backward(g);
  CHECK(mismatch(x.grad(), y.grad(), {1e-12, 0}) == "");
}

TEST_CASE("a gradient check refuses the straight-through gradient", "[nn][attention][sparse][gradients]") {
  const Example e;
  const auto report = gradus::gradcheck(
      [&](const auto& x) {
        gradus::seed(5);
        return nn::normaliser::gumbel(1).weights(x[0], e.lengths, true);
      },
      {e.energies});
  CHECK_FALSE(report.passed());
}

TEST_CASE("sparse attention reports wrong arguments", "[nn][attention][sparse]") {
  const Tensor e = gradus::zeros({2, 3}, Dtype::f64);
  CHECK_ERROR(nn::sparsemax(e[0], Tensor()), "sparsemax: the energies are (3) and must be (B, T)");
  CHECK_ERROR(nn::sparsemax(e, integers({1, 4})), "sparsemax: length 4 is outside [0, 3]");
  CHECK_ERROR(nn::sparsemax(row({0, infinity}), Tensor()),
              "sparsemax: an energy is inf and must be a finite number or −∞");
  CHECK_ERROR(nn::sparsemax(row({-infinity, -infinity}), Tensor()),
              "sparsemax: all energies of a row are −∞, and one must be finite");
  CHECK_ERROR(nn::top_k_softmax(e, Tensor(), 0), "top_k_softmax: k must be at least 1, and is 0");
  CHECK_ERROR(nn::top_k_softmax(e, integers({1}), 1),
              "top_k_softmax: the lengths are (1) and must be (2), one per row of the batch");
  CHECK_ERROR(nn::normaliser::top_k(-1), "top_k: k must be at least 1, and is -1");
  CHECK_ERROR(nn::normaliser::gumbel(0), "gumbel: the temperature must be finite and above 0, and is 0");
  CHECK_ERROR(nn::LocalPredictiveAttention(3, 4, 5, 0.5),
              "LocalPredictiveAttention: half the window must be finite and at least 1, and is 0.5");
}
