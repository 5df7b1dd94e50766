#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>

#include <algorithm>
#include <cmath>

namespace gradus {
namespace {

using Function = std::function<double()>;

// Σ incoming · f(), whose gradient is the incoming gradient pulled back through f.
double weighted(const Tensor& result, const std::vector<double>& incoming) {
  const auto values = result.values<double>();
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) total += incoming[i] * values[i];
  return total;
}

// One element of a leaf, changed as long as this lives, whatever is thrown meanwhile.
class ElementSet {
 public:
  ElementSet(Tensor& leaf, std::size_t at, double value)
      : leaf_(leaf), at_(at), original_(leaf.values<double>()[at]) {
    leaf_.mutable_values<double>("gradcheck")[at_] = value;
  }
  ~ElementSet() { leaf_.mutable_values<double>("gradcheck")[at_] = original_; }
  ElementSet(const ElementSet&) = delete;
  ElementSet& operator=(const ElementSet&) = delete;

 private:
  Tensor& leaf_;
  std::size_t at_;
  double original_;
};

// f along one element of a leaf: f(x + offset).
class Line {
 public:
  Line(const Function& f, Tensor& leaf, std::size_t at)
      : f_(f), leaf_(leaf), at_(at), x_(leaf.values<double>()[at]) {}
  double operator()(double offset) const {
    const ElementSet element(leaf_, at_, x_ + offset);
    return f_();
  }

 private:
  const Function& f_;
  Tensor& leaf_;
  std::size_t at_;
  double x_;
};

double central_slope(const Line& f, double h) {
  return (f(-2 * h) - f(2 * h) + 8 * (f(h) - f(-h))) / (12 * h);
}

double allowed(double numeric, const GradcheckOptions& options) {
  return options.atol + options.rtol * std::abs(numeric);
}

bool confirms(double numeric, double analytic, const GradcheckOptions& options) {
  return std::isfinite(numeric) && std::abs(analytic - numeric) <= allowed(numeric, options);
}

// On whether a lack of smoothness may explain an error: a small one is no excuse.
bool explains(double doubt, double error) { return !(doubt <= error / 10); }

struct Judgement {
  enum { right, wrong, not_smooth } verdict;
  double numeric;           // the estimate that decided
  GradcheckKink kink = {};  // where not smooth
};

// The judgement of a gradient that the first estimate does not confirm.
Judgement look_closer(const Line& f, double analytic, double estimate, const GradcheckOptions& options) {
  const auto slope = [&](double from, double to) { return (f(to) - f(from)) / (to - from); };
  GradcheckKink kink;
  for (const double h : {options.step, options.step / 10}) {
    const double finer = central_slope(f, h / 10);
    if (confirms(finer, analytic, options)) return {Judgement::right, finer};
    const double error = std::isnan(analytic) ? INFINITY : std::abs(analytic - finer);

    // A smooth f's slopes on the two sides come tenfold closer. At a kink on x they stay apart, although the
    // central differences agree.
    kink = {{}, estimate, finer, slope(-h / 10, 0), slope(0, h / 10)};
    const double gap = std::abs(kink.right - kink.left);
    if (gap > std::abs(slope(0, h) - slope(-h, 0)) / 2 && explains(gap, error)) break;
    if (!explains(std::abs(estimate - finer), error)) return {Judgement::wrong, finer};
    estimate = finer;
  }
  return {Judgement::not_smooth, kink.fine, kink};
}

Judgement judge(const Line& f, double analytic, const GradcheckOptions& options) {
  const double numeric = central_slope(f, options.step);
  if (confirms(numeric, analytic, options)) return {Judgement::right, numeric};
  return look_closer(f, analytic, numeric, options);
}

// An element that is worse than all before becomes the entry's worst; returns how bad the worst now is.
double note(GradcheckEntry& entry, double worst, std::int64_t element, double analytic, double numeric,
            const GradcheckOptions& options) {
  const double error = std::abs(analytic - numeric);
  const double ratio = std::isfinite(error) ? error / allowed(numeric, options) : INFINITY;
  if (ratio <= worst) return worst;
  entry.worst = entry.shape.index_of(element);
  entry.analytic = analytic;
  entry.numeric = numeric;
  entry.error = error;
  entry.allowed = allowed(numeric, options);
  return ratio;
}

std::vector<double> gradient_of(const Tensor& leaf) {
  return leaf.grad().defined() ? leaf.grad().to_vector<double>()
                               : std::vector<double>(static_cast<std::size_t>(leaf.numel()));
}

GradcheckEntry check(const std::string& label, Tensor leaf, const Function& f,
                     const GradcheckOptions& options) {
  GradcheckEntry entry{.name = label, .shape = leaf.shape(), .worst = {}, .first_kink = {}};
  const std::vector<double> gradient = gradient_of(leaf);
  entry.all_zero = std::all_of(gradient.begin(), gradient.end(), [](double g) { return g == 0; });
  double worst = -1;
  for (std::int64_t i = 0; i < leaf.numel(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Judgement judgement = judge(Line(f, leaf, at), gradient[at], options);
    if (judgement.verdict == Judgement::not_smooth) {
      if (entry.not_smooth++ > 0) continue;
      entry.first_kink = judgement.kink;
      entry.first_kink.index = leaf.shape().index_of(i);
    } else {
      if (judgement.verdict == Judgement::wrong) ++entry.wrong;
      worst = note(entry, worst, i, gradient[at], judgement.numeric, options);
    }
  }
  return entry;
}

void check_leaf(const std::string& label, const Tensor& leaf) {
  if (leaf.dtype() != Dtype::f64) {
    fail("gradcheck", "'", label, "' ", leaf.shape(), " is ", name(leaf.dtype()),
         ": in less than double the differences drown in rounding; convert the module with .to(Dtype::f64)");
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

void check_repeats(double value, double again) {
  if (again == value || (std::isnan(again) && std::isnan(value))) return;
  fail("gradcheck", "two calls of the function gave ", value, " and ", again,
       "; it must compute the same each time (call eval() on a module with dropout)");
}

}  // namespace

GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options) {
  for (const auto& [label, leaf] : leaves) check_leaf(label, leaf);
  for (auto [label, leaf] : leaves) leaf.zero_grad();

  const Tensor result = f();
  check_result(result);
  Generator generator(options.seed);
  const Tensor gradient = normal(result.shape(), 0, 1, generator, Dtype::f64);
  const std::vector<double> incoming = gradient.to_vector<double>();
  const double value = weighted(result, incoming);
  result.backward(gradient);

  const Function evaluate = [&] {
    const NoGrad no_grad;
    return weighted(f(), incoming);
  };
  check_repeats(value, evaluate());

  GradcheckReport report;
  for (const auto& [label, leaf] : leaves) report.entries.push_back(check(label, leaf, evaluate, options));
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
