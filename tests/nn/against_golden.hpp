#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/module.hpp>

#include <map>
#include <string>

#include "golden.hpp"
#include "nn/helpers.hpp"

/// Leaves by name: a module's parameters, and its inputs.
using Leaves = std::map<std::string, gradus::Tensor>;

/// Copies a golden file's values into all parameters of `module`. Each other tensor whose gradient is in the
/// file becomes a new leaf. Returns the parameters and these leaves.
inline Leaves load(const Golden& golden, const gradus::nn::Module& module, gradus::Dtype dtype) {
  Leaves leaves;
  for (auto [name, parameter] : module.named_parameters()) {
    REQUIRE(parameter.shape() == golden[name].shape());
    parameter.replace(golden[name].clone().to(dtype));
    leaves[name] = parameter;
  }
  for (const std::string& name : golden.after("grad.")) {
    if (leaves.count(name) == 0) leaves[name] = leaf(golden[name].to(dtype));
  }
  return leaves;
}

/// Compares f's named outputs with a golden file, in both precisions. Also compares the gradients of all
/// leaves. The incoming gradient of output X is the entry grad_out.X; without this entry it is 0.
template <class F>
void check_against(const Golden& golden, const gradus::nn::Module& module, F f) {
  for (const Precision& precision : precisions) {
    INFO(name(precision.dtype));
    const Leaves leaves = load(golden, module, precision.dtype);
    gradus::Tensor loss = gradus::zeros({}, precision.dtype);
    for (const auto& [name, output] : gradus::NamedTensors(f(leaves))) {
      INFO(name);
      CHECK(mismatch(output, golden[name], precision.values) == "");
      if (!golden.has("grad_out." + name)) continue;
      loss = loss + sum(output * golden["grad_out." + name].to(precision.dtype));
    }
    loss.backward();
    for (const auto& [name, leaf] : leaves) {
      INFO("gradient of " << name);
      CHECK(mismatch(leaf.grad(), golden["grad." + name], precision.gradients) == "");
    }
  }
}
