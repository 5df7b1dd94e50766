#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// y = f(x), by a loop that the compiler vectorises.
template <class F>
Tensor apply(const char* operation, const Tensor& x, F f) {
  Tensor y = empty(x.shape(), x.dtype());
  for_floating(operation, x.dtype(), [&]<class T>() {
    const T* from = raw<T>(x);
    T* to = raw<T>(y);
    const std::int64_t n = x.numel();
    for (std::int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
  });
  return y;
}

// d(loss)/dx += f(g, v), where v is x or y, whichever the derivative is written in.
template <class F>
void add_gradient(Gradients& g, const Saved& saved, F f) {
  for_floating("backward", g.out().dtype(), [&]<class T>() {
    const T* gradient = raw<T>(g.out());
    const T* value = raw<T>(saved.get(g));
    T* target = raw<T>(g.in(0));
    const std::int64_t n = g.out().numel();
    for (std::int64_t i = 0; i < n; ++i) target[i] += f(gradient[i], value[i]);
  });
}

}  // namespace

Tensor exp(const Tensor& x) {
  Tensor y = apply("exp", x, [](auto v) { return math::exp(v); });
  return record("exp", y, {x},
                [y = Saved(y)](Gradients& g) { add_gradient(g, y, [](auto d, auto v) { return d * v; }); });
}

Tensor log(const Tensor& x) {
  Tensor y = apply("log", x, [](auto v) { return std::log(v); });
  return record("log", y, {x},
                [x = Saved(x)](Gradients& g) { add_gradient(g, x, [](auto d, auto v) { return d / v; }); });
}

Tensor tanh(const Tensor& x) {
  Tensor y = apply("tanh", x, [](auto v) { return math::tanh(v); });
  return record("tanh", y, {x}, [y = Saved(y)](Gradients& g) {
    add_gradient(g, y, [](auto d, auto t) { return d * (1 - t * t); });
  });
}

Tensor sigmoid(const Tensor& x) {
  Tensor y = apply("sigmoid", x, [](auto v) { return math::sigmoid(v); });
  return record("sigmoid", y, {x}, [y = Saved(y)](Gradients& g) {
    add_gradient(g, y, [](auto d, auto s) { return d * s * (1 - s); });
  });
}

Tensor relu(const Tensor& x) {
  // NaN < 0 is false: a NaN must not disappear here.
  Tensor y = apply("relu", x, [](auto v) { return v < 0 ? decltype(v)(0) : v; });
  return record("relu", y, {x}, [y = Saved(y)](Gradients& g) {
    add_gradient(g, y, [](auto d, auto v) { return v > 0 ? d : decltype(d)(0); });
  });
}

}  // namespace gradus
