#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/nn/normaliser.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace gradus::nn {
namespace {

using Row = std::span<const double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

void check_energies(const char* operation, const Tensor& energies, const Tensor& lengths) {
  if (energies.rank() != 2) fail(operation, "the energies are ", energies.shape(), " and must be (B, T)");
  check_lengths(operation, lengths, energies.size(0), energies.size(1));
}

void check_k(const char* operation, std::int64_t k) {
  if (k < 1) fail(operation, "k must be at least 1, and is ", k);
}

// Returns a (B, T) constant with zeros beyond the lengths. For each row of length above 0, calls f(e, α).
// e are the energies within the row's length. f sets the row's weights α, which are 0 before the call.
template <class T, class F>
Tensor by_rows(const Tensor& energies, const Tensor& lengths, F f) {
  const std::vector<double> e = energies.to_vector<double>();
  std::vector<T> result(e.size(), T(0));
  const std::int64_t B = energies.size(0), width = energies.size(1);
  for (std::int64_t b = 0; b < B; ++b) {
    const auto first = static_cast<std::size_t>(b * width);
    const auto real = static_cast<std::size_t>(length_of(lengths, b, width));
    if (real > 0) f(Row(e).subspan(first, real), std::span(result).subspan(first, real));
  }
  return tensor(result, energies.shape());
}

// The threshold τ of sparsemax for one row.
double threshold(Row e) {
  std::vector<double> sorted(e.begin(), e.end());
  std::ranges::sort(sorted, std::greater());
  double sum = 0, tau = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const auto size = static_cast<double>(k + 1);
    if (1 + size * sorted[k] <= sum) break;
    tau = (sum - 1) / size;
  }
  return tau;
}

void project(Row e, std::span<double> weights) {
  for (const double x : e) {
    if (!(x < infinity)) fail("sparsemax", "an energy is ", x, " and must be a finite number or −∞");
  }
  // Subtracts the largest energy from all energies. Otherwise rounding could lose the 1 that threshold() adds
  // to or subtracts from large numbers.
  const double largest = *std::ranges::max_element(e);
  if (largest == -infinity) fail("sparsemax", "all energies of a row are −∞, and one must be finite");
  std::vector<double> below(e.begin(), e.end());
  for (double& x : below) x -= largest;
  const double tau = threshold(below);
  std::ranges::transform(below, weights.begin(), [tau](double x) { return std::max(x - tau, 0.0); });
}

// Sets `excluded` to 1 at all positions except those of the k largest energies.
void exclude(Row e, std::int64_t k, std::span<std::int64_t> excluded) {
  std::vector<std::size_t> order(e.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return e[i] > e[j]; });
  for (std::size_t i = static_cast<std::size_t>(k); i < order.size(); ++i) excluded[order[i]] = 1;
}

// 1 at each row's largest energy, and 0 elsewhere. On ties, only the first position gets 1.
Tensor largest(const Tensor& energies, const Tensor& lengths) {
  return by_rows<double>(energies, lengths,
                         [](Row e, std::span<double> chosen) {
                           chosen[static_cast<std::size_t>(std::ranges::max_element(e) - e.begin())] = 1;
                         })
      .to(energies.dtype());
}

// Each row has its own generator. So a row's noise does not depend on T, which is the length of the longest
// row of the batch.
Tensor gumbel_noise(const Tensor& energies) {
  const std::int64_t B = energies.size(0), T = energies.size(1);
  const Generator rows = default_generator().split();
  std::vector<double> noise;
  for (std::int64_t b = 0; b < B; ++b) {
    Generator row = rows.stream(static_cast<std::uint64_t>(rows.place(0, b, B)));
    for (std::int64_t j = 0; j < T; ++j) {
      constexpr double half_a_step = 0x1p-54;  // avoids ln 0, because uniform() may be 0
      noise.push_back(-std::log(-std::log(std::max(row.uniform(), half_a_step))));
    }
  }
  return tensor(noise, energies.shape()).to(energies.dtype());
}

}  // namespace

Tensor sparsemax(const Tensor& energies, const Tensor& lengths) {
  check_energies("sparsemax", energies, lengths);
  const Tensor alpha = by_rows<double>(energies, lengths, project).to(energies.dtype());
  return record("sparsemax", alpha, {energies}, {alpha}, [](Gradients& g) {
    const Tensor& weights = g.saved(0);
    const Tensor support = greater(weights, zeros({}, weights.dtype())).to(weights.dtype());
    const Tensor size = clamp(sum(support, 1, true), 1, infinity);
    const Tensor on_support = g.out() * support;
    g.add(0, on_support - support * (sum(on_support, 1, true) / size));
  });
}

Tensor top_k_softmax(const Tensor& energies, const Tensor& lengths, std::int64_t k) {
  check_energies("top_k_softmax", energies, lengths);
  check_k("top_k_softmax", k);
  const Tensor excluded = by_rows<std::int64_t>(
      energies, lengths, [k](Row e, std::span<std::int64_t> row) { exclude(e, k, row); });
  return masked_softmax(masked_fill(energies, excluded, -infinity), lengths);
}

namespace normaliser {

Normaliser sparsemax() {
  return {.weights = [](const Tensor& e, const Tensor& lengths, bool /*training*/) {
    return nn::sparsemax(e, lengths);
  }};
}

Normaliser top_k(std::int64_t k) {
  check_k("top_k", k);
  return {.weights = [k](const Tensor& e, const Tensor& lengths, bool /*training*/) {
    return top_k_softmax(e, lengths, k);
  }};
}

Normaliser hard() {
  return {.weights =
              [](const Tensor& e, const Tensor& lengths, bool training) {
                if (!training) return largest(e, lengths);
                const Tensor drawn = largest(e.detach() + gumbel_noise(e), lengths);
                const Tensor p = masked_softmax(e, lengths), fixed = p.detach();
                // log_ratio is 0, but has the gradient of ln p. The clamp avoids a division by 0: p may be 0
                // at positions that are not drawn.
                const Tensor log_ratio = (p - fixed) / clamp(fixed, std::numeric_limits<float>::min(), 1);
                return drawn * (1 + log_ratio);
              },
          .estimator = Estimator::reinforce};
}

Normaliser gumbel(double temperature) {
  if (!(temperature > 0 && std::isfinite(temperature))) {
    fail("gumbel", "the temperature must be finite and above 0, and is ", temperature);
  }
  return {.weights =
              [temperature](const Tensor& e, const Tensor& lengths, bool training) {
                if (!training) return largest(e, lengths);
                const Tensor perturbed = e + gumbel_noise(e);
                const Tensor soft = masked_softmax(perturbed / temperature, lengths);
                return largest(perturbed, lengths) + (soft - soft.detach());  // values are exactly 0 or 1
              },
          .estimator = Estimator::straight_through};
}

}  // namespace normaliser
}  // namespace gradus::nn
