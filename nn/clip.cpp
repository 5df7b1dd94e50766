#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <cmath>

namespace gradus::nn {
namespace {

// Calls f.operator()<T>(gradient) for every gradient that there is.
template <class F>
void for_each_gradient(const std::vector<Tensor>& parameters, F f) {
  for (const Tensor& parameter : parameters) {
    Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    gradient.dtype() == Dtype::f32 ? f.template operator()<float>(gradient)
                                   : f.template operator()<double>(gradient);
  }
}

}  // namespace

double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm) {
  if (!(max_norm > 0)) fail("clip_grad_norm", "the largest norm must be above 0, and is ", max_norm);
  double squares = 0;
  for_each_gradient(parameters, [&]<class T>(const Tensor& gradient) {
    for (const T g : gradient.values<T>()) squares += static_cast<double>(g) * static_cast<double>(g);
  });
  const double norm = std::sqrt(squares);
  const double factor = max_norm / (norm + 1e-6);
  if (!std::isfinite(norm) || factor >= 1) return norm;
  for_each_gradient(parameters, [&]<class T>(Tensor& gradient) {
    for (T& g : gradient.mutable_values<T>("clip_grad_norm")) g *= static_cast<T>(factor);
  });
  return norm;
}

void clip_grad_value(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit > 0)) fail("clip_grad_value", "the limit must be above 0, and is ", limit);
  for_each_gradient(parameters, [&]<class T>(Tensor& gradient) {
    const auto high = T(limit);
    for (T& g : gradient.mutable_values<T>("clip_grad_value")) g = std::clamp(g, -high, high);
  });
}

}  // namespace gradus::nn
