#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <limits>

#include "answer.hpp"

using namespace gradus;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const MaskedWeights& answer) {
  return {name, mistake, masked_softmax_exercise(answer)};
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// 1 at real positions, (B, T).
Tensor real(const Tensor& e, const Tensor& n) {
  return less(arange(e.size(1)), unsqueeze(n, 1)).to(e.dtype());
}
Tensor pads(const Tensor& e, const Tensor& n) { return greater_equal(arange(e.size(1)), unsqueeze(n, 1)); }
Tensor number(const Tensor& e, double value) { return full({}, value, e.dtype()); }

// Loops over rows. Does not record the maximum on the tape.
Tensor row_by_row(const Tensor& e, const Tensor& n) {
  std::vector<Tensor> rows;
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    const std::int64_t length = n.to_vector<std::int64_t>()[static_cast<std::size_t>(b)];
    if (length == 0) {
      rows.push_back(zeros({e.size(1)}, e.dtype()));
      continue;
    }
    const Tensor some = e[b].slice(0, length), p = exp(some - max(some.detach()));
    rows.push_back(pad(p / sum(p), 0, 0, e.size(1) - length));
  }
  return stack(rows);
}

// Masks with a low finite energy, then multiplies the exponentials by the mask.
Tensor low_then_masked(const Tensor& e, const Tensor& n) {
  const Tensor low = masked_fill(e, pads(e, n), -std::numeric_limits<float>::max());
  const Tensor p = exp(low - max(low, 1, true)) * real(e, n);
  return p / maximum(sum(p, 1, true), number(e, 1e-30));
}

Tensor with_where(const Tensor& e, const Tensor& n) {
  const Tensor there = less(arange(e.size(1)), unsqueeze(n, 1)), none = zeros(e.shape(), e.dtype());
  const Tensor m = max(where(there, e, full(e.shape(), -1e30, e.dtype())), 1, true);
  const Tensor p = where(there, exp(where(there, e - m, none)), none), total = sum(p, 1, true);
  return p / (total + equal(total, number(e, 0)).to(e.dtype()));
}

// The weights are right. But exp is also applied to the energies of pads, before the pads are dropped.
Tensor dropped_after_exp(const Tensor& e, const Tensor& n) {
  const Tensor m = masked_fill(max(masked_fill(e, pads(e, n), -infinity), 1, true),
                               equal(unsqueeze(n, 1), zeros({}, Dtype::i64)), 0);
  const Tensor p = masked_fill(exp(e - m), pads(e, n), 0), total = sum(p, 1, true);
  return p / masked_fill(total, equal(total, number(e, 0)), 1);
}

// Lets an empty row become NaN, and replaces the NaN at the end.
Tensor repaired_at_the_end(const Tensor& e, const Tensor& n) {
  const Tensor low = masked_fill(e, pads(e, n), -infinity), p = exp(low - max(low, 1, true));
  return masked_fill(p / sum(p, 1, true), pads(e, n), 0);
}

MaskedWeights remembering() {
  return [shape = Shape(), lengths = Tensor()](const Tensor& e, const Tensor& n) mutable {
    if (shape != e.shape()) shape = e.shape(), lengths = n;
    return row_by_row(e, lengths);
  };
}

}  // namespace

int main() {
  using F = const Tensor&;
  return exercise::bank({
      attempt("row by row", "", row_by_row),
      attempt("low energies, masked again", "", low_then_masked),
      attempt("with where", "", with_where),
      attempt("no mask", "no-mask",
              [](F e, F) {
                const Tensor p = exp(e - max(e, 1, true));
                return p / sum(p, 1, true);
              }),
      attempt("energies times the mask", "zero-energy",
              [](F e, F n) {
                const Tensor p = exp(e * real(e, n));
                return p / sum(p, 1, true);
              }),
      attempt("no maximum without pads", "overflow",
              [](F e, F n) {
                const Tensor p = exp(e);
                return sum(pads(e, n).to(e.dtype())).item() > 0 ? row_by_row(e, n) : p / sum(p, 1, true);
              }),
      attempt("limited by its maximum", "gradient-of-largest",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity);
                const Tensor m =
                    masked_fill(max(low, 1, true), equal(unsqueeze(n, 1), zeros({}, Dtype::i64)), 0);
                const Tensor p = exp(minimum(low - m.detach(), number(e, 0)));
                return p / maximum(sum(p, 1, true), number(e, 1e-300));
              }),
      attempt("masked after the division", "masked-after",
              [](F e, F n) {
                const Tensor p = exp(e);
                return p / sum(p, 1, true) * real(e, n);
              }),
      attempt("pads kept", "pads-not-zero",
              [](F e, F n) { return exp(e) / sum(exp(e) * real(e, n), 1, true); }),
      attempt("over the sentences", "batch-axis",
              [](F e, F n) {
                const Tensor p = exp(e) * real(e, n);
                return p / maximum(sum(p, 0, true), number(e, 1e-300));
              }),
      attempt("one sum", "over-everything",
              [](F e, F n) {
                const Tensor p = exp(e) * real(e, n);
                return p / sum(p);
              }),
      attempt("not divided", "not-divided", [](F e, F n) { return exp(e) * real(e, n); }),
      attempt("t ≤ length", "off-by-one",
              [](F e, F n) {
                return row_by_row(
                    e, minimum(n.to(e.dtype()) + 1.0, number(e, double(e.size(1)))).to(Dtype::i64));
              }),
      attempt("the longest for all", "one-length",
              [](F e, F n) { return row_by_row(e, expand(max(n.to(e.dtype())), n.shape()).to(Dtype::i64)); }),
      attempt("mask of the first call", "remembers", remembering()),
      attempt("library, masked_softmax", "ready-made", [](F e, F n) { return masked_softmax(e, n); }),
      attempt(
          "library, softmax", "ready-made",
          [](F e, F n) { return masked_fill(softmax(masked_fill(e, pads(e, n), -1e30)), pads(e, n), 0); }),
      attempt("library, logsumexp", "ready-made",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -1e30);
                return exp(low - logsumexp(low, 1, true)) * real(e, n);
              }),
      attempt("no maximum", "overflow",
              [](F e, F n) {
                const Tensor p = exp(masked_fill(e, pads(e, n), -infinity)), total = sum(p, 1, true);
                return p / masked_fill(total, equal(total, number(e, 0)), 1);
              }),
      attempt("maximum over the pads too", "max-over-pads",
              [](F e, F n) {
                const Tensor p = exp(e - max(e, 1, true)) * real(e, n);
                return p / sum(p, 1, true);
              }),
      attempt("multiplied by the mask after exp", "max-over-pads",
              [](F e, F n) {
                const Tensor p = exp(e) * real(e, n);
                return p / sum(p, 1, true);
              }),
      attempt("a shared maximum", "one-maximum",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity), p = exp(low - max(low));
                return p / sum(p, 1, true);
              }),
      attempt("low, but not −∞", "pads-leak",
              [](F e, F n) {
                const Tensor low = e - 100.0 * (1.0 - real(e, n)), p = exp(low - max(low, 1, true));
                return p / sum(p, 1, true);
              }),
      attempt("ε in the denominator", "inexact",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -1e30), p = exp(low - max(low, 1, true));
                return p / (sum(p, 1, true) + 1e-9);
              }),
      attempt("0/0 for an empty sentence", "empty-row",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity), p = exp(low - max(low, 1, true));
                return p / sum(p, 1, true);
              }),
      attempt("uniform for an empty sentence", "pads-share",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -1e30), p = exp(low - max(low, 1, true));
                return p / sum(p, 1, true);
              }),
      attempt("first position of an empty sentence", "weight-in-empty-row",
              [](F e, F n) { return row_by_row(e, maximum(n.to(e.dtype()), number(e, 1)).to(Dtype::i64)); }),
      attempt("1e-12 added to the sum", "inexact",
              [](F e, F n) {
                const Tensor p = row_by_row(e, n);
                return p / (sum(p, 1, true) + 1e-12);
              }),
      attempt("mean subtracted", "not-the-maximum",
              [](F e, F n) {
                const Tensor p = exp(masked_fill(e - mean(e, 1, true), pads(e, n), -infinity));
                const Tensor total = sum(p, 1, true);
                return p / masked_fill(total, equal(total, number(e, 0)), 1);
              }),
      attempt("sum detached", "sum-detached",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity);
                const Tensor m = maximum(max(low.detach(), 1, true), number(e, -1e300)), p = exp(low - m);
                return p / maximum(sum(p, 1, true), number(e, 1e-300)).detach();
              }),
      attempt("exp before the mask", "backward-nan", dropped_after_exp),
      attempt("NaN replaced at the end", "", repaired_at_the_end),
      attempt("detached", "gradient", [](F e, F n) { return row_by_row(e.detach(), n) + 0.0 * sum(e); }),
      attempt("transposed", "shape", [](F e, F n) { return transpose(row_by_row(e, n), 0, 1); }),
      attempt("always f32", "dtype", [](F e, F n) { return row_by_row(e, n).to(Dtype::f32); }),
      attempt("mask of the wrong shape", "error",
              [](F e, F n) { return row_by_row(e, n) * less(arange(e.size(1)), n).to(e.dtype()); }),
      attempt("in place", "changes-its-input",
              [](F e, F n) {
                const Tensor alpha = row_by_row(e, n);
                if (e.dtype() == Dtype::f64 && !e.requires_grad()) Tensor(e).mutable_values<double>()[0] = 0;
                return alpha;
              }),
      attempt("energies limited to ±700", "limited",
              [](F e, F n) {
                const Tensor p = exp(masked_fill(clamp(e, -700, 700), pads(e, n), -infinity));
                const Tensor total = sum(p, 1, true);
                return p / masked_fill(total, equal(total, number(e, 0)), 1);
              }),
      attempt("maximum over the pads, guarded", "max-over-pads",
              [](F e, F n) {
                const Tensor p = exp(masked_fill(e - max(e, 1, true), pads(e, n), -infinity));
                const Tensor total = sum(p, 1, true);
                return p / masked_fill(total, equal(total, number(e, 0)), 1);
              }),
      attempt("differences limited to −30", "small-weights",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -1e9), m = max(low.detach(), 1, true);
                const Tensor p = exp(clamp(low - m, -30, 0)) * real(e, n), total = sum(p, 1, true);
                return p / where(equal(total, number(e, 0)), number(e, 1), total);
              }),
      attempt("weights below 1e-6 set to 0", "small-weights",
              [](F e, F n) {
                const Tensor alpha = row_by_row(e, n);
                return masked_fill(alpha, less(alpha, number(e, 1e-6)), 0);
              }),
      attempt("pads filled with −10⁴", "pads-leak",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -1e4),
                             p = exp(low - max(low.detach(), 1, true));
                return p / sum(p, 1, true);
              }),
      attempt("half of the maximum subtracted", "not-the-maximum",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity);
                const Tensor m = maximum(max(low.detach(), 1, true), number(e, -1e30));
                const Tensor p = exp(low - 0.5 * m), total = sum(p, 1, true);
                return p / where(equal(total, number(e, 0)), number(e, 1), total);
              }),
      attempt("the maximum is at least 0", "subtracts-too-much",
              [](F e, F n) {
                const Tensor low = masked_fill(e, pads(e, n), -infinity);
                const Tensor p = exp(low - maximum(max(low.detach(), 1, true), number(e, 0)));
                const Tensor empty = equal(unsqueeze(n, 1), zeros({}, Dtype::i64));
                return masked_fill(p / masked_fill(sum(p, 1, true), empty, 1), empty, 0);
              }),
  });
}
