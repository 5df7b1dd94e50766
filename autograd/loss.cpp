#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {

Tensor cross_entropy(const Tensor& logits, const Tensor& targets, std::int64_t ignored) {
  check_integers("cross_entropy", "the targets", targets);
  if (logits.rank() == 0 || logits.shape().without(-1) != targets.shape()) {
    fail("cross_entropy", "needs logits (…, V) and targets (…), and got ", logits.shape(), " and ",
         targets.shape());
  }
  const std::int64_t classes = logits.size(-1);
  const std::int64_t rows = targets.numel();
  const std::int64_t* target = raw<std::int64_t>(targets);
  std::int64_t counted = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (target[r] == ignored) continue;
    if (target[r] < 0 || target[r] >= classes) {
      fail("cross_entropy", "target ", target[r], " at position ", r, " of ", targets.shape(),
           " is outside [0, ", classes, "), the last axis of the logits ", logits.shape());
    }
    ++counted;
  }
  Tensor loss = zeros({}, logits.dtype());
  // softmax(logits), of which the gradient is made
  Tensor p = empty(logits.shape(), logits.dtype());
  for_floating("cross_entropy", logits.dtype(), [&]<class T>() {
    double total = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      if (target[r] == ignored) continue;
      const T* x = raw<T>(logits) + r * classes;
      T* e = raw<T>(p) + r * classes;
      const T largest = *std::max_element(x, x + classes);
      for (std::int64_t i = 0; i < classes; ++i) e[i] = math::exp(x[i] - largest);
      const T sum = math::sum_of<T>(classes, [e](std::int64_t i) { return e[i]; });
      for (std::int64_t i = 0; i < classes; ++i) e[i] /= sum;
      total += static_cast<double>(std::log(sum) + (largest - x[target[r]]));
    }
    *raw<T>(loss) = counted == 0 ? T(0) : static_cast<T>(total / static_cast<double>(counted));
  });
  const auto backward = [=, p = Saved(p), targets = Saved(targets)](Gradients& g) {
    if (counted == 0) return;
    for_floating("cross_entropy", g.out().dtype(), [&]<class T>() {
      const T scale = *raw<T>(g.out()) / static_cast<T>(counted);
      const std::int64_t* wanted = raw<std::int64_t>(targets.get(g));
      for (std::int64_t r = 0; r < rows; ++r) {
        if (wanted[r] == ignored) continue;
        const T* probability = raw<T>(p.get(g)) + r * classes;
        T* into = raw<T>(g.in(0)) + r * classes;
        for (std::int64_t i = 0; i < classes; ++i) into[i] += scale * probability[i];
        into[wanted[r]] -= scale;
      }
    });
  };
  return record("cross_entropy", loss, {logits}, backward);
}

}  // namespace gradus
