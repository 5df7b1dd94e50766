#include <gradus/autograd/ops.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"

using namespace gradus;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const ClipGradients& answer) {
  return {name, mistake, global_clipping_exercise(answer)};
}

using Parameters = std::vector<Tensor>;

std::vector<Tensor> with_gradient(const Parameters& parameters) {
  std::vector<Tensor> some = parameters;
  std::erase_if(some, [](const Tensor& p) { return !p.grad().defined(); });
  return some;
}

double norm_of(const Parameters& parameters) {
  double squares = 0;
  for (const Tensor& p : with_gradient(parameters)) squares += sum(p.grad() * p.grad()).item();
  return std::sqrt(squares);
}

void scale(const Parameters& parameters, double factor) {
  for (Tensor& p : with_gradient(parameters)) p.set_grad(p.grad() * factor);
}

// Clips by the result of norm(), which may be a wrong norm. Returns this result.
template <class Norm>
ClipGradients by(const Norm& norm) {
  return [=](const Parameters& parameters, double max_norm) {
    const double n = norm(parameters);
    if (std::isfinite(n) && n > max_norm) scale(parameters, max_norm / n);
    return n;
  };
}

// Computes the norm and the condition correctly, but calls change() instead of scaling.
template <class Change>
ClipGradients changing(const Change& change) {
  return [=](const Parameters& parameters, double max_norm) {
    const double n = norm_of(parameters);
    if (std::isfinite(n) && n > max_norm) change(parameters, max_norm, n);
    return n;
  };
}

}  // namespace

int main() {
  const auto concatenated = [](const Parameters& parameters, double max_norm) {
    std::vector<Tensor> flat = {zeros({1}, Dtype::f64)};
    for (const Tensor& p : with_gradient(parameters)) flat.push_back(p.grad().reshape({-1}));
    const Tensor all = concat(flat, 0);
    const double norm = sqrt(sum(all * all)).item();
    if (norm > max_norm && norm < INFINITY)
      for (Tensor& p : with_gradient(parameters)) {
        Tensor gradient = p.grad();
        for (double& g : gradient.mutable_values<double>()) g *= max_norm / norm;
      }
    return norm;
  };
  return exercise::bank({
      attempt("concatenated, in place", "", concatenated),
      attempt("the library's, with PyTorch's ε", "", nn::clip_grad_norm),
      attempt("no root", "no-root", by([](const Parameters& p) { return std::pow(norm_of(p), 2); })),
      attempt("norms added", "sum-of-norms", by([](const Parameters& parameters) {
                double total = 0;
                for (const Tensor& p : parameters) total += norm_of({p});
                return total;
              })),
      attempt("root of the norms added", "root-of-norms", by([](const Parameters& parameters) {
                double total = 0;
                for (const Tensor& p : parameters) total += norm_of({p});
                return std::sqrt(total);
              })),
      attempt("absolute values", "absolute", by([](const Parameters& parameters) {
                double total = 0;
                for (const Tensor& p : with_gradient(parameters)) total += sum(abs(p.grad())).item();
                return total;
              })),
      attempt("largest element", "largest", by([](const Parameters& parameters) {
                double most = 0;
                for (const Tensor& p : with_gradient(parameters))
                  most = std::max(most, max(abs(p.grad())).item());
                return most;
              })),
      attempt("the last parameter's norm", "one-parameter",
              by([](const Parameters& parameters) { return norm_of({parameters.back()}); })),
      attempt("rebinds its own handles", "unchanged",
              changing([](const Parameters& parameters, double max_norm, double norm) {
                for (const Tensor& p : parameters) {
                  Tensor g = p.grad();
                  g = g * (max_norm / norm);
                }
              })),
      attempt("each parameter separately", "each-by-itself",
              changing([](const Parameters& parameters, double max_norm, double) {
                for (const Tensor& p : parameters) scale({p}, std::min(1.0, max_norm / norm_of({p})));
              })),
      attempt("sums and scales in one loop", "norm-so-far",
              changing([](const Parameters& parameters, double max_norm, double) {
                double squares = 0;
                for (const Tensor& p : parameters) {
                  squares += std::pow(norm_of({p}), 2);
                  scale({p}, std::min(1.0, max_norm / std::sqrt(squares)));
                }
              })),
      attempt("element by element", "by-element",
              changing([](const Parameters& parameters, double max_norm, double) {
                nn::clip_grad_value(parameters, max_norm);
              })),
      attempt("to norm 1", "to-one",
              changing([](const Parameters& p, double, double norm) { scale(p, 1 / norm); })),
      attempt("a divisor of at least 1", "divisor-limited",
              changing([](const Parameters& p, double max_norm, double norm) {
                scale(p, max_norm / std::max(norm, 1.0));
              })),
      attempt("only matrices", "one-left-out", by([](const Parameters& parameters) {
                Parameters some;
                for (const Tensor& p : parameters)
                  if (p.rank() > 1) some.push_back(p);
                return norm_of(some);
              })),
      attempt("inverse factor", "inverse",
              changing([](const Parameters& p, double max_norm, double norm) { scale(p, norm / max_norm); })),
      attempt("scaled by squares", "no-root", changing([](const Parameters& p, double max_norm, double norm) {
                scale(p, max_norm / (norm * norm));
              })),
      attempt("scales the parameters too", "parameters-changed",
              changing([](const Parameters& parameters, double max_norm, double norm) {
                for (Tensor p : parameters) {
                  const Tensor g = p.grad();
                  p.replace(p.detach() * (max_norm / norm));
                  p.set_grad(g * (max_norm / norm));
                }
              })),
      attempt("hypot, element by element", "",
              [](const Parameters& parameters, double max_norm) {
                double norm = 0;
                for (const Tensor& p : with_gradient(parameters))
                  for (const double g : p.grad().to_vector<double>()) norm = std::hypot(norm, g);
                if (std::isfinite(norm) && norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("only the first parameter clipped", "some-unchanged",
              changing([](const Parameters& p, double max_norm, double norm) {
                scale({with_gradient(p).front()}, max_norm / norm);
              })),
      attempt("only the last parameter clipped", "some-unchanged",
              changing([](const Parameters& p, double max_norm, double norm) {
                scale({with_gradient(p).back()}, max_norm / norm);
              })),
      attempt("root of the mean square", "mean-square", by([](const Parameters& parameters) {
                double n = 0;
                for (const Tensor& p : with_gradient(parameters)) n += static_cast<double>(p.numel());
                return norm_of(parameters) / std::sqrt(n);
              })),
      attempt("norm of the parameters", "norm-of-parameters", by([](const Parameters& parameters) {
                double squares = 0;
                for (const Tensor& p : with_gradient(parameters)) squares += sum(p * p).item();
                return std::sqrt(squares);
              })),
      attempt("stops at a missing gradient", "stops-at-missing", by([](const Parameters& parameters) {
                double squares = 0;
                for (const Tensor& p : parameters) {
                  if (!p.grad().defined()) break;
                  squares += sum(p.grad() * p.grad()).item();
                }
                return std::sqrt(squares);
              })),
      attempt("compares the squares", "compares-squares",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (std::isfinite(norm) && norm * norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("factor returned", "factor-returned",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (!std::isfinite(norm) || norm <= max_norm) return 1.0;
                scale(parameters, max_norm / norm);
                return max_norm / norm;
              }),
      attempt("only NaN recognised", "not-finite",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("gradients of a bad step cleared", "not-finite",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (!std::isfinite(norm))
                  for (Tensor& p : with_gradient(parameters)) p.set_grad(zeros(p.shape(), p.dtype()));
                else if (norm > max_norm)
                  scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("norm after clipping", "norm-after",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (norm > max_norm) scale(parameters, max_norm / norm);
                return std::min(norm, max_norm);
              }),
      attempt("scales always", "scales-up",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("requires every gradient", "error",
              [](const Parameters& parameters, double max_norm) {
                double squares = 0;
                for (const Tensor& p : parameters) squares += sum(p.grad() * p.grad()).item();
                const double norm = std::sqrt(squares);
                if (norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("sets missing gradients to 0", "no-gradient",
              [](const Parameters& parameters, double max_norm) {
                for (Tensor p : parameters)
                  if (!p.grad().defined()) p.set_grad(zeros(p.shape(), p.dtype()));
                return nn::clip_grad_norm(parameters, max_norm);
              }),
      attempt("0 / 0 for zero gradients", "zero",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                scale(parameters, std::min(norm, max_norm) / norm);
                return norm;
              }),
      attempt("infinite norms scaled, with std::min", "not-finite",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                scale(parameters, std::min(1.0, max_norm / (norm + 1e-12)));
                return norm;
              }),
      attempt("short gradients left as they are", "by-own-norm",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                for (const Tensor& p : with_gradient(parameters))
                  if (std::isfinite(norm) && norm > max_norm && norm_of({p}) > max_norm)
                    scale({p}, max_norm / norm);
                return norm;
              }),
      attempt("only the first gradient tested for NaN", "not-finite",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (std::isfinite(norm_of({parameters[0]})) && !(norm <= max_norm))
                  scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("0 for a norm that is not finite", "norm-of-nan",
              [](const Parameters& parameters, double max_norm) {
                const double norm = norm_of(parameters);
                if (!std::isfinite(norm)) return 0.0;
                if (norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("returns at a gradient of zeros", "zeros-end",
              [](const Parameters& parameters, double max_norm) {
                if (parameters[0].grad().defined() && norm_of({parameters[0]}) == 0) return 0.0;
                const double norm = norm_of(parameters);
                if (std::isfinite(norm) && norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("the sum never set to 0", "remembers",
              [squares = 0.0](const Parameters& parameters, double max_norm) mutable {
                squares += std::pow(norm_of(parameters), 2);
                const double norm = std::sqrt(squares);
                if (std::isfinite(norm) && norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("the root inside the loop", "root-in-loop",
              [](const Parameters& parameters, double max_norm) {
                double norm = 0;
                for (const Tensor& p : parameters)
                  if (p.grad().defined()) norm = std::sqrt(norm + std::pow(norm_of({p}), 2));
                if (std::isfinite(norm) && norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
      attempt("ε under the root", "epsilon",
              [](const Parameters& parameters, double max_norm) {
                const double norm = std::sqrt(std::pow(norm_of(parameters), 2) + 1e-6);
                if (std::isfinite(norm) && norm > max_norm) scale(parameters, max_norm / norm);
                return norm;
              }),
  });
}
