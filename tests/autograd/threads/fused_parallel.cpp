// Fused operations split their rows among threads. Values and gradients must match those with one thread up
// to rounding. Here, each operation has at least one range of rows per thread. The samples in rows_*.cpp are
// too small to be split.

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <functional>

#include "autograd/helpers.hpp"

using namespace gradus;

namespace {

struct Case {
  const char* name;
  std::vector<Shape> inputs;
  std::function<Tensor(const std::vector<Tensor>&)> call;
};

// The result, followed by the gradients of a randomly weighted sum of the result.
std::vector<Tensor> run(const Case& of) {
  Generator generator(7);
  std::vector<Tensor> inputs;
  for (const Shape& shape : of.inputs) inputs.push_back(leaf(normal(shape, 0, 1, generator)));
  const Tensor y = of.call(inputs);
  sum(y * normal(y.shape(), 0, 1, generator)).backward();
  std::vector<Tensor> results{y};
  for (const Tensor& input : inputs) results.push_back(input.grad());
  return results;
}

}  // namespace

TEST_CASE("fused operations agree with one thread and with several", "[autograd][fused][parallel]") {
  constexpr std::int64_t B = 61, T = 20, H = 301;
  std::vector<std::int64_t> steps;
  for (std::int64_t b = 0; b < B; ++b) steps.push_back(b % (T + 1));
  const Tensor lengths = tensor(steps, {B});
  const std::vector<Case> cases{
      {"gru_update",
       {{B, 3 * H}, {B, 3 * H}, {B, H}},
       [&](const auto& x) { return gru_update(x[0], x[1], x[2]); }},
      {"lstm_update",
       {{B, 4 * H}, {B, 4 * H}, {B, H}},
       [&](const auto& x) { return lstm_update(x[0], x[1], x[2]); }},
      {"additive_energy",
       {{B, H}, {T, B, H}, {H}},
       [&](const auto& x) { return additive_energy(x[0], x[1], x[2], lengths); }},
      {"weighted_sum", {{B, T}, {T, B, H}}, [&](const auto& x) { return weighted_sum(x[0], x[1], lengths); }},
      {"tanh", {{B, 3 * H}}, [](const auto& x) { return tanh(x[0]); }}};
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const auto alone = [&] {
      const Threads set(1);
      return run(each);
    }();
    const Threads set(3);
    const auto together = run(each);
    const auto again = run(each);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CAPTURE(i);
      CHECK(difference(together[i], alone[i], 1e-4) == "");
      CHECK(difference(again[i], together[i], 0) == "");
    }
  }
}
