// The comparisons that the tests use.

#include "nn/helpers.hpp"

#include <limits>

using gradus::tensor;

TEST_CASE("infinite elements must be equal, and do not loosen the tolerance of others", "[nn]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(difference({infinity}, {infinity}, 0) == "");
  CHECK(difference({5}, {infinity}, 1e-6) == "element 0 is 5, expected inf");
  CHECK(difference({infinity}, {5}, 1e-6) == "element 0 is inf, expected 5");
  CHECK(difference({-infinity}, {infinity}, 1e-6) == "element 0 is -inf, expected inf");
  CHECK(mismatch(tensor({infinity, 1}), tensor({infinity, 1})) == "");
  CHECK(mismatch(tensor({5}), tensor({infinity}), {1e-6, 1e-5}) == "element 0 of (1) is 5, expected inf");
  CHECK(mismatch(tensor({infinity, 1}), tensor({infinity, 2}), {1e-6, 1e-5}) ==
        "element 1 of (2) is 1, expected 2");
}
