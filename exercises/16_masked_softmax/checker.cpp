#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recorded.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;
using Lengths = std::vector<std::int64_t>;

const Mistake no_mask{"no-mask", "The softmax runs over the pads, too.",
                      "Only positions t < length take part; set the other energies to −∞ first."};
const Mistake zero_energy{"zero-energy", "The pads' energies were set to 0.", "e^0 = 1, e^−∞ = 0."};
const Mistake masked_after{
    "masked-after", "The pads' weights were set to 0 after the division.",
    "The other weights then sum to less than 1: the denominator must not contain the pads."};
const Mistake subtracts_too_much{
    "subtracts-too-much",
    "The number subtracted is above the real energies: all powers are 0, and 0/0 is NaN.",
    "Subtract from each row the largest of its real energies, even if all of them are negative."};
const Mistake not_zero{"pads-not-zero", "The denominator is right, but the pads were not set to 0.",
                       "At pads the weight is 0."};
const Mistake batch_axis{"batch-axis", "The softmax runs over the sentences.",
                         "The weights of one sentence, a row of (B, T), sum to 1."};
const Mistake everything{"over-everything", "All rows share one sum.",
                         "Each sentence has its own sum: sum(p, 1, true) is (B, 1)."};
const Mistake off_by_one{"off-by-one", "A position too many or too few counts as real.",
                         "Positions are counted from 0: t is real if t < length."};
const Mistake not_divided{"not-divided", "The exponentials are not divided by their sum.",
                          "The weights of a sentence must sum to 1."};
const Mistake one_length{"one-length", "All sentences have the same length here.",
                         "lengths[b] belongs to row b: compare (T) with (B, 1)."};
const Mistake dtype{"dtype", "",
                    "A constant has another dtype: give zeros() and full() the dtype e.dtype()."};
const Mistake ready_made{"ready-made", "The softmax comes from the library.",
                         "Write it with exp, max and sum, so that you meet its three traps."};
const Mistake maximum_of_batch{"maximum-of-batch",
                               "The subtracted maximum is that of a position, over the sentences.",
                               "Subtract one number from a row: max(e, 1, true), over its positions."};
const Mistake one_maximum{"one-maximum",
                          "One maximum for the whole batch: in another row, every exponential becomes 0.",
                          "Subtract from each row its own maximum: max(e, 1, true) is (B, 1)."};
const Mistake empty_row{
    "empty-row", "A sentence of length 0 gives 0/0 or ∞ − ∞.",
    "Its maximum is −∞ and its sum 0: replace the maximum by a finite number, the sum by a number above 0."};
const Mistake pads_share{
    "pads-share", "In a sentence of length 0 the pads share the weight.",
    "Only −∞ excludes a position; if all energies are equally low, the softmax is uniform."};
const Mistake backward_nan{
    "backward-nan", "The weights are right, but the backward pass computes 0 · ∞ or ∞ − ∞.",
    "Dropping an infinite value drops its gradient to 0, and 0 · ∞ is NaN. Mask before exp, and let no "
    "difference of infinities pass through the tape."};

const Mistake log_weights{"log-softmax", "These are the logarithms of the weights.",
                          "Return the weights themselves."};
const Mistake limited{"limited", "Large energies were limited, and are now equal.",
                      "Subtract the sentence's largest energy instead: this changes no weight."};

const Mistake not_the_maximum{
    "not-the-maximum", "The number that is subtracted is not the largest energy of the sentence.",
    "After the subtraction, every exponent must be at most 0: subtract the maximum."};
const Mistake weight_in_empty_row{
    "weight-in-empty-row", "In a sentence of length 0, a position has weight.",
    "A sentence without tokens has no position to attend to: all weights are 0."};
const Mistake sum_detached{"sum-detached", "The sum of the exponentials is detached from the tape.",
                           "The denominator depends on every energy: it has a gradient, too."};

struct Case {
  Tensor e;
  Lengths lengths;

  std::int64_t B() const { return e.size(0); }
  std::int64_t T() const { return e.size(1); }
  std::int64_t length(std::int64_t b) const { return lengths[static_cast<std::size_t>(b)]; }
  bool real(std::int64_t b, std::int64_t t) const { return t < length(b); }
};

Case example(std::int64_t T, const Lengths& lengths, double deviation = 1.5, std::uint64_t seed = 7) {
  Generator generator(seed);
  return {normal({std::ssize(lengths), T}, 0, deviation, generator, Dtype::f64), lengths};
}

const Lengths usual = {3, 7, 1, 5};

// The case c with its energies at the pads replaced: −value at every third position, `value` at the others.
Case with_pads(const Case& c, double value) {
  Plain e(c.e);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.T(); ++t)
      if (!c.real(b, t)) e(b, t) = t % 3 == 0 ? -value : value;
  return {e.tensor(), c.lengths};
}

Case times(const Case& c, double factor) { return {c.e * factor, c.lengths}; }

// The right weights. Subtracts the largest real energy first, as the statement says.
Plain expected(const Case& c) {
  const Plain e(c.e);
  Plain alpha(e.shape());
  for (std::int64_t b = 0; b < c.B(); ++b) {
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t t = 0; t < c.T(); ++t)
      if (c.real(b, t)) largest = std::max(largest, e(b, t));
    for (std::int64_t t = 0; t < c.T(); ++t)
      if (c.real(b, t)) total += alpha(b, t) = std::exp(e(b, t) - largest);
    for (std::int64_t t = 0; t < c.T(); ++t)
      if (c.real(b, t)) alpha(b, t) /= total;
  }
  return alpha;
}

// Wrong weights: power(b, t) / total(b, t).
template <class Power, class Total>
Plain quotient(const Case& c, const Power& power, const Total& total) {
  Plain alpha(c.e.shape());
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.T(); ++t) alpha(b, t) = power(b, t) / total(b, t);
  return alpha;
}

std::vector<exercise::Suspect> suspects(const Case& c) {
  const Plain e(c.e);
  const auto any = [&](auto b, auto t) { return std::exp(e(b, t)); };
  const auto real = [&](auto b, auto t) { return c.real(b, t) ? std::exp(e(b, t)) : 0; };
  const auto one_at_pads = [&](auto b, auto t) { return c.real(b, t) ? std::exp(e(b, t)) : 1; };
  const auto of_row = [&c](const auto& power) {
    return [&c, power](std::int64_t b, std::int64_t /*t*/) {
      double total = 0;
      for (std::int64_t t = 0; t < c.T(); ++t) total += power(b, t);
      return total;
    };
  };
  const auto of_column = [&](auto /*b*/, auto t) {
    double total = 0;
    for (std::int64_t b = 0; b < c.B(); ++b) total += real(b, t);
    return total == 0 ? 1 : total;
  };
  const auto of_all = [&](auto /*b*/, auto /*t*/) {
    double total = 0;
    for (std::int64_t b = 0; b < c.B(); ++b) total += of_row(real)(b, 0);
    return total;
  };
  const auto none = [](auto, auto) { return 1.0; };
  const auto shifted = [&](auto b, auto t) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < c.T(); ++k)
      if (c.real(b, k)) largest = std::max(largest, e(b, k));
    return c.real(b, t) ? std::exp(e(b, t) - largest) : 0;
  };
  const auto shifted_column = [&](auto /*b*/, auto t) {
    double total = 0;
    for (std::int64_t b = 0; b < c.B(); ++b) total += shifted(b, t);
    return total == 0 ? 1 : total;
  };
  const auto shifted_by_column = [&](auto b, auto t) {
    double largest = e(0, t);
    for (std::int64_t k = 1; k < c.B(); ++k) largest = std::max(largest, e(k, t));
    return c.real(b, t) ? std::exp(e(b, t) - largest) : 0;
  };
  const auto shifted_or_one = [&](auto b, auto t) { return c.real(b, t) ? shifted(b, t) : 1; };
  Plain logarithms = expected(c);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.T(); ++t) logarithms(b, t) = c.real(b, t) ? std::log(logarithms(b, t)) : 0;
  std::vector<exercise::Suspect> list = {
      {not_divided, quotient(c, shifted, none)},
      {batch_axis, quotient(c, shifted, shifted_column)},
      {zero_energy, quotient(c, shifted_or_one, of_row(shifted_or_one))},
      {maximum_of_batch, quotient(c, shifted_by_column, of_row(shifted_by_column))},
      {log_weights, logarithms},
      {no_mask, quotient(c, any, of_row(any))},
      {zero_energy, quotient(c, one_at_pads, of_row(one_at_pads))},
      {masked_after, quotient(c, real, of_row(any))},
      {masked_after, quotient(c, real, of_row(one_at_pads))},
      {not_zero, quotient(c, any, of_row(real))},
      {batch_axis, quotient(c, real, of_column)},
      {everything, quotient(c, real, of_all)},
      {not_divided, quotient(c, real, none)}};
  for (const std::int64_t more : {-1, 1}) {
    Case other = c;
    for (std::int64_t& length : other.lengths) length = std::clamp<std::int64_t>(length + more, 0, c.T());
    list.push_back({off_by_one, expected(other)});
  }
  const auto [least, most] = std::ranges::minmax(c.lengths);
  for (const std::int64_t length : {c.lengths[0], least, most})
    list.push_back({one_length, expected({c.e, Lengths(c.lengths.size(), length)})});
  return list;
}

Tensor weights(const MaskedWeights& answer, const Case& c) {
  const Tensor got = answer(c.e, tensor(c.lengths));
  exercise::expect_shape("α", got, c.e.shape(), "(B, T)");
  return got;
}

bool any_nan(const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

void shapes(const MaskedWeights& answer) {
  for (const Case& c : {example(8, usual), example(4, {4}), example(1, {1, 1, 1})}) {
    const Tensor got = weights(answer, c);
    exercise::expect(got.dtype() == Dtype::f64, dtype, "For energies in f64 the weights have another dtype.");
    const Tensor in_f32 = weights(answer, {c.e.to(Dtype::f32), c.lengths});
    exercise::expect(in_f32.dtype() == Dtype::f32, dtype,
                     "For energies in f32 the weights have another dtype.");
  }
}

// Reports a mistake if the tape contains a ready-made softmax or logsumexp.
void from_scratch(const MaskedWeights& answer) {
  Case c = example(8, usual);
  c.e.set_requires_grad();
  const Tensor got = weights(answer, c);
  if (!got.requires_grad()) return;  // the stage on gradients reports this
  for (const Recorded& node : recorded("masked_softmax", got)) {
    const std::string_view name = node.operation;
    exercise::expect(name.find("softmax") == name.npos && name.find("logsumexp") == name.npos, ready_made,
                     "The tape contains an operation that this exercise asks you to write.", node.operation);
  }
}

void values(const MaskedWeights& answer) {
  for (const Case& c : {example(8, usual), example(4, {4}), example(5, {5, 5}), example(3, {1, 2})}) {
    const Plain before(c.e);
    const Tensor got = weights(answer, c);
    exercise::expect_values("e afterwards", c.e, before, {}, exercise::changes_its_input);
    exercise::expect_given(
        [&] { return "e[0] = " + row_text(before, 0) + "; length " + std::to_string(c.lengths[0]); },
        [&] { exercise::expect_values("α", got, expected(c), suspects(c), {}, 1e-13); });
  }
  // Two more cases of the size of the first case: one has other lengths, the other has other energies. An
  // answer that remembers the first case fails.
  for (const Case& c : {example(8, {2, 4, 6, 7}), example(8, usual, 1.5, 8)}) {
    const auto call = [&] { return weights(answer, c); };
    std::vector<exercise::Suspect> known = suspects(c);
    const Case first = example(8, usual);
    known.insert(known.begin(), {{exercise::remembers, expected({c.e, first.lengths})},
                                 {exercise::remembers, expected({first.e, c.lengths})}});
    exercise::expect_right_again(
        [&] { exercise::expect_values("α of another batch", call(), expected(c), known); },
        [&] { return exercise::Results{{"α", call()}}; }, [&] { weights(answer, example(3, {1, 2})); });
  }
}

// True if the weights are right for energies around 1000, but wrong if one energy is far from the others.
bool subtracts_another_number(const MaskedWeights& answer) {
  const Case c = example(8, {8});  // one sentence, for which the maximum of the batch is right
  const Case shifted{c.e + 1000.0, c.lengths};
  if (!has_values(weights(answer, shifted), expected(shifted))) return false;
  return std::ranges::any_of(std::vector{5000.0, -5000.0}, [&](double away) {
    Plain apart(c.e);
    apart(0, 3) += away;
    const Case spread{apart.tensor(), c.lengths};
    return !has_values(weights(answer, spread), expected(spread));
  });
}

void pads(const MaskedWeights& answer) {
  const Case c = example(8, usual);
  for (const double value : {30.0, 1e3, 1e6}) {
    const Case other = with_pads(c, value);
    const Tensor got = weights(answer, other);
    const bool other_number = !has_values(got, expected(c)) && subtracts_another_number(answer);
    const Mistake& mistake = other_number ? not_the_maximum : exercise::max_over_pads;
    exercise::expect(!any_nan(got), mistake,
                     "If pads have energies of ±" + exercise::text(value) + ", a weight is NaN.");
    exercise::expect_values("α with other energies at the pads", got, expected(c),
                            {{mistake, Plain(c.e.shape())}}, exercise::pads_leak, 1e-12);
    const Plain alpha(got);
    for (std::int64_t b = 0; b < c.B(); ++b)
      for (std::int64_t t = 0; t < c.T(); ++t)
        exercise::expect(c.real(b, t) || alpha(b, t) == 0, exercise::pads_leak, "A pad has weight.",
                         exercise::text(alpha(b, t)), "exactly 0");
  }
  Plain low(with_pads(c, 0).e);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.length(b); ++t) low(b, t) -= 1e8;
  const Case lowest{low.tensor(), c.lengths};
  const Plain alpha(weights(answer, lowest));
  exercise::expect(std::ranges::none_of(alpha.values(), [](double x) { return std::isnan(x); }),
                   subtracts_too_much, "If the real positions have energies of −10⁸, a weight is NaN.");
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = c.length(b); t < c.T(); ++t)
      exercise::expect(alpha(b, t) == 0, exercise::pads_leak,
                       "If the real positions have energies of −10⁸, a pad has weight.",
                       exercise::text(alpha(b, t)), "exactly 0");
}

// The relative error of every weight must be small, however small the weight is.
void small_weights(const MaskedWeights& answer) {
  const Case c = times(example(8, usual), 40);
  const Plain alpha(weights(answer, c)), right = expected(c);
  for (std::int64_t b = 0; b < c.B(); ++b)
    for (std::int64_t t = 0; t < c.T(); ++t)
      exercise::expect(right(b, t) == 0 || std::abs(alpha(b, t) / right(b, t) - 1) < 1e-6,
                       exercise::small_weights, "A small weight is wrong.", exercise::text(alpha(b, t)),
                       exercise::text(right(b, t)));
}

void large_energies(const MaskedWeights& answer) {
  const Case c = example(8, usual);
  const auto instead_of = [&](const Mistake& mistake) {
    return subtracts_another_number(answer) ? not_the_maximum : mistake;
  };
  for (const double shift : {1000.0, -1000.0}) {
    for (const Case& given : {c, example(5, {5, 5}), example(4, {4}), example(6, {2})}) {
      const Case shifted{given.e + shift, given.lengths};
      const std::string where = "α of energies around " + exercise::text(shift);
      const Tensor got = weights(answer, shifted);
      exercise::expect(!any_nan(got), instead_of(exercise::overflow), where + " contains NaN.");
      exercise::expect_values(where, got, expected(shifted),
                              {{limited, expected({zeros(given.e.shape(), Dtype::f64), given.lengths})}},
                              instead_of(exercise::overflow), 1e-10);
    }
  }
  Plain apart(c.e);  // rows with very different energies
  for (std::int64_t t = 0; t < c.T(); ++t) apart(1, t) -= 2000, apart(3, t) += 2000;
  const Case rows{apart.tensor(), c.lengths};
  const Tensor got = weights(answer, rows);
  exercise::expect(!any_nan(got), instead_of(one_maximum),
                   "If rows are far from each other, a weight is NaN.");
  exercise::expect_values("α of rows that are far from each other", got, expected(rows), {},
                          instead_of(one_maximum), 1e-10);
  small_weights(answer);
  exercise::expect_values("α of energies of a million", weights(answer, times(c, 1e6)),
                          expected(times(c, 1e6)), {}, exercise::overflow, 1e-10);
  const Case in_f32{times(c, 100).e.to(Dtype::f32), c.lengths};  // e^89 is infinite in f32
  exercise::expect_values("α of energies of a hundred, in f32", weights(answer, in_f32), expected(in_f32), {},
                          exercise::overflow, 1e-5);
}

const std::vector<Lengths> with_empty = {{3, 0, 1, 5}, {0}, {0, 0, 6}};

void empty_sentences(const MaskedWeights& answer) {
  for (const Lengths& lengths : with_empty) {
    for (const Case& c : {example(6, lengths), with_pads(example(6, lengths), 1e3)}) {
      const Tensor got = weights(answer, c);
      exercise::expect(!any_nan(got), empty_row, "If a sentence has length 0, a weight is NaN.");
      const auto empty = std::ranges::find(lengths, 0) - lengths.begin();
      const double total = sum(got[empty]).item();
      const Plain row(got[empty]);
      const bool shared = std::ranges::all_of(row.values(), [&](double x) { return x == row(0); });
      exercise::expect(total == 0, shared ? pads_share : weight_in_empty_row,
                       "The weights of a sentence of length 0 do not sum to 0.", exercise::text(total),
                       "0: every weight is 0");
      exercise::expect_values("α of a batch with an empty sentence", got, expected(c), {}, empty_row, 1e-12);
    }
  }
}

// ∂(Σ g α)/∂e = α (g − Σ g α)
Plain expected_gradient(const Plain& alpha, const Plain& g) {
  Plain out(alpha.shape());
  for (std::int64_t b = 0; b < alpha.size(0); ++b) {
    double inner = 0;
    for (std::int64_t t = 0; t < alpha.size(1); ++t) inner += g(b, t) * alpha(b, t);
    for (std::int64_t t = 0; t < alpha.size(1); ++t) out(b, t) = alpha(b, t) * (g(b, t) - inner);
  }
  return out;
}

// Fails if the gradient is α g, which is the gradient when the denominator is detached.
void expect_sum_on_tape(const MaskedWeights& answer) {
  Case c = example(8, usual);
  c.e.set_requires_grad();
  Generator generator(3);
  const Tensor g = normal(c.e.shape(), 0, 1, generator, Dtype::f64), alpha = weights(answer, c);
  if (!alpha.requires_grad()) return;  // the comparison with finite differences reports this
  sum(alpha * g).backward();
  exercise::expect(!c.e.grad().defined() || !has_values(c.e.grad(), Plain((alpha * g).detach())),
                   sum_detached, "The gradient lacks the part of the denominator.");
}

// Reports a gradient that is wrong at the largest energy of at least one row, and right elsewhere.
void expect_gradient_of_largest(const MaskedWeights& answer) {
  Case c = example(8, usual);
  c.e.set_requires_grad();
  Generator generator(3);
  const Tensor g = normal(c.e.shape(), 0, 1, generator, Dtype::f64), alpha = weights(answer, c);
  if (!alpha.requires_grad()) return;  // the comparison with finite differences reports this
  sum(alpha * g).backward();
  if (!c.e.grad().defined()) return;
  const Plain got(c.e.grad()), right = expected_gradient(expected(c), Plain(g)), e(c.e);
  std::int64_t wrong = 0, wrong_elsewhere = 0;
  for (std::int64_t b = 0; b < c.B(); ++b) {
    for (std::int64_t t = 0; t < c.T(); ++t) {
      if (std::abs(got(b, t) - right(b, t)) < 1e-9) continue;
      ++wrong;
      for (std::int64_t k = 0; k < c.length(b); ++k) wrong_elsewhere += e(b, k) > e(b, t);
    }
  }
  exercise::expect(
      wrong == 0 || wrong_elsewhere > 0,
      {"gradient-of-largest", "Only the gradient of the largest energy is wrong.",
       "The maximum must not change the gradient: minimum(), maximum() and clamp() divide or drop "
       "the gradient at equal numbers."},
      "The gradient at the largest energy of a row is wrong.");
}

void gradients(const MaskedWeights& answer) {
  expect_sum_on_tape(answer);
  expect_gradient_of_largest(answer);
  for (const Case& c : {example(8, usual), example(6, with_empty[0])})
    exercise::expect_gradients([&](const std::vector<Tensor>& x) { return answer(x[0], tensor(c.lengths)); },
                               {c.e}, {"e"});
  for (const Case& plain : {with_pads(example(8, usual), 1e3), times(example(8, usual), 1e3),
                            with_pads(example(6, with_empty[0]), 1e3), example(6, with_empty[0])}) {
    Case c{plain.e.clone(), plain.lengths};
    c.e.set_requires_grad();
    Generator generator(3);
    const Tensor g = normal(c.e.shape(), 0, 1, generator, Dtype::f64);
    sum(weights(answer, c) * g).backward();
    exercise::expect(!any_nan(c.e.grad()), backward_nan,
                     "With large energies or an empty sentence, a gradient is NaN.");
    exercise::expect_values("the gradient of large energies", c.e.grad(),
                            expected_gradient(expected(c), Plain(g)), {}, {}, 1e-10);
  }
}

}  // namespace

exercise::Exercise masked_softmax_exercise(const MaskedWeights& answer) {
  return {.name = "masked_softmax",
          .stages = {{"shapes", [=] { shapes(answer); }},
                     {"from scratch", [=] { from_scratch(answer); }},
                     {"values", [=] { values(answer); }},
                     {"pads", [=] { pads(answer); }},
                     {"large energies", [=] { large_energies(answer); }},
                     {"sentences of length 0", [=] { empty_sentences(answer); }},
                     {"gradients", [=] { gradients(answer); }}}};
}
