#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace gradus {
namespace {

// Σ incoming · f(), whose gradient is the incoming gradient pulled back through f.
double weighted(const Tensor& result, const std::vector<double>& incoming) {
  const auto values = result.values<double>();
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) total += incoming[i] * values[i];
  return total;
}

std::vector<std::int64_t> index_of(std::int64_t element, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
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

void check_leaf(const std::string& label, const Tensor& leaf) {
  if (leaf.dtype() != Dtype::f64) {
    fail("gradcheck", "'", label, "' ", leaf.shape(), " is ", name(leaf.dtype()),
         ": in less than double the differences drown in rounding; convert the module with .to(Dtype::f64)");
  }
  if (!leaf.requires_grad())
    fail("gradcheck", "'", label, "' ", leaf.shape(), " does not require a gradient");
}

}  // namespace

GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options) {
  for (const auto& [label, leaf] : leaves) check_leaf(label, leaf);
  for (auto [label, leaf] : leaves) leaf.zero_grad();

  const Tensor result = f();
  if (result.dtype() != Dtype::f64 || !result.requires_grad()) {
    fail("gradcheck", "the function's result ", result.shape(), " is ", name(result.dtype()),
         result.requires_grad() ? "" : " and needs no gradient",
         "; it must be f64 and depend on what is checked");
  }
  Generator generator(options.seed);
  const Tensor gradient = normal(result.shape(), 0, 1, generator, Dtype::f64);
  const std::vector<double> incoming = gradient.to_vector<double>();
  const double value = weighted(result, incoming);
  result.backward(gradient);

  const auto evaluate = [&] {
    const NoGrad no_grad;
    return weighted(f(), incoming);
  };
  if (const double again = evaluate(); again != value && !(std::isnan(again) && std::isnan(value))) {
    fail("gradcheck", "two calls of the function gave ", value, " and ", again,
         "; it must compute the same each time (call eval() on a module with dropout)");
  }

  GradcheckReport report;
  for (const auto& [label, handle] : leaves) {
    Tensor leaf = handle;  // clang 14 captures no structured binding
    GradcheckEntry entry{.name = label, .shape = leaf.shape(), .worst = {}, .all_zero = true};
    const auto analytic = leaf.grad().defined() ? leaf.grad().to_vector<double>()
                                                : std::vector<double>(static_cast<std::size_t>(leaf.numel()));
    double worst_ratio = -1;
    for (std::int64_t i = 0; i < leaf.numel(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double original = leaf.values<double>()[at];
      const auto f_at = [&](double x) {
        const ElementSet element(leaf, at, x);
        return evaluate();
      };
      const double h = options.step;
      const double numeric =
          (f_at(original - 2 * h) - f_at(original + 2 * h) + 8 * (f_at(original + h) - f_at(original - h))) /
          (12 * h);
      const double error = std::abs(analytic[at] - numeric);
      const double allowed = options.atol + options.rtol * std::abs(numeric);
      const bool right = std::isfinite(numeric) && error <= allowed;  // so that NaN and infinity are wrong
      if (!right) ++entry.wrong;
      if (analytic[at] != 0) entry.all_zero = false;
      const double ratio = std::isfinite(numeric) && std::isfinite(error) ? error / allowed : INFINITY;
      if (ratio > worst_ratio) {
        worst_ratio = ratio;
        entry.worst = index_of(i, leaf.shape());
        entry.analytic = analytic[at];
        entry.numeric = numeric;
        entry.error = error;
        entry.allowed = allowed;
      }
    }
    report.entries.push_back(std::move(entry));
  }
  return report;
}

GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  std::vector<Tensor> arguments;
  NamedTensors leaves;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!is_floating(inputs[k].dtype())) {
      arguments.push_back(inputs[k]);
      continue;
    }
    Tensor leaf = inputs[k].detach().clone().to(Dtype::f64);
    leaf.set_requires_grad();
    arguments.push_back(leaf);
    leaves.emplace_back("input " + std::to_string(k), leaf);
  }
  return gradcheck([&] { return f(arguments); }, leaves, options);
}

bool GradcheckReport::passed() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const GradcheckEntry& entry) { return entry.wrong == 0; });
}

std::ostream& operator<<(std::ostream& out, const GradcheckReport& report) {
  std::ostringstream text;
  text << "gradient check " << (report.passed() ? "passed" : "FAILED") << '\n';
  for (const GradcheckEntry& entry : report.entries) {
    text << "  " << (entry.wrong == 0 ? "ok   " : "WRONG") << ' ' << entry.name << ' ' << entry.shape;
    if (!entry.worst.empty() || entry.shape.rank() == 0) {
      text << ": worst at [";
      for (std::size_t i = 0; i < entry.worst.size(); ++i) text << (i > 0 ? ", " : "") << entry.worst[i];
      text << "], analytic " << std::setprecision(9) << entry.analytic << ", numeric " << entry.numeric
           << ", off by " << std::setprecision(2) << entry.error << " (allowed " << entry.allowed << ')';
    }
    if (entry.wrong > 0)
      text << "; " << entry.wrong << " of " << entry.shape.numel() << " elements are wrong";
    if (entry.all_zero && entry.shape.numel() > 0) {
      text << "; every gradient is 0, so this checked nothing: start from other values";
    }
    text << '\n';
  }
  return out << text.str();
}

}  // namespace gradus
