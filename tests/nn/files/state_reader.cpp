// StateReader: reads a saved state entry by entry, and reports the errors of all entries in one message.

#include <gradus/nn/state_reader.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;
using gradus::nn::StateReader;

namespace {

Tensor integer(std::int64_t value) { return tensor(Ids{value}, {}); }
Tensor number(double value) { return gradus::full({}, value, Dtype::f64); }

}  // namespace

TEST_CASE("a state is read by name, and by prefix", "[nn][state_reader]") {
  const Tensor w = tensor({1, 2});
  StateReader reader({{"w", w},
                      {"best", number(-std::numeric_limits<double>::infinity())},
                      {"rate", number(0.5)},
                      {"steps", integer(7)},
                      {"adam.m", w},
                      {"adam.v", w},
                      {"adamant", integer(3)}});
  const Tensor copy = reader.copy("w", {2}, Dtype::f32);
  CHECK(mismatch(copy, w) == "");
  overwrite(w, 5);
  CHECK(copy.to_vector<double>() == std::vector<double>{1, 2});
  CHECK(reader.number("best") == -std::numeric_limits<double>::infinity());
  CHECK(reader.not_negative("rate") == 0.5);
  CHECK(reader.count("steps") == 7);
  const gradus::NamedTensors adam = reader.part("adam.");
  REQUIRE(adam.size() == 2);
  CHECK(adam[0].first == "m");
  CHECK(adam[1].first == "v");
  CHECK(reader.part("sgd.").empty());
  CHECK(reader.count("adamant") == 3);
  CHECK_NOTHROW(reader.finish("Test", "do this"));
}

TEST_CASE("all errors of a state are reported at once", "[nn][state_reader]") {
  StateReader reader({{"w", tensor({1, 2})},
                      {"rate", number(-1)},
                      {"steps", integer(-2)},
                      {"twice", integer(1)},
                      {"twice", integer(1)},
                      {"other", integer(1)}});
  CHECK_FALSE(reader.copy("w", {3}, Dtype::f32).defined());
  CHECK(reader.number("best") == 0);
  reader.not_negative("rate");
  reader.count("steps");
  reader.count("twice");
  CHECK_ERROR(
      reader.finish("Test", "do this"),
      "Test: the state does not fit, and nothing was loaded; missing: 'best'; unexpected: 'other'; given "
      "twice: 'twice'; 'w' is (2) f32 and must be (3) f32, 'rate' is -1 and must be finite and at least "
      "0, 'steps' is -2 and must be at least 0; do this");

  StateReader of_another(
      {{"a", number(1)}, {"b", number(1)}, {"c", number(1)}, {"d", number(1)}, {"e", number(1)}});
  CHECK_ERROR(
      of_another.finish("Test", "do this"),
      "Test: the state does not fit, and nothing was loaded; unexpected: 'a', 'b', 'c' and 2 more; do this");
}
