#include <gradus/autograd/ops.hpp>

#include "answer.hpp"

using namespace gradus;

namespace {

Tensor right_coverage(const Tensor& weights) {
  return pad(cumsum(weights, 0), 0, 1, 0).slice(0, weights.size(0));
}

Tensor is_pad(const Tensor& steps, const Tensor& lengths) {
  return less_equal(lengths, unsqueeze(arange(steps.size(0)), 1));
}

Tensor count(const Tensor& weights, const Tensor& lengths) { return sum(lengths.to(weights.dtype())); }

// The mean of `steps` (Ty, B) over the real steps.
Tensor mean_over_real(const Tensor& steps, const Tensor& lengths) {
  return sum(masked_fill(steps, is_pad(steps, lengths), 0)) / count(steps, lengths);
}

Tensor right_loss(const Tensor& weights, const Tensor& lengths) {
  return mean_over_real(sum(minimum(weights, right_coverage(weights)), 2), lengths);
}

// Computes the equations in loops over steps and sentences.
Tensor by_loops(const Tensor& weights, const Tensor& lengths) {
  Tensor total = zeros({}, weights.dtype());
  double steps = 0;
  for (std::int64_t b = 0; b < weights.size(1); ++b) {
    Tensor c = zeros({weights.size(2)}, weights.dtype());
    for (std::int64_t t = 0; t < lengths.values<std::int64_t>()[static_cast<std::size_t>(b)]; ++t) {
      const Tensor alpha = weights[t][b];
      total = total + sum(minimum(alpha, c));
      c = c + alpha;
      ++steps;
    }
  }
  return total / steps;
}

// Uses min(a, c) = a − max(a − c, 0). Masks by multiplication with 1 for real steps and 0 for pads.
Tensor by_relu(const Tensor& weights, const Tensor& lengths) {
  const Tensor c = right_coverage(weights);
  const Tensor steps = sum(weights - relu(weights - c), 2);
  const Tensor real = less(unsqueeze(arange(weights.size(0)), 1), lengths).to(weights.dtype());
  return sum(steps * real) / sum(real);
}

using Loss = std::function<Tensor(const Tensor& weights, const Tensor& lengths)>;
using Covered = Tensor (*)(const Tensor& weights);

Loss keeping_lengths() {
  return [kept = Tensor()](const Tensor& w, const Tensor& lengths) mutable {
    if (!kept.defined() || kept.shape() != lengths.shape()) kept = lengths;
    return right_loss(w, kept);
  };
}

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const Loss& loss) {
  return {name, mistake, coverage_exercise({right_coverage, loss})};
}

exercise::Attempt covered(const std::string& name, const std::string& mistake, Covered coverage) {
  return {name, mistake, coverage_exercise({coverage, right_loss})};
}

}  // namespace

int main() {
  return exercise::bank({
      attempt("tensor operations", "", right_loss),
      attempt("loops", "", by_loops),
      attempt("relu and a mask of 1 and 0", "", by_relu),
      covered("cumsum including step t", "includes-now", [](const Tensor& w) { return cumsum(w, 0); }),
      covered("only the previous step", "previous-only",
              [](const Tensor& w) { return pad(w, 0, 1, 0).slice(0, w.size(0)); }),
      covered("along the batch", "other-axis", [](const Tensor& w) { return cumsum(w, 1) - w; }),
      covered("along the source", "other-axis", [](const Tensor& w) { return cumsum(w, 2) - w; }),
      covered("from the end", "still-to-come",
              [](const Tensor& w) { return flip(cumsum(flip(w, 0), 0), 0) - w; }),
      covered("one step fewer", "shape",
              [](const Tensor& w) { return cumsum(w, 0).slice(0, w.size(0) - 1); }),
      covered("summed over the steps", "shape", [](const Tensor& w) { return sum(w, 0); }),
      attempt("pads in the sum", "counts-pads",
              [](const Tensor& w, const Tensor& lengths) {
                return sum(minimum(w, right_coverage(w))) / count(w, lengths);
              }),
      attempt("mean of everything", "counts-pads",
              [](const Tensor& w, const Tensor&) { return mean(sum(minimum(w, right_coverage(w)), 2)); }),
      attempt("divided by Ty · B", "mean-of-all",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, right_coverage(w)), 2);
                return mean(masked_fill(steps, is_pad(steps, lengths), 0));
              }),
      attempt(
          "not averaged", "not-averaged",
          [](const Tensor& w, const Tensor& lengths) { return right_loss(w, lengths) * count(w, lengths); }),
      attempt("mean over the source", "over-source",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(mean(minimum(w, right_coverage(w)), 2), lengths);
              }),
      attempt("mean of the sentences' means", "per-sentence",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, right_coverage(w)), 2);
                return mean(sum(masked_fill(steps, is_pad(steps, lengths), 0), 0) / lengths.to(w.dtype()));
              }),
      attempt("maximum", "maximum",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(maximum(w, right_coverage(w)), 2), lengths);
              }),
      attempt("product", "product",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(w * right_coverage(w), 2), lengths);
              }),
      attempt("one step too many", "one-too-many",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, right_coverage(w)), 2);
                const Tensor pads = less(lengths, unsqueeze(arange(w.size(0)), 1));
                return sum(masked_fill(steps, pads, 0)) / count(w, lengths);
              }),
      attempt("step t included in the loss's coverage", "includes-now",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(minimum(w, cumsum(w, 0)), 2), lengths);
              }),
      attempt("minimum of the sums", "minimum-of-sums",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(minimum(sum(w, 2), sum(right_coverage(w), 2)), lengths);
              }),
      attempt("source positions masked", "masks-source",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor outside = less_equal(unsqueeze(lengths, 1), arange(w.size(2)));  // (B, Tx)
                return sum(masked_fill(minimum(w, right_coverage(w)), outside, 0)) / count(w, lengths);
              }),
      attempt("mask reshaped", "reshaped",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, right_coverage(w)), 2);
                const Tensor pads = less_equal(unsqueeze(lengths, 1), arange(w.size(0)));  // (B, Ty)
                return sum(masked_fill(steps, pads.reshape(steps.shape()), 0)) / count(w, lengths);
              }),
      covered("starts at 1 / Tx", "starts-above-0",
              [](const Tensor& w) { return right_coverage(w) + 1.0 / static_cast<double>(w.size(2)); }),
      attempt("running sum detached", "one-step-back",
              [](const Tensor& w, const Tensor& lengths) {
                Tensor c = zeros(w[0].shape(), w.dtype());
                std::vector<Tensor> before;
                for (std::int64_t t = 0; t < w.size(0); ++t) {
                  before.push_back(c);
                  c = c.detach() + w[t];
                }
                return mean_over_real(sum(minimum(w, stack(before)), 2), lengths);
              }),
      covered("at most 1", "capped",
              [](const Tensor& w) { return minimum(right_coverage(w), full({}, 1, w.dtype())); }),
      covered("mean so far", "averaged",
              [](const Tensor& w) {
                const Tensor t = maximum(arange(w.size(0)).to(w.dtype()), full({}, 1, w.dtype()));
                return right_coverage(w) / t.reshape({-1, 1, 1});
              }),
      covered("largest so far", "largest-so-far",
              [](const Tensor& w) {
                std::vector<Tensor> rows = {zeros({w.size(1), w.size(2)}, w.dtype())};
                for (std::int64_t t = 1; t < w.size(0); ++t) rows.push_back(maximum(rows.back(), w[t - 1]));
                return stack(rows);
              }),
      attempt("divided by B", "by-sentences",
              [](const Tensor& w, const Tensor& lengths) {
                return right_loss(w, lengths) * count(w, lengths) / static_cast<double>(w.size(1));
              }),
      attempt("doubled", "factor",
              [](const Tensor& w, const Tensor& lengths) { return 2.0 * right_loss(w, lengths); }),
      attempt("squared", "squared",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(pow(minimum(w, right_coverage(w)), 2), 2), lengths);
              }),
      attempt("first length for all", "one-length",
              [](const Tensor& w, const Tensor& lengths) {
                return right_loss(w, expand(lengths.slice(0, 1), lengths.shape()));
              }),
      attempt("lengths of the first call", "remembers", keeping_lengths()),
      attempt("weights detached", "weights-detached",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(minimum(w.detach(), right_coverage(w)), 2), lengths);
              }),
      attempt("one number per sentence", "shape",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, right_coverage(w)), 2);
                return sum(masked_fill(steps, is_pad(steps, lengths), 0), 0) / count(w, lengths);
              }),
      attempt("lengths not converted", "error",
              [](const Tensor& w, const Tensor& lengths) {
                return sum(minimum(w, right_coverage(w))) / sum(lengths);
              }),
      attempt("coverage detached", "coverage-detached",
              [](const Tensor& w, const Tensor& lengths) {
                return mean_over_real(sum(minimum(w, right_coverage(w).detach()), 2), lengths);
              }),
      attempt("everything detached", "off-the-tape",
              [](const Tensor& w, const Tensor& lengths) { return right_loss(w.detach(), lengths); }),
      covered("every step", "all-steps", [](const Tensor& w) { return expand(sum(w, 0, true), w.shape()); }),
      covered("one step late", "one-late",
              [](const Tensor& w) { return pad(cumsum(w, 0), 0, 2, 0).slice(0, w.size(0)); }),
      {"coverage() detached", "off-the-tape",
       coverage_exercise({[](const Tensor& w) { return right_coverage(w).detach(); }, right_loss})},
      attempt("the first steps not counted", "first-left-out",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor n = count(w, lengths);
                return right_loss(w, lengths) * n / (n - static_cast<double>(w.size(1)));
              }),
      attempt("the longest length for all", "one-length",
              [](const Tensor& w, const Tensor& lengths) {
                const auto longest = static_cast<std::int64_t>(max(lengths.to(w.dtype())).item());
                return sum(minimum(w, right_coverage(w)).slice(0, longest)) / count(w, lengths);
              }),
      attempt("f32", "dtype",
              [](const Tensor& w, const Tensor& lengths) { return right_loss(w, lengths).to(Dtype::f32); }),
      attempt("1 − c in place of c", "uncovered",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = sum(minimum(w, 1.0 - right_coverage(w)), 2);
                const Tensor real = less(unsqueeze(arange(w.size(0)), 1), lengths).to(w.dtype());
                return sum(steps * real) / sum(real);
              }),
      attempt("the largest minimum", "largest-only",
              [](const Tensor& w, const Tensor& lengths) {
                const Tensor steps = max(minimum(w, right_coverage(w)), 2);
                const Tensor real = less(unsqueeze(arange(w.size(0)), 1), lengths).to(w.dtype());
                return sum(steps * real) / sum(real);
              }),
      covered("the weights themselves for one step", "single-step",
              [](const Tensor& w) { return w.size(0) == 1 ? w : right_coverage(w); }),
  });
}
