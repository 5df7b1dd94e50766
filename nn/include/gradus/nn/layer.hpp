#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// A module that maps one tensor to one tensor; Sequential consists of layers.
class Layer : public Module {
 public:
  virtual Tensor forward(const Tensor& x) const = 0;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
