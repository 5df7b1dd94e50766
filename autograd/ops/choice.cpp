#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/gradient.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// The relation is chosen at run time. A separate loop for each relation would lengthen the build, and save
// little time at run time.
enum class Relation { equal, not_equal, less, less_equal, greater, greater_equal };

template <class T>
bool holds(Relation relation, T x, T z) {
  switch (relation) {
    case Relation::equal:
      return x == z;
    case Relation::not_equal:
      return x != z;
    case Relation::less:
      return x < z;
    case Relation::less_equal:
      return x <= z;
    case Relation::greater:
      return x > z;
    default:
      return x >= z;
  }
}

// 1 where `relation` holds between a and b, otherwise 0.
Tensor compare(const char* operation, const Tensor& a, const Tensor& b, Relation relation) {
  check_same_dtype(operation, a, b);
  Tensor y = empty(broadcast(operation, a.shape(), b.shape()), Dtype::i64);
  for_any(operation, a.dtype(), [&]<class T>() {
    map([relation](T x, T z) { return std::int64_t{holds(relation, x, z)}; }, view<std::int64_t>(y),
        view<const T>(a), view<const T>(b));
  });
  return y;
}

// The elementwise maximum of a and b if `winning` is `greater`, the minimum if `winning` is `less`. NaN if
// either element is NaN.
Tensor select(const char* operation, const Tensor& a, const Tensor& b, Relation winning) {
  check_same_dtype(operation, a, b);
  Tensor y = empty(broadcast(operation, a.shape(), b.shape()), a.dtype());
  for_floating(operation, a.dtype(), [&]<class T>() {
    map([winning](T x, T z) { return holds(winning, x, z) || x != x ? x : z; }, view<T>(y), view<const T>(a),
        view<const T>(b));
  });
  return record(operation, y, {a, b}, {a, b}, [winning](Gradients& g) {
    const auto gradient_of = [winning](auto d, auto own, auto other) {
      return own == other ? d / 2 : holds(winning, other, own) ? decltype(d)(0) : d;
    };
    for (const int side : {0, 1}) {
      if (g.wants(side)) add_gradient(g, side, gradient_of, g.saved(side), g.saved(1 - side));
    }
  });
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) { return compare("equal", a, b, Relation::equal); }
Tensor not_equal(const Tensor& a, const Tensor& b) { return compare("not_equal", a, b, Relation::not_equal); }
Tensor less(const Tensor& a, const Tensor& b) { return compare("less", a, b, Relation::less); }
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return compare("less_equal", a, b, Relation::less_equal);
}
Tensor greater(const Tensor& a, const Tensor& b) { return compare("greater", a, b, Relation::greater); }
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return compare("greater_equal", a, b, Relation::greater_equal);
}

Tensor maximum(const Tensor& a, const Tensor& b) { return select("maximum", a, b, Relation::greater); }
Tensor minimum(const Tensor& a, const Tensor& b) { return select("minimum", a, b, Relation::less); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_integers("where", "the condition", condition);
  check_same_dtype("where", a, b);
  const Shape shape = broadcast("where", condition.shape(), broadcast("where", a.shape(), b.shape()));
  Tensor y = empty(shape, a.dtype());
  for_any("where", a.dtype(), [&]<class T>() {
    map([](std::int64_t take, T x, T z) { return take != 0 ? x : z; }, view<T>(y),
        view<const std::int64_t>(condition), view<const T>(a), view<const T>(b));
  });
  return record("where", y, {a, b}, {condition}, typed([]<class T>(Gradients& g) {
                  for (const int side : {0, 1}) {
                    if (!g.wants(side)) continue;
                    add_gradient<T>(
                        g, side,
                        [side](T d, std::int64_t take) { return (take != 0) == (side == 0) ? d : T(0); },
                        g.out().shape(), view<const T>(g.out()), view<const std::int64_t>(g.saved(0)));
                  }
                }));
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_integers("masked_fill", "the mask", mask);
  if (broadcast("masked_fill", x.shape(), mask.shape()) != x.shape()) {
    fail("masked_fill", "the mask ", mask.shape(), " would stretch ", x.shape(),
         "; expand() the input first if this is intended");
  }
  return where(mask, full({}, value, x.dtype()), x);
}

}  // namespace gradus
