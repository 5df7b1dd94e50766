// Matrices in int8: rounding, the rounding error, and matrices that rounding does not change.

#include <gradus/nn/int8.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("rounding to int8 has the stated error, and its grid is a fixed point", "[nn][int8]") {
  gradus::Generator generator(7);
  for (const double deviation : {1e-6, 0.1, 3e4}) {
    const Tensor W = gradus::normal({9, 40}, 0, deviation, generator);
    const nn::Int8Matrix q = nn::quantise_rows(W);
    const Tensor rounded = nn::dequantised(q);
    for (std::size_t i = 0; i < 9; ++i) {
      int largest = 0;
      for (std::size_t l = 0; l < 40; ++l) {
        const std::size_t at = i * 40 + l;
        largest = std::max(largest, std::abs(q.values[at]));
        CHECK(std::abs(W.values<float>()[at] - rounded.values<float>()[at]) <=
              q.scales[i] * (0.5 + std::pow(2, -10)));
      }
      CHECK(largest == 127);
    }
    const nn::Int8Matrix again = nn::quantise_rows(rounded);
    CHECK(again.values == q.values);
    CHECK(again.scales == q.scales);
  }
}

TEST_CASE("rows of zeros, the largest floats and one outlier are rounded to int8", "[nn][int8]") {
  const float most = std::numeric_limits<float>::max();
  const nn::Int8Matrix q = nn::quantise_rows(tensor({{0, 0}, {most, -most}, {127, 0.6}, {1e-38, 0}}));
  CHECK(q.values == std::vector<std::int8_t>{0, 0, 127, -127, 127, 1, 0, 0});
  CHECK(q.scales[0] == 0);
  CHECK(q.scales[2] == 1);
  CHECK(q.scales[3] == 0);
  CHECK(std::isfinite(q.scales[1] * 127));
  CHECK_ERROR(nn::quantise_rows(tensor({1, 2})),
              "quantise_rows: the matrix is f32 (2) and must be f32 (N, K)");
  CHECK_ERROR(nn::quantise_rows(tensor({{1, 2}}, Dtype::f64)),
              "quantise_rows: the matrix is f64 (1, 2) and must be f32 (N, K)");
  CHECK_ERROR(nn::quantise_rows(tensor({{1, 2}, {3, NAN}})),
              "quantise_rows: row 1 has the value nan; use finite weights");
}
