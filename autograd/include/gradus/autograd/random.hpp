#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// A part of a batch, given by its sequences.
struct BatchPart {
  std::int64_t batch;                   ///< number of sequences in the whole batch
  std::vector<std::int64_t> sequences;  ///< for each sequence in the part, its index in the whole batch
};

/// A counter-based generator of random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3", 2011). With any compiler and standard library, a seed gives the same bits, and the same
/// draws from uniform() and below(). Draws from normal() may differ in the last bits, because they use the
/// standard library's log and cos. The state is the seed and a counter.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [0, n), without bias. @throws Error for n = 0.
  std::uint64_t below(std::uint64_t n);
  /// Normal with mean 0 and variance 1, by Box–Muller. Each call uses bits() twice, and caches nothing.
  double normal();
  /// A generator independent of this one, seeded by one draw from it.
  Generator split();
  /// The generator of stream n, independent of this one and of other streams. It is derived from the seed,
  /// without a draw. Give each step of a loop its own stream: later draws from this generator then do not
  /// depend on the number of steps.
  Generator stream(std::uint64_t n) const;

  /// A copy of this generator for one part of a batch. The copy draws the same numbers as the original. With
  /// the copy, dropout() gives each sequence the mask that the sequence has in the whole batch. split() and
  /// stream() of the copy return generators for the same part.
  Generator of_part(BatchPart part) const;
  /// The part of a batch that this generator serves. Null means the whole batch.
  const BatchPart* part() const { return part_.get(); }
  /// The row of step t of sequence b in the padded whole batch. b is an index in this generator's part, which
  /// has B sequences. If part() is null, the part is the whole batch, and the row is t·B + b.
  std::int64_t place(std::int64_t t, std::int64_t b, std::int64_t B) const {
    return part_ ? t * part_->batch + part_->sequences[static_cast<std::size_t>(b)] : t * B + b;
  }

  struct State {
    std::uint64_t seed;
    std::uint64_t position;  ///< number of 64-bit draws so far
    bool operator==(const State&) const = default;
  };
  State state() const { return {seed_, position_}; }
  void set_state(const State& state);

 private:
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 2> block_{};  // draws position_ − 1 and position_; only read if position_ is odd
  std::shared_ptr<const BatchPart> part_;
};

/// This thread's generator, for dropout and initialisers. Its seed is initially 0. So all threads draw the
/// same numbers unless they call seed() with different seeds.
Generator& default_generator();
/// Restarts this thread's generator with a new seed.
void seed(std::uint64_t value);

/// Replaces this thread's default generator, and restores the previous one when destroyed.
class DrawFrom {
 public:
  explicit DrawFrom(Generator generator);
  ~DrawFrom();
  DrawFrom(const DrawFrom&) = delete;
  DrawFrom& operator=(const DrawFrom&) = delete;

 private:
  Generator outer_;
};

/// Generators for the steps of a loop, one per step (see Generator::stream).
class DrawsOfSteps {
 public:
  /// If `on`, seeds the generators of all steps by one draw from this thread's default generator. Otherwise
  /// draws nothing, and at() has no effect.
  explicit DrawsOfSteps(bool on);
  /// Makes the generator of step t this thread's default generator until the returned DrawFrom is destroyed.
  [[nodiscard]] std::optional<DrawFrom> at(std::int64_t t) const;

 private:
  std::optional<Generator> steps_;
};

/// Tensors of random values. f32 and f64 use the same draws, rounded to the dtype.
Tensor uniform(const Shape& shape, double low, double high, Generator& generator, Dtype dtype = Dtype::f32);
Tensor normal(const Shape& shape, double mean, double deviation, Generator& generator,
              Dtype dtype = Dtype::f32);

}  // namespace gradus
#pragma GCC visibility pop
