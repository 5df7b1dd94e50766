#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "answer.hpp"
#include "kit/invariants.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake unchanged{
    "unchanged", "The parameter did not change.",
    "p = p − … rebinds your copy of the handle; p.replace(…) changes the model's parameter."};
const Mistake one_unchanged{"one-unchanged", "Some parameters did not change, others did.",
                            "Update every parameter that has a gradient, of any shape and size."};
const Mistake t_from_0{"t-from-0", "t is 0 at the first step, and 1 − β⁰ is 0.",
                       "Increment t before the update."};
const Mistake not_a_number{"nan", "√v̂ or a quotient is NaN, although t is right.",
                           "v = β₂ v + (1 − β₂) g² is never negative: print v, v̂ and the quotient."};
const Mistake t_for_each{"t-for-each", "t is incremented for every parameter instead of once per step.",
                         "All parameters use the same t in a step: increment it outside the loop over them."};
const Mistake shared{"shared-moments", "All parameters share one m and one v.",
                     "Every parameter needs its own m and v."};

const Mistake moves_without{"moves-without-gradient",
                            "A parameter without a gradient moves: by m, or by an old gradient.",
                            "Skip a parameter whose grad().defined() is false at this step."};
const Mistake moments_decay{"moments-decay", "m and v shrink in a step without a gradient.",
                            "A step without g_t changes neither m nor v: skip the parameter."};
const Mistake zero_skipped{
    "zero-skipped", "A gradient of 0 counts as a missing one.",
    "Only p.grad().defined() says whether there is a gradient. With g = 0, m still moves θ."};
const Mistake stops_at_missing{"stops-at-missing", "Parameters after one without a gradient are not updated.",
                               "Skip that parameter, and continue with the next."};
const Mistake one_ends_all{"all-or-none", "One missing gradient ends the whole step.",
                           "Skip only the parameter without a gradient: continue, not return."};
const Mistake moments_shifted{"moments-shifted",
                              "m and v of another parameter are used once a gradient is missing.",
                              "Count m and v by parameters, not by gradients."};

// Known faults of an implementation of algorithm 1.
enum class Slip {
  none,
  uphill,
  no_hats,
  hat_on_m_alone,
  hat_on_v_alone,
  t_stays,
  t_from_2,
  epsilon_inside,
  epsilon_before_hat,
  no_epsilon,
  no_square,
  sums_squares,
  not_averaged,
  largest_v,
  largest_raw_v,
  one_tensor,
  no_root,
  forgets,
  hats_kept,
  betas_swapped,
  hats_exchanged,
  root_of_t,
  decays_theta,
  decays_in_g,
  epsilon_squared,
  square_of_m,
  nesterov,
  starts_at_g,
  m_starts_at_g,
  t_behind,
};

const std::vector<std::pair<Slip, Mistake>> slips = {
    {Slip::uphill, {"uphill", "The step increases the loss.", "θ moves against its gradient: subtract."}},
    {Slip::no_hats,
     {"no-hats", "The update uses m and v without the bias correction.",
      "At step 1, m̂ must equal g: divide by 1 − β₁ᵗ."}},
    {Slip::hat_on_m_alone, {"one-hat", "The update uses v instead of v̂.", "v̂ = v / (1 − β₂ᵗ)."}},
    {Slip::hat_on_v_alone, {"one-hat", "The update uses m instead of m̂.", "m̂ = m / (1 − β₁ᵗ)."}},
    {Slip::t_stays, {"t-stays", "t is 1 at every step.", "t counts the calls of step()."}},
    {Slip::t_from_2,
     {"t-from-2", "t is 2 at the first step.", "Increment t once per step, before the update."}},
    {Slip::epsilon_before_hat,
     {"epsilon-before-hat", "ε is added to √v, before the bias correction, as in TensorFlow.",
      "√v̂ + ε: correct v first, then take the root and add ε."}},
    {Slip::sums_squares,
     {"sums-squares", "v is the sum of all g², as in Adagrad.", "v = β₂ v + (1 − β₂) g²."}},
    {Slip::not_averaged, {"not-averaged", "m adds g without the factor 1 − β₁.", "m = β₁ m + (1 − β₁) g."}},
    {Slip::largest_v,
     {"largest-v", "The largest v̂ so far is used, as in AMSGrad.", "√v̂ is that of this step."}},
    {Slip::largest_raw_v,
     {"largest-v", "The largest v̂ so far is used, as in AMSGrad.", "√v̂ is that of this step."}},
    {Slip::epsilon_inside, {"epsilon-inside", "ε is added under the root.", "√v̂ + ε: take the root first."}},
    {Slip::no_epsilon, {"no-epsilon", "ε is missing.", "√v̂ + ε: what happens when a gradient is 0?"}},
    {Slip::no_square,
     {"no-square", "v averages |g| instead of g².", "v = β₂ v + (1 − β₂) g², element by element."}},
    {Slip::no_root,
     {"no-root", "The update divides by v̂ instead of its root.",
      "√v̂ has the magnitude of g, so that the step has that of α."}},
    {Slip::forgets,
     {"forgets", "m and v are reset at every step.",
      "Keep m and v in members, and compute each new value from the old one."}},
    {Slip::hats_kept,
     {"hats-kept", "m̂ and v̂ were stored in m and v.",
      "Keep m and v uncorrected, and compute m̂ and v̂ from them at each step."}},
    {Slip::betas_swapped, {"betas-swapped", "β₁ and β₂ are swapped.", "m uses β₁, v uses β₂."}},
    {Slip::hats_exchanged,
     {"hats-exchanged", "m is corrected with β₂, and v with β₁.", "m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ)."}},
    {Slip::root_of_t, {"decaying-rate", "α is divided by the root of t.", "Algorithm 1 has a constant α."}},
    {Slip::decays_theta,
     {"weight-decay", "θ shrinks by 0.01 α in each step: weight decay, as in AdamW.",
      "Algorithm 1 has no weight decay."}},
    {Slip::decays_in_g,
     {"weight-decay", "0.01 θ is added to the gradient: weight decay.", "Algorithm 1 has no weight decay."}},
    {Slip::epsilon_squared,
     {"epsilon-inside", "ε² is added under the root.", "√v̂ + ε: take the root first, then add ε."}},
    {Slip::square_of_m, {"square-of-m", "v averages m², not g².", "v = β₂ v + (1 − β₂) g²: use g itself."}},
    {Slip::nesterov,
     {"nesterov", "m̂ looks one step ahead, as in NAdam.", "m̂ = m / (1 − β₁ᵗ), without this step's g again."}},
    {Slip::starts_at_g,
     {"starts-at-g", "m and v start at the first gradient.",
      "m_0 = v_0 = 0: the bias correction makes up for it."}},
    {Slip::m_starts_at_g,
     {"starts-at-g", "m starts at the first gradient.",
      "m_0 = v_0 = 0: the bias correction makes up for it."}},
    {Slip::one_tensor,
     {"one-tensor", "m and v are the same tensor.",
      "A copy of a Tensor refers to the same numbers: make m and v with zeros() each."}},
    {Slip::t_behind,
     {"t-behind", "t is 0 at the first step, where nothing is corrected, and then one too small.",
      "Increment t once per step, before the update."}},
};

// Algorithm 1 for one element, with the given slip.
struct Element {
  double theta, m = 0, v = 0, largest = 0;

  void update(double g, double t, const AdamOptions& o, Slip slip) {
    double beta_1 = o.beta_1, beta_2 = o.beta_2;
    if (slip == Slip::betas_swapped) std::swap(beta_1, beta_2);
    if (slip == Slip::forgets) m = v = 0;
    if (slip == Slip::t_stays) t = 1;
    if (slip == Slip::t_from_2) ++t;
    if (slip == Slip::decays_in_g) g += 0.01 * theta;
    if (slip == Slip::decays_theta) theta *= 1 - 0.01 * o.alpha;
    m = beta_1 * m + (slip == Slip::not_averaged ? 1 : 1 - beta_1) * g;
    v = slip == Slip::sums_squares ? v + g * g
                                   : beta_2 * v + (1 - beta_2) * (slip == Slip::no_square     ? std::abs(g)
                                                                  : slip == Slip::square_of_m ? m * m
                                                                                              : g * g);
    if (slip == Slip::one_tensor) m = v = beta_2 * m + (1 - beta_2) * g * g;
    if (slip == Slip::starts_at_g && t == 1) m = g, v = g * g;
    if (slip == Slip::m_starts_at_g && t == 1) m = g;
    if (slip == Slip::t_behind) --t;
    const bool correct_m = slip != Slip::no_hats && slip != Slip::hat_on_v_alone && t > 0;
    const bool correct_v = slip != Slip::no_hats && slip != Slip::hat_on_m_alone && t > 0;
    if (slip == Slip::hats_exchanged) std::swap(beta_1, beta_2);
    double m_hat = correct_m ? m / (1 - std::pow(beta_1, t)) : m;
    const double v_hat = correct_v ? v / (1 - std::pow(beta_2, t)) : v;
    if (slip == Slip::nesterov) m_hat = beta_1 * m_hat + (1 - beta_1) * g / (1 - std::pow(beta_1, t));
    if (slip == Slip::hats_kept) m = m_hat, v = v_hat;
    const double epsilon = slip == Slip::no_epsilon ? 0 : o.epsilon;
    double size = std::sqrt(v_hat) + epsilon;
    if (slip == Slip::epsilon_inside) size = std::sqrt(v_hat + epsilon);
    if (slip == Slip::epsilon_before_hat)
      size = (std::sqrt(v) + epsilon) / std::sqrt(1 - std::pow(beta_2, t));
    if (slip == Slip::largest_raw_v)
      size = std::sqrt((largest = std::max(largest, v)) / (1 - std::pow(beta_2, t))) + epsilon;
    if (slip == Slip::largest_v) size = std::sqrt(largest = std::max(largest, v_hat)) + epsilon;
    if (slip == Slip::epsilon_squared) size = std::sqrt(v_hat + epsilon * epsilon);
    if (slip == Slip::no_root) size = v_hat + epsilon;
    if (slip == Slip::root_of_t) size *= std::sqrt(t);
    theta -= (slip == Slip::uphill ? -1 : 1) * o.alpha * m_hat / size;
  }
};

// Parameters, and their gradient at each step.
struct Case {
  std::vector<Tensor> parameters;
  std::vector<std::vector<Tensor>> gradients;  // [step][parameter]
  AdamOptions options;
};

Case example(const std::vector<Shape>& shapes, int steps, double size = 1) {
  Generator generator(3);
  Case c{.parameters = {},
         .gradients = {},
         .options = {.alpha = 0.1, .beta_1 = 0.8, .beta_2 = 0.95, .epsilon = 1e-3}};
  for (const Shape& shape : shapes)
    c.parameters.push_back(normal(shape, 0, 1, generator, Dtype::f64).set_requires_grad());
  for (int t = 0; t < steps; ++t) {
    std::vector<Tensor>& now = c.gradients.emplace_back();
    for (const Shape& shape : shapes) now.push_back(normal(shape, 0, size, generator, Dtype::f64));
  }
  return c;
}

// Parameter k after all steps, with the given slip.
Plain after(const Case& c, std::size_t k, Slip slip = Slip::none) {
  std::vector<double> values = c.parameters[k].to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element{values[i]};
    for (std::size_t t = 0; t < c.gradients.size(); ++t)
      element.update(c.gradients[t][k].to_vector<double>()[i], static_cast<double>(t + 1), c.options, slip);
    values[i] = element.theta;
  }
  return Plain(tensor(values, c.parameters[k].shape()));
}

// Parameter k after all steps of a wrong Adam. `moments`: all parameters share m and v. `count_each`: t grows
// by 1 per parameter, not per step. All parameters have the same shape.
Plain after_sharing(const Case& c, std::size_t k, bool moments, bool count_each) {
  std::vector<double> values = c.parameters[k].to_vector<double>();
  const std::size_t n = c.parameters.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<Element> elements(n);
    elements[k].theta = values[i];
    for (std::size_t t = 0; t < c.gradients.size(); ++t) {
      for (std::size_t j = 0; j < n; ++j) {
        if (moments) {
          const Element& last = elements[(j + n - 1) % n];
          elements[j].m = last.m;
          elements[j].v = last.v;
        }
        const double count = static_cast<double>(count_each ? t * n + j + 1 : t + 1);
        elements[j].update(c.gradients[t][j].to_vector<double>()[i], count, c.options, Slip::none);
      }
    }
    values[i] = elements[k].theta;
  }
  return Plain(tensor(values, c.parameters[k].shape()));
}

// Parameter k after all steps of a wrong Adam that replaces one constant, or both β₁ and β₂, by the default.
std::vector<exercise::Suspect> constant_suspects(const Case& c, std::size_t k) {
  const AdamOptions usual;
  std::vector<exercise::Suspect> all;
  const auto add = [&](const std::string& name, const auto& change) {
    Case other = c;
    change(other.options);
    all.push_back({{"constant", name + " has its usual value, whatever the constructor gets.",
                    "Store all arguments of the constructor, and use them."},
                   after(other, k)});
  };
  add("α", [&](AdamOptions& o) { o.alpha = usual.alpha; });
  add("ε", [&](AdamOptions& o) { o.epsilon = usual.epsilon; });
  add("β₁", [&](AdamOptions& o) { o.beta_1 = usual.beta_1; });
  add("β₂", [&](AdamOptions& o) { o.beta_2 = usual.beta_2; });
  add("β₁ and β₂", [&](AdamOptions& o) { o.beta_1 = usual.beta_1, o.beta_2 = usual.beta_2; });
  return all;
}

std::vector<exercise::Suspect> suspects(const Case& c, std::size_t k) {
  std::vector<exercise::Suspect> all = constant_suspects(c, k);
  for (const auto& [slip, mistake] : slips) all.push_back({mistake, after(c, k, slip)});
  return all;
}

// Checks that step() has changed no gradient. `gradient` is the tensor that was the parameter's gradient
// before the step, and `before` holds its values from that time. If step() has set another tensor as the
// gradient, this tensor must have the same values.
void expect_same_gradient(const Tensor& gradient, const Tensor& parameter, const Tensor& before) {
  for (const Tensor& now : {gradient, parameter.grad()}) {
    if (!now.defined() || !before.defined()) continue;
    exercise::expect_values("the gradient after step()", now, Plain(before), {},
                            {"changes-gradient", "step() changed a gradient.",
                             "Make new tensors: the caller may read the gradient again."});
  }
}

// Clones of the case's parameters, after the answer's steps.
std::vector<Tensor> run(const MakeAdam& make, const Case& c) {
  std::vector<Tensor> parameters;
  for (const Tensor& theta : c.parameters) parameters.push_back(theta.clone().set_requires_grad());
  const std::function<void()> step = make(parameters, c.options);
  for (const std::vector<Tensor>& now : c.gradients) {
    for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k].set_grad(now[k]);
    std::vector<Tensor> gradients;
    for (const Tensor& p : parameters) gradients.push_back(p.grad());
    step();
    for (std::size_t k = 0; k < parameters.size(); ++k)
      expect_same_gradient(gradients[k], parameters[k], now[k]);
  }
  return parameters;
}

// After one step, several mistakes give the same θ. If some mistakes give the answer's θ after six steps,
// only these are suspects.
std::vector<exercise::Suspect> first_suspects(const MakeAdam& make, const Case& c) {
  const Case longer = example({{2, 3}}, 6);
  const Tensor theta = run(make, longer)[0];
  std::vector<exercise::Suspect> first = suspects(c, 0), later = suspects(longer, 0), both;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (has_values(theta, later[i].values)) both.push_back(first[i]);
  return both.empty() ? first : both;
}

void one_step(const MakeAdam& make) {
  Case c = example({{2, 3}}, 1);
  c.gradients[0][0] = abs(c.gradients[0][0]);
  const Tensor theta = run(make, c)[0];
  exercise::expect_shape("θ", theta, {2, 3}, "(2, 3)");
  const std::vector<double> values = theta.to_vector<double>();
  exercise::expect(values != c.parameters[0].to_vector<double>(), unchanged, "One step left θ unchanged.");
  if (std::isnan(values[0])) {
    Case still = c;  // t = 0 gives NaN for a gradient of 0 as well: m̂ = 0/0
    still.gradients[0][0] = zeros({2, 3}, Dtype::f64);
    const bool also = std::isnan(run(make, still)[0].to_vector<double>()[0]);
    exercise::expect(false, also ? t_from_0 : not_a_number, "θ is NaN after the first step.");
  }
  exercise::expect_given(
      [&] {
        return "α 0.1, β₁ 0.8, β₂ 0.95, ε 0.001; θ before: " + row_text(Plain(c.parameters[0]), 0) +
               "; g: " + row_text(Plain(c.gradients[0][0]), 0);
      },
      [&] { exercise::expect_values("θ after one step", theta, after(c, 0), first_suspects(make, c)); });
  exercise::expect_values("θ after one step of a second optimiser", run(make, c)[0], after(c, 0), {},
                          exercise::remembers);
}

void several_steps(const MakeAdam& make) {
  const Case c = example({{2, 3}}, 6);
  exercise::expect_values("θ after 6 steps", run(make, c)[0], after(c, 0), suspects(c, 0));
  // The last gradient is much larger than the others. With β₁ much smaller than β₂, |m̂| then exceeds √v̂.
  Case steep = example({{2, 3}}, 10);
  steep.options.beta_1 = 0.5;
  steep.options.beta_2 = 0.99;
  steep.gradients.back()[0] = 100.0 * steep.gradients.back()[0];
  exercise::expect_values("θ after a large gradient", run(make, steep)[0], after(steep, 0),
                          suspects(steep, 0),
                          {"limited", "Large gradients or large steps were limited.",
                           "Algorithm 1 has no limit: m̂ / (√v̂ + ε) may exceed 1."});
}

void same_shape(const MakeAdam& make) {
  const Case c = example({{2, 3}, {2, 3}}, 4);
  const std::vector<Tensor> got = run(make, c);
  for (std::size_t k = 0; k < got.size(); ++k) {
    exercise::expect_values(
        "parameter " + std::to_string(k) + " after 4 steps", got[k], after(c, k),
        {{shared, after_sharing(c, k, true, false)}, {t_for_each, after_sharing(c, k, false, true)}});
  }
}

void different_shapes(const MakeAdam& make) {
  const Case c = example({{3, 4}, {4}, {2, 1, 3}, {}}, 4);
  const std::vector<Tensor> got = run(make, c);
  for (std::size_t k = 0; k < got.size(); ++k)
    exercise::expect_values("parameter " + std::to_string(k) + " after 4 steps", got[k], after(c, k),
                            {{k == 0 ? unchanged : one_unchanged, Plain(c.parameters[k])}});
}

// Ways to treat a parameter without a gradient. Only `skipped` and `counted_alone` are right.
enum class Missing {
  skipped,
  counted_alone,
  decays,
  moved_by_m,
  moved_by_old,
  stops,
  waits,
  all_or_none,
  shifts
};

// All parameters after all steps, for one way to treat missing gradients. The parameters have equal shapes.
std::vector<Plain> after_missing(const Case& c, Missing how) {
  const std::size_t n = c.parameters.size();
  std::vector<Plain> result(c.parameters.begin(), c.parameters.end());
  std::vector<std::vector<double>> values;
  for (const Plain& theta : result) values.push_back(theta.values());
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    std::vector<Element> elements(n), slots(n);
    std::vector<double> own(n), old(n);
    double t = 0;
    for (std::size_t k = 0; k < n; ++k) elements[k].theta = values[k][i];
    for (const std::vector<Tensor>& now : c.gradients) {
      if (how == Missing::waits && !now[0].defined()) continue;
      ++t;
      if (how == Missing::all_or_none && !std::ranges::all_of(now, &Tensor::defined)) continue;
      std::size_t used = 0;
      for (std::size_t k = 0; k < n; ++k) {
        if (how == Missing::stops && !now[k].defined()) break;
        if (now[k].defined()) {
          old[k] = now[k].to_vector<double>()[i];
        } else if (how == Missing::decays) {
          slots[k].m *= c.options.beta_1, slots[k].v *= c.options.beta_2;
          continue;
        } else if (how != Missing::moved_by_m && (how != Missing::moved_by_old || own[k] == 0)) {
          continue;
        }
        ++own[k];
        const bool zero = !now[k].defined() && how == Missing::moved_by_m;
        Element& slot = slots[how == Missing::shifts ? used++ : k];
        slot.theta = elements[k].theta;
        slot.update(zero ? 0 : old[k], how == Missing::counted_alone ? own[k] : t, c.options, Slip::none);
        elements[k].theta = slot.theta;
      }
    }
    for (std::size_t k = 0; k < n; ++k) values[k][i] = elements[k].theta;
  }
  for (std::size_t k = 0; k < n; ++k) result[k] = Plain(tensor(values[k], c.parameters[k].shape()));
  return result;
}

// Checks steps with missing gradients: parameter k has none at the steps gone[k]. Counting t per parameter,
// as PyTorch does, is also right.
void missing_gradients(const MakeAdam& make, const std::vector<std::vector<std::size_t>>& gone,
                       const std::string& when) {
  Case c = example(std::vector<Shape>(gone.size(), {2, 3}), 4);
  for (std::size_t k = 0; k < gone.size(); ++k)
    for (const std::size_t t : gone[k]) c.gradients[t][k] = Tensor();
  const std::vector<Tensor> got = run(make, c);
  const auto by = [&](Missing how) { return after_missing(c, how); };
  const std::vector<Plain> right = by(Missing::skipped), alone = by(Missing::counted_alone);
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (exercise::has_values(got[k], alone[k])) continue;
    exercise::expect_values("parameter " + std::to_string(k) + when, got[k], right[k],
                            {{moments_decay, by(Missing::decays)[k]},
                             {moves_without, by(Missing::moved_by_m)[k]},
                             {moves_without, by(Missing::moved_by_old)[k]},
                             {stops_at_missing, by(Missing::stops)[k]},
                             {stops_at_missing, by(Missing::waits)[k]},
                             {one_ends_all, by(Missing::all_or_none)[k]},
                             {moments_shifted, by(Missing::shifts)[k]}});
  }
}

void no_gradient(const MakeAdam& make) {
  missing_gradients(make, {{}, {0, 1, 2, 3}}, ", where the last has no gradient");
  missing_gradients(make, {{0, 1, 2, 3}, {}, {}}, ", where the first has no gradient");
  missing_gradients(make, {{}, {2, 3}, {}}, ", where one has no gradient after two steps");
  missing_gradients(make, {{0, 2}, {}, {1}}, ", where two have no gradient at some steps");
}

// One gradient is 0 everywhere at one step. A gradient of 0 is not a missing gradient.
void zero_gradient(const MakeAdam& make) {
  Case c = example({{2, 3}, {2, 3}}, 4);
  Case missing = c;
  c.gradients[2][0] = zeros({2, 3}, Dtype::f64);
  missing.gradients[2][0] = Tensor();
  const std::vector<Tensor> got = run(make, c);
  for (std::size_t k = 0; k < got.size(); ++k)
    exercise::expect_values("parameter " + std::to_string(k) + ", where one gradient is 0", got[k],
                            after(c, k),
                            {{zero_skipped, after_missing(missing, Missing::skipped)[k]},
                             {zero_skipped, after_missing(missing, Missing::counted_alone)[k]}});
}

void in_f32(const MakeAdam& make) {
  Case c = example({{2, 3}}, 3);
  c.parameters[0] = c.parameters[0].detach().to(Dtype::f32);
  for (std::vector<Tensor>& now : c.gradients) now[0] = now[0].to(Dtype::f32);
  const Tensor theta = run(make, c)[0];
  exercise::expect(theta.dtype() == Dtype::f32, {"dtype", "", "m and v must have the parameter's dtype."},
                   "The dtype of an f32 parameter changed.");
  exercise::expect_values("θ in f32, after 3 steps", theta, after(c, 0), suspects(c, 0),
                          {"f32-differs", "Parameters in f32 are updated in another way than those in f64.",
                           "The algorithm is the same for both: look for a branch on the dtype."},
                          1e-5);
}

void learns_reversal(const MakeAdam& make) {
  constexpr int steps = 400;
  const data::Reversal task(10, 3, 8);
  const auto model = models::make_bahdanau({.vocabulary = task.vocabulary_size()});
  const std::vector<Tensor> parameters = model->parameters();
  const auto step = make(parameters, {.alpha = 3e-3});
  const auto next_batch = tutorial::training_batches(task, 1);
  double first = 0, last = 0;
  for (int t = 0; t < steps; ++t) {
    const Tensor L = models::loss(*model, next_batch()).total;
    (t == 0 ? first : last) = L.item();
    for (Tensor parameter : parameters) parameter.zero_grad();
    L.backward();
    nn::clip_grad_norm(parameters, 1);
    step();
  }
  model->eval();
  const double exact = tutorial::measure(*model, task, {4}).at(4).exact.fraction();
  std::cout << "          tutorial 10's model, " << steps << " steps: the loss went from "
            << tutorial::decimals(first) << " to " << tutorial::decimals(last) << "; it reverses "
            << tutorial::decimals(100 * exact, 1) << " % of unseen sequences of length 4\n";
  exercise::expect(
      exact > 0.5,
      {"training", "", "Each step is right on its own: does your class keep state that it should not?"},
      "The model did not learn to reverse sequences of length 4.", tutorial::decimals(exact), "above 0.5");
}

}  // namespace

exercise::Exercise adam_exercise(const MakeAdam& make) {
  return {.name = "adam",
          .stages = {{"one step", [=] { one_step(make); }},
                     {"several steps", [=] { several_steps(make); }},
                     {"parameters of the same shape", [=] { same_shape(make); }},
                     {"parameters of different shapes", [=] { different_shapes(make); }},
                     {"a parameter without a gradient", [=] { no_gradient(make); }},
                     {"a gradient of 0", [=] { zero_gradient(make); }},
                     {"f32", [=] { in_f32(make); }},
                     {"learning to reverse", [=] { learns_reversal(make); }, true}}};
}
