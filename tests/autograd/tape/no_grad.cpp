// NoGrad and EnableGrad.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <stdexcept>
#include <thread>

#include "autograd/helpers.hpp"

using gradus::is_recording;
using gradus::NoGrad;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("NoGrad nests", "[autograd][no_grad]") {
  const Tensor x = leaf(tensor({1.0}));
  CHECK((x * x).requires_grad());
  {
    const NoGrad outer;
    CHECK_FALSE((x * x).requires_grad());
    {
      const NoGrad inner;
      CHECK_FALSE(is_recording());
    }
    CHECK_FALSE(is_recording());
    CHECK_FALSE((x * x).requires_grad());
    CHECK(x.requires_grad());
  }
  CHECK(is_recording());
  CHECK((x * x).requires_grad());
}

TEST_CASE("an exception ends NoGrad", "[autograd][no_grad]") {
  try {
    const NoGrad no_grad;
    throw std::runtime_error("out of here");
  } catch (const std::runtime_error&) {
    CHECK(is_recording());
  }
}

TEST_CASE("NoGrad affects only its own thread", "[autograd][no_grad]") {
  const NoGrad no_grad;
  bool other_records = false;
  std::thread([&] { other_records = is_recording(); }).join();
  CHECK(other_records);
  CHECK_FALSE(is_recording());
}

TEST_CASE("a backward pass records nothing and restores recording", "[autograd][no_grad]") {
  const Tensor x = leaf(tensor({3.0}));
  (x * x).backward();
  CHECK_FALSE(x.grad().requires_grad());
  CHECK(is_recording());
}

TEST_CASE("EnableGrad enables recording inside NoGrad until its scope ends", "[autograd][no_grad]") {
  const Tensor x = leaf(tensor({2.0}));
  const gradus::NoGrad no_grad;
  {
    const gradus::EnableGrad enable_grad;
    CHECK(gradus::is_recording());
    CHECK((x * x).requires_grad());
    {
      const gradus::NoGrad again;
      CHECK_FALSE((x * x).requires_grad());
    }
    CHECK(gradus::is_recording());
  }
  CHECK_FALSE((x * x).requires_grad());
  try {
    const gradus::EnableGrad enable_grad;
    throw 1;
  } catch (int) {
  }
  CHECK_FALSE(gradus::is_recording());
}
