// Local attention (section 3.2): local-m and local-p, both with the energies of general.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace {

using exercise::AttentionSizes;
using exercise::expect_shape;
using exercise::expect_values;
using exercise::Mistake;
using exercise::parameter;
using exercise::Parameter;
using exercise::Plain;
using exercise::Suspect;
using gradus::Dtype;
using gradus::Tensor;
using gradus::nn::Attention;
using Lengths = std::vector<std::int64_t>;

constexpr AttentionSizes sizes{.query = 4, .value = 6, .energy = 5};
constexpr std::int64_t T = 9;
constexpr double w = 2;
const Lengths all_real = {T, T, T}, some_padding = {T, 7, 4};

// Known faults.
enum class Fault {
  none,
  // the mask
  no_mask,
  mask_after_softmax,
  // the window
  no_window,
  narrow,  // |j − p| < w
  wide,    // |j − p| ≤ w + 1
  past_only,
  zero_outside,  // energies outside are 0
  cut_afterwards,
  // the centre
  too_early,
  too_late,
  step_ignored,  // p = 0
  not_clamped,
  clamped_late,  // clamped to S instead of S − 1
  batch_length,  // uses T in place of S
  // eq. 9
  last_position,  // (S − 1) σ(…)
  no_sigmoid,
  no_inner_tanh,
  rounded,
  // eq. 10
  no_gaussian,
  wide_gaussian,    // σ = w
  narrow_gaussian,  // σ² in place of 2σ²
  rising_gaussian,  // exp(+…)
  gaussian_on_energies,
  renormalised,
};

struct Known {
  Fault fault;
  Mistake mistake;
};

const std::vector<Known>& known_of_both() {
  // At the end of a source a late centre looks like a narrow window: these two come first.
  static const std::vector<Known> known = {
      {Fault::batch_length,
       {"batch-length", "p_t is computed with T, the longest length of the batch.",
        "S is the length of the sentence: memory.lengths as (B, 1)."}},
      {Fault::clamped_late,
       {"past-the-end", "p_t reaches one position past the end of the source.",
        "Positions are numbered from 0: the last one is S − 1."}},
      {Fault::no_window,
       {"no-window", "The window is missing: all real positions have weight.",
        "Set the energies with |j − p_t| > w to −∞ before the softmax."}},
      {Fault::narrow,
       {"window-too-narrow", "The window lacks one position at both ends.",
        "[p_t − w, p_t + w] includes its ends: only |j − p_t| > w is outside."}},
      {Fault::wide,
       {"window-too-wide", "The window is too wide.", "Positions with |j − p_t| > w are outside."}},
      {Fault::past_only,
       {"one-sided", "The window ends at p_t.", "The window extends to both sides: j − p_t in [−w, w]."}},
      {Fault::zero_outside,
       {"zero-score", "The energies outside the window were set to 0, not the weights.",
        "e^0 = 1: set those energies to −∞."}},
      {Fault::cut_afterwards,
       {"window-after-softmax",
        "The softmax runs over the whole sentence, and the window is applied afterwards.",
        "Set the energies outside the window to −∞ before the softmax."}},
      {Fault::too_early,
       {"centre-too-early", "The window is centred one position too early.",
        "Positions j and steps t are both numbered from 0."}},
      {Fault::too_late,
       {"centre-too-late", "The window is centred one position too late.",
        "Positions j and steps t are both numbered from 0: the argument step of attend() is t."}},
      {Fault::no_mask,
       {"no-mask", "The pads got weight, as if they were tokens.",
        "masked_softmax(e, memory.lengths) excludes them."}},
      {Fault::mask_after_softmax,
       {"mask-after-softmax", "The weights were masked after the softmax.",
        "Mask the energies, so that the softmax runs over the real positions in the window."}},
  };
  return known;
}

const std::vector<Known>& known_of_m() {
  static const std::vector<Known> known = {
      {Fault::step_ignored,
       {"step-ignored", "The window stays at the first position.",
        "Use the argument step of attend(). A counter in a member is wrong when beam search reorders rows."}},
      {Fault::not_clamped,
       {"past-the-end", "p_t moves past the end of the source.",
        "p_t = min(t, S − 1): the window stops at the last token."}}};
  return known;
}

const std::vector<Known>& known_of_p() {
  static const std::vector<Known> known = {
      {Fault::last_position, {"scaled-by-s-1", "p_t is computed with S − 1.", "Eq. 9: p_t = S · σ(…)."}},
      {Fault::no_sigmoid,
       {"no-sigmoid", "The sigmoid is missing in p_t.", "σ maps to (0, 1), a fraction of the sentence."}},
      {Fault::no_inner_tanh,
       {"no-tanh", "The tanh is missing in p_t.", "Eq. 9: p_t = S · σ(v_p · tanh(W_p s_t))."}},
      {Fault::rounded,
       {"rounded", "p_t is rounded to a whole position.",
        "p_t is a real number: rounding removes its gradient, so that W_p would not learn."}},
      {Fault::no_gaussian,
       {"no-gaussian", "The Gaussian is missing.", "Eq. 10: the softmax times exp(−(j − p_t)² / 2σ²)."}},
      {Fault::wide_gaussian, {"sigma", "σ is w instead of w/2.", "Section 3.2: σ = w/2 (the paper: D/2)."}},
      {Fault::narrow_gaussian, {"no-two", "The exponent is −(j − p_t)²/σ².", "Eq. 10 divides by 2σ²."}},
      {Fault::rising_gaussian,
       {"gaussian-sign", "The Gaussian grows with the distance.", "The exponent is negative."}},
      {Fault::gaussian_on_energies,
       {"gaussian-before-softmax", "The Gaussian multiplies the energies.",
        "Eq. 10: it multiplies the weights, after the softmax."}},
      {Fault::renormalised,
       {"renormalised", "The weights were normalised again after the Gaussian.",
        "Eq. 10 ends with the product: the weights sum to less than 1. (Adding the Gaussian's logarithm to "
        "the energies renormalises, too.)"}},
  };
  return known;
}

struct Task {
  Luong::MakeLocal make;
  bool predictive;
};

struct Case {
  Tensor query, values;  // (B, Q), (T, B, D)
  Lengths lengths;
};

Case example(const Lengths& lengths) {
  gradus::Generator generator(3);
  const auto B = std::ssize(lengths);
  return {gradus::normal({B, sizes.query}, 0, 1, generator, Dtype::f64),
          gradus::normal({T, B, sizes.value}, 0, 1, generator, Dtype::f64), lengths};
}

std::unique_ptr<Attention> make(const Task& task) {
  auto attention = task.make(sizes, w);
  attention->to(Dtype::f64);
  attention->eval();
  exercise::fill(*attention);
  return attention;
}

Attention::Result run(const Attention& attention, const Case& c, std::int64_t step) {
  return attention.attend(c.query, attention.prepare(c.values, gradus::tensor(c.lengths)), step, Tensor());
}

// --- the equations, in plain loops

// v_p · tanh(W_p s)
double position_score(const Attention& attention, const Plain& query, std::int64_t b, bool with_tanh) {
  const Plain W = parameter(attention, "W_p.weight"), v = parameter(attention, "v_p.weight");
  double score = 0;
  for (std::int64_t a = 0; a < W.size(0); ++a) {
    double x = 0;
    for (std::int64_t q = 0; q < W.size(1); ++q) x += W(a, q) * query(b, q);
    score += v(0, a) * (with_tanh ? std::tanh(x) : x);
  }
  return score;
}

// p_t of sentence b
double centre(const Attention& attention, const Plain& query, const Task& task, std::int64_t b, double S,
              std::int64_t step, Fault fault) {
  const double shift = fault == Fault::too_early ? -1 : fault == Fault::too_late ? 1 : 0;
  if (fault == Fault::batch_length) S = T;
  if (!task.predictive) {
    const auto t = fault == Fault::step_ignored ? 0 : static_cast<double>(step);
    const double last = fault == Fault::clamped_late ? S : S - 1;
    return (fault == Fault::not_clamped ? t : std::min(t, last)) + shift;
  }
  const double score = position_score(attention, query, b, fault != Fault::no_inner_tanh);
  const double share = fault == Fault::no_sigmoid ? score : 1 / (1 + std::exp(-score));
  const double p = (fault == Fault::last_position ? S - 1 : S) * share + shift;
  return fault == Fault::rounded ? std::round(p) : p;
}

bool inside(double away, Fault fault) {
  switch (fault) {
    case Fault::no_window:
      return true;
    case Fault::narrow:
      return std::abs(away) < w;
    case Fault::wide:
      return std::abs(away) <= w + 1;
    case Fault::past_only:
      return -w <= away && away <= 0;
    default:
      return std::abs(away) <= w;
  }
}

double gaussian(double away, Fault fault) {
  const double sigma = fault == Fault::wide_gaussian ? w : w / 2;
  const double exponent = away * away / (fault == Fault::narrow_gaussian ? 1 : 2) / (sigma * sigma);
  return fault == Fault::no_gaussian ? 1 : std::exp(fault == Fault::rising_gaussian ? exponent : -exponent);
}

Plain plain_local(const Attention& attention, const Case& c, const Task& task, std::int64_t step,
                  Fault fault = Fault::none) {
  const Plain query(c.query);
  const Plain e = plain_general(parameter(attention, "W_a.weight"), query, Plain(c.values));
  Plain weights(e.shape());
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    const std::int64_t S = c.lengths[static_cast<std::size_t>(b)];
    const double p = centre(attention, query, task, b, static_cast<double>(S), step, fault);
    const auto real = [&](std::int64_t j) { return fault == Fault::no_mask || j < S; };
    const auto away = [&](std::int64_t j) { return static_cast<double>(j) - p; };
    const auto around = [&](std::int64_t j) { return task.predictive ? gaussian(away(j), fault) : 1.0; };
    // The softmax's numerator at position j.
    const auto term = [&](std::int64_t j) {
      const bool within = inside(away(j), fault);
      if (fault == Fault::zero_outside) return real(j) ? std::exp(within ? e(b, j) : 0) : 0;
      if (fault == Fault::mask_after_softmax) return within ? std::exp(e(b, j)) : 0;
      if (fault == Fault::cut_afterwards) return real(j) ? std::exp(e(b, j)) : 0;
      if (fault == Fault::gaussian_on_energies) return real(j) && within ? std::exp(e(b, j) * around(j)) : 0;
      return real(j) && within ? std::exp(e(b, j)) : 0;
    };
    double total = 0, kept = 0;
    for (std::int64_t j = 0; j < T; ++j) total += term(j);
    if (total == 0) continue;
    for (std::int64_t j = 0; j < T; ++j) {
      const bool stays = (fault != Fault::cut_afterwards || inside(away(j), fault)) && real(j);
      const double factor = fault == Fault::gaussian_on_energies ? 1 : around(j);
      kept += weights(b, j) = stays ? term(j) / total * factor : 0;
    }
    if (fault != Fault::renormalised) continue;
    for (std::int64_t j = 0; j < T; ++j) weights(b, j) /= kept;
  }
  return weights;
}

std::vector<Suspect> suspects(const Attention& attention, const Case& c, const Task& task,
                              std::int64_t step) {
  std::vector<Suspect> out;
  for (const auto* known : {&known_of_both(), task.predictive ? &known_of_p() : &known_of_m()}) {
    for (const auto& [fault, mistake] : *known) {
      out.push_back({mistake, plain_local(attention, c, task, step, fault)});
    }
  }
  return out;
}

// --- stages

std::vector<Parameter> parameters(bool predictive) {
  std::vector<Parameter> expected = {{"W_a.weight", {sizes.query, sizes.value}, "(Q, D)"}};
  if (predictive) {
    expected.push_back({"W_p.weight", {sizes.energy, sizes.query}, "(A, Q)"});
    expected.push_back({"v_p.weight", {1, sizes.energy}, "(1, A)"});
  }
  return expected;
}

void expect_shapes(const Attention::Result& result, const Case& c) {
  const std::int64_t B = c.query.size(0);
  expect_shape("weights", result.weights, {B, c.values.size(0)}, "(B, T)");
  expect_shape("context", result.context, {B, sizes.value}, "(B, D)");
}

void shapes(const Task& task) {
  const auto attention = make(task);
  expect_parameters(*attention, parameters(task.predictive));
  const Case c = example(all_real);
  expect_shapes(run(*attention, c, 0), c);
}

// The window of local-m moves with the step. Starts in the middle of the sentence, where most mistakes give
// different weights.
std::vector<std::int64_t> steps(const Task& task) {
  return task.predictive ? std::vector<std::int64_t>{0, 3} : std::vector<std::int64_t>{4, 0, 1, 7, 8, 10, 20};
}

void golden(const Task& task, const Lengths& lengths) {
  const auto attention = make(task);
  const Case c = example(lengths);
  for (const std::int64_t step : steps(task)) {
    const std::string when = " at step " + std::to_string(step);
    const Attention::Result result = run(*attention, c, step);
    expect_shapes(result, c);
    const Plain weights = plain_local(*attention, c, task, step), values(c.values);
    expect_values("weights" + when, result.weights, weights, suspects(*attention, c, task, step));
    const Plain softmax_alone = plain_local(*attention, c, task, step, Fault::no_gaussian);
    expect_values("context" + when, result.context, plain_context(weights, values),
                  {{{"context-without-gaussian", "The context uses the softmax without the Gaussian.",
                     "Compute the context from the weights that you return."},
                    plain_context(softmax_alone, values)}});
  }
}

// Positions outside the window, and pads, have weight exactly 0.
void others_have_no_weight(const Task& task) {
  const auto attention = make(task);
  const Case c = example(some_padding);
  const Plain weights(run(*attention, c, 2).weights), expected = plain_local(*attention, c, task, 2);
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    for (std::int64_t j = 0; j < T; ++j) {
      exercise::expect(expected(b, j) != 0 || weights(b, j) == 0,
                       {"nearly-zero", "Masked energies are very negative, but finite.",
                        "Use −∞: -std::numeric_limits<double>::infinity()."},
                       "A position outside the window, or a pad, has a small weight instead of 0.",
                       std::to_string(weights(b, j) * 1e12) + "e-12", "0");
    }
  }
}

// The memory is read at every step.
void memory_is_left_alone(const Task& task) {
  const auto attention = make(task);
  const Case c = example(some_padding);
  const gradus::nn::Memory memory = attention->prepare(c.values, gradus::tensor(c.lengths));
  const Mistake mistake{"changes-its-input", "An input was changed in place.",
                        "Make a new tensor; the memory is read again at every step."};
  const Plain values(c.values), first(attention->attend(c.query, memory, 2, Tensor()).weights);
  expect_values("weights at the second call", attention->attend(c.query, memory, 2, Tensor()).weights, first,
                {}, mistake);
  expect_values("values after attend", memory.values, values, {}, mistake);
  expect_values("lengths after attend", memory.lengths, Plain(gradus::tensor(c.lengths)), {}, mistake);
}

void gradients(const Task& task) {
  const auto attention = make(task);
  const Case c = example(some_padding);
  const Tensor lengths = gradus::tensor(c.lengths);
  exercise::expect_gradients(
      *attention,
      [&](const std::vector<Tensor>& x) {
        const auto [context, weights] =
            attention->attend(x[0], attention->prepare(x[1], lengths), 3, Tensor());
        return gradus::nn::concat_flat({context, weights});
      },
      {c.query, c.values}, {"query", "values"},
      {"off-the-tape", "A part of the result was computed outside the tape.",
       "item(), values() and detach() have no gradient; p_t affects the result through the Gaussian."});
}

std::vector<exercise::Stage> stages(const std::string& part, const Task& task) {
  return of_part(part, {{"shapes and parameters", [=] { shapes(task); }},
                        {"values, without padding", [=] { golden(task, all_real); }},
                        {"values, with padding", [=] { golden(task, some_padding); }},
                        {"invariants",
                         [=] {
                           others_have_no_weight(task);
                           memory_is_left_alone(task);
                         }},
                        {"gradients", [=] { gradients(task); }}});
}

}  // namespace

std::vector<exercise::Stage> local_m_stages(const Luong::MakeLocal& make) {
  return stages("local-m", {make, false});
}

std::vector<exercise::Stage> local_p_stages(const Luong::MakeLocal& make) {
  return stages("local-p", {make, true});
}
