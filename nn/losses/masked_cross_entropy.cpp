#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/loss.hpp>

#include <limits>
#include <utility>

namespace gradus::nn {

// The equation is in loss.hpp. autograd/ops/loss.cpp computes it.
Tensor masked_cross_entropy(Tensor logits, const Tensor& targets, const Tensor& lengths,
                            double label_smoothing) {
  if (logits.rank() != 3 || targets.shape() != logits.shape().without(2)) {
    fail("masked_cross_entropy", "needs logits (T, B, V) and targets (T, B), and got ", logits.shape(),
         " and ", targets.shape());
  }
  const std::int64_t T = targets.size(0), B = targets.size(1);
  check_integers("masked_cross_entropy", "the targets", targets);
  check_lengths("masked_cross_entropy", lengths, B, T);
  constexpr std::int64_t ignored = std::numeric_limits<std::int64_t>::min();  // never a valid target
  if (!lengths.defined()) return cross_entropy(std::move(logits), targets, ignored, label_smoothing);
  const Tensor real = greater(lengths.reshape({1, B}), arange(T).reshape({T, 1}));  // (T, B)
  return cross_entropy(std::move(logits),
                       where(real, targets, full({1}, static_cast<double>(ignored), Dtype::i64)), ignored,
                       label_smoothing);
}

}  // namespace gradus::nn
