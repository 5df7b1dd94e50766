#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/map.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// 1 where a and b are in this relation, otherwise 0.
template <class Relation>
Tensor compare(const char* operation, const Tensor& a, const Tensor& b, Relation relation) {
  check_same_dtype(operation, a, b);
  Tensor y = empty(broadcast(operation, a.shape(), b.shape()), Dtype::i64);
  for_any(operation, a.dtype(), [&]<class T>() {
    map([relation](T x, T z) { return std::int64_t{relation(x, z)}; }, view<std::int64_t>(y),
        view<const T>(a), view<const T>(b));
  });
  return y;
}

// Whichever of a and b `wins(a, b)`, or the NaN if one is.
template <class Wins>
Tensor select(const char* operation, const Tensor& a, const Tensor& b, Wins wins) {
  check_same_dtype(operation, a, b);
  Tensor y = empty(broadcast(operation, a.shape(), b.shape()), a.dtype());
  for_floating(operation, a.dtype(), [&]<class T>() {
    map([wins](T x, T z) { return wins(x, z) || x != x ? x : z; }, view<T>(y), view<const T>(a),
        view<const T>(b));
  });
  return record(operation, y, {a, b}, {a, b}, [wins](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const auto share = [wins](T d, T own, T other) {
        return own == other ? d / 2 : wins(other, own) ? T(0) : d;
      };
      for (const int side : {0, 1}) {
        if (!g.wants(side)) continue;
        map_add(share, g.out().shape(), view<T>(g.in(side)), view<const T>(g.out()),
                view<const T>(g.saved(side)), view<const T>(g.saved(1 - side)));
      }
    });
  });
}

constexpr auto is_greater = [](auto x, auto z) { return x > z; };
constexpr auto is_less = [](auto x, auto z) { return x < z; };

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) {
  return compare("equal", a, b, [](auto x, auto z) { return x == z; });
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return compare("not_equal", a, b, [](auto x, auto z) { return x != z; });
}
Tensor less(const Tensor& a, const Tensor& b) { return compare("less", a, b, is_less); }
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return compare("less_equal", a, b, [](auto x, auto z) { return x <= z; });
}
Tensor greater(const Tensor& a, const Tensor& b) { return compare("greater", a, b, is_greater); }
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return compare("greater_equal", a, b, [](auto x, auto z) { return x >= z; });
}

Tensor maximum(const Tensor& a, const Tensor& b) { return select("maximum", a, b, is_greater); }
Tensor minimum(const Tensor& a, const Tensor& b) { return select("minimum", a, b, is_less); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_integers("where", "the condition", condition);
  check_same_dtype("where", a, b);
  const Shape shape = broadcast("where", condition.shape(), broadcast("where", a.shape(), b.shape()));
  Tensor y = empty(shape, a.dtype());
  for_any("where", a.dtype(), [&]<class T>() {
    map([](std::int64_t take, T x, T z) { return take != 0 ? x : z; }, view<T>(y),
        view<const std::int64_t>(condition), view<const T>(a), view<const T>(b));
  });
  return record("where", y, {a, b}, {condition}, [](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      for (const int side : {0, 1}) {
        if (!g.wants(side)) continue;
        map_add([side](T d, std::int64_t take) { return (take != 0) == (side == 0) ? d : T(0); },
                g.out().shape(), view<T>(g.in(side)), view<const T>(g.out()),
                view<const std::int64_t>(g.saved(0)));
      }
    });
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_integers("masked_fill", "the mask", mask);
  if (broadcast("masked_fill", x.shape(), mask.shape()) != x.shape()) {
    fail("masked_fill", "the mask ", mask.shape(), " would stretch ", x.shape(),
         "; expand() that first if it is meant");
  }
  return where(mask, full({}, value, x.dtype()), x);
}

}  // namespace gradus
