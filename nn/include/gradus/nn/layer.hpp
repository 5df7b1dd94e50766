#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// A module that makes one tensor of one tensor: what Sequential is made of.
class Layer : public Module {
 public:
  virtual Tensor forward(const Tensor& x) const = 0;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
