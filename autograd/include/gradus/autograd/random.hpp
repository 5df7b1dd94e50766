#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus {

/// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
/// 2011). With the distributions below, a seed gives the same numbers with any compiler and standard library.
/// The whole state is the seed and a counter.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [0, n), without bias. @throws Error for n = 0.
  std::uint64_t below(std::uint64_t n);
  /// Normal with mean 0 and variance 1 (Box–Muller; two draws of `bits` each, none kept over).
  double normal();
  /// A generator of an independent stream, drawn from this one.
  Generator split();

  struct State {
    std::uint64_t seed;
    std::uint64_t position;  ///< how many draws of 64 bits have been made
    bool operator==(const State&) const = default;
  };
  State state() const { return {seed_, position_}; }
  void set_state(const State& state);

 private:
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 2> block_{};  // draws 2·⌊position/2⌋ and the one after, when position is odd
};

/// This thread's generator, for dropout and initialisers. Every thread's starts from seed 0, so that threads
/// draw the same numbers unless each calls seed().
Generator& default_generator();
/// Starts this thread's generator anew.
void seed(std::uint64_t value);

/// Tensors of random values, in f32 or f64 (the same draws, rounded).
Tensor uniform(const Shape& shape, double low, double high, Generator& generator, Dtype dtype = Dtype::f32);
Tensor normal(const Shape& shape, double mean, double deviation, Generator& generator,
              Dtype dtype = Dtype::f32);

}  // namespace gradus
#pragma GCC visibility pop
