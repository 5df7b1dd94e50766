#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"
#include "kit/training.hpp"
#include "museum/subject.hpp"

namespace {

using exercise::AttentionSizes;
using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

constexpr AttentionSizes sizes{.query = 7, .value = 4, .energy = 6};
constexpr auto A = static_cast<double>(sizes.energy);

std::vector<exercise::Parameter> parameters(const AttentionSizes& n) {
  return {{"v_a", {n.energy}, "(A)"},
          {"W_a.weight", {n.energy, n.query}, "(A, Q)"},
          {"U_a.weight", {n.energy, n.value}, "(A, D)"}};
}

exercise::PlainEnergies summed(const exercise::AdditiveTerm& term) {
  return [term](const nn::Module& attention, const Plain& query, const Plain& values) {
    return exercise::additive_energies(attention, query, values, term);
  };
}

// tanh(v_a · (W_a s + U_a h))
Plain tanh_outside(const nn::Module& attention, const Plain& query, const Plain& values) {
  Plain e = exercise::additive_energies(attention, query, values,
                                        [](double v, double x, double y) { return v * (x + y); });
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (std::int64_t t = 0; t < e.size(1); ++t) e(b, t) = std::tanh(e(b, t));
  return e;
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<exercise::AttentionTask::EnergySuspect> suspects() {
  const std::string not_scaled = "e_tj is a plain sum over the A products v_a · tanh(…).";
  return {
      {{"no-tanh", "The tanh is missing, so the weights do not depend on the query.",
        "Without tanh, v_a · W_a s is the same number for every position, and cancels in the softmax."},
       summed([](double v, double x, double y) { return v * (x + y); })},
      {{"tanh-outside", "The tanh is applied to v_a · (…).",
        "Apply tanh to each of the A sums, then multiply by v_a."},
       tanh_outside},
      {{"no-keys", "The energies do not depend on the values: every position has the same weight.",
        "e_tj depends on h_j."},
       summed([](double v, double x, double) { return v * std::tanh(x); })},
      {{"no-query", "The query is missing or cancels in the softmax: the weights are the same at every step.",
        "e_tj depends on s_{t−1}, which must be in the same tanh as h_j."},
       summed([](double v, double, double y) { return v * std::tanh(y); })},
      {{"sigmoid", "A sigmoid is used in place of tanh.", "tanh has values between −1 and 1."},
       summed([](double v, double x, double y) { return v * sigmoid_of(x + y); })},
      {{"relu", "A ReLU is used in place of tanh.",
        "tanh has values between −1 and 1, negative ones as well."},
       summed([](double v, double x, double y) { return v * std::max(0.0, x + y); })},
      {{"product", "W_a s and U_a h are multiplied.", "Additive attention adds them."},
       summed([](double v, double x, double y) { return v * std::tanh(x * y); })},
      {{"v-inside", "v_a is multiplied inside the tanh.", "Apply the tanh first, then multiply by v_a."},
       summed([](double v, double x, double y) { return std::tanh(v * (x + y)); })},
      {{"tanh-twice", "A tanh is also applied to the query or to the keys.",
        "One tanh, of the sum W_a s + U_a h_j."},
       summed([](double v, double x, double y) { return v * std::tanh(x + std::tanh(y)); })},
      {{"tanh-twice", "A tanh is also applied to the query or to the keys.",
        "One tanh, of the sum W_a s + U_a h_j."},
       summed([](double v, double x, double y) { return v * std::tanh(std::tanh(x) + y); })},
      {{"no-v", "The elements of tanh(…) are summed without v_a.", "v_a weights each of the A elements."},
       summed([](double, double x, double y) { return std::tanh(x + y); })},
      {{"squared", "The elements of tanh(…) are squared.", "e_tj = Σ_a v_a tanh(…)."},
       summed([](double v, double x, double y) { return v * std::tanh(x + y) * std::tanh(x + y); })},
      {{"mean-over-energies", "The energies are the mean over A, not the sum.", not_scaled},
       summed([](double v, double x, double y) { return exercise::additive_term(v, x, y) / A; })},
      {{"scaled", "The energies are divided by √A.", not_scaled + " Only dot-product attention divides."},
       summed([](double v, double x, double y) { return exercise::additive_term(v, x, y) / std::sqrt(A); })},
  };
}

// Two sentences, of 5 and 2 tokens, and their queries.
struct Sentences {
  Tensor query, values, lengths;
};

Sentences sentences() {
  Generator generator(11);
  return {normal({2, sizes.query}, 0, 1, generator, Dtype::f64),
          normal({5, 2, sizes.value}, 0, 1, generator, Dtype::f64), tensor({5, 2}, Dtype::i64)};
}

std::unique_ptr<nn::Attention> in_double(const MakeAdditiveAttention& make) {
  auto attention = make(sizes);
  attention->to(Dtype::f64);
  attention->eval();
  exercise::fill(*attention);
  return attention;
}

// Attends with a random v_a, then with v_a = 0, its initial value in the paper. Detects cached
// results.
void without_v(const MakeAdditiveAttention& make) {
  const auto attention = in_double(make);
  const Sentences s = sentences();
  attention->attend(s.query, attention->prepare(s.values, s.lengths), 0, Tensor());
  for (auto& [name, parameter] : attention->named_parameters()) {
    if (name == "v_a") Tensor(parameter).replace(zeros({sizes.energy}, Dtype::f64));
  }
  const nn::Attention::Result result =
      attention->attend(s.query, attention->prepare(s.values, s.lengths), 0, Tensor());
  const std::vector<double> weights = result.weights.to_vector<double>();
  exercise::expect(
      std::ranges::none_of(weights, [](double weight) { return std::isnan(weight); }),
      {"nan-of-zeros", "", "Does an energy of 0 stand for a pad in your code, or is it a divisor?"},
      "The weights with v_a = 0, where all energies are 0, contain NaN.");
  exercise::expect_values(
      "weights with v_a = 0", result.weights, exercise::plain_weights(Plain(Shape{2, 5}), {5, 2}),
      {{{"zeros-masked", "Positions with the energy 0 are treated as pads.",
         "Only the lengths tell which positions are pads."},
        Plain(Shape{2, 5})}},
      {"v-zero", "The energies were not computed from the current parameters.",
       "With v_a = 0 all energies are 0, so that all real positions have the same weight."});
}

void training(const MakeAdditiveAttention& make) {
  const exercise::Reversals task;
  const auto model = exercise::bahdanau_with(
      [&](const models::AttentionSizes& n) { return make({n.query, n.value, n.energy}); }, task);
  const exercise::ByLength measured = exercise::train_on_reversals("your attention", *model, task);
  exercise::print(measured);
  exercise::expect_learnt(measured, 0.9);
  exercise::show_beside_library(*model, task);
}

}  // namespace

exercise::Exercise additive_attention_exercise(const MakeAdditiveAttention& make) {
  std::vector<exercise::Stage> stages =
      exercise::attention_stages({.make = make,
                                  .sizes = sizes,
                                  .parameters = parameters,
                                  .energies = summed(exercise::additive_term),
                                  .suspects = suspects()});
  stages.insert(stages.end() - 1, {"v_a = 0", [=] { without_v(make); }});
  stages.push_back({"training: reversal with Bahdanau's decoder", [=] { training(make); }, true});
  return {.name = "additive_attention",
          .stages = std::move(stages),
          .programs = {[make](const museum::Sizes& n) {
            return museum::around(n, make({.query = n.hidden, .value = n.annotation(), .energy = n.energy}));
          }}};
}
