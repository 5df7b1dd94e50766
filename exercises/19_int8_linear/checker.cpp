#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::expect;
using exercise::Mistake;
using exercise::Plain;
using exercise::Suspect;
using namespace gradus;

const Mistake truncated{"truncated", "The value is cut off, not rounded.",
                        "A conversion to an integer drops the fraction: 2.9 becomes 2. Round first."};
const Mistake floored{"floored", "The value is rounded down.", "Round to the nearest integer, not down."};
const Mistake small_row{"small-row", "A row of small weights is treated as a row of zeros.",
                        "Only a largest magnitude of 0 gives the scale 0."};
const Mistake wraps_first{"wraps", "The quotient is converted to an integer before it is limited.",
                          "A large double does not fit into an integer: limit it first, then convert."};
const Mistake wraps{"wraps", "A value beyond 127 wraps around.",
                    "Limit the rounded number to −127 … 127 before the conversion to 8 bits."};
const Mistake lowest{"minus-128", "The smallest value is −128.",
                     "The range is symmetric: −127 … 127. Then −q exists for every q."};
const Mistake no_negatives{"no-negatives", "Negative values are lost.",
                           "Limit to −127 … 127, not to 0 … 127."};
const Mistake multiplied{"multiplied", "The value is multiplied by s.", "x ≈ s q, so q = x / s."};
const Mistake scale_of_zero{"scale-0", "The scale 0 is divided by.",
                            "A row of zeros has the scale 0. Return 0 before the division."};
const Mistake other_steps{"steps", "The scale does not map the largest magnitude to 127.",
                          "s_i = max_j |W_ij| / 127: not 128, 255 or 256."};
const Mistake signed_maximum{"signed-maximum",
                             "The scale comes from the largest value, not the largest magnitude.",
                             "Take |W_ij| first: a row may have only negative weights."};
const Mistake one_scale{
    "one-scale", "All rows have the same scale.",
    "Each row has its own largest magnitude: large rows must not make small ones coarse."};
const Mistake per_column{"per-column", "The scales are those of the columns.",
                         "max over j, the axis of the sum in the product: one scale per row."};
const Mistake no_input_scale{"no-input-scale", "s_x is missing in the result.",
                             "x ≈ s_x p: multiply by s_x, too."};
const Mistake no_weight_scale{"no-weight-scale", "s_i is missing in the result.",
                              "W_ij ≈ s_i q_ij: multiply row i's sum by s_i, too."};
const Mistake no_bias{"no-bias", "The bias is missing.",
                      "Add b_i to each element of column i of the result."};
const Mistake scaled_bias{"scaled-bias", "The bias is multiplied by the scales.",
                          "b_i is not rounded: add it after the multiplication by s_x s_i."};
const Mistake input_not_rounded{"input-not-rounded", "The inputs are not rounded.",
                                "The product multiplies integers: p = to_int8(x, s_x) for each element."};
const Mistake in_16_bits{"16-bits", "The sum does not fit its type.",
                         "A product p q is up to 16,129: add in std::int32_t."};
const Mistake own_input_scale{"own-scale", "The inputs are rounded with another scale.",
                              "s_x is given; larger inputs are limited to ±127."};

std::string number(int q) { return std::to_string(q); }

const Mistake half_added{"half-added", "0.5 is added before the cut: right for positive values only.",
                         "std::nearbyint rounds negative values as well."};
const Mistake not_limited_below{"wraps", "A value below −127 wraps around.",
                                "Limit the value on both sides."};
const Mistake range_of_row{"range", "The scale comes from the range, max − min, of the row.",
                           "s_i = max_j |W_ij| / 127: the integers are symmetric about 0."};
const Mistake means_of_rows{"mean-scale", "The scale comes from the mean of |W|.",
                            "s_i = max_j |W_ij| / 127."};
const Mistake never_reset{"never-reset", "The maximum is that of all rows so far.",
                          "Start again at 0 in each row."};
const Mistake inverse{"inverse", "The scale is inverted.", "W ≈ s q, so s = max |W| / 127."};
const Mistake at_least_a_little{"scale-of-zeros", "A row of zeros has a scale that is not 0.",
                                "Its maximum is 0, and so is its s_i: add no ε, and set no least value."};
const Mistake one_for_zero{"scale-of-zeros", "A row of zeros has the scale 1.",
                           "Its maximum is 0, and so is its s_i."};

const Mistake input_not_limited{
    "input-not-limited", "The inputs are rounded, but not limited to ±127.",
    "p = to_int8(x, s_x) for each element: new inputs may be larger than 127 s_x."};
const Mistake small_scale{"small-scale", "A small scale is treated as 0.",
                          "Only the scale 0 is special: compare with 0 itself."};
const Mistake no_sign{"no-sign", "The sign is lost.", "q has the sign of x: limit to −127 … 127."};
const Mistake upwards{"rounded-up", "The value is rounded up.", "Round to the nearest integer, not up."};
const Mistake outlier_cut{"outlier-cut", "A weight much larger than the others does not set the scale.",
                          "s_i = max_j |W_ij| / 127, however large this weight is."};
const Mistake limited_before{"limited-first", "x is limited to ±127 before the division.",
                             "Divide and round first: the limit holds for the integer, not for x."};
const Mistake in_float{"in-float", "x / s was computed in float: it rounds to the wrong side.",
                       "Divide doubles: a float has only 7 digits."};
const Mistake sum_in_float{"sum-in-float", "The sum is in float: above 2²⁴ it loses units.",
                           "Add in std::int32_t: the sum of integers is exact."};
const Mistake bias_of_row{"bias-of-row", "The bias is that of the row of x.",
                          "b_i belongs to column i of the result, as row i of W does."};
const Mistake zeros_without_bias{"zeros-without-bias", "A row of zeros gives 0, without its bias.",
                                 "y_ri = s_x s_i Σ + b_i also holds for s_i = 0."};
const Mistake bias_rounded{"bias-rounded", "The bias is rounded to a multiple of s_x s_i.",
                           "b_i is not rounded: add it after the multiplication by s_x s_i."};

// A wrong rounding rule, and its mistake.
struct Rule {
  Mistake mistake;
  double (*integer)(double quotient);
};
double limited(double q) { return std::clamp(q, -127.0, 127.0); }
const Rule rules[] = {
    {truncated, [](double q) { return limited(std::trunc(q)); }},
    {floored, [](double q) { return limited(std::floor(q)); }},
    {lowest, [](double q) { return std::clamp(std::round(q), -128.0, 127.0); }},
    {no_negatives, [](double q) { return std::clamp(std::round(q), 0.0, 127.0); }},
    {upwards, [](double q) { return limited(std::ceil(q)); }},
    {no_sign, [](double q) { return std::abs(limited(std::round(q))); }},
    {half_added, [](double q) { return limited(std::trunc(q + 0.5)); }},
    {not_limited_below,
     [](double q) {
       return static_cast<double>(
           static_cast<std::int8_t>(static_cast<std::int64_t>(std::min(std::round(q), 127.0))));
     }},
    {wraps,
     [](double q) {
       return static_cast<double>(static_cast<std::int8_t>(static_cast<std::int64_t>(std::round(q))));
     }},
};

int right(double x, double s) { return s == 0 ? 0 : static_cast<int>(limited(std::round(x / s))); }

void rounding(const Int8Linear& answer) {
  constexpr std::pair<double, double> cases[] = {
      {0, 0.5},      {1.3, 0.5},    {1.4, 0.5},       {-1.3, 0.5},      {-1.4, 0.5},        {63.5, 0.5},
      {-63.5, 0.5},  {100, 0.5},    {-100, 0.5},      {64, 0.5},        {-64, 0.5},         {0.9, 1},
      {-0.9, 1},     {1000, 0.25},  {-1e6, 0.25},     {0.011, 0.004},   {3, 1e-3},          {2.24, 0.32},
      {-1e-3, 0.01}, {-6e-3, 0.01}, {49.49999999, 1}, {-2.50000001, 1}, {0.5499999999, 0.1}};
  const auto wrong = [&](const Rule& rule) {  // true if the rule explains every result
    return std::ranges::all_of(cases, [&](const auto& c) {
      return answer.to_int8(c.first, c.second) == rule.integer(c.first / c.second);
    });
  };
  const bool limited_first = std::ranges::all_of(cases, [&](const auto& c) {
    const double q = std::nearbyint(limited(c.first) / c.second);
    return answer.to_int8(c.first, c.second) == static_cast<std::int8_t>(static_cast<std::int64_t>(q));
  });
  for (const auto& [x, s] : cases) {
    const int got = answer.to_int8(x, s), wanted = right(x, s);
    if (got == wanted) continue;
    Mistake mistake{"values", "", "Divide by s, round to the nearest integer, limit to −127 … 127."};
    if (got == right(x * s, 1)) mistake = multiplied;
    if (limited_first) mistake = limited_before;
    if (std::abs(x / s - std::floor(x / s) - 0.5) < 1e-6) mistake = in_float;
    for (const Rule& rule : rules) {
      if (wrong(rule)) mistake = rule.mistake;
    }
    expect(false, mistake, "to_int8(" + exercise::text(x) + ", " + exercise::text(s) + ") is wrong.",
           number(got), number(wanted));
  }
  // Quotients that do not fit into an int. They are not checked if the type `long` has only the size of
  // `int`, as in WebAssembly, because then std::lround cannot represent them either.
  if constexpr (sizeof(long) > sizeof(int)) {
    for (const double x : {4e9, -1e15}) {
      const int got = answer.to_int8(x, 0.5), wanted = right(x, 0.5);
      expect(got == wanted, wraps_first, "to_int8(" + exercise::text(x) + ", 0.5) is wrong.", number(got),
             number(wanted));
    }
  }
  for (const double s : {1e-7, 1e-12, 1e-100}) {
    const int got = answer.to_int8(5 * s, s);
    expect(got == 5, small_scale,
           "to_int8(" + exercise::text(5 * s) + ", " + exercise::text(s) + ") is wrong.", number(got), "5");
  }
  for (const double x : {0.0, 1.5, -2.0}) {
    const int got = answer.to_int8(x, 0);
    expect(got == 0, scale_of_zero, "to_int8(" + exercise::text(x) + ", 0) is wrong.", number(got), "0");
  }
}

Tensor random(const Shape& shape, std::uint64_t seed, double deviation = 1) {
  Generator generator(seed);
  return normal(shape, 0, deviation, generator, Dtype::f64);
}

// A matrix whose rows differ much in magnitude. One row is zero, and one has only negative numbers.
Tensor uneven() {
  Tensor W = random({5, 7}, 3);
  const auto values = W.mutable_values<double>();
  const double sizes[] = {1, 0.01, 0, -30, 4};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double size = sizes[i / 7];
    values[i] = size < 0 ? size * std::abs(values[i]) : size * values[i];
  }
  return W;
}

// The maximum of f(W_ij) over each row i.
template <class F>
std::vector<double> row_maxima(const Plain& W, const F& f) {
  std::vector<double> maxima;
  for (std::int64_t i = 0; i < W.size(0); ++i) {
    double most = f(W(i, 0));
    for (std::int64_t j = 1; j < W.size(1); ++j) most = std::max(most, f(W(i, j)));
    maxima.push_back(most);
  }
  return maxima;
}

std::vector<double> row_ranges(const Plain& W) {
  std::vector<double> ranges = row_maxima(W, [](double w) { return w; });
  const std::vector<double> least = row_maxima(W, [](double w) { return -w; });
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] += least[i];
  return ranges;
}

std::vector<double> row_means(const Plain& W) {
  std::vector<double> means(static_cast<std::size_t>(W.size(0)));
  for (std::int64_t i = 0; i < W.size(0); ++i)
    for (std::int64_t j = 0; j < W.size(1); ++j)
      means[static_cast<std::size_t>(i)] += std::abs(W(i, j)) / static_cast<double>(W.size(1));
  return means;
}

// The running maximum.
std::vector<double> running(std::vector<double> values) {
  for (std::size_t i = 1; i < values.size(); ++i) values[i] = std::max(values[i], values[i - 1]);
  return values;
}

Plain vector(std::vector<double> values, double factor = 1) {
  for (double& value : values) value *= factor;
  const auto n = std::ssize(values);
  return Plain(tensor(values, {n}));
}

std::vector<double> right_scales(const Plain& W) {
  return vector(row_maxima(W, [](double w) { return std::abs(w); }), 1.0 / 127).values();
}

void quantising(const Int8Linear& answer) {
  const Tensor given = uneven();
  const Plain W(given);
  const int8::Matrix got = answer.quantise_rows(given);
  exercise::expect_values("W afterwards", given, W, {}, exercise::changes_its_input);
  const auto size = [](std::size_t n) { return std::to_string(n); };
  expect(got.rows == 5 && got.columns == 7, {"shape", "", "rows is W.size(0), columns is W.size(1)."},
         "rows and columns are not those of W.",
         std::to_string(got.rows) + " and " + std::to_string(got.columns), "5 and 7");
  const std::vector<double> magnitudes = row_maxima(W, [](double w) { return std::abs(w); });
  std::vector<double> columns;
  for (std::int64_t j = 0; j < 7; ++j) {
    double most = 0;
    for (std::int64_t i = 0; i < 5; ++i) most = std::max(most, std::abs(W(i, j)));
    columns.push_back(most / 127);
  }
  expect(got.s.size() != 1, one_scale, "There is one scale, for 5 rows.");
  expect(got.s.size() != 7, per_column, "There are 7 scales, for 5 rows.");
  expect(got.s.size() == 5, {"shape", "", "One scale for each row."}, "The number of scales is wrong.",
         size(got.s.size()), "5");
  expect(got.q.size() == 35, {"shape", "", "One integer for each weight, row by row."},
         "The number of integers is wrong.", size(got.q.size()), "35");
  const Plain expected = vector(magnitudes, 1.0 / 127);
  // The right scales. Only the scale of the row of zeros is taken from the answer.
  const auto at_least = [](std::vector<double> scales, const std::vector<double>& answer_s) {
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = scales[i] == 0 ? answer_s[i] : scales[i] / 127;
    return vector(scales);
  };
  const auto inverted = [&](double of_zeros) {
    std::vector<double> scales;
    for (const double m : magnitudes) scales.push_back(m > 0 ? 127 / m : of_zeros);
    return vector(scales);
  };
  exercise::expect_values(
      "s", vector(got.s).tensor(), expected,
      {{signed_maximum, vector(row_maxima(W, [](double w) { return w; }), 1.0 / 127)},
       {signed_maximum, vector(row_maxima(W, [](double w) { return std::max(w, 0.0); }), 1.0 / 127)},
       {one_scale, vector(std::vector<double>(5, std::ranges::max(magnitudes)), 1.0 / 127)},
       {per_column, vector({columns.begin(), columns.begin() + 5})},
       {range_of_row, vector(row_ranges(W), 1.0 / 255)},
       {range_of_row, vector(row_ranges(W), 1.0 / 254)},
       {range_of_row, vector(row_ranges(W), 1.0 / 127)},
       {means_of_rows, vector(row_means(W), 1.0 / 127)},
       {never_reset, vector(running(magnitudes), 1.0 / 127)},
       {one_scale, vector(std::vector<double>(5, magnitudes.front()), 1.0 / 127)},
       {one_for_zero,
        [&] {
          std::vector<double> ones = right_scales(W);
          std::ranges::replace(ones, 0, 1);
          return vector(ones);
        }()},
       {at_least_a_little, at_least(magnitudes, got.s)},
       {other_steps, vector(magnitudes, 1.0 / 128)},
       {other_steps, vector(magnitudes, 1.0 / 255)},
       {other_steps, vector(magnitudes, 2.0 / 255)},
       {other_steps, vector(magnitudes, 1.0 / 256)},
       {{"no-127", "The scale is the largest magnitude itself.", "Divide it by 127, the largest integer."},
        vector(magnitudes)},
       {inverse, inverted(0)},
       {inverse, inverted(std::numeric_limits<double>::infinity())}},
      {}, 1e-12);
  exercise::expect_values("s of weights around 1e-12",
                          vector(answer.quantise_rows(1e-12 * given).s, 1e12).tensor(), expected, {},
                          small_row);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) {
      const double s = expected.values()[static_cast<std::size_t>(i)];
      const int q = got.q[static_cast<std::size_t>(i * 7 + j)], wanted = right(W(i, j), s);
      if (q == wanted) continue;
      Mistake mistake{"integers", "", "q_ij = to_int8(W_ij, s_i), row by row: element i · K + j."};
      if (s == 0) mistake = scale_of_zero;
      if (s > 0 && q == static_cast<int>(W(i, j) / s)) mistake = truncated;
      expect(false, mistake,
             "q[" + number(static_cast<int>(i)) + ", " + number(static_cast<int>(j)) + "] is wrong.",
             number(q), number(wanted));
    }
  }
  Tensor uncommon = random({2, 60}, 8);  // in each row, one weight is far from the others
  uncommon.mutable_values<double>()[17] = 90;
  uncommon.mutable_values<double>()[75] = -400;
  exercise::expect_values("s of rows with one large weight",
                          vector(answer.quantise_rows(uncommon).s).tensor(),
                          vector(right_scales(Plain(uncommon))), {}, outlier_cut, 1e-12);
}

int8::Matrix rounded(const Plain& W) {
  int8::Matrix matrix{W.size(0), W.size(1), {}, right_scales(W)};
  for (std::int64_t i = 0; i < W.size(0); ++i) {
    for (std::int64_t j = 0; j < W.size(1); ++j) {
      matrix.q.push_back(static_cast<std::int8_t>(right(W(i, j), matrix.s[static_cast<std::size_t>(i)])));
    }
  }
  return matrix;
}

// The product with replaceable parts: y_ri = f(i, Σ_l p(x_rl) q_il).
template <class P, class F>
Plain product(const Plain& x, const int8::Matrix& W, const P& p, const F& f) {
  Plain y(Shape{x.size(0), W.rows});
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    for (std::int64_t i = 0; i < W.rows; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < W.columns; ++l) {
        sum += p(x(r, l)) * W.q[static_cast<std::size_t>(i * W.columns + l)];
      }
      y(r, i) = f(i, sum);
    }
  }
  return y;
}

struct Case {
  std::string what;
  Tensor x, W, b;
  double s_x;
};

void check_product(const Int8Linear& answer, const Case& one, const Mistake& otherwise = {}) {
  const Plain x(one.x), b(one.b);
  const int8::Matrix W = rounded(Plain(one.W)), before = W;
  const Tensor got = answer.linear(one.x, one.s_x, W, one.b);
  exercise::expect_values("x afterwards", one.x, x, {}, exercise::changes_its_input);
  exercise::expect_shape(one.what, got, {one.x.size(0), W.rows}, "(M, N)");
  expect(got.dtype() == Dtype::f64, {"dtype", "", "tensor(std::vector<double>, shape) is f64."},
         "The result is not f64.");
  const double s_x = one.s_x,
               own = std::ranges::max(row_maxima(x, [](double v) { return std::abs(v); })) / 127;
  const auto p = [&](double v) { return static_cast<double>(right(v, s_x)); };
  const auto of = [](const std::vector<double>& values, std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  };
  const auto full = [&](std::int64_t i, double sum) { return s_x * of(W.s, i) * sum + of(b.values(), i); };
  const auto wrapped = [&](std::int64_t i, double sum) {
    return full(i, static_cast<double>(static_cast<std::int16_t>(static_cast<std::int32_t>(sum))));
  };
  const auto wrapped_8 = [&](std::int64_t i, double sum) {
    return full(i, static_cast<double>(static_cast<std::int8_t>(static_cast<std::int32_t>(sum))));
  };
  std::vector<Suspect> suspects = {
      {no_input_scale,
       product(x, W, p, [&](auto i, double sum) { return of(W.s, i) * sum + of(b.values(), i); })},
      {no_weight_scale, product(x, W, p, [&](auto i, double sum) { return s_x * sum + of(b.values(), i); })},
      {no_input_scale, product(x, W, p, [&](auto i, double sum) { return sum + of(b.values(), i); })},
      {no_bias, product(x, W, p, [&](auto i, double sum) { return s_x * of(W.s, i) * sum; })},
      {scaled_bias,
       product(x, W, p, [&](auto i, double sum) { return s_x * of(W.s, i) * (sum + of(b.values(), i)); })},
      {input_not_rounded, product(
                              x, W, [&](double v) { return v / s_x; }, full)},
      {input_not_limited, product(
                              x, W, [&](double v) { return std::nearbyint(v / s_x); }, full)},
      {in_16_bits, product(x, W, p, wrapped)},
      {in_16_bits, product(x, W, p, wrapped_8)},
      {own_input_scale, product(
                            x, W, [&](double v) { return static_cast<double>(right(v, own)); },
                            [&](auto i, double sum) { return own * of(W.s, i) * sum + of(b.values(), i); })}};
  Plain of_rows = product(x, W, p, [&](auto i, double sum) { return s_x * of(W.s, i) * sum; });
  for (std::int64_t r = 0; r < of_rows.size(0); ++r)
    for (std::int64_t i = 0; i < of_rows.size(1); ++i) of_rows(r, i) += b(r % b.size(0));
  suspects.push_back({bias_of_row, of_rows});
  suspects.push_back({zeros_without_bias, product(x, W, p, [&](auto i, double sum) {
                        return of(W.s, i) == 0 ? 0 : full(i, sum);
                      })});
  suspects.push_back({bias_rounded, product(x, W, p, [&](auto i, double sum) {
                        const double s = s_x * of(W.s, i);
                        return s * (sum + (s > 0 ? std::nearbyint(b(i) / s) : 0));
                      })});
  for (const Rule& rule : rules) {
    suspects.push_back({rule.mistake, product(x, W, [&](double v) { return rule.integer(v / s_x); }, full)});
  }
  exercise::expect_values(one.what, got, product(x, W, p, full), suspects, otherwise, 1e-10);
}

void products(const Int8Linear& answer) {
  const Tensor b = random({4}, 9, 2);
  check_product(answer, {"y", random({3, 6}, 5), random({4, 6}, 6, 0.3), b, 3.1 / 127});
  check_product(answer,
                {"y of inputs beyond the range", random({3, 6}, 7, 5), random({4, 6}, 6, 0.3), b, 2.0 / 127});
  Tensor large = abs(random({2, 600}, 8)) + 2.0;
  check_product(answer, {"y of sums beyond 16 bits", large, abs(random({4, 600}, 4)) + 1.0, b, 4.0 / 127});
  Tensor longer = abs(random({1, 9000}, 8)) + 2.0;
  check_product(answer, {"y of sums beyond 24 bits", longer, abs(random({4, 9000}, 4)) + 1.0, b, 4.0 / 127},
                sum_in_float);
  check_product(answer, {"y with a row of zeros", random({2, 7}, 5), uneven(), random({5}, 2), 3.0 / 127});
}

// Checks that the error of y is not larger than the two roundings can cause: each x is wrong by at most
// s_x/2, and each W_ij by at most s_i/2.
void errors(const Int8Linear& answer) {
  const Tensor x = random({8, 40}, 11), W = random({6, 40}, 12, 0.2), b = random({6}, 13);
  const Plain plain_x(x), plain_W(W);
  const double s_x = std::ranges::max(row_maxima(plain_x, [](double v) { return std::abs(v); })) / 127;
  const int8::Matrix q = answer.quantise_rows(W);
  const Plain y(answer.linear(x, s_x, q, b)), exact(linear(x, W, b));
  for (std::int64_t r = 0; r < 8; ++r) {
    for (std::int64_t i = 0; i < 6; ++i) {
      const double s_i = q.s[static_cast<std::size_t>(i)];
      double bound = 40 * s_x * s_i / 4;
      for (std::int64_t l = 0; l < 40; ++l) {
        bound += (s_x * std::abs(plain_W(i, l)) + s_i * std::abs(plain_x(r, l))) / 2;
      }
      const double error = std::abs(y(r, i) - exact(r, i));
      expect(error <= bound,
             {"error", "", "Use quantise_rows and int8_linear together: which index differs?"},
             "The error of the whole layer exceeds half a step per factor.", exercise::text(error),
             "at most " + exercise::text(bound));
    }
  }
}

}  // namespace

exercise::Exercise int8_linear_exercise(const Int8Linear& answer) {
  return {.name = "int8_linear",
          .stages = {{"rounding", [=] { rounding(answer); }},
                     {"scales and integers", [=] { quantising(answer); }},
                     {"products", [=] { products(answer); }},
                     {"error", [=] { errors(answer); }}}};
}
