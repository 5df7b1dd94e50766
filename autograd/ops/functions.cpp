#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>

#include "kernels/clones.hpp"
#include "kernels/gradient.hpp"
#include "kernels/math.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

template <class T, class F>
GRADUS_CLONES void map_row(std::int64_t n, F f, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

// The value from which a derivative is computed: the input x or the result y.
enum class Reads { x, y };

// Records y = f(x) with d(loss)/dx = derivative(d(loss)/dy, v), where v is x or y.
template <class F, class Derivative>
Tensor elementwise(const char* operation, const Tensor& x, F f, Reads reads, Derivative derivative) {
  Tensor y = empty(x.shape(), x.dtype());
  for_floating(operation, x.dtype(), [&]<class T>() {
    for_each_range(x.numel(), 1, [f, from = raw<T>(x), to = raw<T>(y)](std::int64_t begin, std::int64_t end) {
      map_row(end - begin, f, from + begin, to + begin);
    });
  });
  return record(operation, y, {x}, {reads == Reads::x ? x : y},
                [derivative](Gradients& g) { add_gradient(g, 0, derivative, g.saved(0)); });
}

}  // namespace

Tensor exp(const Tensor& x) {
  return elementwise(
      "exp", x, [](auto v) { return math::exp(v); }, Reads::y, [](auto d, auto y) { return d * y; });
}

Tensor log(const Tensor& x) {
  return elementwise(
      "log", x, [](auto v) { return std::log(v); }, Reads::x, [](auto d, auto v) { return d / v; });
}

Tensor sqrt(const Tensor& x) {
  return elementwise(
      "sqrt", x, [](auto v) { return std::sqrt(v); }, Reads::y, [](auto d, auto y) { return d / (2 * y); });
}

Tensor tanh(const Tensor& x) {
  return elementwise(
      "tanh", x, [](auto v) { return math::tanh(v); }, Reads::y,
      [](auto d, auto y) { return d * (1 - y * y); });
}

Tensor sigmoid(const Tensor& x) {
  return elementwise(
      "sigmoid", x, [](auto v) { return math::sigmoid(v); }, Reads::y,
      [](auto d, auto y) { return d * y * (1 - y); });
}

Tensor relu(const Tensor& x) {
  // NaN < 0 is false, so a NaN is kept.
  return elementwise(
      "relu", x, [](auto v) { return v < 0 ? decltype(v)(0) : v; }, Reads::y,
      [](auto d, auto y) { return y > 0 || y != y ? d : decltype(d)(0); });
}

Tensor softplus(const Tensor& x) {
  return elementwise(
      "softplus", x, [](auto v) { return math::softplus(v); }, Reads::x,
      [](auto d, auto v) { return d * math::sigmoid(v); });
}

Tensor abs(const Tensor& x) {
  const auto derivative = [](auto d, auto v) { return v > 0 ? d : v < 0 ? -d : decltype(d)(0); };
  return elementwise("abs", x, [](auto v) { return std::abs(v); }, Reads::x, derivative);
}

Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high)) fail("clamp", "needs low ≤ high, and got ", low, " and ", high);
  const auto clamped = [=](auto v) {
    const auto bottom = static_cast<decltype(v)>(low), top = static_cast<decltype(v)>(high);
    return v < bottom ? bottom : v > top ? top : v;
  };
  return elementwise("clamp", x, clamped, Reads::x, [=](auto d, auto v) {
    return v >= static_cast<decltype(v)>(low) && v <= static_cast<decltype(v)>(high) ? d : decltype(d)(0);
  });
}

}  // namespace gradus
