#include <gradus/autograd/runtime.hpp>
#include <gradus/nn/optim.hpp>

#include <cmath>

namespace gradus::nn {
namespace {

template <class F>
void for_dtype(const Tensor& parameter, F f) {
  if (parameter.dtype() == Dtype::f32) {
    f.template operator()<float>();
  } else {
    f.template operator()<double>();
  }
}

}  // namespace

Adam::Adam(std::vector<Tensor> parameters, AdamOptions options)
    : parameters_(std::move(parameters)), moments_(parameters_.size()), options_(options) {
  if (!(options.learning_rate >= 0) || !(options.epsilon >= 0) ||
      !(options.beta1 >= 0 && options.beta1 < 1) || !(options.beta2 >= 0 && options.beta2 < 1)) {
    fail("Adam", "needs a learning rate and epsilon of at least 0 and betas in [0, 1), and got ",
         options.learning_rate, ", ", options.epsilon, ", ", options.beta1, " and ", options.beta2);
  }
}

void Adam::step() {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    Tensor& parameter = parameters_[k];
    const Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    Moments& moments = moments_[k];
    if (moments.m.defined() &&
        (moments.m.shape() != parameter.shape() || moments.m.dtype() != parameter.dtype())) {
      fail("Adam", "a parameter was ", moments.m.shape(), " ", name(moments.m.dtype()), " and is now ",
           parameter.shape(), " ", name(parameter.dtype()),
           "; make a new optimiser after changing parameters");
    }
    if (!moments.m.defined()) {
      moments.m = zeros(parameter.shape(), parameter.dtype());
      moments.v = zeros(parameter.shape(), parameter.dtype());
    }
    const auto t = static_cast<double>(++moments.steps);
    const double step_size = options_.learning_rate / (1 - std::pow(options_.beta1, t));
    const double v_scale = 1 / std::sqrt(1 - std::pow(options_.beta2, t));
    for_dtype(parameter, [&]<class T>() {
      const auto beta1 = static_cast<T>(options_.beta1), beta2 = static_cast<T>(options_.beta2);
      const auto rate = static_cast<T>(step_size), scale = static_cast<T>(v_scale);
      const auto new_m = static_cast<T>(1 - options_.beta1), new_v = static_cast<T>(1 - options_.beta2);
      const auto epsilon = static_cast<T>(options_.epsilon);
      const T* g = gradient.values<T>().data();
      T* m = moments.m.mutable_values<T>("Adam").data();
      T* v = moments.v.mutable_values<T>("Adam").data();
      T* theta = parameter.mutable_values<T>("Adam").data();
      for (std::int64_t i = 0; i < parameter.numel(); ++i) {
        m[i] = beta1 * m[i] + new_m * g[i];
        v[i] = beta2 * v[i] + new_v * g[i] * g[i];
        theta[i] -= rate * m[i] / (std::sqrt(v[i]) * scale + epsilon);
      }
    });
  }
}

void Adam::zero_grad() {
  for (Tensor& parameter : parameters_) parameter.zero_grad();
}

double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm) {
  if (!(max_norm > 0)) fail("clip_grad_norm", "the largest norm must be above 0, and is ", max_norm);
  double squares = 0;
  for (const Tensor& parameter : parameters) {
    const Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    for_dtype(gradient, [&]<class T>() {
      for (const T g : gradient.values<T>()) squares += static_cast<double>(g) * static_cast<double>(g);
    });
  }
  const double norm = std::sqrt(squares);
  const double factor = max_norm / (norm + 1e-6);
  if (factor >= 1) return norm;
  for (const Tensor& parameter : parameters) {
    Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    for_dtype(gradient, [&]<class T>() {
      for (T& g : gradient.mutable_values<T>("clip_grad_norm")) g *= static_cast<T>(factor);
    });
  }
  return norm;
}

}  // namespace gradus::nn
