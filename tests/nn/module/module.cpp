// A module's parameters, buffers and children.

#include <gradus/nn/dropout.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/module.hpp>
#include <gradus/nn/optim.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;

namespace {

// A module whose registration functions are public.
class Node : public nn::Module {
 public:
  using Module::add_buffer;
  using Module::add_module;
  using Module::add_parameter;
  using Module::enter;
};

// A tree of modules. outer has a bias, inner has a scale, linear has weight and bias, dropout has nothing.
struct Tree {
  Node outer, inner;
  nn::Linear linear{2, 3};
  nn::Dropout dropout{0.5};
  Tensor scale, bias;

  Tree() {
    inner.add_module("linear", linear);
    outer.add_module("inner", inner);
    outer.add_module("dropout", dropout);
    scale = inner.add_parameter("scale", gradus::ones({4}));
    bias = outer.add_parameter("bias", gradus::zeros({2, 2}));
  }
};

using Names = std::vector<std::string>;

Names names(const NamedTensors& tensors) {
  Names result;
  for (const auto& [name, tensor] : tensors) result.push_back(name);
  return result;
}
Names names(const nn::Module& module) { return names(module.named_parameters()); }

}  // namespace

TEST_CASE("parameters come in the order of registration, a module's own before its children's",
          "[nn][module]") {
  const Tree tree;
  CHECK(names(tree.outer) == Names{"bias", "inner.scale", "inner.linear.weight", "inner.linear.bias"});
  CHECK(names(tree.inner) == Names{"scale", "linear.weight", "linear.bias"});
  CHECK(names(tree.dropout).empty());
  CHECK(tree.outer.parameters().size() == 4);
  CHECK(tree.outer.parameters()[2].is(tree.linear.weight));
  CHECK(tree.outer.parameter_count() == 4 + 4 + 6 + 3);
}

TEST_CASE("a registered parameter requires a gradient", "[nn][module]") {
  Node module;
  const Tensor value = gradus::ones({3}), parameter = module.add_parameter("w", value);
  CHECK(parameter.is(value));
  CHECK(value.requires_grad());
}

TEST_CASE("a child has its registered name, a root has none", "[nn][module]") {
  const Tree tree;
  CHECK(tree.outer.name() == "");
  CHECK(tree.inner.name() == "inner");
  CHECK(tree.linear.name() == "linear");
}

TEST_CASE("names contain no dot, and are unique within a module", "[nn][module]") {
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
  CHECK(names(module) == Names{"w"});
}

TEST_CASE("a buffer is registered like a parameter, but not trained", "[nn][module]") {
  Node outer, inner;
  const Tensor mean = tensor({1, 2}), buffer = inner.add_buffer("mean", mean);
  inner.add_parameter("scale", gradus::ones({2}));
  outer.add_module("inner", inner);
  outer.add_buffer("steps", tensor(3, Dtype::i64));
  CHECK(buffer.is(mean));
  CHECK_FALSE(buffer.requires_grad());
  CHECK(names(outer.named_buffers()) == Names{"steps", "inner.mean"});
  CHECK(outer.named_buffers()[1].second.is(mean));
  CHECK(names(outer) == Names{"inner.scale"});
  CHECK(outer.parameter_count() == 2);

  CHECK_ERROR(outer.add_buffer("steps", mean), "Module: the name 'steps' is taken in this module");
  CHECK_ERROR(outer.add_parameter("steps", mean), "Module: the name 'steps' is taken in this module");
  CHECK_ERROR(outer.add_buffer("w", leaf(tensor({1, 2}))),
              "Module: the buffer 'w' (2) requires a gradient; make it a parameter, or detach() it");
  CHECK(names(outer.named_buffers()) == Names{"steps", "inner.mean"});
}

TEST_CASE("a child has one parent", "[nn][module]") {
  Node first, second, child;
  first.add_module("child", child);
  CHECK_ERROR(second.add_module("stolen", child), "Module: 'stolen' is registered already, as 'child'");
  CHECK_ERROR(first.add_module("twice", child), "Module: 'twice' is registered already, as 'child'");
  CHECK(child.name() == "child");
}

TEST_CASE("modules() lists the tree, parents first", "[nn][module]") {
  Tree tree;
  CHECK(tree.outer.modules() ==
        std::vector<nn::Module*>{&tree.outer, &tree.inner, &tree.linear, &tree.dropout});
}

TEST_CASE("a shared parameter has several names, and counts once", "[nn][module]") {
  Node outer, inner;
  const Tensor shared = outer.add_parameter("output", gradus::ones({5}));
  inner.add_parameter("input", shared);
  outer.add_module("inner", inner);
  CHECK(names(outer) == Names{"output", "inner.input"});
  CHECK(outer.parameters().size() == 1);
  CHECK(outer.parameter_count() == 5);
}

TEST_CASE("to() converts in place, so that every holder of a parameter sees it", "[nn][module]") {
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

TEST_CASE("to() converts floating-point buffers too, but not integers", "[nn][module]") {
  Node outer, inner;
  const Tensor mean = inner.add_buffer("mean", tensor({0.5, 1})),
               steps = outer.add_buffer("steps", tensor(3, Dtype::i64));
  outer.add_module("inner", inner);
  outer.to(Dtype::f64);
  CHECK(mean.dtype() == Dtype::f64);
  CHECK(mean.to_vector<double>() == std::vector<double>{0.5, 1});
  CHECK_FALSE(mean.requires_grad());
  CHECK(steps.dtype() == Dtype::i64);
}

TEST_CASE("frozen parameters have no gradient, and optimisers skip them", "[nn][module]") {
  Tree tree;
  nn::Adam adam(tree.linear.parameters());
  const auto train = [&] {
    adam.zero_grad();
    gradus::sum(
        gradus::concat({tree.linear.forward(gradus::ones({5, 2})).reshape({-1}), tree.bias.reshape({-1})}, 0))
        .backward();
    adam.step();
  };
  train();
  tree.inner.freeze();
  const auto frozen = snapshot(tree.linear);
  train();
  CHECK(snapshot(tree.linear) == frozen);
  CHECK_FALSE(tree.linear.weight.requires_grad());
  CHECK_FALSE(tree.linear.weight.grad().defined());
  CHECK_FALSE(tree.scale.requires_grad());
  CHECK(tree.bias.requires_grad());
  CHECK_FALSE(tree.linear.forward(gradus::ones({5, 2})).requires_grad());

  tree.outer.to(Dtype::f64);
  CHECK_FALSE(tree.linear.weight.requires_grad());
  tree.outer.to(Dtype::f32);
  tree.inner.unfreeze();
  train();
  CHECK(snapshot(tree.linear) != frozen);
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

TEST_CASE("gradients accumulate until zero_grad()", "[nn][module]") {
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

TEST_CASE("a tree marks buffers, frozen and shared parameters", "[nn][module]") {
  Tree tree;
  Node tied;
  tree.inner.freeze();
  tree.inner.add_buffer("mean", gradus::zeros({2, 3}));
  tied.add_parameter("output", tree.bias);
  tree.inner.add_module("tied", tied);
  CHECK(printed(tree.outer) ==
        "parameters: 17, 13 frozen\n"
        "  bias (2, 2): 4\n"
        "  inner: 17, 13 frozen\n"
        "    scale (4): 4, frozen\n"
        "    mean (2, 3): a buffer of 6\n"
        "    linear: 9, frozen\n"
        "      weight (3, 2): 6, frozen\n"
        "      bias (3): 3, frozen\n"
        "    tied: 4\n"
        "      output (2, 2): shared with bias\n"
        "  dropout: 0\n");
}

TEST_CASE("an error in a nested module carries its path", "[nn][module]") {
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

TEST_CASE("a module that runs in several places reports the path of each", "[nn][module]") {
  const Tree tree;
  for (const char* place : {"a", "b", "b", "a"}) {
    const gradus::Scope outer(place), inner = tree.inner.enter(), again = tree.inner.enter();
    CHECK(gradus::current_scope()->text() == std::string(place) + ".inner.inner");
  }
  const gradus::Scope inner = tree.inner.enter();
  CHECK(gradus::current_scope()->text() == "inner");
}
