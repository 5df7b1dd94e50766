// Exceptions at every point of forward and backward must leak nothing and leave no partial changes.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>

#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>

#include "autograd/helpers.hpp"
#include "memory/sanitizers.hpp"

using gradus::Generator;
using gradus::memory_stats;
using gradus::MemoryStats;
using gradus::Tensor;

// Replaces operator new by a function that can be made to fail. In builds with a sanitizer, this function
// also allocates the tensors' buffers. In other builds, the pool maps memory for the buffers, so fewer
// allocations can fail.
namespace {

constexpr int never = std::numeric_limits<int>::max();
thread_local int allocations_left = never;  // number of allocations that will still succeed

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (allocations_left != never && --allocations_left < 0) {
    allocations_left = 0;
    return nullptr;
  }
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

struct Model {
  Tensor x, w, table;
  Tensor ids = gradus::tensor(std::vector<std::int64_t>{1, 0, 1}, {3});

  Model() {
    Generator generator(1);
    x = leaf(normal({3, 4}, 0, 1, generator));
    w = leaf(normal({4, 4}, 0, 1, generator));
    table = leaf(normal({2, 4}, 0, 1, generator));
    w.add_hook([](const Tensor& gradient) { return gradient * 2.0; });
  }

  // The tape has diamonds, views, broadcasts, a retained gradient and a module.
  Tensor loss() const {
    const gradus::Scope scope("model");
    Tensor state = tanh(matmul(x, w));
    state.retain_grad();
    const Tensor joined = gradus::concat({state, embedding(table, ids)}, 1);
    const Tensor p = softmax(joined.slice(0, 4, 1) + joined.slice(4, 8, 1) * state[0]);
    return mean(p * p) + sum(linear(p, w)) * 0.1;
  }

  std::vector<std::vector<float>> gradients() const {
    return {x.grad().to_vector<float>(), w.grad().to_vector<float>(), table.grad().to_vector<float>()};
  }
  bool has_no_gradient() const {
    return !x.grad().defined() && !w.grad().defined() && !table.grad().defined();
  }
  void zero_grad() {
    for (Tensor* leaf : {&x, &w, &table}) leaf->zero_grad();
  }
};

bool same(const MemoryStats& a, const MemoryStats& b) {
  return a.live_nodes == b.live_nodes && a.live_buffers == b.live_buffers && a.live_bytes == b.live_bytes;
}

// Runs `work` repeatedly, with 0, 1, 2 … allocations that succeed, until `work` succeeds. Calls `check` after
// each failure. Returns the number of failures.
template <class Work, class Check>
int fail_everywhere(Work work, Check check) {
  for (int allowed = 0;; ++allowed) {
    bool failed = false;
    allocations_left = allowed;
    try {
      work();
    } catch (const std::exception&) {
      failed = true;
    }
    allocations_left = never;
    if (!failed) return allowed;
    check();
  }
}

}  // namespace

TEST_CASE("running out of memory at any point of a forward pass leaks nothing", "[autograd][exceptions]") {
  const Model model;
  // This first call is without failures, because oneDNN 2.6 makes its kernels in the first product, and would
  // hang if an allocation failed there.
  model.loss();
  const MemoryStats before = memory_stats();
  int unclean = 0;
  const int failures = fail_everywhere([&] { model.loss(); },
                                       [&] {
                                         const bool clean = same(memory_stats(), before) &&
                                                            gradus::is_recording() &&
                                                            gradus::current_scope()->text().empty();
                                         if (!clean) ++unclean;
                                       });
  CHECK(failures > (gradus::sanitized ? 100 : 30));
  CHECK(unclean == 0);
  CHECK(same(memory_stats(), before));
}

TEST_CASE("running out of memory at any point of backward() changes no gradient and keeps the tape",
          "[autograd][exceptions]") {
  Model model;
  const Tensor loss = model.loss();
  loss.backward(true);
  const auto wanted = model.gradients();
  model.zero_grad();
  const MemoryStats before = memory_stats();
  int unclean = 0;
  const int failures = fail_everywhere(
      [&] { loss.backward(true); },
      [&] {
        const bool clean = model.has_no_gradient() && gradus::is_recording() && same(memory_stats(), before);
        if (!clean) ++unclean;
      });
  CHECK(failures > (gradus::sanitized ? 60 : 12));
  CHECK(unclean == 0);
  CHECK(model.gradients() == wanted);  // the failures left the tape intact
}

TEST_CASE("running out of memory in a backward() that frees the tape leaks nothing",
          "[autograd][exceptions]") {
  Model model;
  const MemoryStats before = memory_stats();
  int unclean = 0;
  for (int allowed = 0;; ++allowed) {
    bool failed = false;
    {
      const Tensor loss = model.loss();
      allocations_left = allowed;
      try {
        loss.backward();
      } catch (const std::exception&) {
        failed = true;
      }
      allocations_left = never;
    }
    if (!failed) break;
    if (!model.has_no_gradient() || !same(memory_stats(), before)) ++unclean;
  }
  CHECK(unclean == 0);
  model.zero_grad();
  CHECK(same(memory_stats(), before));
}

TEST_CASE("an exception from any backward function or hook leaks nothing", "[autograd][exceptions]") {
  const Tensor x = leaf(gradus::ones({3}));
  const MemoryStats before = memory_stats();
  constexpr int length = 20;
  for (int broken = 0; broken < 2 * length; ++broken) {
    {
      int calls = 0;
      const auto pass = [&] {
        if (calls++ == broken) throw std::runtime_error("broken");
      };
      Tensor y = x;
      for (int i = 0; i < length; ++i) {
        y = record("fragile", y.clone(), {y, x}, {y}, [&](gradus::Gradients& g) {
          pass();
          for (const int input : {0, 1}) g.add(input, g.out());
        });
        y.add_hook([&](const Tensor&) {
          pass();
          return Tensor();
        });
      }
      CHECK_THROWS_WITH(sum(y).backward(), "broken");
    }
    CHECK_FALSE(x.grad().defined());
    CHECK(same(memory_stats(), before));
  }
}
