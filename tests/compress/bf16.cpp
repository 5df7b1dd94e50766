// Models with weights rounded to bf16.

#include <gradus/compress/bf16.hpp>
#include <gradus/nn/linear.hpp>

#include <cmath>
#include <set>
#include <string>

#include "nn/helpers.hpp"

namespace compress = gradus::compress;
namespace nn = gradus::nn;
using gradus::Tensor;

TEST_CASE("weights rounded to bf16 have the stated error, and are fixed points", "[compress]") {
  nn::Linear linear(40, 30);
  const auto before = linear.weight.to_vector<float>(), bias = linear.bias.to_vector<float>();
  CHECK(compress::round_to_bf16(linear, {"bias"}) == std::set<std::string>{"weight"});
  CHECK(linear.bias.to_vector<float>() == bias);
  const auto after = linear.weight.to_vector<float>();
  CHECK(after != before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(std::abs(after[i] - before[i]) <= std::ldexp(std::abs(before[i]), -8));
  }
  CHECK(compress::round_to_bf16(linear) == std::set<std::string>{"weight", "bias"});
  CHECK(linear.weight.to_vector<float>() == after);
}

TEST_CASE("weights beyond bf16 are refused, and nothing is rounded", "[compress]") {
  nn::Linear linear(2, 1);
  Tensor(linear.weight).mutable_values<float>()[0] = 0.1F;
  Tensor(linear.bias).mutable_values<float>()[0] = 3.4e38F;
  CHECK_ERROR(compress::round_to_bf16(linear),
              "round_to_bf16: 'bias' has the value 3.4e+38; bf16 needs finite values");
  CHECK(linear.weight.values<float>()[0] == 0.1F);
}
