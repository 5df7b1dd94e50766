#include <gradus/autograd/random.hpp>

#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/dispatch.hpp"
#include "kernels/dropout.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Returns 128 random bits. Stream 0 serves the generator's own draws. Stream 1 seeds the generators that
// stream() returns.
std::array<std::uint64_t, 2> philox(std::uint64_t key, std::uint64_t counter, std::uint64_t stream = 0) {
  const auto swapped = [](std::uint64_t x) { return x << 32 | x >> 32; };
  const auto [a, b] = kernels::philox(key, {swapped(counter), stream << 32});
  return {swapped(a), swapped(b)};
}

}  // namespace

std::uint64_t Generator::bits() {
  if (position_ % 2 == 0) block_ = philox(seed_, position_ / 2);
  return block_[position_++ % 2];
}

double Generator::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

std::uint64_t Generator::below(std::uint64_t n) {
  if (n == 0) fail("Generator::below", "there is no number in [0, 0)");
  // Rejects draws below 2⁶⁴ mod n, so that all remainders are equally likely.
  const std::uint64_t incomplete = (0 - n) % n;
  while (true) {
    const std::uint64_t draw = bits();
    if (draw >= incomplete) return draw % n;
  }
}

double Generator::normal() {
  const double u = 1.0 - uniform();  // in (0, 1]
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
}

Generator Generator::split() {
  Generator other(bits());
  other.part_ = part_;
  return other;
}

Generator Generator::stream(std::uint64_t n) const {
  Generator other(philox(seed_, n, 1)[0]);
  other.part_ = part_;
  return other;
}

Generator Generator::of_part(BatchPart part) const {
  Generator other = *this;
  other.part_ = std::make_shared<const BatchPart>(std::move(part));
  return other;
}

void Generator::set_state(const State& state) {
  seed_ = state.seed;
  position_ = state.position;
  if (position_ % 2 == 1) block_ = philox(seed_, position_ / 2);
}

Generator& default_generator() {
  thread_local Generator generator;
  return generator;
}

void seed(std::uint64_t value) { default_generator() = Generator(value); }

DrawFrom::DrawFrom(Generator generator) : outer_(std::exchange(default_generator(), std::move(generator))) {}
DrawFrom::~DrawFrom() { default_generator() = std::move(outer_); }

DrawsOfSteps::DrawsOfSteps(bool on) {
  if (on) steps_ = default_generator().split();
}
std::optional<DrawFrom> DrawsOfSteps::at(std::int64_t t) const {
  if (!steps_) return std::nullopt;
  return std::optional<DrawFrom>(std::in_place, steps_->stream(static_cast<std::uint64_t>(t)));
}

namespace {

template <class Draw>
Tensor fill(const char* operation, const Shape& shape, Dtype dtype, Draw draw) {
  Tensor result = empty(shape, dtype);
  for_floating(operation, dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < result.numel(); ++i) raw<T>(result)[i] = static_cast<T>(draw());
  });
  return result;
}

}  // namespace

Tensor uniform(const Shape& shape, double low, double high, Generator& generator, Dtype dtype) {
  return fill("uniform", shape, dtype, [&] { return low + (high - low) * generator.uniform(); });
}

Tensor normal(const Shape& shape, double mean, double deviation, Generator& generator, Dtype dtype) {
  return fill("normal", shape, dtype, [&] { return mean + deviation * generator.normal(); });
}

}  // namespace gradus
