// Local attention (section 3.2): local-m and local-p, both with the energies of the score "general".

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kit/attention_cases.hpp"
#include "local_faults.hpp"
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
using local::Fault;
using Lengths = std::vector<std::int64_t>;

constexpr AttentionSizes sizes{.query = 4, .value = 6, .energy = 5};
constexpr std::int64_t T = 17;
// The half-widths w of the windows. A fractional w detects code that rounds w. The value 3 − 10⁻⁹ detects
// code that stores w as a float. A mistake is reported at the first w that shows it, so the first w of each
// list must tell the mistakes apart. For this w, 2 w is less than T. The first w of local-p is not 4: for
// w = 4, the right σ² = w²/4 equals the wrong σ² = w. It is not 3 either: for w = 3, the window
// |j − p| ≤ w + ½ equals a window around the rounded p. With w = 9, a window is wider than T = 17 positions.
// Near an end of the sentence, this window still excludes some positions.
const std::vector<double> half_windows_of_m = {3, 4, 2.5, 1.25, 9, 3 - 1e-9},
                          half_windows_of_p = {4.5, 3, 1.25, 2.5, 9};
// Six sentences, so that two different mistakes give different weights in at least one sentence. The first
// sentence of some_padding is not the longest.
const Lengths all_real = {T, T, T, T, T, T}, some_padding = {9, T, 4, 2, 7, 12};

struct Task {
  Luong::MakeLocal make;
  bool predictive;
  double w = 3;
  AttentionSizes n = sizes;
};

using Case = exercise::AttentionCase;

Case example(const Task& task, const Lengths& lengths) {
  return exercise::attention_case(task.n, T, lengths);
}

std::unique_ptr<Attention> make(const Task& task) {
  auto attention = task.make(task.n, task.w);
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
double centre(const Attention& attention, const Case& c, const Task& task, std::int64_t b, std::int64_t step,
              Fault fault) {
  auto S = static_cast<double>(c.lengths[static_cast<std::size_t>(b)]);
  if (fault == Fault::first_length) S = static_cast<double>(c.lengths.front());
  const double shift = fault == Fault::too_early ? -1 : fault == Fault::too_late ? 1 : 0;
  if (fault == Fault::batch_length) S = static_cast<double>(c.T());
  if (!task.predictive) {
    const auto t = fault == Fault::step_ignored ? 0 : static_cast<double>(step);
    if (fault == Fault::from_the_end) return std::max(S - 1 - t, 0.0);
    const double last = fault == Fault::clamped_late ? S : S - 1;
    return (fault == Fault::not_clamped ? t : std::min(t, last)) + shift;
  }
  const double score = position_score(attention, Plain(c.query), b, fault != Fault::no_inner_tanh);
  const double fraction = fault == Fault::no_sigmoid ? score : 1 / (1 + std::exp(-score));
  const double p = (fault == Fault::last_position ? S - 1 : S) * fraction + shift;
  if (fault == Fault::no_length) return fraction;
  if (fault == Fault::capped) return std::min(p, S - 1);
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
    case Fault::doubled:
      return std::abs(away) <= 2 * w;
    case Fault::halved:
      return std::abs(away) <= w / 2;
    case Fault::past_only:
      return -w <= away && away <= 0;
    case Fault::future_only:
      return 0 <= away && away <= w;
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
    const double p = centre(attention, c, task, b, step, fault);
    const auto real = [&](std::int64_t j) { return fault == Fault::no_mask || j < S; };
    const auto away = [&](std::int64_t j) { return static_cast<double>(j) - p; };
    const double centre_of_window = fault == Fault::window_around_rounded        ? std::round(p)
                                    : fault == Fault::window_around_rounded_down ? std::floor(p)
                                                                                 : p;
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

// The weights of an answer that divides each row by its sum, even if the sum is 0. If the sum of row b is 0,
// its first ends[b] weights become NaN.
Plain divided_by_zero(Plain weights, const Lengths& ends) {
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    double total = 0;
    for (std::int64_t j = 0; j < weights.size(1); ++j) total += weights(b, j);
    for (std::int64_t j = 0; j < ends[static_cast<std::size_t>(b)] && total == 0; ++j)
      weights(b, j) = std::nan("");
  }
  return weights;
}

// True if the attention gives weight to the same positions when w is larger by 2.
bool ignores_w(const Task& task, const Case& c, std::int64_t step, const Tensor& weights) {
  Task other = task;
  other.w = task.w + 2;
  const Plain before(weights), after(run(*make(other), c, step).weights);
  return std::ranges::equal(before.values(), after.values(),
                            [](double a, double b) { return (a > 0) == (b > 0); });
}

// The faults that may explain `got`. The answer was right at the steps in `passed`, so a fault that changes
// the weights at one of these steps is left out.
std::vector<Suspect> suspects(const Attention& attention, const Case& c, const Task& task, std::int64_t step,
                              const Tensor& got, const std::vector<std::int64_t>& passed) {
  std::vector<Suspect> out;
  for (const double window : {1.0, 2.0, 3.0, 4.0, 5.0})
    if (ignores_w(task, c, step, got))
      out.push_back(
          {{"window-fixed", "The window's half width is " + exercise::text(window) + ", whatever w is.",
            "Use the constructor's half_window."},
           plain_local(attention, c, task, step, Fault::none, window)});
  for (const auto& [fault, mistake] : local::known_faults(task.predictive)) {
    const bool shows_earlier = std::ranges::any_of(passed, [&, fault = fault](std::int64_t s) {
      return plain_local(attention, c, task, s, fault).values() !=
             plain_local(attention, c, task, s).values();
    });
    if (shows_earlier) continue;
    out.push_back({mistake, plain_local(attention, c, task, step, fault)});
    const Plain weights = out.back().values;
    for (const Lengths& ends : {all_real, c.lengths})
      out.push_back({mistake, divided_by_zero(weights, ends)});
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
  expect_shape("context", result.context, {B, c.values.size(2)}, "(B, D)");
}

void shapes(const Task& task) {
  const auto attention = make(task);
  expect_parameters(*attention, parameters(task.predictive));
  const Case c = example(task, all_real);
  expect_shapes(run(*attention, c, 0), c);
}

// The steps to check, in this order. In local-m, the window depends on the step. Without padding, the first
// check is at step 5: the window lies inside the sentence, where most mistakes change the weights. With
// padding, the first check is at step 11, past the end of most sentences, where a wrong length changes the
// weights.
std::vector<std::int64_t> steps(const Task& task, bool padded) {
  if (task.predictive) return {0, 3};
  return padded ? std::vector<std::int64_t>{11, 5, 0, 1, T - 1, T + 1, T + 11}
                : std::vector<std::int64_t>{5, 0, 1, T - 2, T - 1, T + 1, T + 11};
}

void golden(const Task& task, const Lengths& lengths) {
  const auto attention = make(task);
  const Case c = example(task, lengths);
  std::vector<std::int64_t> passed;
  for (const std::int64_t step : steps(task, lengths != all_real)) {
    const std::string when = " at step " + std::to_string(step) + ", w = " + exercise::text(task.w);
    const Attention::Result result = run(*attention, c, step);
    expect_shapes(result, c);
    expect_same(exercise::named(run(*attention, c, step)), exercise::copied(exercise::named(result)),
                "at the second call", exercise::remembers);
    const Plain weights = plain_local(*attention, c, task, step), values(c.values);
    if (!has_values(result.weights, weights))
      expect_values("weights" + when, result.weights, weights,
                    suspects(*attention, c, task, step, result.weights, passed));
    passed.push_back(step);
    const Plain softmax_alone = plain_local(*attention, c, task, step, Fault::no_gaussian);
    expect_values("context" + when, result.context, plain_context(weights, values),
                  {{{"context-without-gaussian", "The context uses the softmax without the Gaussian.",
                     "Compute the context from the weights that you return."},
                    plain_context(softmax_alone, values)},
                   {{"context-of-all", "The context uses all positions, not only those of the window.",
                     "Compute the context from the weights that you return."},
                    plain_context(plain_local(*attention, c, task, step, Fault::no_window), values)},
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
  task.n = exercise::equal_sizes;
  exercise::expect_with_equal_sizes([&] { golden(task, lengths); }, "Q, D and A");
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
                        {"invariants",
                         [=] {
                           expect_only_its_arguments(any(task));
                           expect_any_sentences(any(task));
                         }},
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
