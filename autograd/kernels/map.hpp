#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "long_sum.hpp"
#include "math.hpp"
#include "ranges.hpp"
#include "strided.hpp"

/// Elementwise loops over arrays of any strides. The compiler vectorises these loops.
namespace gradus {
namespace kernels {

// The stride of a row: 0 (one value for the whole row), 1, or a number that is known only at run time
// (`any`).
enum class Step { zero, one, any };
template <class T, Step step>
struct Row {
  T* data;
  std::int64_t stride;
  T& operator[](std::int64_t i) const {
    return data[step == Step::zero ? 0 : step == Step::one ? i : i * stride];
  }
};

// Calls work(rows…). For up to three rows, the strides become compile-time constants if each is 0 or 1. For
// four rows and more, the strides become constants only if all are 1, the common case. Variants for every
// combination of strides would take too long to compile.
template <class Work, class... T>
void with_steps(const Work& work, Row<T, Step::any>... rows) {
  constexpr std::size_t count = sizeof...(T);
  if (((rows.stride == 1) && ...)) return work(Row<T, Step::one>{rows.data, 1}...);
  if constexpr (count <= 3) {
    if (((rows.stride == 0 || rows.stride == 1) && ...)) {
      const auto fix = [&](const auto& self, auto... fixed) {
        constexpr std::size_t done = sizeof...(fixed);
        if constexpr (done == count) {
          work(fixed...);
        } else {
          const auto row = std::get<done>(std::tuple(rows...));
          using Element = std::remove_reference_t<decltype(*row.data)>;
          if (row.stride == 0) return self(self, fixed..., Row<Element, Step::zero>{row.data, 0});
          self(self, fixed..., Row<Element, Step::one>{row.data, 1});
        }
      };
      return fix(fix);
    }
  }
  work(rows...);
}

// Runs walk.for_each_row(row), on several threads if the walk is long. The walk's first view is the result.
// No two threads write to the same element of the result, so the values do not depend on the number of
// threads.
template <std::size_t K, class Row>
void split(const Walk<K>& walk, const Row& row) {
  std::int64_t elements = 1;
  for (int axis = 0; axis < walk.rank; ++axis) elements *= walk.sizes[static_cast<std::size_t>(axis)];
  if (elements < 2 * least_per_thread) return walk.for_each_row(row);
  int axis = 0;
  while (axis < walk.rank - 1 && walk.strides[0][static_cast<std::size_t>(axis)] == 0) ++axis;
  const auto a = static_cast<std::size_t>(axis);
  if (walk.strides[0][a] == 0) return walk.for_each_row(row);  // all terms are summed into one element
  for_each_range(walk.sizes[a], elements / walk.sizes[a], [&](std::int64_t begin, std::int64_t end) {
    walk.part(axis, begin, end).for_each_row(row);
  });
}

// A target with stretched axes, which have stride 0. All terms along such an axis are added to the same
// element.
template <class T>
struct Summed {
  View<T> target;          // the elements, each once
  std::int64_t terms = 1;  // per element
  int longest = -1;        // the longest summed axis; -1 if there is none

  explicit Summed(const View<T>& wide) : target(wide) {
    for (int axis = 0; axis < wide.shape.rank(); ++axis) {
      if (target.stride(axis) != 0 || wide.shape[axis] == 1) continue;
      terms *= wide.shape[axis];
      if (longest < 0 || wide.shape[axis] > wide.shape[longest]) longest = axis;
      target.shape = target.shape.with(axis, 1);
    }
  }
};

}  // namespace kernels

/// The identity, for copies and plain sums.
constexpr auto same = [](auto x) { return x; };

/// y = f(x…), over y's shape. Every x must broadcast to that shape.
template <class F, class T, class... X>
void map(F f, View<T> y, View<X>... x) {
  using namespace kernels;
  const Walk<1 + sizeof...(X)> walk(y.shape, {y.strides, x.expanded(y.shape).strides...});
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    split(walk, [&](const auto& offset, std::int64_t n) {
      const auto loop = [&](auto out, auto... in) {
        for (std::int64_t i = 0; i < n; ++i) out[i] = f(in[i]...);
      };
      with_steps(loop, Row<T, Step::any>{y.data + offset[0], walk.step(0)},
                 Row<X, Step::any>{x.data + offset[k + 1], walk.step(k + 1)}...);
    });
  }(std::index_sequence_for<X...>{});
}

/// target += f(x…), evaluated over the shape `over`, to which target and every x broadcast. Terms along the
/// stretched axes of target are summed. Reductions and gradients of broadcasts are such sums. A long sum in
/// f32 is halved along the longest stretched axis (see add_halves()).
template <class F, class T, class... X>
void map_add(F f, const Shape& over, View<T> target, View<X>... x) {
  using namespace kernels;
  const View<T> wide = target.expanded(over);
  if constexpr (std::is_same_v<T, float>) {
    const Summed<T> sums(wide);
    if (sums.terms > long_sum) {
      const int axis = sums.longest;
      std::vector<T> values(static_cast<std::size_t>(sums.target.shape.numel()));
      const View<T> part = contiguous(values.data(), sums.target.shape);
      const std::int64_t half = over[axis] / 2;
      for (const auto& [begin, size] :
           {std::pair(std::int64_t{0}, half), std::pair(half, over[axis] - half)}) {
        std::ranges::fill(values, T(0));
        map_add(f, over.with(axis, size), part, x.expanded(over).narrowed(axis, begin, size)...);
        map_add(same, part.shape, sums.target, part);
      }
      return;
    }
  }
  const Walk<1 + sizeof...(X)> walk(over, {wide.strides, x.expanded(over).strides...});
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    split(walk, [&](const auto& offset, std::int64_t n) {
      const auto loop = [&]<Step step>(Row<T, step> out, auto... in) {
        if constexpr (step == Step::zero) {
          *out.data += math::sum_of<T>(n, [&](std::int64_t i) { return f(in[i]...); });
        } else {
          for (std::int64_t i = 0; i < n; ++i) out[i] += f(in[i]...);
        }
      };
      with_steps(loop, Row<T, Step::any>{target.data + offset[0], walk.step(0)},
                 Row<X, Step::any>{x.data + offset[k + 1], walk.step(k + 1)}...);
    });
  }(std::index_sequence_for<X...>{});
}

}  // namespace gradus
