// The random generator. Its numbers must never change, because users record seeds.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;

namespace {

std::vector<std::uint64_t> bits(Generator generator, int n) {
  std::vector<std::uint64_t> result;
  for (int i = 0; i < n; ++i) result.push_back(generator.bits());
  return result;
}

Generator at(std::uint64_t seed, std::uint64_t position) {
  Generator generator;
  generator.set_state({seed, position});
  return generator;
}

}  // namespace

// The first vector is from Random123's kat_vectors: philox4x32 10, all zeros → 6627e8d5 e169c58d bc57ac4c
// 9b00dbd8. Random123's two other vectors need high counter words, which our 64-bit position cannot have. The
// other values below come from a separate program, which reproduces all three vectors.
TEST_CASE("the bits match Philox4x32-10", "[autograd][random]") {
  CHECK(bits(Generator(0), 2) == std::vector<std::uint64_t>{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c});
  CHECK(bits(Generator(1), 4) == std::vector<std::uint64_t>{0xe50a0ebce3e80670, 0xb615aa2795f222c0,
                                                            0xdfc5ccbeac08141b, 0xa7f6609379c07a47});
  CHECK(bits(at(0x299f31d0a4093822, 2 * 0x05a308d3243f6a88), 2) ==
        std::vector<std::uint64_t>{0x02341e04f2077581, 0x193225e0c1b24efb});
  CHECK(at(0xffffffffffffffff, 0xffffffffffffffff).bits() == 0x3c0fd6a5955042fb);
}

TEST_CASE("the first values of every distribution are fixed", "[autograd][random]") {
  Generator uniform(1), normal(1), below(1), rejecting(1);
  CHECK(uniform.uniform() == 0.8946847163350924);
  CHECK(uniform.uniform() == 0.7112680765766943);
  CHECK(uniform.uniform() == 0.8741119351871307);
  CHECK(std::abs(normal.normal() - -0.5112540909508035) < 1e-15);  // libm may change the last bit
  CHECK(std::abs(normal.normal() - -1.1326241915725068) < 1e-15);
  CHECK(std::abs(normal.normal() - 1.1235348471496454) < 1e-15);
  CHECK(normal.state().position == 6);
  for (const std::uint64_t expected : {8, 4, 1, 7, 8, 6, 7, 7, 4, 5, 2, 8})
    CHECK(below.below(10) == expected);

  // A quarter of all draws is rejected. Of the first 15 draws, the generator rejects the 7th, 8th and 13th.
  const std::uint64_t most = std::uint64_t{3} << 62;
  for (int i = 0; i < 6; ++i) rejecting.below(most);
  CHECK(rejecting.state().position == 6);
  CHECK(rejecting.below(most) == 12235237851606640904U);
  CHECK(rejecting.state().position == 9);
}

TEST_CASE("uniform and normal numbers have the right moments", "[autograd][random]") {
  constexpr int n = 200'000;
  Generator generator(1);
  double mean = 0, square = 0, lowest = 1, highest = 0;
  for (int i = 0; i < n; ++i) {
    const double u = generator.uniform();
    mean += u / n;
    square += u * u / n;
    lowest = std::min(lowest, u);
    highest = std::max(highest, u);
  }
  CHECK(lowest >= 0);
  CHECK(highest < 1);
  CHECK(std::abs(mean - 0.5) < 0.003);  // the bounds here and below are at least four standard errors
  CHECK(std::abs(square - mean * mean - 1.0 / 12) < 0.001);

  std::array<double, 4> moments{};
  for (int i = 0; i < n; ++i) {
    const double z = generator.normal();
    for (double power = z; double& moment : moments) {
      moment += power / n;
      power *= z;
    }
  }
  CHECK(std::abs(moments[0]) < 0.01);
  CHECK(std::abs(moments[1] - 1) < 0.015);
  CHECK(std::abs(moments[2]) < 0.04);
  CHECK(std::abs(moments[3] - 3) < 0.1);
}

TEST_CASE("below() is uniform over its range", "[autograd][random]") {
  constexpr int n = 70'000;
  Generator generator(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < n; ++i) ++counts.at(generator.below(7));
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - n / 7.0, 2) / (n / 7.0);
  CHECK(chi_square < 22.5);  // p = 0.001 at 6 degrees of freedom
  CHECK(generator.below(1) == 0);
  CHECK_ERROR(generator.below(0), "Generator::below: there is no number in [0, 0)");
}

TEST_CASE("below() has no modulo bias", "[autograd][random]") {
  // Without rejection, half of the draws below 3·2⁶² would fall into the first third of the range.
  constexpr int n = 30'000;
  Generator generator(4);
  int first_third = 0;
  for (int i = 0; i < n; ++i) first_third += generator.below(std::uint64_t{3} << 62) < std::uint64_t{1} << 62;
  CHECK(std::abs(first_third - n / 3) < 400);
}

TEST_CASE("a restored state continues where it was saved, at odd and even positions", "[autograd][random]") {
  for (const int drawn : {0, 1, 2, 3, 8, 9}) {
    CAPTURE(drawn);
    Generator original(5);
    bits(original, 0);
    for (int i = 0; i < drawn; ++i) original.bits();
    CHECK(original.state() == Generator::State{5, static_cast<std::uint64_t>(drawn)});
    CHECK(bits(at(5, original.state().position), 5) == bits(original, 5));

    Generator elsewhere(99);
    elsewhere.bits();  // the buffer now holds half a block of another stream
    elsewhere.set_state(original.state());
    CHECK(bits(elsewhere, 5) == bits(original, 5));
  }
}

TEST_CASE("a copy of a generator draws the same numbers independently", "[autograd][random]") {
  Generator a(6);
  a.bits();
  Generator b = a;
  CHECK(bits(a, 4) == bits(b, 4));
  a.bits();
  CHECK(a.state().position == b.state().position + 1);
}

TEST_CASE("seeds and split generators give different streams", "[autograd][random]") {
  CHECK(bits(Generator(1), 4) != bits(Generator(2), 4));
  Generator parent(7);
  const Generator first = parent.split(), second = parent.split();
  CHECK(parent.state().position == 2);
  CHECK(bits(first, 4) != bits(second, 4));
  CHECK(bits(first, 4) != bits(parent, 4));

  // The correlation of two independent streams has a standard deviation of 1/√n.
  constexpr int n = 40'000;
  Generator x = first, y = second;
  double correlation = 0;
  for (int i = 0; i < n; ++i) correlation += x.normal() * y.normal() / n;
  CHECK(std::abs(correlation) < 4 / std::sqrt(n));
}

TEST_CASE("a generator's streams depend only on its seed and the stream number", "[autograd][random]") {
  Generator one(7), other(7);
  one.bits();
  CHECK(bits(one.stream(3), 4) == bits(other.stream(3), 4));
  CHECK(one.state().position == 1);
  CHECK(bits(one.stream(3), 4) != bits(one.stream(4), 4));
  CHECK(bits(one.stream(3), 4) != bits(Generator(8).stream(3), 4));
  CHECK(bits(one.stream(0), 4) != bits(Generator(7), 4));
}

TEST_CASE("each step of a loop has its own stream, and later draws ignore the number of steps",
          "[autograd][random]") {
  const auto draw = [](int steps, bool on) {
    gradus::seed(9);
    std::vector<std::uint64_t> drawn;
    {
      const gradus::DrawsOfSteps draws(on);
      for (int t = 0; t < steps; ++t) {
        const auto guard = draws.at(t);
        drawn.push_back(gradus::default_generator().bits());
      }
    }
    drawn.push_back(gradus::default_generator().bits());
    return drawn;
  };
  const auto two = draw(2, true), three = draw(3, true);
  CHECK(two[0] == three[0]);
  CHECK(two[1] == three[1]);
  CHECK(two[0] != two[1]);
  CHECK(two.back() == three.back());
  CHECK(draw(2, false) == bits(Generator(9), 3));
}

TEST_CASE("part of a batch draws the same dropout masks as in the whole batch", "[autograd][random]") {
  const Tensor x = gradus::ones({3, 4, 70});
  Generator whole(6);
  const Tensor all = dropout(x, 0.4, whole);
  Generator part = Generator(6).of_part({4, {2, 0}});
  const Tensor two = dropout(x.slice(0, 2, 1), 0.4, part);
  CHECK(part.state() == whole.state());
  CHECK(difference(two.slice(0, 1, 1), all.slice(2, 3, 1), 0) == "");
  CHECK(difference(two.slice(1, 2, 1), all.slice(0, 1, 1), 0) == "");
  // Sequence 1 of the part is sequence 0 of the batch. It must get the same mask from a generator derived
  // from `part` as from one derived from `whole`.
  const auto check_same = [&](Generator of_part, Generator of_whole) {
    CHECK(difference(dropout(x.slice(0, 2, 1), 0.4, of_part).slice(1, 2, 1),
                     dropout(x, 0.4, of_whole).slice(0, 1, 1), 0) == "");
  };
  check_same(part.stream(5), whole.stream(5));
  check_same(part.split(), whole.split());
  CHECK_ERROR(
      dropout(x, 0.4, part),
      "dropout: the generator is for 2 sequences of a batch; the input must be (…, 2, n), and is (3, 4, 70)");
  CHECK_ERROR(
      dropout(gradus::ones({2}), 0.4, part),
      "dropout: the generator is for 2 sequences of a batch; the input must be (…, 2, n), and is (2)");
}

TEST_CASE("seed() restarts this thread's generator", "[autograd][random]") {
  gradus::seed(8);
  const std::uint64_t first = gradus::default_generator().bits();
  gradus::default_generator().bits();
  gradus::seed(8);
  CHECK(gradus::default_generator().bits() == first);
  CHECK(first == Generator(8).bits());
}

TEST_CASE("random tensors use the same draws in f32 and f64", "[autograd][random]") {
  Generator a(9), b(9), c(9);
  const Tensor wide = gradus::uniform({3, 5}, -2, 6, a, Dtype::f64);
  const Tensor narrow = gradus::uniform({3, 5}, -2, 6, b);
  CHECK(narrow.dtype() == Dtype::f32);
  CHECK(narrow.to_vector<float>() == wide.to_vector<float>());
  for (const double value : wide.values<double>()) CHECK(value == -2 + 8 * c.uniform());

  const Tensor bell = gradus::normal({4}, 10, 0.5, a, Dtype::f64);
  for (const double value : bell.values<double>()) CHECK(value == 10 + 0.5 * c.normal());
  CHECK_ERROR(gradus::normal({2}, 0, 1, a, Dtype::i64),
              "normal: works on f32 or f64, not on i64; convert to the dtype of your other tensors: "
              ".to(other.dtype())");
}
