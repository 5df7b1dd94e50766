#pragma once

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/shape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
/// Read access to the tape, for example to draw it or to count operations.
namespace gradus {

/// An operation on the tape, or a leaf: a tensor with requires_grad that no operation made.
struct Recorded {
  const char* operation = "leaf";
  bool is_leaf = true;
  std::string name = {};             ///< from `names`; empty if the tensor has none
  const ScopePath* scope = nullptr;  ///< the modules in which it was recorded
  Shape shape = {};                  ///< of its result
  Dtype dtype = Dtype::f32;
  std::string values = {};               ///< "[[1, 2], [3, 4]]" for up to 8 elements; else empty
  std::string gradient = {};             ///< likewise for its gradient
  std::vector<std::size_t> inputs = {};  ///< indices into the list; omits inputs that need no gradient
};

/// Everything that `root` was computed from, oldest first: inputs come before results, and the root is last.
/// `names` are the named_parameters() of a module, or other tensors.
/// @throws Error, in the name of `operation`, if `root` was not recorded or an earlier backward() freed its
/// tape.
std::vector<Recorded> recorded(const char* operation, const Tensor& root, const NamedTensors& names = {});

}  // namespace gradus
#pragma GCC visibility pop
