// Local attention (section 3.2): local-m and local-p, both with the energies of general.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kit/attention_cases.hpp"
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
constexpr std::int64_t T = 13;
// The half-widths w of the windows. Fractions detect a rounded w. For local-m, the first w is not 3: there,
// the mistake |j − p| < w would equal another mistake, the fixed window |j − p| ≤ 2. For local-p, the first w
// is not 4: there, the right σ² = w²/4 would equal the wrong σ² = w. A window with w = 7 is wider than T = 13
// positions, but near an end of the sentence it still excludes some.
const std::vector<double> half_windows_of_m = {4, 2.5, 1.25, 7}, half_windows_of_p = {3, 2.5, 1.25, 7};
const Lengths all_real = {T, T, T}, some_padding = {T, 9, 4};

// Known faults.
enum class Fault {
  none,
  // the mask
  no_mask,
  mask_after_softmax,
  // the window
  no_window,
  narrow,         // |j − p| < w
  wide,           // |j − p| ≤ w + 1
  half_open,      // −w ≤ j − p < w
  open_at_start,  // −w < j − p ≤ w
  rounded_down,   // ⌊w⌋
  rounded_up,
  past_only,
  zero_outside,  // energies outside the window become 0
  cut_afterwards,
  // the centre
  too_early,
  too_late,
  step_ignored,  // p = 0
  not_clamped,
  clamped_late,  // limits p to S instead of S − 1
  batch_length,  // uses T instead of S
  // eq. 9
  last_position,  // (S − 1) σ(…)
  no_sigmoid,
  no_inner_tanh,
  rounded,
  rounded_p_down,
  // eq. 10
  no_gaussian,
  wide_gaussian,  // σ = w
  sigma_1,
  sigma_whole,  // σ = ⌊w/2⌋
  sigma_root,   // σ² = w/2
  distance_not_squared,
  narrow_gaussian,        // σ² instead of 2σ²
  two_sigma_squared,      // (2σ)² instead of 2σ²
  window_around_rounded,  // the window is around the rounded p, the Gaussian around p
  rising_gaussian,        // exp(+…)
  gaussian_on_energies,
  renormalised,
  gaussian_too,  // local-m with the Gaussian of local-p
};

struct Known {
  Fault fault;
  Mistake mistake;
};

const std::vector<Known>& known_of_both() {
  // The first fault that explains the weights is reported. batch_length and clamped_late come before
  // `narrow`: they centre the window too far to the right at the end of a source, where it can look too
  // narrow.
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
      {Fault::half_open,
       {"half-open", "The window lacks its last position, p_t + w.",
        "[p_t − w, p_t + w] includes both ends."}},
      {Fault::open_at_start,
       {"half-open", "The window lacks its first position, p_t − w.",
        "[p_t − w, p_t + w] includes both ends."}},
      {Fault::rounded_down,
       {"window-rounded", "w was rounded to a whole number.", "w is a double, such as 2.5."}},
      {Fault::rounded_up,
       {"window-rounded", "w was rounded to a whole number.", "w is a double, such as 2.5."}},
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
      {Fault::gaussian_too,
       {"gaussian", "The weights are multiplied by the Gaussian of local-p.",
        "Local-m has only the window: eq. 10 belongs to local-p."}},
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
      {Fault::rounded_p_down,
       {"floored", "p_t is rounded down to a whole position.",
        "p_t is a real number: rounding removes its gradient, so that W_p would not learn."}},
      {Fault::no_gaussian,
       {"no-gaussian", "The Gaussian is missing.", "Eq. 10: the softmax times exp(−(j − p_t)² / 2σ²)."}},
      {Fault::wide_gaussian, {"sigma", "σ is w instead of w/2.", "Section 3.2: σ = w/2 (the paper: D/2)."}},
      {Fault::sigma_1, {"sigma", "σ is 1, whatever w is.", "σ = w/2, from the constructor's half_window."}},
      {Fault::sigma_whole, {"sigma", "σ = w/2 was rounded down.", "σ is a double: w = 2.5 gives σ = 1.25."}},
      {Fault::sigma_root,
       {"sigma", "The exponent is −(j − p_t)²/2σ: σ is not squared.", "σ = w/2, so that 2σ² = w²/2."}},
      {Fault::distance_not_squared,
       {"not-squared", "The exponent contains |j − p_t|, not its square.",
        "Eq. 10: exp(−(j − p_t)² / 2σ²)."}},
      {Fault::narrow_gaussian, {"no-two", "The exponent is −(j − p_t)²/σ².", "Eq. 10 divides by 2σ²."}},
      {Fault::two_sigma_squared,
       {"two-squared", "The exponent is −(j − p_t)²/(2σ)²: the 2 is squared, too.",
        "Eq. 10 divides by 2σ²."}},
      {Fault::window_around_rounded,
       {"rounded", "The window is centred on the rounded p_t.",
        "p_t is a real number, for the window, too."}},
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
  double w = 3;
};

using Case = exercise::AttentionCase;

Case example(const Lengths& lengths) { return exercise::attention_case(sizes, T, lengths); }

std::unique_ptr<Attention> make(const Task& task) {
  auto attention = task.make(sizes, task.w);
  attention->to(Dtype::f64);
  attention->eval();
  exercise::fill(*attention);
  return attention;
}

Attention::Result run(const Attention& attention, const Case& c, std::int64_t step) {
  return attention.attend(c.query, attention.prepare(c.values, c.told()), step, Tensor());
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
              std::int64_t longest, std::int64_t step, Fault fault) {
  const double shift = fault == Fault::too_early ? -1 : fault == Fault::too_late ? 1 : 0;
  if (fault == Fault::batch_length) S = static_cast<double>(longest);
  if (!task.predictive) {
    const auto t = fault == Fault::step_ignored ? 0 : static_cast<double>(step);
    const double last = fault == Fault::clamped_late ? S : S - 1;
    return (fault == Fault::not_clamped ? t : std::min(t, last)) + shift;
  }
  const double score = position_score(attention, query, b, fault != Fault::no_inner_tanh);
  const double fraction = fault == Fault::no_sigmoid ? score : 1 / (1 + std::exp(-score));
  const double p = (fault == Fault::last_position ? S - 1 : S) * fraction + shift;
  if (fault == Fault::rounded_p_down) return std::floor(p);
  return fault == Fault::rounded ? std::round(p) : p;
}

bool inside(double away, double w, Fault fault) {
  switch (fault) {
    case Fault::no_window:
      return true;
    case Fault::narrow:
      return std::abs(away) < w;
    case Fault::wide:
      return std::abs(away) <= w + 1;
    case Fault::half_open:
      return -w <= away && away < w;
    case Fault::open_at_start:
      return -w < away && away <= w;
    case Fault::rounded_down:
      return std::abs(away) <= std::floor(w);
    case Fault::rounded_up:
      return std::abs(away) <= std::ceil(w);
    case Fault::past_only:
      return -w <= away && away <= 0;
    default:
      return std::abs(away) <= w;
  }
}

double sigma_of(double w, Fault fault) {
  switch (fault) {
    case Fault::wide_gaussian:
      return w;
    case Fault::sigma_1:
      return 1;
    case Fault::sigma_whole:
      return std::floor(w / 2);
    case Fault::sigma_root:
      return std::sqrt(w / 2);  // σ² = w/2
    default:
      return w / 2;
  }
}

double gaussian(double away, double w, Fault fault) {
  const double sigma = sigma_of(w, fault);
  const double distance = fault == Fault::distance_not_squared ? std::abs(away) : away * away;
  const double divisor = fault == Fault::narrow_gaussian ? 1 : fault == Fault::two_sigma_squared ? 4 : 2;
  const double exponent = distance / divisor / (sigma * sigma);
  return fault == Fault::no_gaussian ? 1 : std::exp(fault == Fault::rising_gaussian ? exponent : -exponent);
}

Plain plain_local(const Attention& attention, const Case& c, const Task& task, std::int64_t step,
                  Fault fault = Fault::none, std::optional<double> window = {}) {
  const Plain query(c.query);
  const double half = window.value_or(task.w);
  const Plain e = plain_general(parameter(attention, "W_a.weight"), query, Plain(c.values));
  Plain weights(e.shape());
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    const std::int64_t S = c.lengths[static_cast<std::size_t>(b)];
    const double p = centre(attention, query, task, b, static_cast<double>(S), e.size(1), step, fault);
    const auto real = [&](std::int64_t j) { return fault == Fault::no_mask || j < S; };
    const auto away = [&](std::int64_t j) { return static_cast<double>(j) - p; };
    const double centre_of_window = fault == Fault::window_around_rounded ? std::round(p) : p;
    const auto in_window = [&](std::int64_t j) {
      return inside(static_cast<double>(j) - centre_of_window, half, fault);
    };
    const auto around = [&](std::int64_t j) {
      return task.predictive || fault == Fault::gaussian_too ? gaussian(away(j), task.w, fault) : 1.0;
    };
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < e.size(1); ++j)
      if (real(j) && in_window(j)) largest = std::max(largest, e(b, j));
    if (std::isinf(largest)) largest = 0;
    const auto power = [&](std::int64_t j) { return std::exp(e(b, j) - largest); };
    // The softmax's numerator at position j.
    const auto term = [&](std::int64_t j) {
      const bool within = in_window(j);
      if (fault == Fault::zero_outside) return real(j) ? std::exp(within ? e(b, j) : 0) : 0;
      if (fault == Fault::mask_after_softmax) return within ? power(j) : 0;
      if (fault == Fault::cut_afterwards) return real(j) ? power(j) : 0;
      if (fault == Fault::gaussian_on_energies) return real(j) && within ? std::exp(e(b, j) * around(j)) : 0;
      return real(j) && within ? power(j) : 0;
    };
    double total = 0, kept = 0;
    for (std::int64_t j = 0; j < e.size(1); ++j) total += term(j);
    if (total == 0) continue;
    for (std::int64_t j = 0; j < e.size(1); ++j) {
      const bool stays = (fault != Fault::cut_afterwards || in_window(j)) && real(j);
      const double factor = fault == Fault::gaussian_on_energies ? 1 : around(j);
      kept += weights(b, j) = stays ? term(j) / total * factor : 0;
    }
    if (fault != Fault::renormalised) continue;
    for (std::int64_t j = 0; j < e.size(1); ++j) weights(b, j) /= kept;
  }
  return weights;
}

// If all weights of row b are 0, replaces the first ends[b] of them by 0/0 = NaN.
Plain divided_by_zero(Plain weights, const Lengths& ends) {
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    double total = 0;
    for (std::int64_t j = 0; j < weights.size(1); ++j) total += weights(b, j);
    for (std::int64_t j = 0; j < ends[static_cast<std::size_t>(b)] && total == 0; ++j)
      weights(b, j) = std::nan("");
  }
  return weights;
}

std::vector<Suspect> suspects(const Attention& attention, const Case& c, const Task& task,
                              std::int64_t step) {
  std::vector<Suspect> out;
  for (const auto* known : {&known_of_both(), task.predictive ? &known_of_p() : &known_of_m()}) {
    for (const auto& [fault, mistake] : *known) {
      out.push_back({mistake, plain_local(attention, c, task, step, fault)});
      const Plain weights = out.back().values;
      for (const Lengths& ends : {all_real, c.lengths})
        out.push_back({mistake, divided_by_zero(weights, ends)});
    }
  }
  for (const double window : {1.0, 2.0, 3.0, 4.0, 5.0})
    out.push_back(
        {{"window-fixed", "The window's half width is " + exercise::text(window) + ", whatever w is.",
          "Use the constructor's half_window."},
         plain_local(attention, c, task, step, Fault::none, window)});
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

// The steps to check. In local-m, the window depends on the step. The first step in the list puts the window
// into the middle of the sentence, where most mistakes change the weights.
std::vector<std::int64_t> steps(const Task& task) {
  return task.predictive ? std::vector<std::int64_t>{0, 3}
                         : std::vector<std::int64_t>{6, 0, 1, 11, 12, 14, 24};
}

void golden(const Task& task, const Lengths& lengths) {
  const auto attention = make(task);
  const Case c = example(lengths);
  for (const std::int64_t step : steps(task)) {
    const std::string when = " at step " + std::to_string(step) + ", w = " + exercise::text(task.w);
    const Attention::Result result = run(*attention, c, step);
    expect_shapes(result, c);
    expect_same(exercise::named(run(*attention, c, step)), exercise::copied(exercise::named(result)),
                "at the second call", exercise::remembers);
    const Plain weights = plain_local(*attention, c, task, step), values(c.values);
    expect_values("weights" + when, result.weights, weights, suspects(*attention, c, task, step));
    const Plain softmax_alone = plain_local(*attention, c, task, step, Fault::no_gaussian);
    expect_values("context" + when, result.context, plain_context(weights, values),
                  {{{"context-without-gaussian", "The context uses the softmax without the Gaussian.",
                     "Compute the context from the weights that you return."},
                    plain_context(softmax_alone, values)},
                   {{"context-renormalised", "The context is divided by the sum of the weights.",
                     "c_t = Σ_j α_tj h_j with the weights that you return, though they sum to less than 1."},
                    plain_context(plain_local(*attention, c, task, step, Fault::renormalised), values)}});
    exercise::expect_exact_zeros(result.weights, weights);
  }
}

void golden_for_each_w(Task task, const Lengths& lengths) {
  for (const double w : task.predictive ? half_windows_of_p : half_windows_of_m) {
    task.w = w;
    golden(task, lengths);
  }
}

exercise::AnyAttention any(Task task) {
  task.w = 1.25;  // small enough to exclude positions of short sentences
  const std::int64_t step = 2;
  return {.make = [=] { return make(task); },
          .sizes = sizes,
          .energies =
              [](const gradus::nn::Module& module, const Plain& query, const Plain& values) {
                return plain_general(parameter(module, "W_a.weight"), query, values);
              },
          .weights = [=](const Attention& attention,
                         const Case& c) { return plain_local(attention, c, task, step); },
          .step = task.predictive ? std::nullopt : std::optional(step)};
}

std::vector<exercise::Stage> stages(const std::string& part, const Task& task) {
  return of_part(part, {{"shapes and parameters", [=] { shapes(task); }},
                        {"values, without padding", [=] { golden_for_each_w(task, all_real); }},
                        {"values, with padding", [=] { golden_for_each_w(task, some_padding); }},
                        {"invariants", [=] { expect_only_its_arguments(any(task)); }},
                        {"large energies, and other pads", [=] { expect_any_energies(any(task)); }},
                        {"gradients", [=] {
                           expect_attention_gradients(
                               any(task),
                               {"off-the-tape", "A part of the result was computed outside the tape.",
                                "item(), values() and detach() have no gradient; p_t affects the result "
                                "through the Gaussian."});
                         }}});
}

}  // namespace

std::vector<exercise::Stage> local_m_stages(const Luong::MakeLocal& make) {
  return stages("local-m", {make, false});
}

std::vector<exercise::Stage> local_p_stages(const Luong::MakeLocal& make) {
  return stages("local-p", {make, true});
}
