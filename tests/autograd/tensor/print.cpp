#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/helpers.hpp"

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
}

TEST_CASE("numbers are rounded, and integers printed in full", "[autograd][print]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(printed(tensor({12345.678, 1e10, 1e-10, -0.00012345})) ==
        "f32 (4) [1.235e+04, 1e+10, 1e-10, -0.0001234]");
  CHECK(printed(tensor({infinity, -infinity, not_a_number, -not_a_number})) ==
        "f32 (4) [inf, -inf, nan, nan]");
  CHECK(printed(tensor(std::vector<std::int64_t>{1'000'000, INT64_MIN})) ==
        "i64 (2) [1000000, -9223372036854775808]");
}

TEST_CASE("long axes are abbreviated, short ones are not", "[autograd][print]") {
  CHECK(printed(arange(7)) == "i64 (7) [0, 1, 2, 3, 4, 5, 6]");
  CHECK(printed(arange(8)) == "i64 (8) [0, 1, 2, …, 5, 6, 7]");
  CHECK(printed(arange(1000).reshape({100, 10})[99]) == "i64 (10) [990, 991, 992, …, 997, 998, 999]");
  CHECK(printed(arange(9).reshape({9, 1})) == "i64 (9, 1) [[0], [1], [2], …, [6], [7], [8]]");
  CHECK(printed(zeros({1000, 1000})).size() < 200);
}

TEST_CASE("with more axes, fewer elements of each are printed", "[autograd][print]") {
  const auto numbers = [](const gradus::Shape& shape) {
    const std::string text = printed(zeros(shape));
    return std::count(text.begin() + static_cast<std::ptrdiff_t>(text.find('[')), text.end(), '0');
  };
  CHECK(numbers({8, 8, 8}) == 6 * 6 * 6);
  CHECK(numbers({7, 7, 7}) == 6 * 6 * 6);
  CHECK(numbers({6, 6, 6}) == 6 * 6 * 6);
  CHECK(numbers({8, 8, 8, 8}) == 4 * 4 * 4 * 4);
  CHECK(numbers({5, 5, 5, 5}) == 4 * 4 * 4 * 4);
  CHECK(numbers({3, 3, 3, 3, 3}) == 3 * 3 * 3 * 3 * 3);
  CHECK(numbers({4, 4, 4, 4, 4}) == 2 * 2 * 2 * 2 * 2);
  CHECK(numbers({3, 3, 3, 3, 3, 3, 3, 3}) == 256);
  CHECK(numbers({2, 2, 2, 2, 2, 2, 2, 2}) == 256);
  CHECK(
      printed(arange(1000 * 81).reshape({3, 3, 3, 3, 1000})[2][2][2]) ==
      "i64 (3, 1000) [[78000, 78001, 78002, …, 78997, 78998, 78999], [79000, 79001, 79002, …, 79997, 79998, "
      "79999], [80000, 80001, 80002, …, 80997, 80998, 80999]]");
  CHECK(printed(arange(1024).reshape({4, 4, 4, 4, 4}))
            .starts_with("i64 (4, 4, 4, 4, 4) [[[[[0, …, 3], …, [12, …, 15]], …, [["));
}

TEST_CASE("a tensor on the tape prints its operation or that it requires a gradient", "[autograd][print]") {
  const Tensor x = leaf(tensor({1, 2}));
  const Tensor y = x * 3.0;
  CHECK(printed(x) == "f32 (2) [1, 2] requires grad");
  CHECK(printed(y) == "f32 (2) [3, 6] from mul");
  CHECK(printed(sum(y)) == "f32 () 9 from sum");
  CHECK(printed(y.detach()) == "f32 (2) [3, 6]");
  sum(y).backward();
  CHECK(printed(y) == "f32 (2) [3, 6] from mul");  // the name of the operation outlives the tape
  CHECK(printed(leaf(zeros({0}))) == "f32 (0) [] requires grad");
}

TEST_CASE("printing ignores the stream's format and leaves it unchanged", "[autograd][print]") {
  std::ostringstream out;
  out << std::hex << std::setprecision(2);
  out << arange(8).reshape({8, 1})[7] << ' ' << 255 << ' ' << 1.234;
  CHECK(out.str() == "i64 (1) [7] ff 1.2");
}
