#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>

#include "kernels/clones.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/gradient.hpp"
#include "kernels/math.hpp"
#include "kernels/share.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

template <class T, class F>
GRADUS_CLONES void map_row(std::int64_t n, F f, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

// y = f(x).
template <class F>
Tensor apply(const char* operation, const Tensor& x, F f) {
  Tensor y = empty(x.shape(), x.dtype());
  for_floating(operation, x.dtype(), [&]<class T>() {
    const T* from = raw<T>(x);
    T* to = raw<T>(y);
    for_each_range(x.numel(), 1, [=](std::int64_t begin, std::int64_t end) {
      map_row(end - begin, f, from + begin, to + begin);
    });
  });
  return y;
}

// d(loss)/dx += f(g, v), where v is what was saved: x or y, whichever the derivative is written in.
template <class F>
void add_gradient(Gradients& g, F f) {
  for_floating("backward", g.out().dtype(), [&]<class T>() {
    gradus::add_gradient<T>(g, 0, f, g.out().shape(), view<const T>(g.out()), view<const T>(g.saved(0)));
  });
}

}  // namespace

Tensor exp(const Tensor& x) {
  Tensor y = apply("exp", x, [](auto v) { return math::exp(v); });
  return record("exp", y, {x}, {y},
                [](Gradients& g) { add_gradient(g, [](auto d, auto v) { return d * v; }); });
}

Tensor log(const Tensor& x) {
  Tensor y = apply("log", x, [](auto v) { return std::log(v); });
  return record("log", y, {x}, {x},
                [](Gradients& g) { add_gradient(g, [](auto d, auto v) { return d / v; }); });
}

Tensor sqrt(const Tensor& x) {
  Tensor y = apply("sqrt", x, [](auto v) { return std::sqrt(v); });
  return record("sqrt", y, {x}, {y},
                [](Gradients& g) { add_gradient(g, [](auto d, auto v) { return d / (2 * v); }); });
}

Tensor tanh(const Tensor& x) {
  Tensor y = apply("tanh", x, [](auto v) { return math::tanh(v); });
  return record("tanh", y, {x}, {y},
                [](Gradients& g) { add_gradient(g, [](auto d, auto t) { return d * (1 - t * t); }); });
}

Tensor sigmoid(const Tensor& x) {
  Tensor y = apply("sigmoid", x, [](auto v) { return math::sigmoid(v); });
  return record("sigmoid", y, {x}, {y},
                [](Gradients& g) { add_gradient(g, [](auto d, auto s) { return d * s * (1 - s); }); });
}

Tensor relu(const Tensor& x) {
  // NaN < 0 is false: a NaN must not disappear here.
  Tensor y = apply("relu", x, [](auto v) { return v < 0 ? decltype(v)(0) : v; });
  return record("relu", y, {x}, {y}, [](Gradients& g) {
    add_gradient(g, [](auto d, auto v) { return v > 0 || v != v ? d : decltype(d)(0); });
  });
}

Tensor softplus(const Tensor& x) {
  Tensor y = apply("softplus", x, [](auto v) { return math::softplus(v); });
  return record("softplus", y, {x}, {x},
                [](Gradients& g) { add_gradient(g, [](auto d, auto v) { return d * math::sigmoid(v); }); });
}

Tensor abs(const Tensor& x) {
  Tensor y = apply("abs", x, [](auto v) { return std::abs(v); });
  return record("abs", y, {x}, {x}, [](Gradients& g) {
    add_gradient(g, [](auto d, auto v) { return v > 0 ? d : v < 0 ? -d : decltype(d)(0); });
  });
}

Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high)) fail("clamp", "needs low ≤ high, and got ", low, " and ", high);
  Tensor y = apply("clamp", x, [=](auto v) {
    const auto bottom = static_cast<decltype(v)>(low), top = static_cast<decltype(v)>(high);
    return v < bottom ? bottom : v > top ? top : v;
  });
  return record("clamp", y, {x}, {x}, [=](Gradients& g) {
    add_gradient(g, [=](auto d, auto v) {
      return v >= static_cast<decltype(v)>(low) && v <= static_cast<decltype(v)>(high) ? d : decltype(d)(0);
    });
  });
}

}  // namespace gradus
