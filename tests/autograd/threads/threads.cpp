// Threads that share parameters, each with its own tapes. One test hands a tape to another thread.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>

#include <array>
#include <thread>

#include "autograd/helpers.hpp"

using gradus::Generator;
using gradus::grad;
using gradus::Tensor;

namespace {

struct Shared {
  Tensor parameter;  // requires a gradient; the threads only read it
  Tensor constant;
};

// Trains a leaf that only this thread uses, on many small tapes. Each step ends by storing the leaf's new
// value as its gradient. Returns this gradient after the last step.
Tensor train(const Shared& shared, std::uint64_t seed) {
  Generator generator(seed);
  Tensor own = leaf(normal({8, 8}, 0, 0.1, generator));
  for (int step = 0; step < 200; ++step) {
    const Tensor context = [&] {
      const gradus::NoGrad no_grad;
      return matmul(shared.constant, shared.parameter);
    }();
    own.zero_grad();
    Tensor state = context;
    for (int t = 0; t < 5; ++t) state = tanh(matmul(state, own) + shared.constant);
    mean(state * state).backward();
    const Tensor moved = own - own.grad() * 0.1;
    own.replace(moved.detach());
    own.set_grad(moved.detach());
  }
  return own.grad();
}

}  // namespace

TEST_CASE("threads with their own tapes do not disturb each other", "[autograd][threads]") {
  Generator generator(1);
  const Shared shared{leaf(normal({8, 8}, 0, 1, generator)), normal({8, 8}, 0, 1, generator)};
  std::array<Tensor, 4> together;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = train(shared, i % 2); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) {
    CHECK(together[i].to_vector<float>() == train(shared, i % 2).to_vector<float>());
  }
  CHECK_FALSE(shared.parameter.grad().defined());
}

TEST_CASE("a tape made by one thread may be run and destroyed by another", "[autograd][threads]") {
  const auto before = gradus::memory_stats();
  {
    const Tensor x = leaf(gradus::ones({3}));
    Tensor loss = sum(x * x);
    std::thread([&] {
      loss.backward();
      loss = Tensor();
    }).join();
    CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 2, 2});
  }
  CHECK(gradus::memory_stats().live_nodes == before.live_nodes);
  CHECK(gradus::memory_stats().live_buffers == before.live_buffers);
}

TEST_CASE("threads that share parameters get the gradients of their own graphs", "[autograd][threads]") {
  Generator generator(1);
  const Tensor w = leaf(normal({8, 8}, 0, 1, generator)), x = normal({8, 8}, 0, 1, generator);
  const auto gradient_of = [&](double factor) { return grad({sum(tanh(matmul(x, w)) * factor)}, {w})[0]; };
  std::array<Tensor, 4> together;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int step = 0; step < 100; ++step) together[i] = gradient_of(static_cast<double>(i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) {
    CHECK(together[i].to_vector<float>() == gradient_of(static_cast<double>(i + 1)).to_vector<float>());
  }
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("threads may accumulate into the gradient of a shared parameter", "[autograd][threads]") {
  const Tensor w = leaf(gradus::ones({16}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int step = 0; step < 100; ++step) sum(w * 2.0).backward();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(w.grad().to_vector<float>() == std::vector<float>(16, 800));
}
