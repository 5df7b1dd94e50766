#include <gradus/autograd/random.hpp>
#include <gradus/autograd/row_product.hpp>

#include "catch.hpp"

using Catch::Approx;

using namespace gradus;

TEST_CASE("RowProduct multiplies by any part of a weight, with the same bits for any number of rows",
          "[products]") {
  Generator random(1);
  const Tensor W = normal({70, 45}, 0, 1, random);
  const RowProduct product(W);
  const std::int64_t most = 20;
  const Tensor x = normal({most, 45}, 0, 1, random), bias = normal({70}, 0, 1, random);
  const std::span<const float> w = W.values<float>(), inputs = x.values<float>(), d = bias.values<float>();
  for (const WeightProduct::Part part :
       {WeightProduct::Part{0, 70, 0, 45}, {3, 40, 5, 30}, {33, 5, 0, 45}, {64, 6, 44, 1}}) {
    for (const bool adds : {false, true}) {
      const auto multiply = [&](std::int64_t m, std::int64_t first) {
        std::vector<float> y(static_cast<std::size_t>(m * part.rows));
        product.multiply(m, inputs.data() + first * 45, 45, part, adds ? d.data() : nullptr, 0, y.data(),
                         part.rows);
        return y;
      };
      const std::vector<float> all = multiply(most, 0);
      for (std::int64_t r = 0; r < most; ++r) {
        for (std::int64_t i = 0; i < part.rows; ++i) {
          double exact = adds ? d[static_cast<std::size_t>(i)] : 0;
          for (std::int64_t l = 0; l < part.columns; ++l) {
            exact += double{inputs[static_cast<std::size_t>(r * 45 + l)]} *
                     w[static_cast<std::size_t>((part.row + i) * 45 + part.column + l)];
          }
          CHECK(all[static_cast<std::size_t>(r * part.rows + i)] == Approx(exact).margin(1e-4));
        }
        for (std::int64_t m = 1; m <= most - r; ++m) {
          const std::vector<float> some = multiply(m, r);
          CHECK(std::equal(some.begin(), some.end(), all.begin() + r * part.rows));
        }
      }
    }
  }
  CHECK_THROWS_WITH(RowProduct(ones({3})), Catch::Matchers::ContainsSubstring("must be an f32 matrix"));
}
