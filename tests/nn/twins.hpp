#pragma once

#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/nn/module.hpp>

#include <functional>
#include <vector>

#include "nn/helpers.hpp"

/// Compares a function with its twin: the values, and the gradients of all leaves.

using Tensors = std::vector<gradus::Tensor>;
using Function = std::function<Tensors()>;

struct Run {
  Tensors values, gradients;
};

/// Runs f, then backpropagates a random gradient from each value. The leaves' gradients start as ones, so
/// backward() must add to them.
inline Run run(const Function& f, const Tensors& leaves) {
  for (gradus::Tensor leaf : leaves) {
    if (leaf.requires_grad()) leaf.set_grad(gradus::ones(leaf.shape(), leaf.dtype()));
  }
  Run result{f(), {}};
  gradus::Generator generator(1);
  gradus::Tensor loss = gradus::zeros({}, result.values[0].dtype());
  for (const gradus::Tensor& value : result.values) {
    loss = loss + sum(value * random(value.shape(), generator).to(value.dtype()));
  }
  if (loss.requires_grad()) loss.backward();
  for (const gradus::Tensor& leaf : leaves) result.gradients.push_back(leaf.grad());
  return result;
}

inline void check_equal(const Function& fused, const Function& composed, const Tensors& leaves,
                        const Precision& precision) {
  const Run actual = run(fused, leaves), expected = run(composed, leaves);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    INFO("value " << i);
    CHECK(mismatch(actual.values[i], expected.values[i], precision.values) == "");
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    INFO("gradient of leaf " << i << ' ' << leaves[i].shape());
    CHECK(mismatch(actual.gradients[i], expected.gradients[i], precision.gradients) == "");
  }
}

/// Compares a function that uses modules with the same function in composed form.
inline void check_equal(const Function& f, const Tensors& leaves, const Precision& precision) {
  const Function composed = [&] {
    const gradus::Composed guard;
    return f();
  };
  check_equal(f, composed, leaves, precision);
}

/// Random leaves. Leaf i requires a gradient if bit i of `wanted` is set.
inline Tensors leaves_of(const std::vector<gradus::Shape>& shapes, gradus::Dtype dtype, unsigned wanted) {
  gradus::Generator generator(2);
  Tensors leaves;
  for (const gradus::Shape& shape : shapes) {
    leaves.push_back(random(shape, generator).to(dtype));
    leaves.back().set_requires_grad((wanted >> (leaves.size() - 1)) % 2 == 1);
  }
  return leaves;
}

/// A module's parameters, followed by the inputs: everything that the module's result depends on.
inline Tensors with_parameters(const gradus::nn::Module& module, const Tensors& inputs) {
  Tensors leaves = module.parameters();
  leaves.insert(leaves.end(), inputs.begin(), inputs.end());
  return leaves;
}
