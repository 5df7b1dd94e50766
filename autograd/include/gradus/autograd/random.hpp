#pragma once

#include <gradus/autograd/tensor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// The sequences that a part of a batch holds.
struct BatchPart {
  std::int64_t batch;                   ///< number of sequences in the whole batch
  std::vector<std::int64_t> sequences;  ///< the index in the whole batch of each one in the part
};

/// A counter-based generator of random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3", 2011). A seed gives the same numbers, and the same draws of the distributions below,
/// with any compiler and standard library. The state is the seed and a counter.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [0, n), without bias. @throws Error for n = 0.
  std::uint64_t below(std::uint64_t n);
  /// Normal with mean 0 and variance 1 (Box–Muller; each call draws `bits` twice and caches nothing).
  double normal();
  /// An independent generator, seeded by one draw from this one.
  Generator split();
  /// Independent generator n, derived from the seed. Draws nothing. If each step of a loop has its own
  /// stream, later draws do not depend on the number of steps.
  Generator stream(std::uint64_t n) const;

  /// This generator for part of a batch: it draws the same numbers, and dropout() gives each sequence its
  /// mask in the whole batch. Generators split from it are for the same part.
  Generator of_part(BatchPart part) const;
  /// Null unless of_part() made this generator.
  const BatchPart* part() const { return part_.get(); }
  /// Maps step t of sequence b of this part, which has B sequences, to its row in the padded whole batch.
  /// Without a part, the batch itself is the whole: t·B + b.
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
  std::array<std::uint64_t, 2> block_{};  // read only at odd positions: draws position_ − 1 and position_
  std::shared_ptr<const BatchPart> part_;
};

/// This thread's generator, for dropout and initialisers. It starts with seed 0, so all threads draw the same
/// numbers unless each calls seed().
Generator& default_generator();
/// Restarts this thread's generator with a new seed.
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

/// Generators for the steps of a loop, one each (Generator::stream).
class DrawsOfSteps {
 public:
  /// @param on if true, draws one number that seeds the generators of all steps; if false, at() does nothing
  explicit DrawsOfSteps(bool on);
  /// While the result lives, the generator of step t is this thread's default generator.
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
