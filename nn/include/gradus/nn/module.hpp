#pragma once

#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tensor.hpp>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The base class of everything with parameters or buffers. Buffers are tensors that are saved but not
/// trained. A module registers its parameters, buffers and children by name in its constructor. Its forward
/// function begins with `enter()`, so that error messages contain the module's path:
///
///     class Scale : public nn::Module {
///      public:
///       explicit Scale(std::int64_t size) : factor(add_parameter("factor", ones({size}))) {}
///       Tensor forward(const Tensor& x) const {
///         const Scope scope = enter();
///         return x * factor;
///       }
///       const Tensor factor;
///     };
///
/// Children are members too, registered with `add_module`. Modules cannot be copied or moved.
class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Every parameter of this module and of its descendants. A module's own parameters come first, then its
  /// children's, both in the order of registration. Each has a path, such as "decoder.cell.weight_ih".
  NamedTensors named_parameters() const;
  /// All parameters, without their names. A parameter shared under several names appears once.
  std::vector<Tensor> parameters() const;
  /// Total number of elements of the parameters.
  std::int64_t parameter_count() const;
  /// Every buffer, with paths as in named_parameters().
  NamedTensors named_buffers() const;

  /// Every parameter and buffer with its path. A module's own parameters come first, then its buffers, then
  /// its children's tensors. The tensors share the module's values, and are not on the tape. A tensor shared
  /// under several names appears under each name, as in PyTorch.
  NamedTensors state_dict() const;
  /// Copies the values of `state` into the module's tensors in place, so that optimisers and other holders of
  /// the tensors see the new values. A later backward() that needs the old values throws. Converts between
  /// f32 and f64. A tensor shared under several names needs only one entry. If it has more, their values must
  /// be equal.
  /// @param source the name of the state in messages
  /// @throws Error if a name is missing, unexpected or duplicated, if a tensor is undefined or has the wrong
  /// shape or kind (integer or floating-point), or if the entries of one shared tensor differ. After an
  /// error, nothing has been loaded. The message lists at most three names for each reason.
  void load_state_dict(const NamedTensors& state, std::string_view source = "the state");

  /// This module and all its descendants, parents first.
  std::vector<Module*> modules();

  void zero_grad();
  /// Sets whether the parameters are trained. Frozen parameters have no gradient, and optimisers skip them.
  /// An operation whose inputs are all frozen is not recorded.
  void requires_grad(bool on);
  void freeze() { requires_grad(false); }
  void unfreeze() { requires_grad(true); }
  /// Converts every parameter and floating-point buffer in place. Other holders of the tensors see the new
  /// dtype. f64 is for gradient checks.
  void to(Dtype dtype);
  /// Turns training behaviour, such as dropout, on or off in this module and all its descendants. By default
  /// it is on.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }

  /// The name under which the parent registered this module; empty at the root.
  const std::string& name() const { return name_; }

 protected:
  /// Registers `value` as a parameter and returns it. @throws Error for a name that is empty, contains a dot
  /// or is taken, and for a value that is i64 or the result of a recorded operation.
  Tensor add_parameter(std::string name, Tensor value);
  /// Registers `value` as a buffer and returns it. Buffers are saved, loaded and converted with the
  /// parameters, but not trained. @throws Error for a name that add_parameter() refuses, or if the tensor
  /// requires a gradient.
  Tensor add_buffer(std::string name, Tensor value);
  /// Registers a child, which must outlive this module. @throws Error for a name that add_parameter()
  /// refuses, or if the child already has a parent.
  void add_module(std::string name, Module& child);
  /// Appends this module's name to the module path of the calling thread. The destructor of the returned
  /// Scope removes the name.
  Scope enter() const { return Scope(name_, path_); }

 private:
  friend class ModulePrinter;

  void check_name(const std::string& name) const;
  using List = NamedTensors Module::*;
  // Collects the entries of the given lists, such as parameters_, from this module and its descendants. The
  // result names each entry by its path.
  NamedTensors collect(std::initializer_list<List> lists) const;
  void collect(const std::string& path, std::initializer_list<List> lists, NamedTensors& found) const;

  std::string name_;
  mutable std::atomic<const ScopePath*> path_{nullptr};  // the last path that enter() created
  NamedTensors parameters_, buffers_;
  std::vector<Module*> children_;
  bool training_ = true;
};

/// Prints the module tree with the shapes of parameters and buffers, and the parameter count of each part.
/// Frozen parameters are marked. A shared parameter counts once in the total of each module that contains it.
/// Its number of elements is printed only where it first appears.
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace gradus::nn
#pragma GCC visibility pop
