#include <gradus/autograd/tensor.hpp>

#include <iomanip>
#include <limits>
#include <sstream>

#include "helpers.hpp"

using gradus::arange;
using gradus::Dtype;
using gradus::full;
using gradus::Tensor;
using gradus::tensor;
using gradus::zeros;

TEST_CASE("a tensor prints its dtype, shape and values", "[autograd][print]") {
  CHECK(printed(tensor({{1, 2, 3}, {4, 5, 6}})) == "f32 (2, 3) [[1, 2, 3], [4, 5, 6]]");
  CHECK(printed(full({}, 0.123456789, Dtype::f64)) == "f64 () 0.1235");
  CHECK(printed(arange(3)) == "i64 (3) [0, 1, 2]");
  CHECK(printed(zeros({2, 1, 2})) == "f32 (2, 1, 2) [[[0, 0]], [[0, 0]]]");
  CHECK(printed(zeros({0, 3})) == "f32 (0, 3) []");
  CHECK(printed(Tensor()) == "undefined tensor");
  CHECK(printed(tensor({1e10, 1e-10, std::numeric_limits<double>::infinity()})) ==
        "f32 (3) [1e+10, 1e-10, inf]");
}

TEST_CASE("long axes are shortened, short ones are not", "[autograd][print]") {
  CHECK(printed(arange(7)) == "i64 (7) [0, 1, 2, 3, 4, 5, 6]");
  CHECK(printed(arange(8)) == "i64 (8) [0, 1, 2, …, 5, 6, 7]");
  CHECK(printed(arange(1000).reshape({100, 10})[99]) == "i64 (10) [990, 991, 992, …, 997, 998, 999]");
  CHECK(printed(arange(9).reshape({9, 1})) == "i64 (9, 1) [[0], [1], [2], …, [6], [7], [8]]");
  CHECK(printed(zeros({1000, 1000})).size() < 200);
}

TEST_CASE("printing keeps the stream's format out, and leaves it as it was", "[autograd][print]") {
  std::ostringstream out;
  out << std::hex << std::setprecision(2);
  out << arange(8).reshape({8, 1})[7] << ' ' << 255 << ' ' << 1.234;
  CHECK(out.str() == "i64 (1) [7] ff 1.2");
}
