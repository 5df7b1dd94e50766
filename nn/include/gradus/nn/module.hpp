#pragma once

#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::nn {

/// What has parameters. A module registers its parameters and children by name in its constructor, and begins
/// its forward function with `const Scope scope = enter();`, so that messages carry its path:
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

  /// This module and all below it, parents first.
  std::vector<Module*> modules();

  void zero_grad();
  /// Converts every parameter, in place: optimisers and other holders see it. f64 is for gradient checks.
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
  /// Registers a child, which must live as long as this module. @throws Error as add_parameter, and for a
  /// child that has a parent.
  void add_module(std::string name, Module& child);
  /// Puts this module's name on the path of the operations and errors that follow, until the scope ends.
  Scope enter() const { return Scope(name_); }

 private:
  friend std::ostream& operator<<(std::ostream& out, const Module& module);

  void check_name(const std::string& name) const;
  void collect(const std::string& path, NamedTensors& found) const;
  void print(std::ostream& out, const std::string& name, int depth) const;

  std::string name_;
  NamedTensors parameters_;
  std::vector<Module*> children_;
  bool training_ = true;
};

/// The tree of modules with the shapes of their parameters and how many numbers each part holds.
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace gradus::nn
