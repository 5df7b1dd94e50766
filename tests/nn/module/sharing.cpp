// An optimiser splits parameters into pieces for the threads, and clipping splits gradients. This must not
// change the result.

#include <gradus/nn/clip.hpp>
#include <gradus/nn/optim.hpp>

#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;

namespace {

// Several pieces, the last of them incomplete.
constexpr std::int64_t size = 40'003;

Tensor random_parameter(std::int64_t n, Generator& generator) {
  Tensor parameter = leaf(random({n}, generator));
  parameter.set_grad(random({n}, generator).to(parameter.dtype()));
  return parameter;
}

using Make = std::function<std::unique_ptr<nn::Optimiser>(std::vector<Tensor>)>;
template <class Rule>
Make maker(const Rule& rule) {
  return [=](std::vector<Tensor> parameters) {
    return std::make_unique<nn::OptimiserOf<Rule>>(std::move(parameters), rule);
  };
}

const std::map<std::string, Make> optimisers{
    {"sgd", maker<nn::SGDRule>({.momentum = 0.9, .weight_decay = 0.1})},
    {"adam", maker<nn::AdamRule>({.weight_decay = 0.1})},
    {"adamw", maker<nn::AdamWRule>({})},
    {"adagrad", maker<nn::AdagradRule>({})},
    {"rmsprop", maker<nn::RMSpropRule>({.momentum = 0.9, .centered = true})},
    {"adadelta", maker<nn::AdadeltaRule>({})}};

// Trains for three steps. Returns all elements of the parameters, and the sum of each tensor in the
// optimiser's state.
std::vector<double> trained(const Make& make, const std::vector<Tensor>& parameters) {
  const auto optimiser = make(parameters);
  for (int step = 0; step < 3; ++step) optimiser->step();
  std::vector<double> all;
  for (const Tensor& parameter : parameters) {
    const auto values = parameter.to_vector<double>();
    all.insert(all.end(), values.begin(), values.end());
  }
  for (const auto& [name, tensor] : optimiser->state()) {
    const auto values = tensor.to_vector<double>();
    all.push_back(std::accumulate(values.begin(), values.end(), 0.0));
  }
  return all;
}

}  // namespace

TEST_CASE("an optimiser's step has the same bits for any number of threads", "[nn][optim][sharing]") {
  for (const auto& [name, make] : optimisers) {
    CAPTURE(name);
    const auto with = [&, &maker = make](int threads) {
      const Threads set(threads);
      Generator generator(1);
      return trained(maker, {random_parameter(size, generator), random_parameter(5, generator),
                             random_parameter(size / 2, generator)});
    };
    const auto alone = with(1);
    CHECK(with(2) == alone);
    CHECK(with(3) == alone);
  }
}

TEST_CASE("every element of a large parameter is updated as in a parameter of its own",
          "[nn][optim][sharing]") {
  for (const auto& [name, make] : optimisers) {
    CAPTURE(name);
    Generator generator(1);
    const Tensor whole = random_parameter(size, generator);
    std::vector<Tensor> parts;
    for (std::int64_t begin = 0; begin < size; begin += 1000) {
      const std::int64_t end = std::min(begin + 1000, size);
      parts.push_back(leaf(whole.detach().slice(begin, end)));
      parts.back().set_grad(whole.grad().slice(begin, end));
    }
    const auto values = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin(), all.begin() + size);
    };
    const auto expected = values(trained(make, parts));
    CHECK(difference(values(trained(make, {whole})), expected, 1e-6) == "");
  }
}

namespace {

// A rule that records the elements of each update. All elements of a parameter must be updated in one call.
struct WholeRule {
  double learning_rate = 1;
  std::vector<std::int64_t>* seen = nullptr;
  static constexpr const char* name = "Whole";
  void check() const {}
  std::vector<std::string> averages() const { return {}; }
  void update(nn::Update& u) const {
    seen->push_back(u.begin);
    seen->push_back(u.end);
  }
};

}  // namespace

TEST_CASE("a rule that is not elementwise updates whole parameters, in their order", "[nn][optim][sharing]") {
  const Threads set(3);
  Generator generator(1);
  std::vector<std::int64_t> seen;
  nn::OptimiserOf<WholeRule> optimiser({random_parameter(size, generator), random_parameter(5, generator)},
                                       WholeRule{.seen = &seen});
  optimiser.step();
  CHECK(seen == std::vector<std::int64_t>{0, size, 0, 5});
}

TEST_CASE("clipping has the same bits for any number of threads", "[nn][clip][sharing]") {
  const auto with = [&](int threads) {
    const Threads set(threads);
    Generator generator(1);
    const Tensor a = random_parameter(size, generator), b = random_parameter(5, generator);
    std::vector<double> all{nn::clip_grad_norm({a, b}, 1)};
    nn::clip_grad_value({a, b}, 0.001);
    for (const Tensor& x : {a, b}) {
      const auto values = x.grad().to_vector<double>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const auto alone = with(1);
  CHECK(with(2) == alone);
  CHECK(with(3) == alone);

  Generator generator(1);
  const Tensor a = random_parameter(size, generator);
  double squares = 0;
  for (const double g : a.grad().to_vector<double>()) squares += g * g;
  CHECK(std::abs(nn::clip_grad_norm({a}, 1) / std::sqrt(squares) - 1) < 1e-12);
}
