#include <gradus/autograd/random.hpp>

#include <cmath>
#include <numbers>

#include "kernels/dispatch.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// Ten rounds of Philox4x32 on the counter, under the key: 128 random bits.
std::array<std::uint64_t, 2> philox(std::uint64_t key, std::uint64_t counter) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32),
                c2 = 0, c3 = 0;
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0 | std::uint64_t{c1} << 32, c2 | std::uint64_t{c3} << 32};
}

}  // namespace

std::uint64_t Generator::bits() {
  if (position_ % 2 == 0) block_ = philox(seed_, position_ / 2);
  return block_[position_++ % 2];
}

double Generator::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

std::uint64_t Generator::below(std::uint64_t n) {
  if (n == 0) fail("Generator::below", "there is no number in [0, 0)");
  // Draws from the incomplete last copy of [0, n) are thrown away.
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

Generator Generator::split() { return Generator(bits()); }

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
