#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake diagonal{"diagonal", "The result uses only the diagonal of the Jacobian: y_i (1 − y_i) g_i.",
                       "Every weight depends on every score: how does y_i change when x_j grows?"};
const Mistake batch_axis{
    "batch-axis", "The sum runs over the batch, or over all elements.",
    "Each row is a separate softmax: sum over the last axis and broadcast the result over it."};
const Mistake forgot_y{"no-outer-y", "The factor y_i before the bracket is missing.",
                       "∂y_j/∂x_i = y_j (δ_ij − y_i): multiply it by g_j and sum over j."};
const Mistake unweighted{"unweighted-sum", "The sum over the row is that of g, without the factor y.",
                         "The sum must be weighted by y: Σ_j g_j y_j."};
const Mistake sign{"sign", "Every sign is wrong.", "Which of the two terms is subtracted?"};

const Mistake log_softmax_instead{"log-softmax", "This is the gradient of log-softmax.",
                                  "y is the softmax: the outer factor y_i is missing, and the sum has none."};
const Mistake mean_subtracted{"mean-subtracted", "The row's mean of g_j y_j is subtracted from g_i y_i.",
                              "dx_i = y_i (g_i − Σ_j g_j y_j): the sum, multiplied by y_i."};
const Mistake mean_for_sum{"mean", "The bracket contains the mean of g_j y_j, not the sum.",
                           "Σ_j g_j y_j is a plain sum."};
const Mistake squared{"squared", "y_i before the bracket is squared.", "∂y_j/∂x_i = y_j (δ_ij − y_i)."};
const Mistake softmax_again{"softmax-again", "The softmax was applied to y.",
                            "The argument y is already the softmax: use it as it is."};

const Mistake sum_without_y{"no-y-on-sum", "The sum is subtracted without the factor y_i.",
                            "y_i multiplies both terms: y_i (g_i − Σ_j g_j y_j)."};
const Mistake sum_times_y{"y-misplaced", "The factor y is y_i in the sum, not y_j.",
                          "Multiply g by y before you sum over the row."};
const Mistake no_diagonal{"no-diagonal", "The sum leaves out j = i.",
                          "∂y_i/∂x_i = y_i (1 − y_i): the sum runs over all j."};
const Mistake squared_in_sum{"squared-in-sum", "y_j is squared in the sum.", "Σ_j g_j y_j has one y_j."};

const Mistake plus{"plus", "The sum is added, not subtracted.", "∂y_j/∂x_i = y_j (δ_ij − y_i)."};
const Mistake no_weights{"unweighted-sum", "The mean of g is subtracted, not its sum weighted by y.",
                         "The sum must be weighted by y: Σ_j g_j y_j."};
const Mistake no_g{"no-g-in-sum", "The sum over the row has no g: it is Σ_j y_j².",
                   "Multiply g by y before you sum over the row."};
const Mistake first_row{"first-row", "Every row uses the weights y of the first row.",
                        "Each row is a separate softmax: row b of g belongs to row b of y."};
const Mistake exchanged{"exchanged", "y and g are exchanged: g_i (y_i − Σ_j g_j y_j).",
                        "∂y_j/∂x_i = y_j (δ_ij − y_i): the factor outside is y_i."};
const Mistake sum_of_first{"first-row", "Every row subtracts the sum of the first row.",
                           "Each row is a separate softmax: sum(x, 1, true) keeps one sum for each row."};
const Mistake largest_term{"largest-term", "The largest g_j y_j is subtracted, not their sum.",
                           "Σ_j g_j y_j is a sum over the row."};
const Mistake sum_not_reset{"sum-not-reset", "The sum continues from row to row.",
                            "Each row is a separate softmax: set the sum to 0 at the start of a row."};
const Mistake small_skipped{"small-skipped", "Elements with a small weight get the gradient 0.",
                            "The equation holds for every y_i, however small."};
const Mistake limited{"limited", "Large gradients were limited.",
                      "dx is linear in g: twice the gradient gives twice the result."};
const Mistake centred{"centred", "Only the diagonal is used, and its mean subtracted.",
                      "A sum of 0 is not enough: Σ_j g_j y_j (δ_ij − y_i)."};

// Scores x, weights y, and the weights' gradient g, (B, T) each.
struct Case {
  Tensor x, y, g;
};

Case example(std::int64_t B, std::int64_t T, std::uint64_t seed = 7, double size = 1.5) {
  Generator generator(seed);
  const Tensor x = normal({B, T}, 0, size, generator, Dtype::f64);
  return {x, softmax(x), normal({B, T}, 0, 1, generator, Dtype::f64)};
}

// Σ_j g_j J_ji for each row; jacobian(y_i, y_j, i == j) is J_ji. The right J_ji is y_j (δ_ij − y_i). To
// imitate a mistake, the caller passes a wrong `jacobian`.
template <class Jacobian>
Plain by_jacobian(const Case& c, const Jacobian& jacobian) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b)
    for (std::int64_t i = 0; i < y.size(1); ++i)
      for (std::int64_t j = 0; j < y.size(1); ++j) dx(b, i) += g(b, j) * jacobian(y(b, i), y(b, j), i == j);
  return dx;
}

Plain expected(const Case& c) {
  return by_jacobian(c, [](double yi, double yj, bool same) { return yj * ((same ? 1 : 0) - yi); });
}

// A mistake: y_i (g_i − Σ g y) with the sum over the batch instead of the row.
Plain over_batch(const Case& c) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t i = 0; i < y.size(1); ++i) {
    double s = 0;
    for (std::int64_t b = 0; b < y.size(0); ++b) s += g(b, i) * y(b, i);
    for (std::int64_t b = 0; b < y.size(0); ++b) dx(b, i) = y(b, i) * (g(b, i) - s);
  }
  return dx;
}

// g_i (y_i − Σ g y)
Plain with_factors_exchanged(const Case& c) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double s = 0;
    for (std::int64_t i = 0; i < y.size(1); ++i) s += g(b, i) * y(b, i);
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = g(b, i) * (y(b, i) - s);
  }
  return dx;
}

// Mistakes: y_i (g_i − s) with a wrong s. If `first`, s is the sum of the g_j y_j of the first row;
// otherwise, s is the largest g_j y_j of the row.
Plain with_another_sum(const Case& c, bool first) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double sum = 0, most = g(b, 0) * y(b, 0);
    for (std::int64_t i = 0; i < y.size(1); ++i) {
      sum += g(0, i) * y(0, i);
      most = std::max(most, g(b, i) * y(b, i));
    }
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = y(b, i) * (g(b, i) - (first ? sum : most));
  }
  return dx;
}

Plain over_everything(const Case& c) {
  const Plain y(c.y), g(c.g);
  double s = 0;
  for (std::int64_t b = 0; b < y.size(0); ++b)
    for (std::int64_t i = 0; i < y.size(1); ++i) s += g(b, i) * y(b, i);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b)
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = y(b, i) * (g(b, i) - s);
  return dx;
}

// y_i (g_i − s) with s = Σ_j f(y_j, g_j), for each row.
template <class F>
Plain with_sum(const Case& c, const F& f) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double s = 0;
    for (std::int64_t j = 0; j < y.size(1); ++j) s += f(y(b, j), g(b, j));
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = y(b, i) * (g(b, i) - s);
  }
  return dx;
}

// A mistake: uses only the Jacobian's diagonal, which gives y_i (1 − y_i) g_i, and subtracts the row's mean
// of these terms.
Plain diagonal_centred(const Case& c) {
  const Plain y(c.y), g(c.g);
  const double n = static_cast<double>(y.size(1));
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double mean = 0;
    for (std::int64_t j = 0; j < y.size(1); ++j) mean += y(b, j) * (1 - y(b, j)) * g(b, j) / n;
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = y(b, i) * (1 - y(b, i)) * g(b, i) - mean;
  }
  return dx;
}

// A mistake: g_i y_i minus the row's mean of these products.
Plain products_centred(const Case& c) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    double mean = 0;
    for (std::int64_t j = 0; j < y.size(1); ++j) mean += g(b, j) * y(b, j) / static_cast<double>(y.size(1));
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = g(b, i) * y(b, i) - mean;
  }
  return dx;
}

// A mistake: does not reset s = Σ_j g_j y_j to 0 at the start of a row.
Plain with_running_sum(const Case& c) {
  const Plain y(c.y), g(c.g);
  Plain dx(y.shape());
  double s = 0;
  for (std::int64_t b = 0; b < y.size(0); ++b) {
    for (std::int64_t j = 0; j < y.size(1); ++j) s += g(b, j) * y(b, j);
    for (std::int64_t i = 0; i < y.size(1); ++i) dx(b, i) = y(b, i) * (g(b, i) - s);
  }
  return dx;
}

// A mistake: elements with a weight below `least` get the gradient 0.
Plain with_small_weights_skipped(const Case& c, double least) {
  const Plain y(c.y);
  Plain dx = expected(c);
  for (std::int64_t b = 0; b < y.size(0); ++b)
    for (std::int64_t i = 0; i < y.size(1); ++i)
      if (y(b, i) < least) dx(b, i) = 0;
  return dx;
}

std::vector<exercise::Suspect> suspects(const Case& c) {
  const double n = static_cast<double>(c.y.size(1));
  return {
      {diagonal, by_jacobian(c, [](double yi, double yj, bool same) { return same ? yj * (1 - yi) : 0; })},
      {batch_axis, over_batch(c)},
      {batch_axis, over_everything(c)},
      {forgot_y, by_jacobian(c, [](double, double yj, bool same) { return (same ? 1 : 0) - yj; })},
      {unweighted, by_jacobian(c, [](double yi, double, bool same) { return yi * ((same ? 1 : 0) - 1.0); })},
      {log_softmax_instead, by_jacobian(c, [](double yi, double, bool same) { return (same ? 1 : 0) - yi; })},
      {mean_for_sum,
       by_jacobian(c, [n = static_cast<double>(c.y.size(1))](
                          double yi, double yj, bool same) { return yj * ((same ? 1 : 0) - yi / n); })},
      {squared,
       by_jacobian(c, [](double yi, double yj, bool same) { return yi * yj * ((same ? 1 : 0) - yi); })},
      {sum_without_y, by_jacobian(c, [](double yi, double yj, bool same) { return (same ? yi : 0) - yj; })},
      {sum_times_y, by_jacobian(c, [](double yi, double, bool same) { return yi * ((same ? 1 : 0) - yi); })},
      {no_diagonal, by_jacobian(c, [](double yi, double yj, bool same) { return same ? 0 : -yi * yj; })},
      {squared_in_sum,
       by_jacobian(c, [](double yi, double yj, bool same) { return yi * ((same ? 1 : 0) - yj * yj); })},
      {plus, by_jacobian(c, [](double yi, double yj, bool same) { return yj * ((same ? 1 : 0) + yi); })},
      {no_weights, with_sum(c, [n](double, double gj) { return gj / n; })},
      {exchanged, with_factors_exchanged(c)},
      {sum_of_first, with_another_sum(c, true)},
      {largest_term, with_another_sum(c, false)},
      {no_g, with_sum(c, [](double yj, double) { return yj * yj; })},
      {first_row, expected({c.x, expand(c.y[0], c.y.shape()).clone(), c.g})},
      {centred, diagonal_centred(c)},
      {mean_subtracted, products_centred(c)},
      {sum_not_reset, with_running_sum(c)},
      {small_skipped, with_small_weights_skipped(c, 1e-2)},
      {small_skipped, with_small_weights_skipped(c, 1e-3)},
      {softmax_again, expected({c.x, softmax(c.y), c.g})},
      {sign, by_jacobian(c, [](double yi, double yj, bool same) { return yj * (yi - (same ? 1 : 0)); })},
  };
}

void shapes(const SoftmaxBackward& answer) {
  for (const Shape& shape : {Shape{3, 5}, Shape{1, 4}, Shape{2, 1}}) {
    const Case c = example(shape[0], shape[1]);
    exercise::expect_shape("the result", answer(c.y, c.g), shape, "(B, T)");
  }
}

void values(const SoftmaxBackward& answer) {
  for (const Shape& shape : {Shape{3, 5}, Shape{1, 4}, Shape{2, 1}}) {
    const Case c = example(shape[0], shape[1]);
    const Plain y(c.y), g(c.g);
    const Tensor got = answer(c.y, c.g);
    exercise::expect_values("y afterwards", c.y, y, {}, exercise::changes_its_input);
    exercise::expect_values("g afterwards", c.g, g, {}, exercise::changes_its_input);
    exercise::expect_given([&] { return "y[0] = " + row_text(y, 0) + "; g[0] = " + row_text(g, 0); },
                           [&] { exercise::expect_values("dx", got, expected(c), suspects(c)); });
  }
  for (const std::uint64_t seed : {8, 9}) {
    const Case again = example(3, 5, seed);
    const Case first = example(3, 5);
    std::vector<exercise::Suspect> known = suspects(again);
    known.push_back({exercise::remembers, expected({first.x, first.y, again.g})});
    known.push_back({exercise::remembers, expected({first.x, again.y, first.g})});
    const auto call = [&] { return answer(again.y, again.g); };
    exercise::expect_right_again(
        [&] { exercise::expect_values("dx of another batch", call(), expected(again), known); },
        [&] { return exercise::Results{{"dx", call()}}; }, [&] { answer(example(2, 4).y, example(2, 4).g); });
  }
  Case steep = example(3, 5);
  steep.g = 1e6 * steep.g;
  exercise::expect_values("dx of large gradients", answer(steep.y, steep.g), expected(steep), {}, limited);
  const Case sure = example(3, 5, 7, 1000);  // weights of exactly 0 and 1
  exercise::expect_values("dx, where some weights are 0", answer(sure.y, sure.g), expected(sure));
}

// Adding a constant to a row of x leaves the weights unchanged. So each row of the gradient sums to 0.
void rows_sum_to_zero(const SoftmaxBackward& answer) {
  const Case c = example(4, 6);
  exercise::expect_values("the row sums of dx", sum(answer(c.y, c.g), -1), Plain(Shape{4}));
}

void as_differences_say(const SoftmaxBackward& answer) {
  const Case c = example(2, 4);
  constexpr double h = 1e-5;
  Plain numeric(c.x.shape());
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t i = 0; i < 4; ++i) {
      Plain up(c.x), down(c.x);
      up(b, i) += h;
      down(b, i) -= h;
      numeric(b, i) = sum((softmax(up.tensor()) - softmax(down.tensor())) * c.g).item() / (2 * h);
    }
  }
  exercise::expect_values("dx", answer(c.y, c.g), numeric, suspects(c), {}, 1e-7);
}

}  // namespace

exercise::Exercise softmax_backward_exercise(const SoftmaxBackward& answer) {
  return {.name = "softmax_backward",
          .stages = {{"shapes", [=] { shapes(answer); }},
                     {"values", [=] { values(answer); }},
                     {"every row sums to 0", [=] { rows_sum_to_zero(answer); }},
                     {"finite differences", [=] { as_differences_say(answer); }}}};
}
