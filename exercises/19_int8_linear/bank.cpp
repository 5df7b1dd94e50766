#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer.hpp"

using namespace gradus;

namespace {

// Correct versions that differ from the solution.
std::int8_t round_to(double x, double s) {
  if (!(s > 0)) return 0;
  const long q = std::lround(x / s);
  return static_cast<std::int8_t>(q > 127 ? 127 : q < -127 ? -127 : q);
}

double largest(const Tensor& x) { return max(abs(x)).item(); }

int8::Matrix rounded(const Tensor& W, const std::function<double(std::int64_t i)>& scale) {
  int8::Matrix m{W.size(0), W.size(1), {}, {}};
  for (std::int64_t i = 0; i < m.rows; ++i) {
    m.s.push_back(scale(i));
    for (const double w : W[i].to_vector<double>()) m.q.push_back(round_to(w, m.s.back()));
  }
  return m;
}

int8::Matrix by_rows(const Tensor& W) {
  return rounded(W, [&](std::int64_t i) { return largest(W[i]) / 127; });
}

// The integers q as a tensor.
Tensor integers(const int8::Matrix& W) {
  return tensor(std::vector<double>(W.q.begin(), W.q.end()), {W.rows, W.columns});
}

Tensor scales(const int8::Matrix& W) { return tensor(W.s, {W.rows}); }

Tensor rounded(const Tensor& x, double s) {
  std::vector<double> p;
  for (const double v : x.to_vector<double>()) p.push_back(round_to(v, s));
  return tensor(p, x.shape());
}

// A correct product: f64 represents the products of integers exactly.
Tensor product(const Tensor& x, double s_x, const int8::Matrix& W, const Tensor& b) {
  return matmul(rounded(x, s_x), transpose(integers(W), 0, 1)) * scales(W) * s_x + b;
}

exercise::Attempt rounding(const std::string& name, const std::string& mistake,
                           const decltype(Int8Linear::to_int8)& f) {
  return {"to_int8: " + name, mistake, int8_linear_exercise({f, by_rows, product})};
}

exercise::Attempt matrix(const std::string& name, const std::string& mistake,
                         const decltype(Int8Linear::quantise_rows)& f) {
  return {"quantise_rows: " + name, mistake, int8_linear_exercise({round_to, f, product})};
}

exercise::Attempt scaling(const std::string& name, const std::string& mistake,
                          const std::function<double(const Tensor& W, std::int64_t i)>& scale) {
  return matrix(name, mistake,
                [scale](const Tensor& W) { return rounded(W, [&](std::int64_t i) { return scale(W, i); }); });
}

exercise::Attempt layer(const std::string& name, const std::string& mistake,
                        const decltype(Int8Linear::linear)& f) {
  return {"int8_linear: " + name, mistake, int8_linear_exercise({round_to, by_rows, f})};
}

template <class Sum>
Tensor summed_in(const Tensor& x, double s_x, const int8::Matrix& W, const Tensor& b) {
  std::vector<double> y;
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    const std::vector<double> row = x[r].to_vector<double>();
    for (std::size_t i = 0; i < W.s.size(); ++i) {
      Sum sum = 0;
      for (std::size_t l = 0; l < row.size(); ++l) {
        sum = static_cast<Sum>(sum + round_to(row[l], s_x) * W.q[i * row.size() + l]);
      }
      y.push_back(s_x * W.s[i] * static_cast<double>(sum) + b.to_vector<double>()[i]);
    }
  }
  return tensor(y, {x.size(0), W.rows});
}

std::int8_t wrapped(double q) { return static_cast<std::int8_t>(static_cast<std::int64_t>(q)); }

using T = const Tensor&;
using M = const int8::Matrix&;

}  // namespace

int main() {
  return exercise::bank({
      rounding("by lround", "", round_to),
      rounding("half to even", "",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(std::nearbyint(x / s), -127.0, 127.0));
               }),
      layer("in 64 bits", "", summed_in<std::int64_t>),
      layer("in 32 bits", "", summed_in<std::int32_t>),
      rounding("cut off", "truncated",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(x / s, -127.0, 127.0));
               }),
      rounding("down", "floored",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(std::floor(x / s), -127.0, 127.0));
               }),
      rounding("no clamp", "wraps",
               [](double x, double s) { return s == 0 ? std::int8_t{0} : wrapped(std::round(x / s)); }),
      rounding("to −128", "minus-128",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(std::round(x / s), -128.0, 127.0));
               }),
      rounding("from 0", "no-negatives",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(std::round(x / s), 0.0, 127.0));
               }),
      rounding("multiplied", "multiplied",
               [](double x, double s) { return wrapped(std::clamp(std::round(x * s), -127.0, 127.0)); }),
      rounding("adds a half", "half-added",
               [](double x, double s) {
                 return s == 0 ? std::int8_t{0} : wrapped(std::clamp(std::trunc(x / s + 0.5), -127.0, 127.0));
               }),
      rounding("0 / 0", "scale-0",
               [](double x, double s) {
                 const double q = x / s;
                 return std::isnan(q) ? std::int8_t{-128} : wrapped(std::clamp(std::round(q), -127.0, 127.0));
               }),
      scaling("/ 128", "steps", [](T W, auto i) { return largest(W[i]) / 128; }),
      scaling("/ 255", "steps", [](T W, auto i) { return largest(W[i]) / 255; }),
      scaling("2 / 255", "steps", [](T W, auto i) { return largest(W[i]) * 2 / 255; }),
      scaling("/ 1", "no-127", [](T W, auto i) { return largest(W[i]); }),
      scaling("maximum", "signed-maximum", [](T W, auto i) { return max(W[i]).item() / 127; }),
      scaling("positive maximum", "signed-maximum",
              [](T W, auto i) { return std::max(max(W[i]).item(), 0.0) / 127; }),
      scaling("one for all", "one-scale", [](T W, auto) { return largest(W) / 127; }),
      scaling("inverse", "inverse", [](T W, auto i) { return 127 / largest(W[i]); }),
      scaling("columns", "per-column", [](T W, auto i) { return largest(W.slice(i, i + 1, 1)) / 127; }),
      matrix("transposed", "shape", [](T W) { return by_rows(transpose(W, 0, 1)); }),
      matrix("column scales", "per-column",
             [](T W) {
               int8::Matrix m = by_rows(W);
               m.s = by_rows(transpose(W, 0, 1)).s;
               return m;
             }),
      matrix("a single scale", "one-scale",
             [](T W) {
               int8::Matrix m = by_rows(W);
               m.s = {largest(W) / 127};
               return m;
             }),
      matrix("no integers", "shape",
             [](T W) {
               int8::Matrix m = by_rows(W);
               m.q.clear();
               return m;
             }),
      matrix("too few scales", "shape",
             [](T W) {
               int8::Matrix m = by_rows(W);
               m.s.pop_back();
               return m;
             }),
      matrix("cut off", "truncated",
             [](T W) {
               int8::Matrix m = by_rows(W);
               const auto w = W.to_vector<double>();
               for (std::size_t i = 0; i < w.size(); ++i) {
                 const double s = m.s[i / static_cast<std::size_t>(m.columns)];
                 if (s > 0) m.q[i] = static_cast<std::int8_t>(w[i] / s);
               }
               return m;
             }),
      matrix("column-major", "integers",
             [](T W) {
               int8::Matrix m = by_rows(W);
               const std::vector<std::int8_t> q = m.q;
               for (std::size_t i = 0; i < q.size(); ++i) m.q[i] = q[i % 5 * 7 + i / 5];
               return m;
             }),
      matrix("zeros by zero", "scale-0",
             [](T W) {
               int8::Matrix m = by_rows(W);
               for (std::size_t i = 0; i < m.q.size(); ++i)
                 if (m.s[i / 7] == 0) m.q[i] = -128;
               return m;
             }),
      matrix("changes W", "changes-its-input",
             [](T W) {
               const int8::Matrix m = by_rows(W);
               Tensor same = W;
               for (double& w : same.mutable_values<double>()) w /= 127;
               return m;
             }),
      layer("without s_x", "no-input-scale",
            [](T x, double s, M W, T b) {
              return matmul(rounded(x, s), transpose(integers(W), 0, 1)) * scales(W) + b;
            }),
      layer("without s_i", "no-weight-scale",
            [](T x, double s, M W, T b) {
              return matmul(rounded(x, s), transpose(integers(W), 0, 1)) * s + b;
            }),
      layer("without scales", "no-input-scale",
            [](T x, double s, M W, T b) { return matmul(rounded(x, s), transpose(integers(W), 0, 1)) + b; }),
      layer("without the bias", "no-bias", [](T x, double s, M W, T b) { return product(x, s, W, b) - b; }),
      layer("the bias in the sum", "scaled-bias",
            [](T x, double s, M W, T b) {
              return (matmul(rounded(x, s), transpose(integers(W), 0, 1)) + b) * scales(W) * s;
            }),
      layer("inputs not rounded", "input-not-rounded",
            [](T x, double, M W, T b) { return matmul(x, transpose(integers(W), 0, 1)) * scales(W) + b; }),
      layer("inputs not limited", "input-not-limited",
            [](T x, double s, M W, T b) {
              std::vector<double> p;
              for (const double v : x.to_vector<double>()) p.push_back(std::nearbyint(v / s));
              return matmul(tensor(p, x.shape()), transpose(integers(W), 0, 1)) * scales(W) * s + b;
            }),
      layer("in float", "sum-in-float", summed_in<float>),
      layer("bias of the row", "bias-of-row",
            [](T x, double s, M W, T b) {
              std::vector<double> rows;
              for (std::int64_t r = 0; r < x.size(0); ++r)
                rows.push_back(b.to_vector<double>()[static_cast<std::size_t>(r % W.rows)]);
              return product(x, s, W, b) - b + unsqueeze(tensor(rows), 1);
            }),
      layer("in 16 bits", "16-bits", summed_in<std::int16_t>),
      layer("in 8 bits", "16-bits", summed_in<std::int8_t>),
      layer("own scale of x", "own-scale",
            [](T x, double, M W, T b) { return product(x, largest(x) / 127, W, b); }),
      layer("inputs wrap around", "wraps",
            [](T x, double s, M W, T b) {
              std::vector<double> p;
              for (const double v : x.to_vector<double>()) p.push_back(wrapped(std::round(v / s)));
              return matmul(tensor(p, x.shape()), transpose(integers(W), 0, 1)) * scales(W) * s + b;
            }),
      layer("inputs cut off", "truncated",
            [](T x, double s, M W, T b) {
              std::vector<double> p;
              for (const double v : x.to_vector<double>())
                p.push_back(std::clamp(std::trunc(v / s), -127.0, 127.0));
              return matmul(tensor(p, x.shape()), transpose(integers(W), 0, 1)) * scales(W) * s + b;
            }),
      layer("transposed", "shape",
            [](T x, double s, M W, T b) { return transpose(product(x, s, W, b), 0, 1); }),
      layer("in f32", "dtype", [](T x, double s, M W, T b) { return product(x, s, W, b).to(Dtype::f32); }),
      layer("changes x", "changes-its-input",
            [](T x, double s, M W, T b) {
              const Tensor y = product(x, s, W, b);
              Tensor same = x;
              for (double& v : same.mutable_values<double>()) v /= s;
              return y;
            }),
      rounding("x limited before the division", "limited-first",
               [](double x, double s) {
                 return static_cast<std::int8_t>(
                     s == 0 ? 0 : static_cast<int>(std::nearbyint(std::clamp(x, -127.0, 127.0) / s)));
               }),
      rounding("in float", "in-float",
               [](double x, double s) {
                 return s == 0
                            ? std::int8_t{0}
                            : round_to(static_cast<double>(static_cast<float>(x) / static_cast<float>(s)), 1);
               }),
      rounding("no case for a scale of 0", "scale-0",
               [](double x, double s) {
                 return static_cast<std::int8_t>(x == 0 ? 0
                                                        : std::clamp(std::nearbyint(x / s), -127.0, 127.0));
               }),
      scaling("in f32", "inexact",
              [](const Tensor& W, std::int64_t i) {
                return static_cast<double>(static_cast<float>(largest(W[i]) / 127));
              }),
      scaling("range / 255", "range",
              [](const Tensor& W, std::int64_t i) { return (max(W[i]).item() - min(W[i]).item()) / 255; }),
      scaling("mean", "mean-scale",
              [](const Tensor& W, std::int64_t i) { return mean(abs(W[i])).item() / 127; }),
      scaling("1 for a row of zeros", "scale-of-zeros",
              [](const Tensor& W, std::int64_t i) { return largest(W[i]) > 0 ? largest(W[i]) / 127 : 1; }),
      matrix("maximum never reset", "never-reset",
             [](const Tensor& W) {
               double most = 0;
               return rounded(W, [&](std::int64_t i) {
                 most = std::max(most, largest(W[i]));
                 return most / 127;
               });
             }),
      rounding("scales below 1e-6 as 0", "small-scale",
               [](double x, double s) { return s < 1e-6 ? std::int8_t{0} : round_to(x, s); }),
      rounding("magnitude", "no-sign", [](double x, double s) { return round_to(std::abs(x), s); }),
      rounding("rounded up", "rounded-up",
               [](double x, double s) { return s == 0 ? std::int8_t{0} : round_to(std::ceil(x / s), 1); }),
      scaling("three standard deviations", "outlier-cut",
              [](const Tensor& W, std::int64_t i) {
                return std::min(largest(W[i]), 3 * std::sqrt(mean(W[i] * W[i]).item())) / 127;
              }),
      scaling("the first row's for all", "one-scale",
              [](const Tensor& W, std::int64_t) { return largest(W[0]) / 127; }),
      scaling("at least 1e-8", "scale-of-zeros",
              [](const Tensor& W, std::int64_t i) { return std::max(largest(W[i]), 1e-8) / 127; }),
      layer("0 for a row of zeros", "zeros-without-bias",
            [](T x, double s_x, M W, T b) {
              Tensor y = summed_in<std::int64_t>(x, s_x, W, b);
              const auto values = y.mutable_values<double>();
              for (std::size_t at = 0; at < values.size(); ++at)
                if (W.s[at % W.s.size()] == 0) values[at] = 0;
              return y;
            }),
      scaling("0 for rows below 1e-8", "small-row",
              [](const Tensor& W, std::int64_t i) { return largest(W[i]) < 1e-8 ? 0 : largest(W[i]) / 127; }),
  });
}
