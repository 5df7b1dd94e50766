// Attention with location features: equations, gradients, masks, window and errors.

#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/location_attention.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 5, Q = 3, D = 4, A = 7;

struct Example {
  FusedAndComposed both;
  gradus::Generator generator{1};
  nn::LocationAttention attention;
  Tensor query = random({B, Q}, generator), values = random({T, B, D}, generator);
  Tensor lengths = integers({4, T, 1, 3, 5});
  Tensor before = masked_softmax(random({B, T}, generator), lengths);

  explicit Example(nn::LocationOptions options = {.filters = 2, .width = 5}) : attention(Q, D, A, options) {
    attention.to(Dtype::f64);
  }

  nn::Attention::Result attend(const Tensor& v, const Tensor& n, const Tensor& previous) const {
    return attention.attend(query, attention.prepare(v, n), 1, previous);
  }
};

// The weights of one sequence when all weight is on position p.
Tensor at(std::int64_t p) { return one_hot(integers({p}), T, Dtype::f64); }

}  // namespace

TEST_CASE("LocationAttention gives the paper's equations", "[nn][golden]") {
  const FusedAndComposed both;
  const bool smooth = GENERATE(false, true);
  const Golden golden("location_attention");
  const nn::LocationAttention attention(3, 5, 4, {.filters = 2, .width = 5, .smooth = smooth});
  check_against(smooth ? golden.part("smooth.") : golden, attention, [&](const Leaves& leaf) {
    const nn::Memory memory = attention.prepare(leaf.at("values"), golden["lengths"]);
    const auto [context, weights] = attention.attend(leaf.at("query"), memory, 1, leaf.at("before"));
    return NamedTensors{{"context", context}, {"weights", weights}};
  });
}

TEST_CASE("location attention has correct gradients", "[nn][attention][gradients]") {
  const nn::LocationOptions options = GENERATE(nn::LocationOptions{.filters = 2, .width = 5},
                                               nn::LocationOptions{.filters = 1, .width = 3, .smooth = true},
                                               nn::LocationOptions{.filters = 2, .width = 15},
                                               nn::LocationOptions{.filters = 2, .width = 3, .window = 2});
  Example e(options);
  e.attention.eval();  // the window exists only in eval mode
  // Two steps. The first step has no previous weights. The second step reads the weights of the first.
  const auto attend = [&](const std::vector<Tensor>& x) {
    const nn::Memory memory = e.attention.prepare(x[1], e.lengths);
    const auto first = e.attention.attend(x[0], memory, 0, Tensor());
    return nn::concat_flat(e.attention.attend(x[0], memory, 1, first.weights).tensors());
  };
  check_gradients(nn::gradcheck(e.attention, attend, {leaf(e.query), leaf(e.values)}),
                  e.attention.parameters().size() + 2);
}

TEST_CASE("padding does not affect location attention", "[nn][attention]") {
  const Example e({.filters = 2, .width = 5, .smooth = GENERATE(false, true)});
  const Tensor garbage = leaf(with_garbage(e.values, e.lengths));
  const auto clean = e.attend(e.values, e.lengths, e.before), padded = e.attend(garbage, e.lengths, e.before);
  CHECK(mismatch(padded.context, clean.context) == "");
  CHECK(mismatch(padded.weights, clean.weights) == "");
  (sum(padded.context) + sum(padded.weights * padded.weights)).backward();
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), gradus::zeros({T, B, D}, Dtype::f64)) == "");
}

TEST_CASE("location attention over a batch equals location attention over its rows one by one",
          "[nn][attention]") {
  const Example e;
  const auto batch = e.attend(e.values, e.lengths, e.before);
  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(e.lengths[b].item());
    const nn::Memory memory = e.attention.prepare(e.values.slice(b, b + 1, 1).slice(0, length), Tensor());
    const auto one =
        e.attention.attend(e.query.slice(b, b + 1), memory, 1, e.before.slice(b, b + 1).slice(0, length, 1));
    CHECK(mismatch(batch.context[b], one.context[0], rounding) == "");
    CHECK(mismatch(batch.weights[b].slice(0, length), one.weights[0], rounding) == "");
  }
}

TEST_CASE("without previous weights, location attention starts at the first position", "[nn][attention]") {
  const Example e;
  const Tensor first = one_hot(integers({0, 0, 0, 0, 0}), T, Dtype::f64);
  CHECK(mismatch(e.attend(e.values, e.lengths, Tensor()).weights,
                 e.attend(e.values, e.lengths, first).weights) == "");
}

TEST_CASE("over equal values, the weights depend only on the distance to the last position",
          "[nn][attention]") {
  const Example e({.filters = 2, .width = 3});
  const Tensor same = gradus::ones({T, 1, D}, Dtype::f64);
  const auto ln = [&](std::int64_t p) {
    return log(
        e.attention.attend(e.query.slice(0, 1), e.attention.prepare(same, Tensor()), 1, at(p)).weights[0]);
  };
  const Tensor two = ln(2), three = ln(3);
  // `two` has the previous weight on position 2, `three` on position 3. So the energies of positions 1 to 3
  // in `two` must equal the energies of positions 2 to 4 in `three`. ln α is the energy plus a constant.
  // Subtracting ln α of position 0 removes the constant. The energy of position 0 is the same in both,
  // because filters of width 3 do not reach from position 0 to 2 or 3.
  CHECK(mismatch(two.slice(1, 4) - two[0], three.slice(2, 5) - three[0], rounding) == "");
  CHECK(mismatch(two[2] - two[0], gradus::zeros({}, Dtype::f64), {1e-3, 0}) != "");
}

TEST_CASE("in eval mode, a window keeps the weights near the largest previous one", "[nn][attention]") {
  Example e({.filters = 2, .width = 3, .window = 1});
  const auto weights = [&] {
    return e.attend(e.values, Tensor(), gradus::concat({at(2), at(0), at(5), at(2), at(2)}, 0)).weights;
  };
  const auto seen = [&](std::int64_t b) {
    std::string where;
    for (const double w : weights()[b].to_vector<double>()) where += w > 0 ? '1' : '0';
    return where;
  };
  CHECK(seen(0) == "111111");
  e.attention.eval();
  CHECK(seen(0) == "011100");
  CHECK(seen(1) == "110000");
  CHECK(seen(2) == "000011");
  CHECK(mismatch(sum(weights(), 1), gradus::ones({B}), rounding) == "");
}

TEST_CASE("location attention refuses sizes and weights that do not fit", "[nn][attention]") {
  CHECK_ERROR(nn::LocationAttention(3, 4, 7, {.filters = 0}),
              "LocationAttention: needs filters of at least 1, and got 0");
  CHECK_ERROR(nn::LocationAttention(3, 4, 7, {.width = 4}),
              "LocationAttention: the width of a filter must be odd, so that it has a centre, and is 4");
  CHECK_ERROR(nn::LocationAttention(3, 4, 7, {.width = -1}),
              "LocationAttention: the width of a filter must be odd, so that it has a centre, and is -1");
  CHECK_ERROR(nn::LocationAttention(3, 4, 7, {.window = -1}),
              "LocationAttention: the window must be at least 0, and is -1");
  const Example e;
  CHECK_ERROR(e.attend(e.values, e.lengths, e.before.slice(0, 4, 1)),
              "LocationAttention: the previous weights are (5, 4) and must be (5, 6) for values (6, 5, 4)");
}
