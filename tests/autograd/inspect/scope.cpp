// Scope: the path of the module that is running. Error messages include this path.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>

#include <cmath>
#include <locale>
#include <stdexcept>
#include <string>
#include <thread>

#include "autograd/helpers.hpp"

using gradus::current_scope;
using gradus::Scope;
using gradus::zeros;

TEST_CASE("scopes nest into a path, and an empty name adds nothing", "[autograd][scope]") {
  CHECK(current_scope()->text().empty());
  {
    const Scope decoder("decoder");
    const Scope nameless("");
    CHECK(current_scope()->text() == "decoder");
    {
      const Scope attention("attention");
      CHECK(current_scope()->text() == "decoder.attention");
    }
    CHECK(current_scope()->text() == "decoder");
  }
  CHECK(current_scope()->text().empty());
}

TEST_CASE("equal paths are one object for the lifetime of the program", "[autograd][scope]") {
  const auto enter = [] {
    const Scope decoder("decoder");
    const Scope attention("attention");
    return current_scope();
  };
  CHECK(enter() == enter());
  CHECK(enter()->text() == "decoder.attention");
}

TEST_CASE("an exception ends the scope", "[autograd][scope]") {
  try {
    const Scope scope("encoder");
    throw std::runtime_error("out of here");
  } catch (const std::runtime_error&) {
    CHECK(current_scope()->text().empty());
  }
}

TEST_CASE("a scope affects only its own thread", "[autograd][scope]") {
  const Scope scope("encoder");
  std::string other = "never looked";
  std::thread([&] { other = current_scope()->text(); }).join();
  CHECK(other.empty());
}

TEST_CASE("error messages end with the path of the module", "[autograd][scope]") {
  const Scope decoder("decoder");
  const Scope attention("attention");
  CHECK_ERROR(
      zeros({2}) + zeros({3}),
      "add: shapes (2) and (3) do not match at axis -1 (2 and 3): sizes must be equal, or one of them 1 "
      "[in decoder.attention]");
  CHECK_ERROR(gradus::fail("W_a", "has ", 3, " rows"), "W_a: has 3 rows [in decoder.attention]");
}

TEST_CASE("messages do not depend on the locale, and NaN is printed without a sign", "[autograd][scope]") {
  struct Commas : std::numpunct<char> {
    char do_thousands_sep() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const std::string text = gradus::message(1000000, ' ', std::copysign(NAN, -1.0), ' ', -NAN, ' ', -0.5F);
  std::locale::global(before);
  CHECK(text == "1000000 nan nan -0.5");
}
