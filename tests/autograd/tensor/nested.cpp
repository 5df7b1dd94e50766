// Tensors from nested braces.

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

using Floats = std::vector<float>;
using Ids = std::vector<std::int64_t>;

TEST_CASE("each level of braces is an axis", "[autograd][nested]") {
  const Tensor scalar = tensor(2.5), matrix = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(scalar.shape() == Shape{});
  CHECK(scalar.item() == 2.5);
  CHECK(tensor({1, 2.5}).shape() == Shape{2});
  CHECK(matrix.shape() == Shape{2, 3});
  CHECK(matrix.dtype() == Dtype::f32);
  CHECK(matrix.to_vector<float>() == Floats{1, 2, 3, 4, 5, 6});

  const Tensor cube = tensor({{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}}, Dtype::f64);
  CHECK(cube.shape() == Shape{2, 3, 2});
  CHECK(cube.dtype() == Dtype::f64);
  CHECK(cube.to_vector<float>() == Floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

  CHECK(tensor({{{{{{{{1, 2}}}}}}}}).shape() == Shape{1, 1, 1, 1, 1, 1, 1, 2});
  CHECK_ERROR(tensor({{{{{{{{{1, 2}}}}}}}}}), "Shape: 9 axes are too many: a tensor has at most 8");
}

TEST_CASE("braces around a single element are axes of size 1", "[autograd][nested]") {
  CHECK(tensor({1}).shape() == Shape{1});
  CHECK(tensor({{1}}).shape() == Shape{1, 1});
  CHECK(tensor({{{1}}}).shape() == Shape{1, 1, 1});
  CHECK(tensor({{1}, {2}}).shape() == Shape{2, 1});
}

TEST_CASE("empty braces are an axis of size 0", "[autograd][nested]") {
  CHECK(tensor({}).shape() == Shape{0});
  CHECK(tensor({}, Dtype::i64).dtype() == Dtype::i64);
  CHECK(tensor({{}}).shape() == Shape{1, 0});
  CHECK(tensor({{}, {}, {}}).shape() == Shape{3, 0});
}

TEST_CASE("ragged braces are an error that names the position", "[autograd][nested]") {
  CHECK_ERROR(tensor({{1, 2}, {3, 4, 5}}),
              "tensor: [1] is a list of 3, but [0] is a list of 2; elements at one depth must match");
  CHECK_ERROR(tensor({{{1, 2}, {3, 4}}, {{5, 6}, {7}}}),
              "tensor: [1][1] is a list of 1, but [0][0] is a list of 2; elements at one depth must match");
  CHECK_ERROR(tensor({{1, 2}, 3}),
              "tensor: [1] is a number, but [0] is a list of 2; elements at one depth must match");
  CHECK_ERROR(tensor({{1, 2}, {3, {4}}}),
              "tensor: [1][1] is a list of 1, but [0][0] is a number; elements at one depth must match");
  CHECK_ERROR(tensor({{}, {1}}),
              "tensor: [1] is a list of 1, but [0] is a list of 0; elements at one depth must match");
}

TEST_CASE("a list for i64 accepts only integers that a double represents exactly", "[autograd][nested]") {
  CHECK(tensor({-1, 0x1p53 - 1}, Dtype::i64).to_vector<std::int64_t>() ==
        Ids{-1, (std::int64_t{1} << 53) - 1});
  const std::string why =
      " is not an integer below 2^53, as a list for an i64 tensor requires; choose f32 or f64, or "
      "pass a "
      "std::vector<std::int64_t>";
  CHECK_ERROR(tensor({1, 2.5}, Dtype::i64), "tensor: 2.5" + why);
  CHECK_ERROR(tensor(0x1p53, Dtype::i64), "tensor: 9.0072e+15" + why);
  CHECK_ERROR(tensor({-0x1p53}, Dtype::i64), "tensor: -9.0072e+15" + why);
  CHECK_ERROR(tensor({std::numeric_limits<double>::quiet_NaN()}, Dtype::i64), "tensor: nan" + why);
}
