#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// Which sequences of a larger batch a part of it holds.
struct BatchPart {
  std::int64_t batch;                   ///< how many sequences the whole has
  std::vector<std::int64_t> sequences;  ///< the number in the whole of each sequence here
};

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
  /// Independent generator n, derived from the seed. Draws nothing. A loop gives each step its own stream, so
  /// that later draws do not depend on the number of steps.
  Generator stream(std::uint64_t n) const;

  /// This generator for part of a batch. It draws the same numbers; dropout() gives each sequence its mask
  /// from the whole batch. Generators split from it do the same.
  Generator of_part(BatchPart part) const;
  /// Null unless of_part() made this generator.
  const BatchPart* part() const { return part_.get(); }
  /// The row of step t of sequence b in the whole, padded batch (T·B, …), where B sequences are here.
  std::int64_t place(std::int64_t t, std::int64_t b, std::int64_t B) const {
    return part_ ? t * part_->batch + part_->sequences[static_cast<std::size_t>(b)] : t * B + b;
  }

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
  std::shared_ptr<const BatchPart> part_;
};

/// This thread's generator, for dropout and initialisers. Every thread's starts from seed 0, so that threads
/// draw the same numbers unless each calls seed().
Generator& default_generator();
/// Starts this thread's generator anew.
void seed(std::uint64_t value);

/// While it lives, this thread's default generator is the given one.
class DrawFrom {
 public:
  explicit DrawFrom(Generator generator);
  ~DrawFrom();
  DrawFrom(const DrawFrom&) = delete;
  DrawFrom& operator=(const DrawFrom&) = delete;

 private:
  Generator outer_;
};

/// While it lives, the steps of a loop draw from generators of their own (Generator::stream).
class DrawsOfSteps {
 public:
  /// @param on whether to draw one number for them; without, at() does nothing
  explicit DrawsOfSteps(bool on);
  /// From now on this thread's default generator is that of step t.
  void at(std::int64_t t);

 private:
  std::optional<Generator> steps_;
  std::optional<DrawFrom> guard_;
};

/// Tensors of random values, in f32 or f64 (the same draws, rounded).
Tensor uniform(const Shape& shape, double low, double high, Generator& generator, Dtype dtype = Dtype::f32);
Tensor normal(const Shape& shape, double mean, double deviation, Generator& generator,
              Dtype dtype = Dtype::f32);

}  // namespace gradus
#pragma GCC visibility pop
