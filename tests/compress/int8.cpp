// Products in int8: compared with plain loops, and used by modules.

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/weight_product.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/int8.hpp>
#include <gradus/nn/linear.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "int8/int8_product.hpp"
#include "nn/helpers.hpp"

namespace compress = gradus::compress;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

namespace {

Tensor random(const Shape& shape, double deviation = 1) {
  static gradus::Generator generator(7);
  return gradus::normal(shape, 0, deviation, generator);
}

std::vector<std::int8_t> random_bytes(std::int64_t count) {
  static std::mt19937 generator(3);
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
  for (std::int8_t& byte : bytes) byte = static_cast<std::int8_t>(static_cast<int>(generator() % 255) - 127);
  return bytes;
}

// The definition in double: y = s_x s_i Σ p q + b. s_x is the scale of a row of x, and s_i that of row i of
// W. p and q are the int8 values of the two rows.
Tensor expected(const Tensor& x, const nn::Int8Matrix& W, const Tensor& b) {
  std::vector<double> y;
  const auto values = x.values<float>();
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    const auto row =
        values.subspan(static_cast<std::size_t>(r * W.columns), static_cast<std::size_t>(W.columns));
    double most = 0;
    for (const float v : row) most = std::max<double>(most, std::fabs(v));
    for (std::int64_t i = 0; i < W.rows; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < W.columns; ++l) {
        sum += std::nearbyint(row[static_cast<std::size_t>(l)] * (127 / static_cast<float>(most))) *
               W.values[static_cast<std::size_t>(i * W.columns + l)];
      }
      y.push_back(sum * most / 127 * W.scales[static_cast<std::size_t>(i)] +
                  b.values<float>()[static_cast<std::size_t>(i)]);
    }
  }
  return tensor(y, {x.size(0), W.rows});
}

}  // namespace

TEST_CASE("oneDNN's int8 products are those of the plain loop, and both are exact", "[compress]") {
  for (const std::int64_t m : {1, 16, 32, 64, 128, 256}) {
    for (const auto& [n, k] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {16, 16}, {17, 33}, {64, 300}, {512, 64}}) {
      CAPTURE(m, n, k);
      const std::int64_t stride = k + 2;
      const std::vector<std::int8_t> p = random_bytes(m * k),
                                     q = random_bytes(n * stride + compress::plain_padding);
      std::vector<std::int32_t> right, plain(static_cast<std::size_t>(m * n)), fast = plain;
      for (std::int64_t r = 0; r < m; ++r) {
        for (std::int64_t i = 0; i < n; ++i) {
          std::int32_t sum = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            sum += p[static_cast<std::size_t>(r * k + l)] * q[static_cast<std::size_t>(i * stride + l)];
          }
          right.push_back(sum);
        }
      }
      compress::multiply_plain(m, n, k, p.data(), q.data(), stride, plain.data());
      CHECK((plain == right));
      if (!compress::onednn::has_int8()) continue;
      compress::onednn::Int8Weight(n, k, q.data(), stride).multiply(m, p.data(), fast.data());
      CHECK((fast == right));
    }
  }
}

TEST_CASE("a plain int8 sum of the most terms does not overflow", "[compress]") {
  const std::vector<std::int8_t> ones(compress::most_columns + compress::plain_padding, 127);
  std::int32_t sum = 0;
  compress::multiply_plain(1, 1, compress::most_columns, ones.data(), ones.data(), 0, &sum);
  CHECK(sum == compress::most_columns * 127 * 127);
}

TEST_CASE("linear() in int8 computes its equation, the same bits for every batch", "[compress]") {
  const int threads = GENERATE(1, 2);
  const Threads guard(threads);
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{70, 40, 33}, {300, 1100, 40}, {3, 2100, 500}, {70, 2500, 40}}) {
    CAPTURE(m, n, k);
    nn::Linear linear(k, n);
    const Tensor x = random({m, k}, 2), before = linear.forward(x);
    compress::round_to_int8(linear);
    const nn::Int8Matrix W = nn::quantise_rows(linear.weight);
    const compress::Int8Products int8(linear);
    const Tensor y = linear.forward(x);
    CHECK(difference(y, expected(x, W, linear.bias), 1e-5) == "");
    CHECK(difference(y, before, 0.05) == "");
    CHECK(difference(y, before, 1e-5) != "");
    for (const std::int64_t row : {std::int64_t{0}, m - 1}) {
      CHECK(linear.forward(x.slice(row, row + 1))[0].to_vector<float>() == y[row].to_vector<float>());
    }
  }
}

TEST_CASE("zeros, NaN and infinities pass through int8 products", "[compress]") {
  nn::Linear linear(3, 2);
  compress::round_to_int8(linear);
  const compress::Int8Products int8(linear);
  const Tensor y = linear.forward(tensor({{0, 0, 0}, {1, NAN, 2}, {INFINITY, 0, 0}, {1, 2, 3}}));
  CHECK(y[0].to_vector<float>() == linear.bias.to_vector<float>());
  CHECK(std::isnan(y[1][0].item()));
  CHECK(std::isnan(y[2][1].item()));
  CHECK(std::isfinite(y[3][0].item()));
}

TEST_CASE("recurrences in int8 agree fused and composed, in every form", "[compress]") {
  const auto form = GENERATE(nn::GRUForm::pytorch, nn::GRUForm::original);
  nn::GRU gru(5, 12, {.layers = 2, .bidirectional = true, .form = form});
  const Tensor x = random({6, 9, 5}), lengths = integers({6, 1, 3, 6, 2, 4, 5, 6, 1});
  const Tensor before = gru.forward(x, lengths).output;
  compress::round_to_int8(gru);
  const Tensor rounded = gru.forward(x, lengths).output;
  const compress::Int8Products int8(gru);
  const Tensor fused = gru.forward(x, lengths).output;
  const gradus::Composed composed;
  CHECK(difference(gru.forward(x, lengths).output, fused, 1e-5) == "");
  CHECK(difference(fused, rounded, 0.1) == "");
  CHECK(difference(fused, rounded, 1e-5) != "");  // they differ, because int8 products also round the inputs
}

TEST_CASE("int8 products end with their object or when weights change, and gradients are straight-through",
          "[compress]") {
  nn::Linear linear(8, 4, false);
  compress::round_to_int8(linear);
  const Tensor x = leaf(random({5, 8})), exact = linear.forward(x);
  {
    const compress::Int8Products int8(linear);
    const Tensor y = linear.forward(x);
    CHECK(difference(y, exact, 1e-7) != "");
    sum(y).backward();
    CHECK(difference(x.grad(), expand(sum(linear.weight.detach(), {0}), {5, 8}), 1e-6) == "");
    CHECK_ERROR(compress::Int8Products(linear),
                "UseWeightProduct: the weight (4, 8) has a product; destroy that one first");
  }
  CHECK(difference(linear.forward(x), exact, 0) == "");
  const compress::Int8Products int8(linear);
  CHECK(difference(linear.forward(x), exact, 1e-7) != "");
  const Tensor halves = linear.weight.reshape({8, 4});  // not the weight's shape, so the product is in f32
  CHECK(difference(gradus::linear(x.slice(0, 4, 1), halves),
                   matmul(x.slice(0, 4, 1), transpose(halves, 0, 1)), 1e-6) == "");
  const Tensor rows = linear.weight.slice(1, 3);
  CHECK(difference(gradus::linear(x, rows), linear.forward(x).slice(1, 3, 1), 0) == "");
  Tensor(linear.weight).mutable_values<float>()[0] += 1;
  CHECK(difference(linear.forward(x), matmul(x, transpose(linear.weight, 0, 1)), 1e-6) == "");
  CHECK_ERROR(compress::Int8Products(linear),
              "int8: 'weight' (4, 8) holds values that are not int8 times a scale per row; call "
              "round_to_int8(), or write the model again with gradus compress --int8");
}

TEST_CASE("UseWeightProduct refuses what is not a whole f32 matrix", "[compress]") {
  CHECK_ERROR(gradus::UseWeightProduct(tensor({1, 2}), nullptr),
              "UseWeightProduct: the weight is f32 (2) and must be an f32 matrix");
  CHECK_ERROR(
      gradus::UseWeightProduct(tensor({{1, 2}, {3, 4}}).slice(1, 2), nullptr),
      "UseWeightProduct: the weight (1, 2) is a part of a larger tensor; give that tensor, or a clone()");
}

TEST_CASE("a weight without columns has no product", "[compress]") {
  const Tensor weight = gradus::zeros({4, 0});
  const gradus::UseWeightProduct use(weight, nullptr);
  CHECK(difference(gradus::linear(gradus::zeros({2, 0}), weight), gradus::zeros({2, 4}), 0) == "");
}

TEST_CASE("only matrices become int8, and too many columns are refused", "[compress]") {
  nn::Linear linear(8, 4);
  CHECK(compress::round_to_int8(linear) == std::set<std::string>{"weight"});
  nn::Linear wide(compress::most_columns + 1, 1);
  CHECK_ERROR(compress::round_to_int8(wide),
              "int8: 'weight' is (1, 65537), and at most 65536 columns are allowed; keep this model in f32");
}
