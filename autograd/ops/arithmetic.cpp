#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/xtensor.hpp>

#include <xtensor/xnoalias.hpp>

#include <array>
#include <cmath>

#include "kernels/gradient.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

template <class T>
auto flat(T* values, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  return xt::adapt(values, size, xt::no_ownership(), std::array{size});
}

// y = f(a, b). Evaluates an xtensor expression if the shapes are equal, and runs a plain loop otherwise,
// because xtensor's broadcasts are up to thirty times slower. So f must accept both numbers and expressions.
template <class F>
Tensor binary(const char* operation, const Tensor& a, const Tensor& b, F f) {
  check_same_dtype(operation, a, b);
  Tensor y = empty(broadcast(operation, a.shape(), b.shape()), a.dtype());
  for_floating(operation, a.dtype(), [&]<class T>() {
    const std::int64_t elements = y.numel();
    if (a.shape() == b.shape() && elements > 0) {
      for_each_range(elements, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t n = end - begin;
        xt::noalias(flat(raw<T>(y) + begin, n)) =
            f(flat(raw<const T>(a) + begin, n), flat(raw<const T>(b) + begin, n));
      });
    } else {
      map(f, view<T>(y), view<const T>(a), view<const T>(b));
    }
  });
  return y;
}

constexpr auto negated = [](const auto& g) { return -g; };
constexpr auto times = [](const auto& g, const auto& x) { return g * x; };
constexpr auto divided = [](const auto& g, const auto& x) { return g / x; };

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  Tensor y = binary("add", a, b, [](const auto& x, const auto& z) { return x + z; });
  return record("add", std::move(y), {a, b}, {}, [](Gradients& g) {
    if (g.wants(0)) g.add(0, g.out());
    if (g.wants(1)) g.add(1, g.out());
  });
}

Tensor sub(const Tensor& a, const Tensor& b) {
  Tensor y = binary("sub", a, b, [](const auto& x, const auto& z) { return x - z; });
  return record("sub", std::move(y), {a, b}, {}, [](Gradients& g) {
    if (g.wants(0)) g.add(0, g.out());
    if (g.wants(1)) add_gradient(g, 1, negated);
  });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  Tensor y = binary("mul", a, b, times);
  return record("mul", std::move(y), {a, b}, {for_gradient_of(b, a), for_gradient_of(a, b)},
                [](Gradients& g) {
                  if (g.wants(0)) add_gradient(g, 0, times, g.saved(1));
                  if (g.wants(1)) add_gradient(g, 1, times, g.saved(0));
                });
}

Tensor div(const Tensor& a, const Tensor& b) {
  Tensor y = binary("div", a, b, divided);
  return record("div", y, {a, b}, {b, for_gradient_of(b, y)}, [](Gradients& g) {
    const Tensor& divisor = g.saved(0);
    if (g.wants(0)) add_gradient(g, 0, divided, divisor);
    if (!g.wants(1)) return;
    add_gradient(g, 1, [](auto d, auto q, auto z) { return -d * q / z; }, g.saved(1), divisor);
  });
}

Tensor neg(const Tensor& x) {
  Tensor y = empty(x.shape(), x.dtype());
  for_floating("neg", x.dtype(), [&]<class T>() { map(negated, view<T>(y), view<const T>(x)); });
  return record("neg", std::move(y), {x}, {}, [](Gradients& g) { add_gradient(g, 0, negated); });
}

Tensor pow(const Tensor& a, const Tensor& b) {
  check_same_dtype("pow", a, b);
  Tensor y = empty(broadcast("pow", a.shape(), b.shape()), a.dtype());
  for_floating("pow", a.dtype(), [&]<class T>() {
    map([](T x, T p) { return std::pow(x, p); }, view<T>(y), view<const T>(a), view<const T>(b));
  });
  return record("pow", y, {a, b}, {a, b, for_gradient_of(b, y)}, [](Gradients& g) {
    const auto at_base = [](auto d, auto x, auto p) {
      return p == 0 ? decltype(d)(0) : d * p * std::pow(x, p - 1);
    };
    const auto at_power = [](auto d, auto x, auto p, auto v) {
      return x == 0 && p >= 0 ? decltype(d)(0) : d * v * std::log(x);
    };
    if (g.wants(0)) add_gradient(g, 0, at_base, g.saved(0), g.saved(1));
    if (g.wants(1)) add_gradient(g, 1, at_power, g.saved(0), g.saved(1), g.saved(2));
  });
}

namespace {

// The scalar `value` as a tensor with the dtype of `other`.
Tensor number(const char* operation, double value, const Tensor& other) {
  if (!is_floating(other.dtype()))
    fail(operation,
         "works on f32 or f64, not on i64; convert to the dtype of your other tensors: .to(other.dtype())");
  return full({}, value, other.dtype());
}

}  // namespace

Tensor pow(const Tensor& x, double p) { return pow(x, number("pow", p, x)); }
Tensor operator+(const Tensor& a, double b) { return add(a, number("add", b, a)); }
Tensor operator-(const Tensor& a, double b) { return sub(a, number("sub", b, a)); }
Tensor operator*(const Tensor& a, double b) { return mul(a, number("mul", b, a)); }
Tensor operator/(const Tensor& a, double b) { return div(a, number("div", b, a)); }
Tensor operator+(double a, const Tensor& b) { return add(number("add", a, b), b); }
Tensor operator-(double a, const Tensor& b) { return sub(number("sub", a, b), b); }
Tensor operator*(double a, const Tensor& b) { return mul(number("mul", a, b), b); }
Tensor operator/(double a, const Tensor& b) { return div(number("div", a, b), b); }

}  // namespace gradus
