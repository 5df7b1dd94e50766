#include <gradus/autograd/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::broadcast;
using gradus::Shape;

TEST_CASE("axes are indexed from both ends", "[autograd][shape]") {
  const Shape shape{2, 3, 4};
  CHECK(shape.rank() == 3);
  CHECK(shape.numel() == 24);
  CHECK(shape[0] == 2);
  CHECK(shape[-1] == 4);
  CHECK(shape.axis_index(-3) == 0);
  CHECK(std::vector<std::int64_t>(shape.begin(), shape.end()) == std::vector<std::int64_t>{2, 3, 4});
  CHECK(Shape().numel() == 1);
  CHECK(Shape{3, 0}.numel() == 0);
}

TEST_CASE("shapes are equal when all their axes are", "[autograd][shape]") {
  CHECK(Shape{2, 3} == Shape{2, 3});
  CHECK(Shape{2, 3} != Shape{3, 2});
  CHECK(Shape{2} != Shape{2, 1});
  CHECK(Shape{0} != Shape());
  CHECK(Shape{2, 3}.without(1) == Shape{2});  // no trace of the removed axis
}

TEST_CASE("a shape is printed as a tuple", "[autograd][shape]") {
  CHECK(printed(Shape{2, 3}) == "(2, 3)");
  CHECK(printed(Shape{7}) == "(7)");
  CHECK(printed(Shape()) == "()");
}

TEST_CASE("an axis can be changed, removed or inserted", "[autograd][shape]") {
  const Shape shape{2, 3, 4};
  CHECK(shape.with(1, 9) == Shape{2, 9, 4});
  CHECK(shape.with(-1, 9) == Shape{2, 3, 9});
  CHECK(shape.without(0) == Shape{3, 4});
  CHECK(shape.without(-1) == Shape{2, 3});
  CHECK(shape.inserted(0, 9) == Shape{9, 2, 3, 4});
  CHECK(shape.inserted(3, 9) == Shape{2, 3, 4, 9});
  CHECK(Shape().inserted(0, 9) == Shape{9});
}

TEST_CASE("broadcasting matches axes from the last and stretches those of size 1", "[autograd][shape]") {
  CHECK(broadcast("op", {2, 3}, {3}) == Shape{2, 3});
  CHECK(broadcast("op", {3}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast("op", {3, 1}, {1, 4}) == Shape{3, 4});
  CHECK(broadcast("op", {5, 1, 4}, {3, 1}) == Shape{5, 3, 4});
  CHECK(broadcast("op", {}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast("op", {1}, {0}) == Shape{0});
}

TEST_CASE("a shape with too many elements for 64 bits is an error, however it is made", "[autograd][shape]") {
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(Shape{huge}.numel() == huge);
  const std::string message =
      "Shape: (1099511627776, 1099511627776) is too large: its elements cannot be counted in 64 bits";
  CHECK_ERROR(Shape({huge, huge}), message);
  CHECK_ERROR(Shape({huge, 1}).with(1, huge), message);
  CHECK_ERROR(Shape({huge}).inserted(0, huge), message);
  CHECK_ERROR(broadcast("op", {huge, 1}, {huge}), message);
  CHECK_ERROR(Shape({0, huge, huge}),
              "Shape: (0, 1099511627776, 1099511627776) is too large: its elements "
              "cannot be counted in 64 bits");
}

TEST_CASE("Shape rejects invalid sizes and axes", "[autograd][shape]") {
  CHECK_ERROR(Shape({1, 2, 3, 4, 5, 6, 7, 8, 9}), "Shape: 9 axes are too many: a tensor has at most 8");
  CHECK_ERROR(Shape({2, -3}), "Shape: axis 1 has the negative size -3");
  CHECK_ERROR(Shape({-1, -1}), "Shape: axes 0 and 1 are both -1; reshape() can infer one size");
  CHECK_ERROR((Shape{4, -1}.with(0, -1)), "Shape: axes 0 and 1 are both -1; reshape() can infer one size");
  CHECK_ERROR(Shape({2, 3})[2], "Shape: no axis 2 in (2, 3), which has 2 axes");
  CHECK_ERROR(Shape({2})[-2], "Shape: no axis -2 in (2), which has 1 axis");
  CHECK_ERROR(Shape().without(0), "Shape: no axis 0 in (), which has 0 axes");
  CHECK_ERROR(Shape({1, 1, 1, 1, 1, 1, 1, 1}).inserted(0, 1),
              "Shape: no room for one more axis in (1, 1, 1, 1, 1, 1, 1, 1)");
  CHECK_ERROR(Shape({2}).inserted(2, 1), "Shape: no place 2 for a new axis in (2)");
  CHECK_ERROR(
      broadcast("op", {5, 2, 3}, {4, 3}),
      "op: shapes (5, 2, 3) and (4, 3) do not match at axis -2 (2 and 4): sizes must be equal, or one of "
      "them 1");
  CHECK_ERROR(
      broadcast("op", {4, 3}, {5, 2, 3}),
      "op: shapes (4, 3) and (5, 2, 3) do not match at axis -2 (4 and 2): sizes must be equal, or one of "
      "them 1");
}
