#include <gradus/autograd/ops.hpp>

#include "answer.hpp"

using namespace gradus;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake,
                          const SoftmaxBackward& answer) {
  return {name, mistake, softmax_backward_exercise(answer)};
}

}  // namespace

int main() {
  const auto by_jacobian = [](const Tensor& y, const Tensor& g) {
    std::vector<Tensor> rows;
    for (std::int64_t b = 0; b < y.size(0); ++b) {
      const Tensor column = y[b].reshape({-1, 1}), row = y[b].reshape({1, -1});  // (T, 1), (1, T)
      Tensor identity = zeros({y.size(1), y.size(1)}, y.dtype());
      for (std::int64_t i = 0; i < y.size(1); ++i)
        identity.mutable_values<double>()[static_cast<std::size_t>(i * (y.size(1) + 1))] = 1;
      rows.push_back(matmul(g[b].reshape({1, -1}), column * (identity - row)));
    }
    return concat(rows, 0);
  };
  return exercise::bank({
      attempt("the Jacobian, row by row", "", by_jacobian),
      attempt("expanded", "",
              [](const Tensor& y, const Tensor& g) { return y * g - y * sum(y * g, 1, true); }),
      attempt("only the diagonal", "diagonal",
              [](const Tensor& y, const Tensor& g) { return g * y * (1.0 - y); }),
      attempt("sum over the batch", "batch-axis",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(g * y, 0, true)); }),
      attempt("sum over everything", "batch-axis",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(g * y)); }),
      attempt("no y before the bracket", "no-outer-y",
              [](const Tensor& y, const Tensor& g) { return g - sum(g * y, -1, true); }),
      attempt("sum without weights", "unweighted-sum",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(g, -1, true)); }),
      attempt("terms swapped", "sign",
              [](const Tensor& y, const Tensor& g) { return y * (sum(g * y, -1, true) - g); }),
      attempt("g itself", "values", [](const Tensor&, const Tensor& g) { return g; }),
      attempt("summed over the batch", "shape",
              [](const Tensor& y, const Tensor& g) { return sum(y * (g - sum(g * y, -1, true)), 0); }),
      attempt("matrix product for the sum", "",
              [](const Tensor& y, const Tensor& g) {
                const Tensor inner = squeeze(matmul(unsqueeze(g, 1), unsqueeze(y, 2)), 2);  // (B, 1)
                return g * y - inner * y;
              }),
      attempt("log-softmax", "log-softmax",
              [](const Tensor& y, const Tensor& g) { return g - y * sum(g, -1, true); }),
      attempt("mean for sum", "mean",
              [](const Tensor& y, const Tensor& g) { return y * (g - mean(g * y, -1, true)); }),
      attempt("divided by T", "factor",
              [](const Tensor& y, const Tensor& g) {
                return y * (g - sum(g * y, -1, true)) / static_cast<double>(y.size(1));
              }),
      attempt("divided by B", "factor",
              [](const Tensor& y, const Tensor& g) {
                return y * (g - sum(g * y, -1, true)) / static_cast<double>(y.size(0));
              }),
      attempt("doubled", "factor",
              [](const Tensor& y, const Tensor& g) { return 2.0 * y * (g - sum(g * y, -1, true)); }),
      attempt("y squared", "squared",
              [](const Tensor& y, const Tensor& g) { return y * y * (g - sum(g * y, -1, true)); }),
      attempt("y taken for the scores", "softmax-again",
              [](const Tensor& x, const Tensor& g) {
                const Tensor y = softmax(x);
                return y * (g - sum(g * y, -1, true));
              }),
      attempt("reshaped in place of transposed", "values",
              [](const Tensor& y, const Tensor& g) {
                const Tensor turned = y.reshape({y.size(1), y.size(0)});
                return y * (g - sum(g * transpose(turned, 0, 1), -1, true));
              }),
      attempt("changes g", "changes-its-input",
              [](const Tensor& y, const Tensor& g) {
                const Tensor result = y * (g - sum(g * y, -1, true));
                Tensor(g).mutable_values<double>()[0] = 0;
                return result;
              }),
      attempt("axis not kept", "error",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(g * y, -1)); }),
      attempt("the first call's sum kept", "remembers",
              [kept = Tensor()](const Tensor& y, const Tensor& g) mutable {
                const Tensor s = sum(g * y, -1, true);
                if (!kept.defined() || kept.shape() != s.shape()) kept = s;
                return y * (g - kept);
              }),
      attempt("y divided out", "not-a-number",
              [](const Tensor& y, const Tensor& g) { return y * (g * y / y - sum(g * y, -1, true)); }),
      attempt("computed in f32", "inexact",
              [](const Tensor& y, const Tensor& g) {
                const Tensor a = y.to(Dtype::f32), b = g.to(Dtype::f32);
                return (a * (b - sum(b * a, -1, true))).to(y.dtype());
              }),
      attempt("sum added", "plus",
              [](const Tensor& y, const Tensor& g) { return y * (g + sum(g * y, -1, true)); }),
      attempt("mean of g", "unweighted-sum",
              [](const Tensor& y, const Tensor& g) { return y * (g - mean(g, -1, true)); }),
      attempt("sum of y²", "no-g-in-sum",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(y * y, -1, true)); }),
      attempt("the first row's weights", "first-row",
              [](const Tensor& y, const Tensor& g) { return y[0] * (g - sum(g * y[0], -1, true)); }),
      attempt("the diagonal, centred", "centred",
              [](const Tensor& y, const Tensor& g) {
                const Tensor d = g * y * (1.0 - y);
                return d - mean(d, -1, true);
              }),
      attempt("products, centred", "mean-subtracted",
              [](const Tensor& y, const Tensor& g) { return g * y - mean(g * y, -1, true); }),
      attempt("by matmul", "",
              [](const Tensor& y, const Tensor& g) {
                return y * g - y * squeeze(matmul(unsqueeze(y, 1), unsqueeze(g, 2)), 2);
              }),
      attempt("y only before g", "no-y-on-sum",
              [](const Tensor& y, const Tensor& g) { return y * g - sum(y * g, 1, true); }),
      attempt("y outside the sum", "y-misplaced",
              [](const Tensor& y, const Tensor& g) { return y * (g - y * sum(g, 1, true)); }),
      attempt("only beside the diagonal", "no-diagonal",
              [](const Tensor& y, const Tensor& g) { return y * (y * g - sum(y * g, 1, true)); }),
      attempt("y² in the sum", "squared-in-sum",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(y * y * g, 1, true)); }),
      attempt("g limited to ±10", "limited",
              [](const Tensor& y, const Tensor& g) {
                const Tensor some = clamp(g, -10, 10);
                return y * (some - sum(some * y, 1, true));
              }),
      attempt("y and g exchanged", "exchanged",
              [](const Tensor& y, const Tensor& g) { return g * (y - sum(g * y, 1, true)); }),
      attempt("the first row's sum", "first-row",
              [](const Tensor& y, const Tensor& g) { return y * (g - sum(g * y, 1, true).slice(0, 1)); }),
      attempt("maximum in place of the sum", "largest-term",
              [](const Tensor& y, const Tensor& g) { return y * (g - max(g * y, 1, true)); }),
      attempt("sum over the rows so far", "sum-not-reset",
              [](const Tensor& y, const Tensor& g) { return y * (g - cumsum(sum(g * y, 1, true), 0)); }),
      attempt("0 for weights below 0.001", "small-skipped",
              [](const Tensor& y, const Tensor& g) {
                return masked_fill(y * (g - sum(g * y, 1, true)), less(y, full({}, 1e-3, y.dtype())), 0);
              }),
  });
}
