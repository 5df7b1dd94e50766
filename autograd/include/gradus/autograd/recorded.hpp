#pragma once

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/shape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
/// The tape, for programs that read it: to draw it, to count operations, to explain a step.
namespace gradus {

/// An operation on the tape, or a leaf: a tensor with requires_grad that no operation made.
struct Recorded {
  const char* operation = "leaf";
  bool is_leaf = true;
  std::string name = {};             ///< from `names`; empty if the tensor has none
  const ScopePath* scope = nullptr;  ///< the modules in which it was recorded
  Shape shape = {};                  ///< of its result
  Dtype dtype = Dtype::f32;
  std::string values = {};               ///< of a result of up to 8 elements, "[[1, 2], [3, 4]]"; else empty
  std::string gradient = {};             ///< likewise, of the gradient that it holds
  std::vector<std::size_t> inputs = {};  ///< places in the list; without inputs that need no gradient
};

/// Everything that `root` was computed from, oldest first: inputs come before results, and the root is last.
/// `names` are named_parameters() of a module, or any.
/// @throws Error, under the name of `operation`, if `root` was not recorded or an earlier backward() freed
/// its tape.
std::vector<Recorded> recorded(const char* operation, const Tensor& root, const NamedTensors& names = {});

}  // namespace gradus
#pragma GCC visibility pop
