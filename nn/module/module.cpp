#include <gradus/autograd/recording.hpp>
#include <gradus/nn/module.hpp>

#include <algorithm>

namespace gradus::nn {

void Module::check_name(const std::string& name) const {
  const auto taken = [&](const auto& tensor) { return tensor.first == name; };
  const auto taken_by = [&](const Module* child) { return child->name_ == name; };
  if (name.empty() || name.find('.') != std::string::npos) {
    fail("Module", "'", name,
         "' cannot be a name: it must not be empty, and '.' separates the names of a path");
  }
  if (std::any_of(parameters_.begin(), parameters_.end(), taken) ||
      std::any_of(buffers_.begin(), buffers_.end(), taken) ||
      std::any_of(children_.begin(), children_.end(), taken_by)) {
    fail("Module", "the name '", name, "' is taken in this module");
  }
}

Tensor Module::add_parameter(std::string name, Tensor value) {
  check_name(name);
  value.set_requires_grad();
  parameters_.emplace_back(std::move(name), value);
  return value;
}

Tensor Module::add_buffer(std::string name, Tensor value) {
  check_name(name);
  if (value.requires_grad()) {
    fail("Module", "the buffer '", name, "' ", value.shape(),
         " requires a gradient; make it a parameter, or detach() it");
  }
  buffers_.emplace_back(std::move(name), value);
  return value;
}

void Module::add_module(std::string name, Module& child) {
  check_name(name);
  if (!child.name_.empty()) fail("Module", "'", name, "' is registered already, as '", child.name_, "'");
  child.name_ = std::move(name);
  children_.push_back(&child);
}

void Module::collect(const std::string& path, std::initializer_list<List> lists, NamedTensors& found) const {
  for (const List list : lists) {
    for (const auto& [name, tensor] : this->*list) found.emplace_back(path + name, tensor);
  }
  for (const Module* child : children_) child->collect(path + child->name_ + ".", lists, found);
}

NamedTensors Module::collect(std::initializer_list<List> lists) const {
  NamedTensors found;
  collect("", lists, found);
  return found;
}

NamedTensors Module::named_parameters() const { return collect({&Module::parameters_}); }
NamedTensors Module::named_buffers() const { return collect({&Module::buffers_}); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> found;
  for (const auto& named : named_parameters()) {
    const auto same = [&](const Tensor& other) { return other.is(named.second); };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(named.second);
  }
  return found;
}

std::int64_t Module::parameter_count() const {
  std::int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

std::vector<Module*> Module::modules() {
  std::vector<Module*> found{this};
  for (Module* child : children_) {
    const std::vector<Module*> below = child->modules();
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

void Module::zero_grad() {
  for (Tensor& parameter : parameters()) parameter.zero_grad();
}

void Module::requires_grad(bool on) {
  for (Tensor& parameter : parameters()) parameter.set_requires_grad(on);
}

void Module::to(Dtype dtype) {
  if (!is_floating(dtype)) fail("Module", "parameters are f32 or f64, not i64");
  const NoGrad no_grad;
  for (Tensor& parameter : parameters()) parameter.replace(parameter.to(dtype));
  for (auto& [name, buffer] : named_buffers()) {
    if (is_floating(buffer.dtype())) buffer.replace(buffer.to(dtype));
  }
}

void Module::train(bool on) {
  training_ = on;
  for (Module* child : children_) child->train(on);
}

}  // namespace gradus::nn
