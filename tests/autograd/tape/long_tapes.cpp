// Long tapes, on a stack so small that recursion would overflow it.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/graph/graph.hpp>

#include <cstdint>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <unistd.h>

#include "autograd/helpers.hpp"
#include "memory/sanitizers.hpp"

using gradus::memory_stats;
using gradus::Tensor;
using gradus::tensor;

namespace {

// Runs `work` on a thread with a stack of 256 KB. `work` must not throw.
void on_a_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

// Runs `work` on a small stack. Then checks that all nodes and buffers of `work` are freed.
void leaves_nothing_behind(const std::function<void()>& work) {
  const auto before = memory_stats();
  on_a_small_stack(work);
  CHECK(memory_stats().live_nodes == before.live_nodes);
  CHECK(memory_stats().live_buffers == before.live_buffers);
  CHECK(memory_stats().live_bytes == before.live_bytes);
}

Tensor chain(const Tensor& x, int length) {
  Tensor y = x;
  for (int i = 0; i < length; ++i) y = -y;
  return y;
}

}  // namespace

TEST_CASE("a chain of a million operations runs backward and is freed", "[autograd][long_tapes][long]") {
  double gradient = 0;
  leaves_nothing_behind([&] {
    const Tensor x = leaf(tensor({1.0}));
    chain(x, 1'000'001).backward();
    gradient = x.grad().item();
  });
  CHECK(gradient == -1);
}

TEST_CASE("a chain of a million operations is freed without backward()", "[autograd][long_tapes][long]") {
  leaves_nothing_behind([] { chain(leaf(tensor({1.0})), 1'000'000); });
}

TEST_CASE("a long tape that backward() retained is freed", "[autograd][long_tapes][long]") {
  leaves_nothing_behind([] { chain(leaf(tensor({1.0})), 200'000).backward(true); });
}

TEST_CASE("a chain of a million operations is drawn", "[autograd][long_tapes][long]") {
  std::string text;
  leaves_nothing_behind([&] { text = draw_graph(chain(leaf(tensor({1.0})), 1'000'000)); });
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("<b>neg ×1000000</b>"));
}

TEST_CASE("a chain of 200,000 diamonds runs each node once, not 2^200,000 paths",
          "[autograd][long_tapes][long]") {
  double gradient = 0;
  leaves_nothing_behind([&] {
    const Tensor x = leaf(tensor({1.0}));
    Tensor y = x;
    for (int i = 0; i < 200'000; ++i) y = (y + y) * 0.5;
    y.backward();
    gradient = x.grad().item();
  });
  CHECK(gradient == 1);
}

TEST_CASE("a freed long tape takes no memory once the pool is released", "[autograd][long_tapes][long]") {
  if (gradus::sanitized) return;  // a sanitizer's allocator holds back freed memory
  const auto resident = [] {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  gradus::release_pooled_memory();
  const std::int64_t before = resident();
  std::int64_t alive = 0;
  {
    const Tensor y = chain(leaf(tensor({1.0})), 2'000'000);
    alive = resident() - before;
  }
  gradus::release_pooled_memory();
  CHECK(alive > 400'000'000);
  CHECK(resident() - before < alive / 10);
}

TEST_CASE("a chain of backward functions that capture recorded tensors is freed",
          "[autograd][long_tapes][long]") {
  leaves_nothing_behind([] {
    Tensor y = leaf(tensor({1.0}));
    for (int i = 0; i < 200'000; ++i) {
      y = record("holder", tensor({1.0}), {y}, {}, [held = y](gradus::Gradients&) {});
    }
  });
}
