// What a module knows of its parameters and children.

#include <gradus/nn/dropout.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/module.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;

namespace {

// A module open to the test.
class Node : public nn::Module {
 public:
  using Module::add_module;
  using Module::add_parameter;
  using Module::enter;
};

// outer: bias; inner: scale, linear: weight, bias; dropout.
struct Tree {
  Node outer, inner;
  nn::Linear linear{2, 3};
  nn::Dropout dropout{0.5};

  Tree() {
    inner.add_module("linear", linear);
    outer.add_module("inner", inner);
    outer.add_module("dropout", dropout);
    inner.add_parameter("scale", gradus::ones({4}));
    outer.add_parameter("bias", gradus::zeros({2, 2}));
  }
};

std::vector<std::string> names(const nn::Module& module) {
  std::vector<std::string> result;
  for (const auto& [name, parameter] : module.named_parameters()) result.push_back(name);
  return result;
}

}  // namespace

TEST_CASE("parameters come in the order of registration, a module's own before its children's",
          "[nn][module]") {
  const Tree tree;
  CHECK(names(tree.outer) ==
        std::vector<std::string>{"bias", "inner.scale", "inner.linear.weight", "inner.linear.bias"});
  CHECK(names(tree.inner) == std::vector<std::string>{"scale", "linear.weight", "linear.bias"});
  CHECK(names(tree.dropout).empty());
  CHECK(tree.outer.parameters().size() == 4);
  CHECK(tree.outer.parameters()[2].is(tree.linear.weight));
  CHECK(tree.outer.parameter_count() == 4 + 4 + 6 + 3);
}

TEST_CASE("a parameter requires a gradient from then on", "[nn][module]") {
  Node module;
  const Tensor value = gradus::ones({3}), parameter = module.add_parameter("w", value);
  CHECK(parameter.is(value));
  CHECK(value.requires_grad());
}

TEST_CASE("a child has the name that it was given, a root none", "[nn][module]") {
  const Tree tree;
  CHECK(tree.outer.name() == "");
  CHECK(tree.inner.name() == "inner");
  CHECK(tree.linear.name() == "linear");
}

TEST_CASE("names are one part of a path, and taken once", "[nn][module]") {
  Node module, child;
  module.add_parameter("w", gradus::ones({1}));
  module.add_module("child", child);
  const auto refuses = [&](const std::string& name, const std::string& message) {
    Node other;
    CHECK_ERROR(module.add_parameter(name, gradus::ones({2})), message);
    CHECK_ERROR(module.add_module(name, other), message);
    CHECK(other.name() == "");
  };
  refuses("", "Module: '' cannot be a name: it must not be empty, and '.' separates the names of a path");
  refuses("a.b",
          "Module: 'a.b' cannot be a name: it must not be empty, and '.' separates the names of a path");
  refuses("w", "Module: the name 'w' is taken in this module");
  refuses("child", "Module: the name 'child' is taken in this module");
  CHECK(names(module) == std::vector<std::string>{"w"});
}

TEST_CASE("a child has one parent", "[nn][module]") {
  Node first, second, child;
  first.add_module("child", child);
  CHECK_ERROR(second.add_module("stolen", child), "Module: 'stolen' is registered already, as 'child'");
  CHECK_ERROR(first.add_module("twice", child), "Module: 'twice' is registered already, as 'child'");
  CHECK(child.name() == "child");
}

TEST_CASE("modules() goes down the tree, parents first", "[nn][module]") {
  Tree tree;
  CHECK(tree.outer.modules() ==
        std::vector<nn::Module*>{&tree.outer, &tree.inner, &tree.linear, &tree.dropout});
}

TEST_CASE("a shared parameter has several names, and counts once", "[nn][module]") {
  Node outer, inner;
  const Tensor shared = outer.add_parameter("output", gradus::ones({5}));
  inner.add_parameter("input", shared);
  outer.add_module("inner", inner);
  CHECK(names(outer) == std::vector<std::string>{"output", "inner.input"});
  CHECK(outer.parameters().size() == 1);
  CHECK(outer.parameter_count() == 5);
}

TEST_CASE("to() converts in place: whoever holds a parameter sees it", "[nn][module]") {
  Tree tree;
  const Tensor weight = tree.linear.weight;
  const std::vector<float> before = weight.to_vector<float>();
  tree.outer.to(Dtype::f64);
  CHECK(weight.dtype() == Dtype::f64);
  CHECK(weight.requires_grad());
  CHECK(tree.linear.forward(gradus::ones({1, 2}, Dtype::f64)).dtype() == Dtype::f64);
  tree.outer.to(Dtype::f32);
  CHECK(weight.to_vector<float>() == before);
  CHECK_ERROR(tree.outer.to(Dtype::i64), "Module: parameters are f32 or f64, not i64");
}

TEST_CASE("train() and eval() reach every child", "[nn][module]") {
  Tree tree;
  CHECK(tree.dropout.is_training());
  tree.outer.eval();
  for (const nn::Module* module : tree.outer.modules()) CHECK_FALSE(module->is_training());
  tree.inner.train();
  CHECK(tree.linear.is_training());
  CHECK_FALSE(tree.dropout.is_training());
  CHECK_FALSE(tree.outer.is_training());
}

TEST_CASE("gradients add up over steps until zero_grad()", "[nn][module]") {
  Tree tree;
  const auto backward = [&] { sum(tree.linear.forward(gradus::ones({5, 2}))).backward(); };
  backward();
  CHECK(tree.linear.bias.grad().to_vector<float>() == std::vector<float>{5, 5, 5});
  backward();
  CHECK(tree.linear.bias.grad().to_vector<float>() == std::vector<float>{10, 10, 10});
  tree.outer.zero_grad();
  for (const Tensor& parameter : tree.outer.parameters()) CHECK_FALSE(parameter.grad().defined());
  backward();
  CHECK(tree.linear.bias.grad().to_vector<float>() == std::vector<float>{5, 5, 5});
}

TEST_CASE("a module prints as a tree with counts", "[nn][module]") {
  const Tree tree;
  CHECK(printed(tree.outer) ==
        "parameters: 17\n"
        "  bias (2, 2): 4\n"
        "  inner: 13\n"
        "    scale (4): 4\n"
        "    linear: 9\n"
        "      weight (3, 2): 6\n"
        "      bias (3): 3\n"
        "  dropout: 0\n");
  CHECK(printed(tree.linear) ==
        "linear: 9\n"
        "  weight (3, 2): 6\n"
        "  bias (3): 3\n");
}

TEST_CASE("an error deep below carries the path of the module that ran", "[nn][module]") {
  const Tree tree;
  const auto run = [&] {
    const gradus::Scope outer = tree.outer.enter(), inner = tree.inner.enter();
    return tree.linear.forward(gradus::ones({1, 7}));
  };
  CHECK_ERROR(
      run(),
      "linear: the last axis of the input (1, 7) must be axis 1 of the weight (3, 2), 2 [in inner.linear]");
  CHECK(gradus::current_scope()->text() == "");
}
