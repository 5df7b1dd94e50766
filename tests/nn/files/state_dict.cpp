// Saving and loading a module's state.

#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/module.hpp>
#include <gradus/nn/optim.hpp>

#include <limits>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;

namespace {

// A module with the parameter `shift`, the buffers `mean` and `steps`, and the child `linear`. The child has
// the parameters `weight` and `bias`.
struct Model : nn::Module {
  Model() { add_module("linear", linear); }
  Tensor forward(const Tensor& x) const { return linear.forward(x - mean) + shift; }

  const Tensor shift = add_parameter("shift", tensor({1, 2, 3}));
  const Tensor mean = add_buffer("mean", tensor({0.5, 0.25}));
  const Tensor steps = add_buffer("steps", tensor(7, Dtype::i64));
  nn::Linear linear{2, 3};
};

// A module that holds one matrix under two names.
struct Tied : nn::Module {
  const Tensor input = add_parameter("input", tensor({1, 2}));
  const Tensor output = add_parameter("output", input);
};

std::vector<std::vector<double>> values(const nn::Module& module) {
  std::vector<std::vector<double>> all;
  for (const auto& [name, tensor] : module.state_dict()) all.push_back(tensor.to_vector<double>());
  return all;
}

NamedTensors changed(const NamedTensors& state) {
  NamedTensors result;
  for (const auto& [name, tensor] : state) {
    result.emplace_back(name, (tensor.to(Dtype::f64) * 2 + 1).to(tensor.dtype()));
  }
  return result;
}

// Expects that loading `state` fails with these objections and leaves the module unchanged.
void check_refused(nn::Module& module, const NamedTensors& state, const std::string& objections) {
  const auto before = values(module);
  CHECK_ERROR(module.load_state_dict(state),
              "load_state_dict: the state does not fit, so nothing was loaded: " + objections +
                  "; give the state of a module made with the same sizes");
  CHECK(values(module) == before);
}

}  // namespace

TEST_CASE("a state has parameters and buffers under their paths", "[nn][state_dict]") {
  const Model model;
  const NamedTensors state = model.state_dict();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state) names.push_back(name);
  CHECK(names == std::vector<std::string>{"shift", "mean", "steps", "linear.weight", "linear.bias"});
  CHECK(model.linear.state_dict()[1].first == "bias");
}

TEST_CASE("a state shares the module's values, and is not on the tape", "[nn][state_dict]") {
  const Model model;
  const NamedTensors state = model.state_dict();
  overwrite(model.shift, 5);
  CHECK(state[0].second.to_vector<double>() == std::vector<double>{5, 5, 5});
  for (const auto& [name, tensor] : state) CHECK_FALSE(tensor.requires_grad());
}

TEST_CASE("a state is loaded into the existing tensors", "[nn][state_dict]") {
  gradus::seed(1);
  Model model;
  nn::Adam adam(model.parameters());
  const Tensor weight = model.linear.weight;
  const float* const place = weight.values<float>().data();
  const NamedTensors state = changed(model.state_dict());
  model.load_state_dict(state);
  for (const auto& [name, tensor] : state) {
    INFO(name);
    for (const auto& [own_name, own] : model.state_dict()) {
      if (own_name == name) CHECK(mismatch(own, tensor) == "");
    }
  }
  CHECK(weight.values<float>().data() == place);
  CHECK(weight.requires_grad());

  const auto loaded = snapshot(model);
  sum(model.forward(gradus::ones({4, 2}))).backward();
  adam.step();
  CHECK(snapshot(model) != loaded);
}

TEST_CASE("a state may be in any order, and may share the module's own tensors", "[nn][state_dict]") {
  Model model;
  const auto before = values(model);
  NamedTensors state = model.state_dict();
  std::reverse(state.begin(), state.end());
  model.load_state_dict(state);
  CHECK(values(model) == before);
  nn::Module none;
  CHECK_NOTHROW(none.load_state_dict({}));
}

TEST_CASE("load_state_dict() converts between f32 and f64", "[nn][state_dict]") {
  Model model, doubled;
  doubled.to(Dtype::f64);
  doubled.load_state_dict(model.state_dict());
  CHECK(doubled.shift.dtype() == Dtype::f64);
  CHECK(values(doubled) == values(model));
  overwrite(doubled.shift, 0.1);
  model.load_state_dict(doubled.state_dict());
  CHECK(model.shift.dtype() == Dtype::f32);
  CHECK(model.shift.values<float>()[0] == 0.1F);
}

TEST_CASE("a tape that needs the old values notices that new ones were loaded", "[nn][state_dict]") {
  Model model;
  const Tensor x = leaf(gradus::ones({4, 2}));
  const Tensor loss = sum(model.forward(x));
  model.load_state_dict(changed(model.state_dict()));
  CHECK_ERROR(loss.backward(),
              "backward: 'linear' (4, 3) in linear needs a value (3, 2) that 'load_state_dict' has changed "
              "since; change a clone(), or change it after backward()");
}

TEST_CASE("frozen parameters are loaded, and stay frozen", "[nn][state_dict]") {
  Model model;
  model.freeze();
  model.load_state_dict(changed(model.state_dict()));
  CHECK(model.shift.to_vector<double>() == std::vector<double>{3, 5, 7});
  CHECK_FALSE(model.shift.requires_grad());
}

TEST_CASE("all errors are reported at once, and nothing is loaded", "[nn][state_dict]") {
  Model model;
  const NamedTensors state = changed(model.state_dict());
  check_refused(model, {}, "missing 'shift', 'mean', 'steps' and 2 more");

  NamedTensors more = state;
  more.emplace_back("linear.scale", gradus::ones({2}));
  more.emplace_back("alpha", gradus::ones({2}));
  check_refused(model, more, "unexpected 'alpha', 'linear.scale'");

  NamedTensors twice = state;
  twice.push_back(state[0]);
  check_refused(model, twice, "given twice 'shift'");

  NamedTensors other_shape = state;
  other_shape[0].second = gradus::ones({1, 3});
  check_refused(model, other_shape, "'shift' is (1, 3) and must be (3)");

  NamedTensors other_kinds = state;
  other_kinds[0].second = gradus::ones({3}, Dtype::i64);
  other_kinds[2].second = gradus::ones({});
  check_refused(model, other_kinds, "'shift' is i64 and must be f32; 'steps' is f32 and must be i64");

  check_refused(
      model,
      {{"linear.weight", gradus::ones({2, 3})},
       {"bias", gradus::ones({3})},
       {"mean", gradus::ones({2})},
       {"mean", gradus::ones({2})},
       {"steps", gradus::ones({})}},
      "missing 'shift', 'linear.bias'; unexpected 'bias'; given twice 'mean'; 'steps' is f32 and must be "
      "i64; 'linear.weight' is (2, 3) and must be (3, 2)");
}

TEST_CASE("a message names the source and the module", "[nn][state_dict]") {
  Model model;
  CHECK_ERROR(model.linear.load_state_dict({{"bias", gradus::ones({3})}}, "'a.safetensors'"),
              "load_state_dict: 'a.safetensors' does not fit, so nothing was loaded: missing 'weight'; give "
              "the state "
              "of a module made with the same sizes [in linear]");
  CHECK_ERROR(
      model.load_state_dict({{"shift", Tensor()}}),
      "load_state_dict: the state does not fit, so nothing was loaded: missing 'mean', 'steps', "
      "'linear.weight' and 1 more; 'shift' is undefined; give the state of a module made with the same "
      "sizes");
}

TEST_CASE("a shared tensor is saved under each name, and can be loaded from one", "[nn][state_dict]") {
  Tied tied;
  CHECK(tied.state_dict().size() == 2);
  tied.load_state_dict({{"output", tensor({3, 4})}});
  CHECK(tied.input.to_vector<double>() == std::vector<double>{3, 4});
  tied.load_state_dict({{"input", tensor({5, 6})}});
  CHECK(tied.output.to_vector<double>() == std::vector<double>{5, 6});
  check_refused(tied, {}, "missing 'input', 'output'");

  const double nan = std::numeric_limits<double>::quiet_NaN();
  tied.load_state_dict({{"input", tensor({7, nan})}, {"output", tensor({7, nan})}});
  CHECK(tied.output.values<float>()[0] == 7);
}

TEST_CASE("all names of a shared tensor must have the same values", "[nn][state_dict]") {
  Tied tied;
  check_refused(tied, {{"input", tensor({3, 4})}, {"output", tensor({3, 5})}},
                "'input' and 'output' are one tensor and must have the same values");
}

TEST_CASE("a gradient check skips frozen parameters, and restores buffers", "[nn][state_dict]") {
  gradus::seed(1);
  Model model;
  model.linear.freeze();
  const auto before = values(model);
  const auto counting = [&](const std::vector<Tensor>& x) {
    ++Tensor(model.steps).mutable_values<std::int64_t>()[0];
    return model.forward(x[0]);
  };
  check_gradients(nn::gradcheck(model, counting, {tensor({{1, 2}, {3, 5}})}), 2);  // checks shift and x
  CHECK(values(model) == before);
  CHECK(model.mean.dtype() == Dtype::f32);
}
