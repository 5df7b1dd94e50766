#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/lanes.hpp"
#include "kernels/math.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Checks that every index is in [0, limit). `of` names the indexed part of `shape` in the message: "rows",
// "axis" or "classes".
void check_indices(const char* operation, const Tensor& index, std::int64_t limit, const char* of,
                   const Shape& shape) {
  check_integers(operation, "the index", index);
  for (std::int64_t i = 0; i < index.numel(); ++i) {
    const std::int64_t at = raw<std::int64_t>(index)[i];
    if (at >= 0 && at < limit) continue;
    fail(operation, "index ", at, " at position ", i, " of ", index.shape(), " is outside [0, ", limit,
         "), the ", of, " of ", shape);
  }
}

// Row i of the result is row ids[i] of x. Rows are the elements of the leading axis.
Tensor rows(const char* operation, const Tensor& x, const Tensor& ids, const Shape& result) {
  check_indices(operation, ids, x.size(0), "rows", x.shape());
  const std::int64_t width = x.shape().without(0).numel();
  Tensor y = empty(result, x.dtype());
  for_any(operation, x.dtype(), [&]<class T>() {
    for_each_row(ids.numel(), width,
                 [id = raw<std::int64_t>(ids), from = raw<T>(x), to = raw<T>(y), width](std::int64_t i) {
                   std::copy_n(from + id[i] * width, width, to + i * width);
                 });
  });
  return record(operation, y, {x}, {ids}, typed([width]<class T>(Gradients& g) {
                  const std::int64_t* row = raw<std::int64_t>(g.saved(0));
                  const std::int64_t n = g.saved(0).numel();
                  const T* from = raw<T>(g.out());
                  T* into = raw<T>(g.in(0));
                  // Each thread adds a range of columns. With ranges of ids, two threads could add to the
                  // same row.
                  for_each_range(width, n, [=](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = 0; i < n; ++i)
                      math::add(end - begin, from + i * width + begin, into + row[i] * width + begin);
                  });
                }));
}

// Calls visit(offset in x, offset in index) for every element of `index`. `index` holds positions along
// `axis` of a tensor of shape `x`.
template <class Visit>
void for_each_chosen(const Shape& x, int axis, const Tensor& index, Visit visit) {
  const Lanes in_x(x, axis), in_index(index.shape(), axis);
  const std::int64_t* chosen = raw<std::int64_t>(index);
  in_index.for_each([&](std::int64_t k, std::int64_t first) {
    const std::int64_t base = k / in_x.inner * in_x.n * in_x.inner + k % in_x.inner;
    for (std::int64_t i = first; i < first + in_index.n * in_index.inner; i += in_index.inner)
      visit(base + chosen[i] * in_x.inner, i);
  });
}

// Checks `index` along `axis` of x. Returns the axis, counted from 0.
int checked_along(const char* operation, const Tensor& x, int axis, const Tensor& index) {
  axis = checked_axis(operation, x.shape(), axis);
  if (index.rank() != x.rank() || index.shape().with(axis, 0) != x.shape().with(axis, 0)) {
    fail(operation, "the index ", index.shape(), " and ", x.shape(), " may differ only on axis ", axis);
  }
  check_indices(operation, index, x.size(axis), "axis", x.shape());
  return axis;
}

}  // namespace

Tensor embedding(const Tensor& table, const Tensor& ids) {
  if (table.rank() != 2) fail("embedding", "the table must be (vocabulary, size), and is ", table.shape());
  return rows("embedding", table, ids, ids.shape().inserted(ids.rank(), table.size(1)));
}

Tensor index_select(const Tensor& x, const Tensor& index) {
  if (x.rank() == 0 || index.rank() != 1) {
    fail("index_select", "needs a tensor with an axis and an index of one axis, and got ", x.shape(), " and ",
         index.shape());
  }
  return rows("index_select", x, index, x.shape().with(0, index.size(0)));
}

Tensor gather(const Tensor& x, int axis, const Tensor& index) {
  axis = checked_along("gather", x, axis, index);
  Tensor y = empty(index.shape(), x.dtype());
  for_any("gather", x.dtype(), [&]<class T>() {
    for_each_chosen(x.shape(), axis, index,
                    [&](std::int64_t in_x, std::int64_t i) { raw<T>(y)[i] = raw<T>(x)[in_x]; });
  });
  return record("gather", y, {x}, {index}, typed([axis]<class T>(Gradients& g) {
                  for_each_chosen(g.in(0).shape(), axis, g.saved(0), [&](std::int64_t in_x, std::int64_t i) {
                    raw<T>(g.in(0))[in_x] += raw<T>(g.out())[i];
                  });
                }));
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source) {
  axis = checked_along("scatter_add", x, axis, index);
  check_same_dtype("scatter_add", x, source);
  if (source.shape() != index.shape()) {
    fail("scatter_add", "the source is ", source.shape(), " and the index ", index.shape(),
         "; they must be equal");
  }
  Tensor y = x.clone();
  for_floating("scatter_add", x.dtype(), [&]<class T>() {
    for_each_chosen(x.shape(), axis, index,
                    [&](std::int64_t in_x, std::int64_t i) { raw<T>(y)[in_x] += raw<T>(source)[i]; });
  });
  return record("scatter_add", y, {x, source}, {index}, [axis](Gradients& g) {
    if (g.wants(0)) g.add(0, g.out());
    if (!g.wants(1)) return;
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for_each_chosen(g.out().shape(), axis, g.saved(0), [&](std::int64_t in_x, std::int64_t i) {
        raw<T>(g.in(1))[i] += raw<T>(g.out())[in_x];
      });
    });
  });
}

Tensor one_hot(const Tensor& ids, std::int64_t classes, Dtype dtype) {
  if (classes < 0) fail("one_hot", "needs at least 0 classes, and got ", classes);
  check_indices("one_hot", ids, classes, "classes", {classes});
  Tensor y = zeros(ids.shape().inserted(ids.rank(), classes), dtype);
  for_any("one_hot", dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < ids.numel(); ++i) raw<T>(y)[i * classes + raw<std::int64_t>(ids)[i]] = T(1);
  });
  return y;
}

}  // namespace gradus
