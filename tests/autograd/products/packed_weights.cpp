// PackWeights: packs weights once, for many small products.

#include "products/packed_weights.hpp"

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/pack_weights.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>

#include <algorithm>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Layout;
using gradus::linear;
using gradus::packed_weight;
using gradus::PackWeights;
using gradus::Tensor;

namespace {

Tensor random(const gradus::Shape& shape, Dtype dtype = Dtype::f32) {
  static Generator generator(1);
  return gradus::normal(shape, 0, 1, generator, dtype);
}

}  // namespace

TEST_CASE("a packed weight is kept for as long as the outermost PackWeights", "[autograd][pack_weights]") {
  const Tensor weight = leaf(random({70, 33}));
  CHECK(packed_weight<float>(Layout::transposed, weight, 0, 33) == nullptr);
  {
    const PackWeights outer;
    const auto packed = packed_weight<float>(Layout::transposed, weight, 0, 33);
    REQUIRE(packed != nullptr);
    {
      const PackWeights inner;
      CHECK(packed_weight<float>(Layout::transposed, weight, 0, 33) == packed);
    }
    CHECK(packed_weight<float>(Layout::transposed, weight, 0, 33) == packed);
    CHECK(packed_weight<float>(Layout::transposed, weight, 5, 28) !=
          packed_weight<float>(Layout::transposed, weight, 0, 28));
    CHECK(packed_weight<float>(Layout::plain, weight, 0, 33) != packed);
    CHECK(packed_weight<float>(Layout::transposed, weight * 2, 0, 33) == nullptr);  // not a parameter
    CHECK(packed_weight<float>(Layout::transposed, weight.detach(), 0, 33) == nullptr);
    const Threads set(2);
    gradus::parallel_operations(2, [&](std::int64_t) {
      if (packed_weight<float>(Layout::transposed, weight, 0, 33) != packed)
        gradus::fail("test", "not shared");
    });
  }
  CHECK(packed_weight<float>(Layout::transposed, weight, 0, 33) == nullptr);
}

TEST_CASE("linear gives the same with packed weights and sees changes of the weights",
          "[autograd][pack_weights]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const double tolerance = dtype == Dtype::f32 ? 1e-5 : 1e-13;
    for (const std::int64_t rows : {1, 7, 8, 33, 256, 257}) {
      Tensor weight = leaf(random({50, 130}, dtype)), bias = leaf(random({50}, dtype));
      const Tensor x = random({rows, 130}, dtype);
      CAPTURE(rows);
      const Tensor without = linear(x, weight, bias), unbiased = linear(x, weight);
      const PackWeights pack;
      for (int time = 0; time < 2; ++time) {
        CHECK(difference(linear(x, weight, bias), without, tolerance) == "");
        CHECK(difference(linear(x, weight), unbiased, tolerance) == "");
      }
      const Tensor half = weight.detach() * 0.5;
      if (dtype == Dtype::f32) {
        std::ranges::copy(half.values<float>(), weight.mutable_values<float>().begin());
      } else {
        std::ranges::copy(half.values<double>(), weight.mutable_values<double>().begin());
      }
      CHECK(difference(linear(x, weight), unbiased * 0.5, tolerance) == "");
      weight.replace(half * 0.5);
      CHECK(difference(linear(x, weight), unbiased * 0.25, tolerance) == "");
    }
  }
}

TEST_CASE("the fused recurrences multiply by packed weights, for both kinds of GRU",
          "[autograd][pack_weights]") {
  constexpr std::int64_t B = 8, H = 6;
  for (const auto cell : {gradus::GatedCell::gru, gradus::GatedCell::original_gru}) {
    const Tensor weight = leaf(random({3 * H, H})), x = random({B, 3 * H}), h_0 = random({B, H});
    const auto states = [&] {
      return recurrent_sequence(cell, x, weight, Tensor(), {h_0}, gradus::Packing(1, B)).states;
    };
    const PackWeights pack;
    const Tensor before = states();
    std::fill_n(gradus::raw<float>(weight), weight.numel(), 0.F);  // not counted, so the packed copy stays
    CHECK(difference(states(), before, 0) == "");
  }
}

TEST_CASE("a packed weight of another precision is not used", "[autograd][pack_weights]") {
  const Tensor weight = leaf(random({130, 128})), x = random({33, 128});
  const auto rounded = [&] {
    const gradus::MixedPrecision mixed(gradus::Precision::bf16_emulated);
    return linear(x, weight);
  };
  const Tensor exact = linear(x, weight), in_bf16 = rounded();
  REQUIRE(difference(in_bf16, exact, 1e-4) != "");
  const PackWeights pack;
  for (int time = 0; time < 2; ++time) {
    CHECK(difference(rounded(), in_bf16, 1e-5) == "");
    CHECK(difference(linear(x, weight), exact, 1e-5) == "");
  }
}

TEST_CASE("gradients are the same with packed weights", "[autograd][pack_weights]") {
  const Tensor weight = leaf(random({50, 30}, Dtype::f64)), x = leaf(random({9, 30}, Dtype::f64));
  sum(tanh(linear(x, weight))).backward();
  const Tensor at_weight = weight.grad(), at_x = x.grad();
  Tensor(weight).zero_grad();
  Tensor(x).zero_grad();
  const PackWeights pack;
  sum(tanh(linear(x, weight))).backward();
  CHECK(difference(weight.grad(), at_weight, 1e-13) == "");
  CHECK(difference(x.grad(), at_x, 1e-13) == "");
}
