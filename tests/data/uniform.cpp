#include <gradus/data/uniform.hpp>
#include <gradus/error.hpp>

#include <cstdint>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::draw_index;
using gradus::data::UniformIndex;

TEST_CASE("a draw passes n and returns the index", "[data][uniform]") {
  CHECK(draw_index([](std::uint64_t n) { return n - 1; }, 7) == 6);
  CHECK(draw_index([](std::uint64_t) { return std::uint64_t{0}; }, 1) == 0);
}

TEST_CASE("invalid draws are refused", "[data][uniform]") {
  const UniformIndex identity = [](std::uint64_t n) { return n; };
  CHECK_THROWS_MATCHES(draw_index(identity, 5), Error,
                       Message("draw_index: drew 5, but must draw from 0 to 4; "
                               "pass for instance [&](auto n) { return generator.below(n); }"));
  CHECK_THROWS_MATCHES(draw_index(UniformIndex(), 5), Error,
                       Message("draw_index: the UniformIndex is empty; "
                               "pass for instance [&](auto n) { return generator.below(n); }"));
  CHECK_THROWS_MATCHES(
      draw_index(identity, 0), Error,
      Message("draw_index: n is 0, but must be at least 1; check that the range is not empty"));
}
