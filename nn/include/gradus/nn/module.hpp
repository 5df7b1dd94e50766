#pragma once

#include <gradus/autograd/runtime.hpp>
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

/// What has parameters, and buffers: tensors that belong to it and are not trained. A module registers them
/// and its children by name in its constructor. It begins its forward function as here, so that messages
/// carry its path:
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
/// Children are members too, registered with `add_module`. A module is neither copied nor moved.
class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Every parameter below this module with its path ("decoder.cell.weight_ih"), in the order of
  /// registration.
  NamedTensors named_parameters() const;
  /// The same without names, and each once: a parameter may be shared under several names.
  std::vector<Tensor> parameters() const;
  /// How many numbers the parameters hold.
  std::int64_t parameter_count() const;
  /// Every buffer, as named_parameters().
  NamedTensors named_buffers() const;

  /// Every parameter and buffer with its path; a module's own parameters, then its buffers, then its
  /// children's. They share their values with the module's, and are not on the tape. What is shared stands
  /// there under each of its names, as in PyTorch.
  NamedTensors state_dict() const;
  /// Copies the values of `state` into the module's own tensors, in place: optimisers and other holders see
  /// them, and a tape that needs the old values will refuse to run backward. Between f32 and f64 they are
  /// converted. Of the names of what is shared one is enough; more must bring the same values.
  /// @param source what messages call the state
  /// @throws Error that lists every name which is missing, unexpected, given twice, or of another shape or
  /// kind of number. Nothing is loaded then.
  void load_state_dict(const NamedTensors& state, std::string_view source = "the state");

  /// This module and all below it, parents first.
  std::vector<Module*> modules();

  void zero_grad();
  /// Whether the parameters are trained. Frozen ones have no gradient, operations on them alone are not
  /// recorded, and optimisers leave them as they are.
  void requires_grad(bool on);
  void freeze() { requires_grad(false); }
  void unfreeze() { requires_grad(true); }
  /// Converts every parameter and floating buffer, in place: optimisers and other holders see it. f64 is for
  /// gradient checks.
  void to(Dtype dtype);
  /// Whether dropout and the like are at work; true at first. Sets all children.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }

  /// The name under which the parent registered this module; empty at the root.
  const std::string& name() const { return name_; }

 protected:
  /// Makes `value` a parameter; returns it. @throws Error for a name that is taken, empty or has a dot.
  Tensor add_parameter(std::string name, Tensor value);
  /// Makes `value` a buffer: saved, loaded and converted with the parameters, and seen by no optimiser.
  /// Returns it. @throws Error as add_parameter, and for a tensor that requires a gradient.
  Tensor add_buffer(std::string name, Tensor value);
  /// Registers a child, which must live as long as this module. @throws Error as add_parameter, and for a
  /// child that has a parent.
  void add_module(std::string name, Module& child);
  /// Puts this module's name on the path of the operations and errors that follow, until the scope ends.
  Scope enter() const { return Scope(name_, path_); }

 private:
  friend class ModulePrinter;

  void check_name(const std::string& name) const;
  using List = NamedTensors Module::*;
  // Everything in these lists of this module and of all below it, with its path.
  NamedTensors collect(std::initializer_list<List> lists) const;
  void collect(const std::string& path, std::initializer_list<List> lists, NamedTensors& found) const;

  std::string name_;
  mutable std::atomic<const ScopePath*> path_{nullptr};  // where enter() led to last
  NamedTensors parameters_, buffers_;
  std::vector<Module*> children_;
  bool training_ = true;
};

/// The tree of modules: the shapes of their parameters and buffers, how many numbers the parameters of each
/// part hold, and which of them are frozen. A shared parameter counts once, where it stands first.
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace gradus::nn
#pragma GCC visibility pop
