// All optimisers: PyTorch's numbers, groups, errors, and resuming from a saved state.

#include <gradus/nn/linear.hpp>
#include <gradus/nn/optim.hpp>

#include <functional>
#include <limits>
#include <memory>

#include "golden.hpp"
#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;
using nn::Optimiser;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

using Make = std::function<std::unique_ptr<Optimiser>(const Tensor& weight, const Tensor& bias)>;

template <class Rule>
Make groups(const Rule& of_weight, const Rule& of_bias) {
  return [=](const Tensor& weight, const Tensor& bias) {
    const std::vector<nn::ParameterGroup<Rule>> both{{{weight}, of_weight}, {{bias}, of_bias}};
    return std::make_unique<nn::OptimiserOf<Rule>>(both);
  };
}

// The cases of optimisers.txt. Each lists the names of the running values that its rule keeps for the weight.
struct Case {
  const char* name;
  Make make;
  std::vector<std::string> averages;
};

const std::vector<Case> cases{
    {"sgd", groups<nn::SGDRule>({.learning_rate = 0.1}, {.learning_rate = 0.02, .weight_decay = 0.3}), {}},
    {"sgd_momentum",
     groups<nn::SGDRule>({.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.4},
                         {.learning_rate = 0.02, .momentum = 0.5, .dampening = -0.5, .weight_decay = 0.3}),
     {"b"}},
    {"sgd_nesterov",
     groups<nn::SGDRule>({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true},
                         {.learning_rate = 0.02, .momentum = 0.5, .weight_decay = 0.3, .nesterov = true}),
     {"b"}},
    {"adam",
     groups<nn::AdamRule>({.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.99, .epsilon = 0.01},
                          {.learning_rate = 0.02, .weight_decay = 0.3}),
     {"m", "v"}},
    {"adamw",
     groups<nn::AdamWRule>({.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.99, .epsilon = 0.01},
                           {.learning_rate = 0.02, .weight_decay = 0.3}),
     {"m", "v"}},
    {"rmsprop",
     groups<nn::RMSpropRule>({.learning_rate = 0.1, .alpha = 0.9, .epsilon = 0.01},
                             {.learning_rate = 0.02, .weight_decay = 0.3}),
     {"v"}},
    {"rmsprop_momentum",
     groups<nn::RMSpropRule>({.learning_rate = 0.1, .momentum = 0.9},
                             {.learning_rate = 0.02, .weight_decay = 0.3, .momentum = 0.5}),
     {"v", "b"}},
    {"rmsprop_centered",
     groups<nn::RMSpropRule>(
         {.learning_rate = 0.1, .epsilon = 0.01, .centered = true},
         {.learning_rate = 0.02, .epsilon = 0.01, .weight_decay = 0.3, .momentum = 0.5, .centered = true}),
     {"v", "g_ave"}},
    {"adagrad",
     groups<nn::AdagradRule>({.learning_rate = 0.1, .learning_rate_decay = 0.5},
                             {.learning_rate = 0.02, .weight_decay = 0.3, .epsilon = 0.01}),
     {"s"}},
    {"adadelta",
     groups<nn::AdadeltaRule>({}, {.learning_rate = 0.5, .rho = 0.7, .epsilon = 0.01, .weight_decay = 0.3}),
     {"v", "u"}}};

// Runs an optimiser with the parameters and gradients of optimisers.txt.
class Run {
 public:
  Run(const Case& made, Dtype dtype)
      : weight(leaf(golden_["weight"].to(dtype))),
        bias(leaf(golden_["bias"].to(dtype))),
        optimiser(made.make(weight, bias)) {}
  /// Continues from the other run's current parameters, with a new optimiser.
  Run(const Case& made, const Run& other)
      : weight(leaf(other.weight)), bias(leaf(other.bias)), optimiser(made.make(weight, bias)) {}

  void step(int t) {
    optimiser->zero_grad();
    for (auto [name, parameter] : NamedTensors{{"weight", weight}, {"bias", bias}}) {
      const std::string entry = "grad_" + std::to_string(t) + "." + name;
      if (golden_.has(entry)) parameter.set_grad(golden_[entry].to(parameter.dtype()));
    }
    optimiser->step();
  }
  void steps(int first, int last) {
    for (int t = first; t <= last; ++t) step(t);
  }

  /// How both parameters differ from the file's values after step t. Empty if they match.
  std::string mismatch_after(const Case& made, int t, Tolerance tolerance) const {
    const std::string prefix = std::string(made.name) + ".step_" + std::to_string(t) + ".";
    return mismatch(weight, golden_[prefix + "weight"], tolerance) +
           mismatch(bias, golden_[prefix + "bias"], tolerance);
  }
  bool same_as(const Run& other) const {
    return mismatch(weight, other.weight) == "" && mismatch(bias, other.bias) == "";
  }

 private:
  const Golden golden_{"optimisers"};

 public:
  Tensor weight, bias;
  std::unique_ptr<Optimiser> optimiser;
};

std::string names(const NamedTensors& state) {
  std::string text;
  for (const auto& [name, tensor] : state) text += (text.empty() ? "" : " ") + name;
  return text;
}

NamedTensors without(NamedTensors state, const std::string& name) {
  std::erase_if(state, [&](const auto& entry) { return entry.first == name; });
  return state;
}

NamedTensors with(NamedTensors state, const std::string& name, const Tensor& value) {
  for (auto& entry : state) {
    if (entry.first == name) entry.second = value;
  }
  return state;
}

// A leaf in f64 with these values and this gradient.
Tensor with_gradient(std::initializer_list<double> values, std::initializer_list<double> gradient) {
  Tensor x = leaf(tensor(std::vector<double>(values)));
  x.set_grad(tensor(std::vector<double>(gradient)));
  return x;
}

}  // namespace

TEST_CASE("five steps of every optimiser, with groups and every option, match PyTorch", "[nn][optimiser]") {
  for (const Case& made : cases) {
    for (const Precision& precision : precisions) {
      INFO(made.name << " in " << name(precision.dtype));
      Run run(made, precision.dtype);
      for (int t = 1; t <= 5; ++t) {
        INFO("step " << t);
        run.step(t);
        CHECK(run.mismatch_after(made, t, precision.values) == "");
      }
    }
  }
}

TEST_CASE("an optimiser with a loaded state continues with the same bits", "[nn][optimiser]") {
  for (const Case& made : cases) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      INFO(made.name << " in " << name(dtype));
      Run whole(made, dtype);
      whole.steps(1, 3);
      whole.optimiser->set_learning_rate(1, 0.03);
      const NamedTensors state = whole.optimiser->state();
      Run forgetful(made, whole), resumed(made, whole);
      resumed.optimiser->load_state(state);
      CHECK(resumed.optimiser->learning_rate(1) == 0.03);
      for (Run* run : {&whole, &forgetful, &resumed}) run->steps(4, 5);
      CHECK(resumed.same_as(whole));
      CHECK_FALSE(forgetful.same_as(whole));
      // A state is a copy. It must not change when the optimiser that saved it, or one that loaded it, takes
      // more steps.
      Run again(made, dtype);
      again.steps(1, 3);
      for (const auto& [entry, value] : again.optimiser->state()) {
        if (entry == "group.1.learning_rate") continue;
        INFO(entry);
        const auto is_it = [&entry = entry](const auto& other) { return other.first == entry; };
        CHECK(mismatch(std::find_if(state.begin(), state.end(), is_it)->second, value) == "");
      }
    }
  }
}

TEST_CASE("a state holds a rule's running values for each parameter that has taken a step",
          "[nn][optimiser]") {
  for (const Case& made : cases) {
    INFO(made.name);
    Run run(made, Dtype::f64);
    const std::string rates = "group.0.learning_rate group.1.learning_rate";
    CHECK(names(run.optimiser->state()) == rates + " 0.steps 1.steps");
    run.weight.set_grad(run.weight);
    run.optimiser->step();
    std::string kept;
    for (const std::string& average : made.averages) kept += " 0." + average;
    CHECK(names(run.optimiser->state()) == rates + " 0.steps" + kept + " 1.steps");
    CHECK(run.optimiser->state()[2].second.values<std::int64_t>()[0] == 1);
    CHECK(run.optimiser->state().back().second.values<std::int64_t>()[0] == 0);
  }
}

TEST_CASE("a state that does not fit is refused as a whole, with all errors listed", "[nn][optimiser]") {
  const Case& adam = cases[3];
  Run run(adam, Dtype::f64), other(adam, Dtype::f64);
  run.steps(1, 2);
  const NamedTensors good = run.optimiser->state();
  const auto before = other.optimiser->state();
  const auto refuses = [&](const NamedTensors& state, const std::string& what) {
    CHECK_ERROR(other.optimiser->load_state(state),
                "Adam: the state does not fit, and nothing was loaded; " + what +
                    "; load it into an optimiser of the same groups, parameters and options");
    CHECK(names(other.optimiser->state()) == names(before));
    CHECK(other.optimiser->learning_rate(0) == 0.1);
  };
  refuses(without(good, "0.m"), "missing: '0.m'");
  refuses({}, "missing: 'group.0.learning_rate', 'group.1.learning_rate', '0.steps' and 1 more");
  refuses(with(good, "1.v", Tensor()), "missing: '1.v'");
  refuses(with(good, "1.v", tensor({1, 2}, Dtype::f64)), "'1.v' is (2) f64 and must be (4) f64");
  refuses(with(good, "1.v", gradus::zeros({4})), "'1.v' is (4) f32 and must be (4) f64");
  refuses(with(good, "1.steps", tensor(std::vector<std::int64_t>{-1}, {})),
          "'1.steps' is -1 and must be at least 0");
  refuses(with(good, "group.0.learning_rate", gradus::full({}, NaN, Dtype::f64)),
          "'group.0.learning_rate' is nan and must be finite and at least 0");
  refuses(with(good, "group.1.learning_rate", gradus::full({}, -1, Dtype::f64)),
          "'group.1.learning_rate' is -1 and must be finite and at least 0");
  NamedTensors bad = with(without(without(good, "0.m"), "1.steps"), "0.v", gradus::zeros({3, 2}, Dtype::f64));
  bad.emplace_back("2.m", gradus::zeros({}));
  bad.emplace_back("0.steps", gradus::zeros({}));
  refuses(
      bad,
      "missing: '0.m', '1.steps'; unexpected: '1.m', '1.v', '2.m'; given twice: '0.steps'; '0.v' is (3, 2) "
      "f64 and must be (2, 3) f64");
  other.optimiser->load_state(good);
  CHECK(names(other.optimiser->state()) == names(good));
}

TEST_CASE("groups can be given with designated initialisers", "[nn][optimiser]") {
  Tensor a = with_gradient({1}, {1}), b = with_gradient({1}, {1});
  nn::SGD sgd({{.parameters = {a}, .options = {.learning_rate = 0.25}},
               {.parameters = {b}, .options = {.learning_rate = 0.5, .weight_decay = 0.5}}});
  CHECK(sgd.group_count() == 2);
  sgd.step();
  CHECK(a.item() == 0.75);
  CHECK(b.item() == 0.25);
}

TEST_CASE("learning rates can be set for all groups, or for one", "[nn][optimiser]") {
  Tensor a = with_gradient({1}, {1}), b = with_gradient({1}, {1});
  nn::SGD sgd({{.parameters = {a}, .options = {.learning_rate = 0.25}}, {.parameters = {b}}});
  CHECK(sgd.learning_rate() == 0.25);
  CHECK(sgd.learning_rate(1) == 0.1);
  sgd.set_learning_rate(0.5);
  CHECK(sgd.learning_rate(0) == 0.5);
  CHECK(sgd.learning_rate(1) == 0.5);
  sgd.set_learning_rate(1, 0.125);
  CHECK(sgd.learning_rate(0) == 0.5);
  sgd.step();
  CHECK(a.item() == 0.5);
  CHECK(b.item() == 0.875);
  CHECK_ERROR(sgd.learning_rate(2), "SGD: unknown group 2; the number of groups is 2");
  CHECK_ERROR(sgd.set_learning_rate(2, 1), "SGD: unknown group 2; the number of groups is 2");
  CHECK_ERROR(sgd.set_learning_rate(-1), "SGD: the learning rate must be finite and at least 0, and is -1");
  CHECK_ERROR(sgd.set_learning_rate(0, inf),
              "SGD: the learning rate must be finite and at least 0, and is inf");
  CHECK_ERROR(sgd.set_learning_rate(NaN), "SGD: the learning rate must be finite and at least 0, and is nan");
  CHECK(sgd.learning_rate(0) == 0.5);
}

TEST_CASE("a frozen parameter is skipped until it is unfrozen", "[nn][optimiser]") {
  Tensor x = with_gradient({1}, {1});
  nn::SGD sgd({x}, {.learning_rate = 0.5, .weight_decay = 1});
  x.set_requires_grad(false);
  sgd.step();
  CHECK(x.item() == 1);
  CHECK(sgd.state().back().second.item() == 0);
  x.set_requires_grad();
  x.set_grad(tensor({1}, Dtype::f64));
  sgd.step();
  CHECK(x.item() == 0);
}

TEST_CASE("a parameter given twice, or undefined, is refused", "[nn][optimiser]") {
  const Tensor a = leaf(tensor({{1, 2}})), b = leaf(tensor({1}));
  const auto given_before = [](const std::string& which) {
    return "Adagrad: parameter " + which + ", was given before; give each parameter once, in one group";
  };
  CHECK_ERROR(nn::Adagrad({{.parameters = {a}}, {.parameters = {b, a}}}),
              given_before("2, (1, 2) in group 1"));
  CHECK_ERROR(nn::Adagrad({b, b}), given_before("1, (1) in group 0"));
  CHECK_ERROR(nn::Adagrad({b, nn::Linear(1, 1, false).bias}),
              "Adagrad: parameter 1 is undefined; leave it out");
}

TEST_CASE("a refused step changes nothing", "[nn][optimiser]") {
  Tensor a = with_gradient({1}, {1}), b = with_gradient({1}, {1});
  nn::Adadelta adadelta({a, b});
  adadelta.step();
  const double before = a.item();
  b.replace(tensor({1, 2}));
  b.set_grad(tensor({1, 2}));
  CHECK_ERROR(adadelta.step(),
              "Adadelta: parameter 1 was (1) f64 and is now (2) f32; make a new optimiser after changing "
              "parameters");
  CHECK(a.item() == before);
  CHECK(adadelta.state()[1].second.item() == 1);
}

TEST_CASE("an update changes parameters in place", "[nn][optimiser]") {
  for (const Case& made : cases) {
    INFO(made.name);
    Run run(made, Dtype::f64);
    const Tensor loss = sum(run.weight * run.weight);
    run.step(1);
    CHECK_THROWS_AS(loss.backward(), gradus::Error);
  }
}

TEST_CASE("every optimiser solves a small problem", "[nn][optimiser]") {
  const auto solves = [](auto&& optimiser, Tensor& x, int steps) {
    const double before = sum(x * x).item();
    for (int step = 0; step < steps; ++step) {
      optimiser.zero_grad();
      sum(x * x).backward();
      optimiser.step();
    }
    return sum(x * x).item() < 0.01 * before;
  };
  Tensor x = leaf(tensor({3, -4}));
  SECTION("SGD") { CHECK(solves(nn::SGD({x}, {.momentum = 0.5}), x, 300)); }
  SECTION("Adam") { CHECK(solves(nn::Adam({x}, {.learning_rate = 0.1}), x, 300)); }
  SECTION("AdamW") { CHECK(solves(nn::AdamW({x}, {.learning_rate = 0.1}), x, 300)); }
  SECTION("RMSprop") { CHECK(solves(nn::RMSprop({x}, {.learning_rate = 0.05}), x, 300)); }
  SECTION("Adagrad") { CHECK(solves(nn::Adagrad({x}, {.learning_rate = 1}), x, 300)); }
  SECTION("Adadelta") { CHECK(solves(nn::Adadelta({x}), x, 3000)); }
}

TEST_CASE("optimisers refuse options outside their ranges", "[nn][optimiser]") {
  const std::string at_least = " must be finite and at least 0, and is ",
                    decays = " must be in [0, 1), and is ";
  CHECK_ERROR(nn::SGD({}, {.learning_rate = -1}), "SGD: the learning rate" + at_least + "-1");
  CHECK_ERROR(nn::SGD({}, {.momentum = NaN}), "SGD: momentum" + at_least + "nan");
  CHECK_ERROR(nn::SGD({}, {.weight_decay = inf}), "SGD: weight decay" + at_least + "inf");
  CHECK_ERROR(nn::SGD({}, {.dampening = inf}), "SGD: dampening must be finite, and is inf");
  const std::string nesterov = "SGD: Nesterov's momentum needs a momentum above 0 and no dampening, and got ";
  CHECK_ERROR(nn::SGD({}, {.nesterov = true}), nesterov + "0 and 0");
  CHECK_ERROR(nn::SGD({}, {.momentum = 0.9, .dampening = 0.5, .nesterov = true}), nesterov + "0.9 and 0.5");
  CHECK_ERROR(nn::AdamW({}, {.learning_rate = -1}), "AdamW: the learning rate" + at_least + "-1");
  CHECK_ERROR(nn::AdamW({}, {.weight_decay = -1}), "AdamW: weight decay" + at_least + "-1");
  CHECK_ERROR(nn::RMSprop({}, {.learning_rate = NaN}), "RMSprop: the learning rate" + at_least + "nan");
  CHECK_ERROR(nn::RMSprop({}, {.alpha = 1}), "RMSprop: alpha" + decays + "1");
  CHECK_ERROR(nn::RMSprop({}, {.epsilon = -1}), "RMSprop: epsilon" + at_least + "-1");
  CHECK_ERROR(nn::RMSprop({}, {.weight_decay = -1}), "RMSprop: weight decay" + at_least + "-1");
  CHECK_ERROR(nn::RMSprop({}, {.momentum = -1}), "RMSprop: momentum" + at_least + "-1");
  CHECK_ERROR(nn::Adagrad({}, {.learning_rate = -1}), "Adagrad: the learning rate" + at_least + "-1");
  CHECK_ERROR(nn::Adagrad({}, {.learning_rate_decay = -1}),
              "Adagrad: the decay of the learning rate" + at_least + "-1");
  CHECK_ERROR(nn::Adagrad({}, {.weight_decay = -1}), "Adagrad: weight decay" + at_least + "-1");
  CHECK_ERROR(nn::Adagrad({}, {.epsilon = -1}), "Adagrad: epsilon" + at_least + "-1");
  CHECK_ERROR(nn::Adadelta({}, {.learning_rate = -1}), "Adadelta: the learning rate" + at_least + "-1");
  CHECK_ERROR(nn::Adadelta({}, {.rho = -0.1}), "Adadelta: rho" + decays + "-0.1");
  CHECK_ERROR(nn::Adadelta({}, {.epsilon = NaN}), "Adadelta: epsilon" + at_least + "nan");
  CHECK_ERROR(nn::Adadelta({}, {.weight_decay = -1}), "Adadelta: weight decay" + at_least + "-1");
}
