#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "kernels/dispatch.hpp"
#include "kernels/strided.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// Row i of the result is row ids[i] of x, over x's leading axis.
Tensor rows(const char* operation, const Tensor& x, const Tensor& ids, const Shape& result) {
  check_integers(operation, "the index", ids);
  const std::int64_t count = x.size(0);
  const std::int64_t* id = raw<std::int64_t>(ids);
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    if (id[i] >= 0 && id[i] < count) continue;
    fail(operation, "index ", id[i], " at position ", i, " of ", ids.shape(), " is outside [0, ", count,
         "), the rows of ", x.shape());
  }
  const std::int64_t width = x.shape().without(0).numel();
  Tensor y = empty(result, x.dtype());
  for_any(x.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < ids.numel(); ++i)
      std::copy_n(raw<T>(x) + id[i] * width, width, raw<T>(y) + i * width);
  });
  return record(operation, y, {x}, [width, ids = Saved(ids)](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const std::int64_t* row = raw<std::int64_t>(ids.get(g));
      const std::int64_t n = ids.get(g).numel();
      const T* from = raw<T>(g.out());
      T* target = raw<T>(g.in(0));
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < width; ++j) target[row[i] * width + j] += from[i * width + j];
      }
    });
  });
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

Tensor greater(const Tensor& a, const Tensor& b) {
  check_same_dtype("greater", a, b);
  Tensor y = empty(broadcast("greater", a.shape(), b.shape()), Dtype::i64);
  for_any(a.dtype(), [&]<class T>() {
    const auto to = view<std::int64_t>(y);
    const auto x = view<const T>(a).expanded(y.shape());
    const auto z = view<const T>(b).expanded(y.shape());
    const Walk<3> walk(y.shape(), {to.strides, x.strides, z.strides});
    walk.for_each_row([&](const auto& at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        to.data[at[0] + i * walk.step(0)] =
            x.data[at[1] + i * walk.step(1)] > z.data[at[2] + i * walk.step(2)] ? 1 : 0;
      }
    });
  });
  return y;
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_integers("where", "the condition", condition);
  check_same_dtype("where", a, b);
  const Shape shape = broadcast("where", condition.shape(), broadcast("where", a.shape(), b.shape()));
  Tensor y = empty(shape, a.dtype());
  for_any(a.dtype(), [&]<class T>() {
    const auto to = view<T>(y);
    const auto take = view<const std::int64_t>(condition).expanded(shape);
    const auto x = view<const T>(a).expanded(shape);
    const auto z = view<const T>(b).expanded(shape);
    const Walk<4> walk(shape, {to.strides, take.strides, x.strides, z.strides});
    walk.for_each_row([&](const auto& at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        to.data[at[0] + i * walk.step(0)] = take.data[at[1] + i * walk.step(1)] != 0
                                                ? x.data[at[2] + i * walk.step(2)]
                                                : z.data[at[3] + i * walk.step(3)];
      }
    });
  });
  return record("where", y, {a, b}, [condition = Saved(condition)](Gradients& g) {
    for_floating("where", g.out().dtype(), [&]<class T>() {
      const auto from = view<const T>(g.out());
      const auto taken = view<const std::int64_t>(condition.get(g)).expanded(from.shape);
      for (const int side : {0, 1}) {
        if (!g.wants(side)) continue;
        const auto target = view<T>(g.in(side)).expanded(from.shape);
        const Walk<3> walk(from.shape, {target.strides, from.strides, taken.strides});
        walk.for_each_row([&](const auto& at, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) {
            const bool first = taken.data[at[2] + i * walk.step(2)] != 0;
            if (first == (side == 0))
              target.data[at[0] + i * walk.step(0)] += from.data[at[1] + i * walk.step(1)];
          }
        });
      }
    });
  });
}

}  // namespace gradus
