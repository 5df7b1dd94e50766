// Walk: splits strided views into rows.

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"
#include "kernels/strided.hpp"

using gradus::Shape;
using gradus::view;
using gradus::Walk;
using gradus::zeros;

namespace {

using Rows = std::vector<std::pair<std::int64_t, std::int64_t>>;  // (offset, length), in the first view

template <std::size_t K>
Rows rows(const Walk<K>& walk) {
  Rows result;
  walk.for_each_row([&](const auto& offsets, std::int64_t n) { result.emplace_back(offsets[0], n); });
  return result;
}

Rows rows_of(const gradus::View<const float>& x) { return rows(Walk<1>(x.shape, {x.strides})); }

}  // namespace

TEST_CASE("contiguous axes are joined into one row", "[autograd][walk]") {
  const auto x = view<const float>(zeros({2, 3, 4}));
  CHECK(rows_of(x) == Rows{{0, 24}});
  CHECK(rows_of(x.narrowed(0, 1, 1)) == Rows{{0, 12}});
  CHECK(rows_of(x.narrowed(1, 1, 2)) == Rows{{0, 8}, {12, 8}});
  CHECK(rows_of(x.narrowed(2, 0, 3)) == Rows{{0, 3}, {4, 3}, {8, 3}, {12, 3}, {16, 3}, {20, 3}});
}

TEST_CASE("axes of size 1 do not split rows, and a scalar is a row of one element", "[autograd][walk]") {
  CHECK(rows_of(view<const float>(zeros({2, 1, 3}))) == Rows{{0, 6}});
  CHECK(rows_of(view<const float>(zeros({4, 1})).permuted(std::array{1, 0})) == Rows{{0, 4}});
  CHECK(rows_of(view<const float>(zeros({1, 1}))) == Rows{{0, 1}});
  CHECK(rows_of(view<const float>(zeros({}))) == Rows{{0, 1}});
  CHECK(rows_of(view<const float>(zeros({3, 0}))).empty());
  CHECK(rows_of(view<const float>(zeros({0, 3}))).empty());
}

TEST_CASE("axes are joined only if they are contiguous in every view", "[autograd][walk]") {
  const Shape shape{2, 3};
  const auto whole = view<const float>(zeros(shape));
  const auto row = view<const float>(zeros({3})).expanded(shape);
  const auto column = view<const float>(zeros({2, 1})).expanded(shape);
  const auto scalar = view<const float>(zeros({})).expanded(shape);
  CHECK(rows(Walk<2>(shape, {whole.strides, row.strides})) == Rows{{0, 3}, {3, 3}});
  CHECK(rows(Walk<2>(shape, {row.strides, whole.strides})) == Rows{{0, 3}, {0, 3}});
  CHECK(rows(Walk<2>(shape, {column.strides, whole.strides})) == Rows{{0, 3}, {1, 3}});
  CHECK(rows(Walk<2>(shape, {scalar.strides, whole.strides})) == Rows{{0, 6}});
  CHECK(rows(Walk<2>(shape, {whole.strides, whole.strides})) == Rows{{0, 6}});
  CHECK(Walk<2>(shape, {column.strides, whole.strides}).step(0) == 0);
  CHECK(Walk<2>(shape, {row.strides, whole.strides}).step(0) == 1);
  CHECK(Walk<1>(shape, {whole.permuted(std::array{1, 0}).strides}).step(0) == 3);
}

TEST_CASE("a permuted view is walked in its own axis order", "[autograd][walk]") {
  const auto x = view<const float>(zeros({2, 3})).permuted(std::array{1, 0});
  CHECK(x.shape == Shape{3, 2});
  CHECK(rows_of(x) == Rows{{0, 2}, {1, 2}, {2, 2}});
  const auto cube = view<const float>(zeros({2, 3, 2})).permuted(std::array{1, 0, 2});
  CHECK(rows_of(cube) == Rows{{0, 2}, {6, 2}, {2, 2}, {8, 2}, {4, 2}, {10, 2}});
}

TEST_CASE("the rows of a transpose are split into pieces of one cache line", "[autograd][walk]") {
  const Shape shape{20, 40};
  const auto whole = view<const float>(zeros(shape));
  const auto row = view<const float>(zeros({40})).expanded(shape);
  const auto turned = view<const float>(zeros({40, 20})).permuted(std::array{1, 0});
  Rows pieces, of_sums, along;
  for (const auto& [begin, size] : Rows{{0, 16}, {16, 16}, {32, 8}}) {
    for (std::int64_t i = 0; i < 20; ++i) {
      pieces.emplace_back(40 * i + begin, size);
      of_sums.emplace_back(begin, size);
    }
  }
  CHECK(rows(Walk<2>(shape, {whole.strides, turned.strides})) == pieces);
  CHECK(rows(Walk<3>(shape, {whole.strides, whole.strides, turned.strides})) == pieces);
  CHECK(rows(Walk<2>(shape, {row.strides, turned.strides})) == of_sums);

  // Rows are not cut into pieces if they are not contiguous in the first view, or if a cache line of the
  // second view holds several elements of a row.
  for (std::int64_t i = 0; i < 20; ++i) along.emplace_back(i, 40);
  CHECK(rows(Walk<2>(shape, {turned.strides, whole.strides})) == along);
  const auto narrow = view<const float>(zeros({40, 2})).permuted(std::array{1, 0});
  CHECK(rows(Walk<2>({2, 40}, {whole.strides, narrow.strides})) == Rows{{0, 40}, {40, 40}});
}
