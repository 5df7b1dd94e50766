#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/gradient.hpp"
#include "kernels/ranges.hpp"
#include "kernels/softmax.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

// Checks that each target is `ignored` or a class in [0, V), for targets (…) and `scores` (…, V). Returns the
// number of targets that are not ignored.
std::int64_t check_targets(const char* operation, const char* what, const Tensor& scores,
                           const Tensor& targets, std::int64_t ignored) {
  check_integers(operation, "the targets", targets);
  if (scores.rank() == 0 || scores.shape().without(-1) != targets.shape()) {
    fail(operation, "needs ", what, " (…, V) and targets (…), and got ", scores.shape(), " and ",
         targets.shape());
  }
  std::int64_t counted = 0;
  for (std::int64_t r = 0; r < targets.numel(); ++r) {
    const std::int64_t target = raw<std::int64_t>(targets)[r];
    if (target == ignored) continue;
    if (target < 0 || target >= scores.size(-1)) {
      fail(operation, "target ", target, " at position ", r, " of ", targets.shape(), " is outside [0, ",
           scores.size(-1), "), the last axis of the ", what, " ", scores.shape());
    }
    ++counted;
  }
  return counted;
}

// Calls row(r, target) for every row r whose target is not ignored.
template <class Row>
void for_each_target(const Tensor& targets, std::int64_t ignored, Row row) {
  const std::int64_t* target = raw<std::int64_t>(targets);
  for (std::int64_t r = 0; r < targets.numel(); ++r) {
    if (target[r] != ignored) row(r, target[r]);
  }
}

template <class T>
T average(double total, std::int64_t n) {
  return n == 0 ? T(0) : static_cast<T>(total / static_cast<double>(n));
}

// Losses do not broadcast, because unequal shapes are usually a mistake.
void check_pair(const char* operation, const Tensor& a, const Tensor& b) {
  check_same_dtype(operation, a, b);
  if (a.shape() != b.shape())
    fail(operation, "the shapes are ", a.shape(), " and ", b.shape(), "; they must be equal (reshape one?)");
  if (a.numel() == 0) fail(operation, "there is nothing to average in ", a.shape());
}

// The loss of one row, with and without label smoothing.
struct RowLoss {
  double smoothed, plain;
};

// Returns the losses of one row. `smoothed` is −Σ_k q_k ln softmax(x)_k, where q is 1 − ε + ε/V at the target
// and ε/V elsewhere. `plain` is the same for ε = 0. Writes e^(x − max x) to e, which may alias x, and
// 1 / Σ e^(x − max x) to `inverse`. Most of the time goes into the exponentials.
template <class T>
RowLoss cross_entropy_row(std::int64_t n, const T* x, std::int64_t target, double smoothing, T* e,
                          T& inverse) {
  const T largest = math::max_of(n, x);
  // `below` is Σ_k q_k (max x − x_k). A term may be ∞, and ∞ − ∞ and 0 · ∞ would be NaN. So terms are only
  // added, and terms with the factor 0 are left out.
  const double plain = static_cast<double>(largest - x[target]);
  double below = smoothing < 1 ? (1 - smoothing) * plain : 0;
  if (smoothing > 0) {
    const T all = math::sum_of<T>(n, [=](std::int64_t i) { return largest - x[i]; });
    below += smoothing * static_cast<double>(all) / static_cast<double>(n);
  }
  const T sum = kernels::exponentials(n, x, largest, e);
  inverse = T(1) / sum;
  const auto log_sum = static_cast<double>(std::log(sum));
  return {log_sum + below, log_sum + plain};
}

}  // namespace

Tensor cross_entropy(Tensor logits, const Tensor& targets, std::int64_t ignored, double smoothing,
                     double* unsmoothed) {
  if (!(smoothing >= 0 && smoothing <= 1))
    fail("cross_entropy", "the label smoothing must be in [0, 1], and is ", smoothing);
  const std::int64_t counted = check_targets("cross_entropy", "logits", logits, targets, ignored);
  const std::int64_t classes = logits.size(-1), rows = targets.numel();
  const Dtype dtype = logits.dtype();
  Tensor loss = zeros({}, dtype);
  // backward() needs e^(x − max x) and 1 / Σ e^(x − max x) of each row. The logits (N, V) are often the
  // largest tensor. If they are not shared, the exponentials overwrite the logits, and later the gradient
  // overwrites the exponentials. Under DetectAnomaly, the logits are kept for the messages.
  const bool in_place = !is_shared(logits) && !detects_anomaly();
  const Tensor exponential = in_place ? logits : empty(logits.shape(), dtype);
  const Tensor inverse = empty({rows}, dtype);
  for_floating("cross_entropy", dtype, [&]<class T>() {
    const T* first = raw<T>(logits);
    std::vector<RowLoss> losses(static_cast<std::size_t>(rows));
    for_each_row(rows, classes, [&](std::int64_t r) {
      const std::int64_t target = raw<std::int64_t>(targets)[r];
      if (target == ignored) return;
      losses[static_cast<std::size_t>(r)] =
          cross_entropy_row(classes, first + r * classes, target, smoothing,
                            raw<T>(exponential) + r * classes, raw<T>(inverse)[r]);
    });
    RowLoss total{};
    for (const RowLoss& row : losses) total = {total.smoothed + row.smoothed, total.plain + row.plain};
    *raw<T>(loss) = average<T>(total.smoothed, counted);
    if (unsmoothed) *unsmoothed = static_cast<double>(average<T>(total.plain, counted));
  });
  return record("cross_entropy", loss, {logits}, {exponential, inverse, targets}, [=](Gradients& g) {
    Tensor gradient = g.take_saved(0);
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const T scale = *raw<T>(g.out()) / static_cast<T>(counted);
      const T on_target = scale * static_cast<T>(1 - smoothing);
      const T everywhere = scale * static_cast<T>(smoothing) / static_cast<T>(classes);
      for_each_row(rows, classes, [&](std::int64_t r) {
        const std::int64_t target = raw<std::int64_t>(g.saved(2))[r];
        T* e = raw<T>(gradient) + r * classes;
        if (target == ignored) {
          std::fill_n(e, classes, T(0));
          return;
        }
        const T factor = scale * raw<T>(g.saved(1))[r];
        for (std::int64_t i = 0; i < classes; ++i) e[i] = factor * e[i] - everywhere;
        e[target] -= on_target;
      });
    });
    g.add(0, std::move(gradient));
  });
}

Tensor nll(const Tensor& log_probabilities, const Tensor& targets, std::int64_t ignored) {
  const std::int64_t counted = check_targets("nll", "log-probabilities", log_probabilities, targets, ignored);
  const std::int64_t classes = log_probabilities.size(-1);
  Tensor loss = zeros({}, log_probabilities.dtype());
  for_floating("nll", loss.dtype(), [&]<class T>() {
    double total = 0;
    for_each_target(targets, ignored, [&](std::int64_t r, std::int64_t target) {
      total -= static_cast<double>(raw<T>(log_probabilities)[r * classes + target]);
    });
    *raw<T>(loss) = average<T>(total, counted);
  });
  return record("nll", loss, {log_probabilities}, {targets}, typed([=]<class T>(Gradients& g) {
                  const T scale = *raw<T>(g.out()) / static_cast<T>(counted);
                  for_each_target(g.saved(0), ignored, [&](std::int64_t r, std::int64_t target) {
                    raw<T>(g.in(0))[r * classes + target] -= scale;
                  });
                }));
}

Tensor mse(const Tensor& prediction, const Tensor& target) {
  check_pair("mse", prediction, target);
  const Tensor difference = prediction - target;
  return mean(difference * difference);
}

Tensor binary_cross_entropy(const Tensor& logits, const Tensor& targets) {
  check_pair("binary_cross_entropy", logits, targets);
  const std::int64_t n = logits.numel();
  Tensor loss = zeros({}, logits.dtype());
  for_floating("binary_cross_entropy", logits.dtype(), [&]<class T>() {
    const T *x = raw<T>(logits), *t = raw<T>(targets);
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      // Adds the two large terms first: for a large x and t = 1, they cancel, and the small last term keeps
      // its digits.
      total += static_cast<double>((x[i] < 0 ? T(0) : x[i]) - x[i] * t[i] +
                                   std::log1p(math::exp(-std::abs(x[i]))));
    }
    *raw<T>(loss) = average<T>(total, n);
  });
  const auto backward = typed([n]<class T>(Gradients& g) {
    const T scale = *raw<T>(g.out()) / static_cast<T>(n);
    const auto x = view<const T>(g.saved(0)), t = view<const T>(g.saved(1));
    if (g.wants(0))
      add_gradient<T>(g, 0, [=](T v, T y) { return scale * (math::sigmoid(v) - y); }, x.shape, x, t);
    if (g.wants(1)) add_gradient<T>(g, 1, [=](T v) { return -scale * v; }, x.shape, x);
  });
  return record("binary_cross_entropy", loss, {logits, targets}, {logits, targets}, backward);
}

}  // namespace gradus
