#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"

using namespace gradus;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const MaskedLoss& answer) {
  return {name, mistake, masked_loss_exercise(answer)};
}

// 1 for the real tokens, 0 for pads, (T, B).
Tensor real(const Tensor& logits, const Tensor& lengths) {
  return less(unsqueeze(arange(logits.size(0)), 1), lengths).to(logits.dtype());
}

// The element x[t, b, targets[t, b]] for each t and b, (T, B).
Tensor chosen(const Tensor& x, const Tensor& targets) {
  return squeeze(gather(x, 2, unsqueeze(targets, 2)), 2);
}

// −ln p of each target, (T, B).
Tensor surprise(const Tensor& logits, const Tensor& targets, int axis = 2) {
  return -chosen(log_softmax(logits, axis), targets);
}

Tensor of_real(const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
  return surprise(logits, targets) * real(logits, lengths);
}

Tensor count(const Tensor& logits, const Tensor& lengths) { return sum(real(logits, lengths)); }

Tensor one_by_one(const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
  std::vector<Tensor> terms;
  for (std::int64_t b = 0; b < logits.size(1); ++b) {
    for (std::int64_t t = 0; t < lengths.to_vector<std::int64_t>()[static_cast<std::size_t>(b)]; ++t) {
      const Tensor z = logits[t][b];  // (V)
      terms.push_back(logsumexp(z) - sum(z * one_hot(targets[t][b], z.size(0), z.dtype())));
    }
  }
  return mean(stack(terms));
}

Tensor by_ignoring(const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
  const Tensor pads = greater_equal(unsqueeze(arange(logits.size(0)), 1), lengths);
  return cross_entropy(logits, masked_fill(targets, pads, -1));
}

// Computes the mask once, and reuses it for later batches of the same shape.
MaskedLoss remembering() {
  return [mask = Tensor()](const Tensor& z, const Tensor& y, const Tensor& n) mutable {
    if (!mask.defined() || mask.size(0) != z.size(0) || mask.size(1) != z.size(1)) mask = real(z, n);
    return sum(surprise(z, y) * mask) / sum(mask);
  };
}

}  // namespace

int main() {
  return exercise::bank({
      attempt("token by token", "", one_by_one),
      attempt("targets marked as ignored", "", by_ignoring),
      attempt("pads counted", "pads-counted",
              [](const Tensor& z, const Tensor& y, const Tensor&) { return mean(surprise(z, y)); }),
      attempt("pads in the sum, not in the count", "pads-counted",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(surprise(z, y)) / count(z, n);
              }),
      attempt("mean over T·B", "divided-by-all",
              [](const Tensor& z, const Tensor& y, const Tensor& n) { return mean(of_real(z, y, n)); }),
      attempt("mean over T·B, then divided by n", "number-of-pads",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return mean(of_real(z, y, n)) / count(z, n);
              }),
      attempt("divided by the fraction of real tokens", "number-of-pads",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n)) / mean(real(z, n));
              }),
      attempt("mean of means", "mean-of-means",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return mean(sum(of_real(z, y, n), 0) / n.to(z.dtype()));
              }),
      attempt("divided by B", "divided-by-sentences",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n)) / static_cast<double>(z.size(1));
              }),
      attempt("divided by T", "divided-by-steps",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n)) / static_cast<double>(z.size(0));
              }),
      attempt("not divided", "sum",
              [](const Tensor& z, const Tensor& y, const Tensor& n) { return sum(of_real(z, y, n)); }),
      attempt("no minus sign", "sign",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return -sum(of_real(z, y, n)) / count(z, n);
              }),
      attempt("probabilities", "no-logarithm",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return -sum(chosen(softmax(z), y) * real(z, n)) / count(z, n);
              }),
      attempt("logits", "no-softmax",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return -sum(chosen(z, y) * real(z, n)) / count(z, n);
              }),
      attempt("softmax over the positions", "softmax-axis",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(surprise(z, y, 0) * real(z, n)) / count(z, n);
              }),
      attempt("softmax over the sentences", "softmax-axis",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(surprise(z, y, 1) * real(z, n)) / count(z, n);
              }),
      attempt("t ≤ length", "off-by-one",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor mask = less_equal(unsqueeze(arange(z.size(0)), 1), n).to(z.dtype());
                return sum(surprise(z, y) * mask) / sum(mask);
              }),
      attempt("pads recognised by their target", "pads-matter",
              [](const Tensor& z, const Tensor& y, const Tensor&) { return cross_entropy(z, y, 0); }),
      attempt("mean of the means of non-empty sentences", "mean-of-means",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor lengths = maximum(n.to(z.dtype()), ones({}, z.dtype()));
                return mean(sum(of_real(z, y, n), 0) / lengths);
              }),
      attempt("at least one token for each sentence", "pads-matter",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor lengths = maximum(n.to(z.dtype()), ones({}, z.dtype())).to(Dtype::i64);
                return sum(of_real(z, y, lengths)) / count(z, lengths);
              }),
      attempt("log of softmax", "underflow",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return -sum(where(real(z, n).to(Dtype::i64), log(chosen(softmax(z), y)),
                                  zeros({}, z.dtype()))) /
                       count(z, n);
              }),
      attempt("detached from the tape", "gradient",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return one_by_one(z.detach(), y, n) + 0.0 * sum(z);
              }),
      attempt("halved", "factor",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return 0.5 * sum(of_real(z, y, n)) / count(z, n);
              }),
      attempt("base 2", "bits",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n)) / count(z, n) / std::log(2.0);
              }),
      attempt("divided by the longest times B", "divided-by-all",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n)) / max(n.to(z.dtype())) / static_cast<double>(n.size(0));
              }),
      attempt("squared", "squared",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(surprise(z, y) * of_real(z, y, n)) / count(z, n);
              }),
      attempt("mask of the first call", "remembers", remembering()),
      attempt("first length for all", "one-length",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor same = expand(n.slice(0, 1), n.shape());
                return sum(of_real(z, y, same)) / count(z, same);
              }),
      attempt("small weights for pads", "pads-matter",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor mask = maximum(real(z, n), full({}, 1e-6, z.dtype()));
                return sum(surprise(z, y) * mask) / sum(mask);
              }),
      attempt("targets of the next step", "shifted",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor late = flip(y.to(z.dtype()), 0);
                const std::int64_t T = z.size(0);
                const Tensor moved = concat({y.to(z.dtype()).slice(1, T), late.slice(T - 1, T)}, 0);
                return sum(of_real(z, moved.to(Dtype::i64), n)) / count(z, n);
              }),
      attempt("one loss per sentence", "shape",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(z, y, n), 0) / n.to(z.dtype());
              }),
      attempt("mask transposed", "error",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor mask = less(arange(z.size(0)), unsqueeze(n, 1)).to(z.dtype());  // (B, T)
                return sum(surprise(z, y) * mask) / sum(mask);
              }),
      attempt("the first batch's number of tokens", "remembers",
              [n = Tensor()](const Tensor& logits, const Tensor& targets, const Tensor& lengths) mutable {
                if (!n.defined()) n = count(logits, lengths);
                return sum(of_real(logits, targets, lengths)) / n;
              }),
      attempt("mask in f64", "error",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                const Tensor mask = real(logits, lengths).to(Dtype::f64);
                return sum(surprise(logits, targets) * mask) / sum(mask);
              }),
      attempt("perplexity", "perplexity",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                return exp(sum(of_real(logits, targets, lengths)) / count(logits, lengths));
              }),
      attempt("smoothed targets", "values",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                const Tensor uniform = -mean(log_softmax(logits), 2) * real(logits, lengths);
                return sum(0.99 * of_real(logits, targets, lengths) + 0.01 * uniform) /
                       count(logits, lengths);
              }),
      attempt("one token more in the divisor", "values",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                return sum(of_real(logits, targets, lengths)) / (count(logits, lengths) + 1.0);
              }),
      attempt("logits detached", "off-the-tape",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                return sum(of_real(logits.detach(), targets, lengths)) / count(logits, lengths);
              }),
      attempt("divided by V, too", "over-vocabulary",
              [](const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
                return sum(of_real(logits, targets, lengths)) / count(logits, lengths) /
                       static_cast<double>(logits.size(2));
              }),
      attempt("one-hot targets and a product with the mask", "",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return -sum(log_softmax(z) * one_hot(y, z.size(2), z.dtype()) * unsqueeze(real(z, n), 2)) /
                       count(z, n);
              }),
      attempt("logits limited to ±100", "limited",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(of_real(clamp(z, -100, 100), y, n)) / count(z, n);
              }),
      attempt("losses of 0 not counted", "zero-loss",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor terms = of_real(z, y, n);
                return sum(terms) / sum(not_equal(terms, zeros({}, z.dtype())).to(z.dtype()));
              }),
      attempt("computed in f32", "inexact",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor some = z.to(Dtype::f32);
                return (sum(of_real(some, y, n)) / count(some, n)).to(z.dtype());
              }),
      attempt("the batch's largest logit subtracted", "batch-maximum",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor low = z - max(z.detach());
                const Tensor terms = log(sum(exp(low), 2)) - chosen(low, y);
                return sum(masked_fill(terms, equal(real(z, n), zeros({}, z.dtype())), 0)) / count(z, n);
              }),
      attempt("the pads' logits set to 0", "pads-add",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                return sum(surprise(z * unsqueeze(real(z, n), 2), y)) / count(z, n);
              }),
      attempt("mask reshaped", "mask-reshaped",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor mask = less(arange(z.size(0)), unsqueeze(n, 1)).reshape(y.shape()).to(z.dtype());
                return sum(surprise(z, y) * mask) / sum(mask);
              }),
      attempt("normaliser detached", "softmax-detached",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const Tensor terms = logsumexp(z.detach(), 2) - chosen(z, y);
                return sum(masked_fill(terms, equal(real(z, n), zeros({}, z.dtype())), 0)) / count(z, n);
              }),
      attempt("no pads if the first sentence has none", "pads-counted",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                if (n.to_vector<std::int64_t>()[0] == z.size(0)) return mean(surprise(z, y));
                return sum(of_real(z, y, n)) / count(z, n);
              }),
      attempt("no pads if all lengths are equal", "pads-counted",
              [](const Tensor& z, const Tensor& y, const Tensor& n) {
                const std::vector<std::int64_t> lengths = n.to_vector<std::int64_t>();
                if (std::ranges::count(lengths, lengths[0]) == std::ssize(lengths))
                  return mean(surprise(z, y));
                return sum(of_real(z, y, n)) / count(z, n);
              }),
  });
}
