#include "numbers.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <cmath>

namespace tutorial {

using gradus::Tensor;

double largest_difference(const Tensor& a, const Tensor& b) {
  const gradus::NoGrad no_grad;
  return gradus::max(gradus::abs(a - b)).item();
}

double norm(const Tensor& x) {
  const gradus::NoGrad no_grad;
  return std::sqrt(gradus::sum(x * x).item());
}

Tensor gradient_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> gradients;
  for (const Tensor& theta : parameters) gradients.push_back(theta.grad());
  return gradus::nn::concat_flat(gradients);
}

double accuracy(const Tensor& logits, const Tensor& targets) {
  const gradus::NoGrad no_grad;
  const Tensor right = gradus::equal(gradus::argmax(logits), targets);  // the shape of targets
  return gradus::mean(right.to(gradus::Dtype::f32)).item();
}

double sign_accuracy(const Tensor& logits, const Tensor& targets) {
  const gradus::NoGrad no_grad;
  const Tensor named = gradus::greater(logits, gradus::zeros({}));            // the shape of targets
  const Tensor right = gradus::equal(named, targets.to(gradus::Dtype::i64));  // the shape of targets
  return gradus::sum(right.to(gradus::Dtype::f32)).item() / static_cast<double>(right.numel());
}

}  // namespace tutorial
