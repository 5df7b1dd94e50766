#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "inspect/drawn_elements.hpp"
#include "memory/storage.hpp"
#include "tape/node.hpp"

namespace gradus {
namespace {

using Values = std::vector<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double roundings = 16;  // rounding errors, in units of ε, allowed in a value of f
// A step can confirm a gradient if the rounding error is at most this fraction of the gradient.
constexpr double sharp = 1e-3;
// Bound of the rounding error in backward(), as a fraction of Estimate::size.
constexpr double tiny = epsilon;
// The ratio of successive steps. If f is periodic and one step is a multiple of the period, the next step
// seldom is a multiple of the period too.
constexpr double ratio = 9;
constexpr int finer_steps = 11, coarser_steps = 3;

// The function f, its result y at the leaves' values, and the incoming gradient r.
struct Checked {
  const std::function<Tensor()>& f;
  const NamedTensors& leaves;
  const GradcheckOptions& options;
  Shape shape = {};
  Values y = {}, r = {};
};

Values values_of(const Checked& checked) {
  const NoGrad no_grad;
  const Tensor result = checked.f();
  if (result.shape() != checked.shape)
    fail("gradcheck", "two calls of the function gave results of shapes ", checked.shape, " and ",
         result.shape(), "; it must compute the same each time");
  return result.to_vector<double>();
}

// The gradients of the leaves, computed by backward(r). 0 for a leaf that no gradient reaches.
std::vector<Values> gradients(const NamedTensors& leaves, const Tensor& result, const Values& r) {
  for (auto [label, leaf] : leaves) leaf.zero_grad();
  if (result.requires_grad()) result.backward(tensor(r, result.shape()));
  std::vector<Values> found;
  for (auto [label, leaf] : leaves) {
    found.push_back(leaf.grad().defined() ? leaf.grad().to_vector<double>()
                                          : Values(static_cast<std::size_t>(leaf.numel())));
  }
  for (auto [label, leaf] : leaves) leaf.zero_grad();  // in a separate loop, because a tensor may occur twice
  return found;
}

// Sets one element of a leaf to another value, and restores the original value when destroyed.
class ElementSet {
 public:
  ElementSet(const Tensor& leaf, std::size_t at, double value)
      : leaf_(leaf), at_(at), original_(leaf.values<double>()[at]) {
    leaf_.mutable_values<double>("gradcheck")[at_] = value;
  }
  ~ElementSet() { leaf_.mutable_values<double>("gradcheck")[at_] = original_; }
  ElementSet(const ElementSet&) = delete;
  ElementSet& operator=(const ElementSet&) = delete;

 private:
  Tensor leaf_;
  std::size_t at_;
  double original_;
};

// Lets only some leaves require a gradient. When destroyed, lets the other leaves require a gradient again,
// with their old nodes and hooks.
class Needing {
 public:
  Needing(const NamedTensors& leaves, const std::vector<bool>& needed) : leaves_(leaves) {
    for (const auto& [label, leaf] : leaves) nodes_.push_back(leaf.impl().node);
    for (const auto& [label, leaf] : leaves) leaf.impl().node = NodePtr();
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      if (needed[k])
        leaves[k].second.impl().node = nodes_[k];  // in a separate loop, because a tensor may occur twice
    }
  }
  ~Needing() {
    for (std::size_t k = 0; k < nodes_.size(); ++k) leaves_[k].second.impl().node = nodes_[k];
  }
  Needing(const Needing&) = delete;
  Needing& operator=(const Needing&) = delete;

 private:
  const NamedTensors& leaves_;
  std::vector<NodePtr> nodes_;
};

// An estimate of g = Σ_j r_j ∂y_j/∂x from differences with one step h.
struct Estimate {
  double h;
  // `slope` uses y at four places, `left` only y(x − h) and y(x), `right` only y(x) and y(x + h).
  double slope = 0, left = 0, right = 0;
  double rounding = 0;  // bound of the rounding error in `slope`
  double size = 0;      // Σ |r_j y_j| / max(1, |x|) over the outputs that change
  std::vector<bool> changed = {};
  double gap() const { return std::abs(right - left); }
};

// One element x of a leaf, with its gradient from backward().
class Element {
 public:
  Element(const Checked& checked, std::size_t leaf, std::size_t at, double gradient, double largest)
      : checked_(checked),
        leaf_(leaf),
        at_(at),
        x_(checked.leaves[leaf].second.values<double>()[at]),
        gradient_(gradient),
        largest_(largest) {}

  struct Judgement {
    enum { right, wrong, open } verdict;
    double numeric, allowed;
    GradcheckDoubt doubt = {};
  };
  Judgement judge() const;

 private:
  double scale() const { return std::max(1.0, std::abs(x_)); }
  double error(double numeric) const {
    return std::isnan(gradient_) ? INFINITY : std::abs(gradient_ - numeric);
  }
  double allowed(const Estimate& e) const {
    return checked_.options.atol + checked_.options.rtol * std::abs(e.slope) + e.rounding;
  }
  Estimate estimate(double h) const;
  bool confirms(const Estimate& e) const;
  Judgement doubtful(const Estimate& before, const Estimate& e) const {
    const GradcheckDoubt doubt{{}, gradient_, before.slope, e.slope, e.left, e.right, e.rounding};
    return {Judgement::open, e.slope, allowed(e), doubt};
  }
  Judgement compare(const Estimate& before, const Estimate& e) const;
  void blame(const Estimate& e, Judgement& judgement) const;

  const Checked& checked_;
  std::size_t leaf_, at_;
  double x_, gradient_;
  double largest_;  // the largest gradient of the leaf
};

// The slope is (y(x − 2h) − 8 y(x − h) + 8 y(x + h) − y(x + 2h)) / 12h. Its error is of order h⁴.
Estimate Element::estimate(double h) const {
  const Values &y = checked_.y, &r = checked_.r;
  Estimate e{h};
  Values slopes(y.size()), sizes(y.size());
  for (const auto& [k, weight] :
       {std::pair(-1, -8.0), std::pair(1, 8.0), std::pair(-2, 1.0), std::pair(2, -1.0)}) {
    const ElementSet moved(checked_.leaves[leaf_].second, at_, x_ + k * h);
    const Values there = values_of(checked_);
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (there[j] == y[j]) continue;
      const double change = r[j] * (there[j] - y[j]) / h;
      slopes[j] += weight * change;
      sizes[j] = std::max({sizes[j], std::abs(y[j]), std::abs(there[j])});
      if (k == -1) e.left -= change;
      if (k == 1) e.right += change;
    }
  }
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double size = std::abs(r[j]) * sizes[j], slope = slopes[j] / 12;
    e.slope += slope;
    e.size += size / scale();
    e.rounding +=
        roundings * epsilon * (1.5 * size + std::abs(x_ * slope)) / h;  // rounding of y, and of x ± h
    e.changed.push_back(sizes[j] > 0);
  }
  return e;
}

bool Element::confirms(const Estimate& e) const {
  const double g = std::abs(gradient_);
  const double size = g <= tiny * e.size ? std::max(largest_, e.size) : largest_;  // g may be only rounding
  return std::isfinite(e.slope) && error(e.slope) <= allowed(e) &&
         e.rounding <= std::max({sharp * g, checked_.options.rtol * size, checked_.options.atol});
}

// True if the uncertainty `doubt` can explain `error`. An uncertainty of NaN explains any error.
bool explains(double doubt, double error) { return !(doubt <= error / 10); }

// Judges the gradient by two successive steps, `before` and `e`. The gradient is right if e confirms it. If
// the two steps agree on another value, and neither a kink nor rounding explains the difference, blame()
// gives the verdict. Otherwise the verdict is open.
Element::Judgement Element::compare(const Estimate& before, const Estimate& e) const {
  Judgement judgement = doubtful(before, e);
  if (confirms(e)) {
    judgement.verdict = Judgement::right;
    return judgement;
  }
  const double off = error(e.slope), moved = std::abs(e.slope - before.slope);
  const bool agree = moved <= std::max(std::abs(e.slope) / 100, e.rounding);
  // For a smooth f, the slopes left and right of x approach each other as the step shrinks. If x is at a
  // kink, these slopes stay apart although the central differences agree.
  const auto [fine, coarse] = std::pair(e.gap(), before.gap());
  const bool kink = (e.h < before.h ? fine > coarse / 2 : coarse > fine / 2) && explains(fine, off);
  if (agree && !kink && !explains(moved, off) && !explains(e.rounding, off)) blame(e, judgement);
  return judgement;
}

// Judges an error that is too large for rounding in the outputs that changed with x. The outputs that did not
// change may also depend on x, but by less than their last digit. If this can explain the error, computes the
// gradient again with an incoming gradient of 0 for these outputs. If the error then vanishes, the element is
// not judged wrong.
void Element::blame(const Estimate& e, Judgement& judgement) const {
  double rounding = 0, in_backward = 0;  // rounding in outputs that do not change
  Values incoming = checked_.r;
  for (std::size_t j = 0; j < incoming.size(); ++j) {
    if (e.changed[j]) continue;
    const double y = std::abs(checked_.y[j]);
    rounding += roundings * epsilon * std::abs(incoming[j]) * y / e.h;
    in_backward = std::max(in_backward, tiny * std::abs(incoming[j]) * std::max(1.0, y) / scale());
    incoming[j] = 0;
  }
  judgement.verdict = Judgement::wrong;
  if (!explains(rounding + in_backward, error(e.slope))) return;
  const double rest = gradients(checked_.leaves, checked_.f(), incoming)[leaf_][at_];
  if (!(std::abs(rest - e.slope) <= allowed(e))) return;
  judgement.allowed += in_backward;
  judgement.verdict = error(e.slope) <= judgement.allowed ? Judgement::right : Judgement::open;
}

Element::Judgement Element::judge() const {
  const Estimate first = estimate(checked_.options.step * scale());
  Judgement judgement = doubtful(first, first);
  if (confirms(first)) {
    judgement.verdict = Judgement::right;
    return judgement;
  }
  Estimate before = first;
  for (int i = 0; i < finer_steps && !(before.rounding > error(before.slope) / 10); ++i) {
    const Estimate e = estimate(before.h / ratio);
    judgement = compare(before, e);
    if (judgement.verdict == Judgement::right || (judgement.verdict == Judgement::wrong && i == 0))
      return judgement;
    if (judgement.verdict == Judgement::wrong) break;
    before = e;
  }
  // Tries larger steps: if rounding inside f causes the error, the error shrinks as the step grows.
  before = first;
  for (int i = 0; i < coarser_steps; ++i) {
    const Estimate e = estimate(before.h * ratio);
    Judgement other = compare(before, e);
    if (other.verdict == Judgement::right) return other;
    if (judgement.verdict == Judgement::open && other.verdict == Judgement::wrong) judgement = other;
    before = e;
  }
  return judgement;
}

// If this element is worse than all earlier ones, makes it the entry's worst element. Returns the largest
// quotient error / allowed so far.
double note(GradcheckEntry& entry, double worst, std::int64_t element, double analytic,
            const Element::Judgement& judgement) {
  const double error = std::abs(analytic - judgement.numeric);
  const double badness = error == 0 ? 0 : std::isfinite(error) ? error / judgement.allowed : INFINITY;
  if (badness <= worst) return worst;
  entry.worst = entry.shape.index_of(element);
  entry.analytic = analytic;
  entry.numeric = judgement.numeric;
  entry.error = error;
  entry.allowed = judgement.allowed;
  return badness;
}

double largest_of(const Values& gradient) {
  double largest = 0;
  for (const double g : gradient) {
    if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
  }
  return largest;
}

// The elements of leaf k that are checked.
std::vector<std::size_t> elements_of(const Checked& checked, std::size_t k) {
  const Generator generator = Generator(checked.options.seed).stream(k);
  return drawn_elements(checked.leaves[k].second.numel(), checked.options.elements, generator);
}

GradcheckEntry check(const Checked& checked, std::size_t k, const Values& gradient) {
  const auto& [label, leaf] = checked.leaves[k];
  const std::vector<std::size_t> elements = elements_of(checked, k);
  GradcheckEntry entry{.name = label,
                       .shape = leaf.shape(),
                       .worst = {},
                       .needing = {},
                       .first_open = {},
                       .checked = std::ssize(elements)};
  entry.all_zero = std::ranges::all_of(elements, [&](std::size_t at) { return gradient[at] == 0; });
  const double largest = largest_of(gradient);
  double worst = -1;
  for (const std::size_t at : elements) {
    const auto i = static_cast<std::int64_t>(at);
    const auto judgement = Element(checked, k, at, gradient[at], largest).judge();
    if (judgement.verdict == Element::Judgement::open) {
      if (entry.not_judged++ > 0) continue;
      entry.first_open = judgement.doubt;
      entry.first_open.index = leaf.shape().index_of(i);
    } else {
      if (judgement.verdict == Element::Judgement::wrong) ++entry.wrong;
      worst = note(entry, worst, i, gradient[at], judgement);
    }
  }
  return entry;
}

// `gradient` was computed while only some leaves required gradients, `with_all` while all leaves required
// gradients. Judges the elements in which `gradient` and `with_all` differ.
void compare(const Checked& checked, std::size_t k, const Values& gradient, const Values& with_all,
             const std::string& needing, GradcheckEntry& entry) {
  if (!entry.passed()) return;
  const double largest = largest_of(with_all);
  double worst = -1;
  for (const std::size_t at : elements_of(checked, k)) {
    if (std::abs(gradient[at] - with_all[at]) <= checked.options.rtol * std::abs(with_all[at])) continue;
    const auto judgement = Element(checked, k, at, gradient[at], largest).judge();
    if (judgement.verdict != Element::Judgement::wrong) continue;
    ++entry.wrong;
    entry.needing = needing;
    worst = note(entry, worst, static_cast<std::int64_t>(at), gradient[at], judgement);
  }
}

// Repeats the check with only one leaf requiring a gradient, and with all leaves but one. This finds a
// backward function that is right only if all gradients are wanted.
void check_subsets(const Checked& checked, const std::vector<Values>& with_all, GradcheckReport& report) {
  const std::size_t n = checked.leaves.size();
  for (const bool alone : {true, false}) {
    for (std::size_t chosen = 0; chosen < n && n > (alone ? 1 : 2); ++chosen) {
      std::vector<bool> needed(n, !alone);
      needed[chosen] = alone;
      const Needing needing(checked.leaves, needed);
      const std::vector<Values> found = gradients(checked.leaves, checked.f(), checked.r);
      const std::string text = alone ? "when no other needs a gradient"
                                     : "when '" + checked.leaves[chosen].first + "' needs no gradient";
      for (std::size_t k = 0; k < n; ++k) {
        if (needed[k]) compare(checked, k, found[k], with_all[k], text, report.entries[k]);
      }
    }
  }
}

void check_leaf(const std::string& label, const Tensor& leaf) {
  if (leaf.dtype() != Dtype::f64) {
    fail("gradcheck", "'", label, "' ", leaf.shape(), " is ", name(leaf.dtype()),
         " and must be f64, because rounding swamps finite differences in f32; convert the module with "
         ".to(Dtype::f64)");
  }
  if (!leaf.requires_grad())
    fail("gradcheck", "'", label, "' ", leaf.shape(), " does not require a gradient");
}

void check_result(const Tensor& result) {
  if (result.dtype() == Dtype::f64 && result.requires_grad()) return;
  fail("gradcheck", "the function's result ", result.shape(), " is ", name(result.dtype()),
       result.requires_grad() ? "" : " and needs no gradient",
       "; it must be f64 and depend on what is checked");
}

void check_repeats(const Values& y, const Values& again) {
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (again[j] == y[j] || (std::isnan(again[j]) && std::isnan(y[j]))) continue;
    fail("gradcheck", "two calls of the function gave ", y[j], " and ", again[j],
         "; it must compute the same each time (call eval() on a module with dropout)");
  }
}

}  // namespace

GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options) {
  if (options.elements < 0) {
    fail("gradcheck", "the number of elements per tensor must be at least 0 (all), and is ",
         options.elements);
  }
  for (const auto& [label, leaf] : leaves) check_leaf(label, leaf);

  Checked checked{f, leaves, options};
  const Tensor result = f();
  check_result(result);
  checked.shape = result.shape();
  checked.y = result.to_vector<double>();
  Generator generator(options.seed);
  checked.r = normal(result.shape(), 0, 1, generator, Dtype::f64).to_vector<double>();
  const std::vector<Values> found = gradients(leaves, result, checked.r);
  check_repeats(checked.y, values_of(checked));

  GradcheckReport report;
  for (std::size_t k = 0; k < leaves.size(); ++k) report.entries.push_back(check(checked, k, found[k]));
  check_subsets(checked, found, report);
  return report;
}

GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, NamedTensors leaves,
                          const GradcheckOptions& options) {
  std::vector<Tensor> arguments = inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].defined() || !is_floating(inputs[k].dtype())) continue;
    arguments[k] = inputs[k].clone().to(Dtype::f64).set_requires_grad();
    leaves.emplace_back("input " + std::to_string(k), arguments[k]);
  }
  return gradcheck([&] { return f(arguments); }, leaves, options);
}

GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  return gradcheck(f, inputs, NamedTensors{}, options);
}

}  // namespace gradus
