// Packing: sequences of different lengths without padding.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>

#include <algorithm>

#include "autograd/helpers.hpp"
#include "property.hpp"

using gradus::pack;
using gradus::Packing;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

using Integers = std::vector<std::int64_t>;

namespace {

Packing packing_of(const Integers& lengths) { return Packing(tensor(lengths, {std::ssize(lengths)})); }

Integers batch_sizes(const Packing& packing) {
  Integers sizes;
  for (std::int64_t t = 0; t < packing.steps(); ++t) sizes.push_back(packing.batch_size(t));
  return sizes;
}

Integers offsets(const Packing& packing) {
  Integers all;
  for (std::int64_t t = 0; t < packing.steps(); ++t) all.push_back(packing.offset(t));
  return all;
}

Integers order(const Packing& packing) {
  Integers all;
  for (std::int64_t r = 0; r < packing.batch(); ++r) all.push_back(packing.sequence(r));
  return all;
}

}  // namespace

TEST_CASE("lengths 2, 3, 1 are packed as in the header's example", "[autograd][packing]") {
  const Packing packing = packing_of({2, 3, 1});
  CHECK(packing.batch() == 3);
  CHECK(packing.steps() == 3);
  CHECK(packing.rows() == 6);
  CHECK_FALSE(packing.is_padded());
  CHECK(order(packing) == Integers{1, 0, 2});
  CHECK(batch_sizes(packing) == Integers{3, 2, 1});
  CHECK(offsets(packing) == Integers{0, 3, 5});

  const Tensor ids = tensor<std::int64_t>({10, 20, 30, 11, 21, 0, 0, 22, 0}, {3, 3});  // column b: sequence b
  CHECK(pack(ids, packing).to_vector<std::int64_t>() == Integers{20, 10, 30, 21, 11, 22});
  CHECK(unpack(pack(ids, packing), packing).to_vector<std::int64_t>() == ids.to_vector<std::int64_t>());
}

TEST_CASE("sequences of the same length keep their order", "[autograd][packing]") {
  CHECK(order(packing_of({1, 3, 2, 3, 1, 3, 2})) == Integers{1, 3, 5, 2, 6, 0, 4});
}

TEST_CASE("packed and padded layouts are the same only if all lengths are equal", "[autograd][packing]") {
  const Tensor x = gradus::arange(6).reshape({2, 3});
  for (const Packing& packing : {packing_of({2, 2, 2}), Packing(2, 3)}) {
    CHECK(packing.is_padded());
    CHECK(packing.batch() == 3);
    CHECK(packing.steps() == 2);
    CHECK(order(packing) == Integers{0, 1, 2});
    CHECK(batch_sizes(packing) == Integers{3, 3});
    CHECK(offsets(packing) == Integers{0, 3});
    CHECK(pack(x, packing).to_vector<std::int64_t>() == x.to_vector<std::int64_t>());
    CHECK(unpack(pack(x, packing), packing).to_vector<std::int64_t>() == x.to_vector<std::int64_t>());
  }
  CHECK_FALSE(packing_of({2, 2, 1}).is_padded());
  CHECK_FALSE(packing_of({0, 2}).is_padded());
}

TEST_CASE("empty sequences and empty batches can be packed", "[autograd][packing]") {
  const Packing some = packing_of({0, 2, 0, 1});
  CHECK(order(some) == Integers{1, 3, 0, 2});
  CHECK(batch_sizes(some) == Integers{2, 1});

  for (const auto& [packing, batch] : {std::pair{packing_of({0, 0}), 2}, std::pair{Packing(0, 2), 2}}) {
    CHECK(packing.batch() == batch);
    CHECK(packing.steps() == 0);
    CHECK(packing.rows() == 0);
  }
  for (const auto& [packing, steps] : {std::pair{packing_of({}), 0}, std::pair{Packing(3, 0), 3}}) {
    CHECK(packing.batch() == 0);
    CHECK(packing.steps() == steps);
    CHECK(packing.rows() == 0);
    CHECK(packing.split(2) == Integers{0, 0, 0});
  }
}

TEST_CASE("split() gives parts with about the same number of rows", "[autograd][packing]") {
  CHECK(packing_of({2, 3, 1}).split(1) == Integers{0, 3});
  CHECK(packing_of({2, 3, 1}).split(2) == Integers{0, 1, 3});     // 3 rows, then 2 + 1 rows
  CHECK(packing_of({9, 1, 1, 1}).split(2) == Integers{0, 1, 4});  // no split is more even
  CHECK(packing_of({0, 0}).split(2) == Integers{0, 0, 2});
  CHECK(Packing(7, 6).split(3) == Integers{0, 2, 4, 6});
  CHECK(Packing(1, 2).split(4) == Integers{0, 1, 1, 2, 2});

  check_property([] {
    const auto below = [](int n) { return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n)); };
    const auto lengths = *rc::gen::container<Integers>(rc::gen::cast<std::int64_t>(below(9))).as("lengths");
    const auto parts = *rc::gen::map(below(5), [](int n) { return n + 1; }).as("parts");
    const Packing packing = packing_of(lengths);
    const Integers bounds = packing.split(parts);
    RC_ASSERT(std::ssize(bounds) == parts + 1);
    RC_ASSERT(std::is_sorted(bounds.begin(), bounds.end()));
    RC_ASSERT(bounds.front() == 0);
    RC_ASSERT(bounds.back() == packing.batch());
    for (std::size_t part = 0; part + 1 < bounds.size(); ++part) {
      std::int64_t rows = 0;
      for (std::int64_t r = bounds[part]; r < bounds[part + 1]; ++r) {
        rows += lengths[static_cast<std::size_t>(packing.sequence(r))];
      }
      RC_ASSERT(rows <= packing.rows() / parts + packing.steps());
    }
  });
}

TEST_CASE("pack() maps every real step to one row, and unpack() maps it back", "[autograd][packing]") {
  for (const int threads : {1, 3}) {
    const Threads set(threads);
    const Integers lengths = [] {
      Integers all;
      for (std::int64_t b = 0; b < 40; ++b) all.push_back(b * 7 % 5);
      return all;
    }();
    const Packing packing = packing_of(lengths);
    constexpr std::int64_t T = 6, width = 1000;  // large enough to be split among threads
    const std::int64_t B = std::ssize(lengths);
    const Tensor x = leaf(gradus::arange(T * B * width).to(gradus::Dtype::f64).reshape({T, B, width}));
    const Tensor packed = pack(x, packing), padded = unpack(packed, packing, T);
    REQUIRE(packed.shape() == Shape{packing.rows(), width});
    sum(padded * x).backward();
    for (std::int64_t t = 0; t < T; ++t) {
      for (std::int64_t b = 0; b < B; ++b) {
        const bool real = t < lengths[static_cast<std::size_t>(b)];
        const auto row = [&](const Tensor& of) { return of[t][b].to_vector<double>(); };
        CHECK(row(padded) == (real ? row(x) : std::vector<double>(width)));
        CHECK(row(x.grad()) == (real ? row(x * 2) : std::vector<double>(width)));
      }
    }
  }
}

TEST_CASE("Packing rejects invalid lengths", "[autograd][packing]") {
  CHECK_ERROR(Packing(gradus::zeros({2})), "Packing: the lengths (2) must be i64, and is f32");
  CHECK_ERROR(Packing(gradus::zeros({2, 1}, gradus::Dtype::i64)),
              "Packing: the lengths are (2, 1) and must be (B)");
  CHECK_ERROR(packing_of({2, -1}), "Packing: length -1 is negative");
  CHECK_ERROR(Packing(-1, 2), "Packing: needs steps and a batch of at least 0, and got -1 and 2");
  CHECK_ERROR(Packing(2, -1), "Packing: needs steps and a batch of at least 0, and got 2 and -1");
}

TEST_CASE("a packing returns the lengths that it was made from", "[autograd][packing]") {
  const Packing packing = packing_of({2, 0, 3, 1});
  CHECK(packing.lengths().to_vector<std::int64_t>() == Integers{2, 0, 3, 1});
  CHECK(packing.length(0) == 3);
  CHECK(packing.length(3) == 0);
  CHECK(Packing(4, 2).lengths().to_vector<std::int64_t>() == Integers{4, 4});
}

TEST_CASE("scan() runs each sequence to its own end", "[autograd][packing][scan]") {
  const Packing packing = packing_of({2, 0, 3});
  // The state has two entries: a number whose digits are the inputs so far, and the number of steps.
  const auto step = [](const Tensor& x, const std::vector<Tensor>& state) {
    return std::vector{state[0] * 10 + x, state[1] + 1};
  };
  const Tensor x = gradus::tensor(std::vector<double>{1, 7, 4, 2, 8, 5, 3, 9, 6}).reshape({3, 3, 1});
  const Tensor zero = gradus::zeros({3, 1}, gradus::Dtype::f64);
  const auto scanned = [&](bool reverse) {
    return scan(step, pack(x, packing), {zero, zero}, packing, reverse);
  };
  CHECK(scanned(false).last[0].to_vector<double>() == std::vector<double>{12, 0, 456});
  CHECK(scanned(false).last[1].to_vector<double>() == std::vector<double>{2, 0, 3});
  CHECK(scanned(true).last[0].to_vector<double>() == std::vector<double>{21, 0, 654});
  CHECK(unpack(scanned(false).states, packing)[1].to_vector<double>() == std::vector<double>{12, 0, 45});
  CHECK(unpack(scanned(true).states, packing)[0].to_vector<double>() == std::vector<double>{21, 0, 654});
  const Packing none = packing_of({0, 0});
  const auto empty = scan(step, gradus::zeros({0, 1}), {gradus::ones({2, 1}), gradus::ones({2, 1})}, none);
  CHECK(empty.states.shape() == Shape{0, 1});
  CHECK(empty.last[0].to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("scan() rejects a first state that is not (B, H)", "[autograd][packing][scan]") {
  const Packing packing = packing_of({2, 1});
  const auto from = [&](const Tensor& second) {
    const auto step = [](const Tensor&, const std::vector<Tensor>& state) { return state; };
    return scan(step, gradus::zeros({3, 1}), {gradus::zeros({2, 1}), second}, packing);
  };
  CHECK_ERROR(from(gradus::zeros({2})), "scan: a tensor of the first state is (2) and must be (2, H)");
  CHECK_ERROR(from(gradus::zeros({1, 4})), "scan: a tensor of the first state is (1, 4) and must be (2, H)");
}
