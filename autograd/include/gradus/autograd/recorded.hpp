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

/// An operation on the tape, or a leaf: a tensor that requires a gradient and is not the result of a recorded
/// operation.
struct Recorded {
  const char* operation = "leaf";
  bool is_leaf = true;
  std::string name = {};             ///< from `names`; empty if the tensor has none
  const ScopePath* scope = nullptr;  ///< module path at the time of recording
  Shape shape = {};                  ///< shape of the operation's result, or of the leaf
  Dtype dtype = Dtype::f32;
  std::string values = {};    ///< the values, "[[1, 2], [3, 4]]", for up to 8 elements; else empty
  std::string gradient = {};  ///< the gradient, in the same form
  /// The inputs as indices into the vector that recorded() returns. Omits inputs that need no gradient.
  std::vector<std::size_t> inputs = {};
};

/// All operations and leaves from which `root` was computed, and `root` itself, oldest first: inputs come
/// before results, and the root is last. `names` gives names to tensors, for example the named_parameters()
/// of a module.
/// @throws Error that names `operation`, if `root` requires no gradient, or if an earlier backward() freed
/// the tape of `root`.
std::vector<Recorded> recorded(const char* operation, const Tensor& root, const NamedTensors& names = {});

}  // namespace gradus
#pragma GCC visibility pop
