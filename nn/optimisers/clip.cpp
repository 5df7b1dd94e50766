#include <gradus/autograd/scope.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "module/pieces.hpp"

namespace gradus::nn {
namespace {

// The gradients of all parameters that have a gradient, split into pieces for the threads.
struct GradientPieces {
  std::vector<Tensor> tensors;
  Pieces pieces;

  explicit GradientPieces(const std::vector<Tensor>& parameters) {
    for (const Tensor& parameter : parameters) {
      const Tensor gradient = parameter.grad();
      if (!gradient.defined()) continue;
      tensors.push_back(gradient);
      pieces.add(gradient.numel());
    }
  }

  // Calls visit(k, values) with the values of each piece k.
  template <class Visit>
  void read(const Visit& visit) const {
    for_each([&]<class T>(std::size_t k, const Tensor& of, std::int64_t begin, std::int64_t end) {
      visit(k,
            of.values<T>().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
  }
  template <class Visit>
  void change(const char* by, const Visit& visit) const {
    for_each([&]<class T>(std::size_t, Tensor of, std::int64_t begin, std::int64_t end) {
      visit(of.mutable_values<T>(by).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin)));
    });
  }

 private:
  template <class Visit>
  void for_each(const Visit& visit) const {
    pieces.for_each([&](std::size_t k, std::size_t tensor, std::int64_t begin, std::int64_t end) {
      const Tensor& of = tensors[tensor];
      of.dtype() == Dtype::f32 ? visit.template operator()<float>(k, of, begin, end)
                               : visit.template operator()<double>(k, of, begin, end);
    });
  }
};

// Accumulates in double, in `lanes` independent partial sums, which the compiler can vectorise.
template <class T>
double sum_of_squares(std::span<const T> values) {
  constexpr std::size_t lanes = 32;
  double partial[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double g = static_cast<double>(values[i + lane]);
      partial[lane] += g * g;
    }
  }
  double total = 0;
  for (; i < values.size(); ++i) total += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return std::accumulate(partial, partial + lanes, total);
}

}  // namespace

double clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm) {
  if (!(max_norm > 0)) fail("clip_grad_norm", "the largest norm must be above 0, and is ", max_norm);
  const GradientPieces gradients(parameters);
  std::vector<double> squares(gradients.pieces.count());  // one sum per piece, added in a fixed order
  gradients.read([&](std::size_t k, auto values) { squares[k] = sum_of_squares(values); });
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  const double factor = max_norm / (norm + 1e-6);
  if (!std::isfinite(norm) || factor >= 1) return norm;
  gradients.change("clip_grad_norm", [factor]<class T>(std::span<T> values) {
    for (T& g : values) g *= static_cast<T>(factor);
  });
  return norm;
}

void clip_grad_value(const std::vector<Tensor>& parameters, double limit) {
  if (!(limit > 0)) fail("clip_grad_value", "the limit must be above 0, and is ", limit);
  GradientPieces(parameters).change("clip_grad_value", [limit]<class T>(std::span<T> values) {
    const auto high = static_cast<T>(limit);
    for (T& g : values) g = std::clamp(g, -high, high);
  });
}

}  // namespace gradus::nn
