#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>
#include <set>

#include "answer.hpp"
#include "kit/attention.hpp"
#include "kit/training.hpp"
#include "museum/subject.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;
using Lengths = std::vector<std::int64_t>;

const Mistake all_weights{"all-take-part", "All positions have weight, not only the k largest.",
                          "Set the energies of all others to −∞ before the softmax."};
const Mistake not_renormalised{
    "not-renormalised", "The other weights were set to 0 after the softmax, so the rows no longer sum to 1.",
    "Choose before the softmax: its denominator sums over the k chosen."};
const Mistake zero_energy{"zero-energy", "The other energies were set to 0, not to −∞.",
                          "e^0 = 1, but e^−∞ = 0."};
const Mistake smallest{"smallest", "The k smallest energies were chosen.", "Choose the largest ones."};
const Mistake by_size{"by-size", "The energies of largest absolute value were chosen.",
                      "A large negative energy gives a small weight."};
const Mistake one_more{"one-more", "k + 1 positions have weight.",
                       "How many iterations does your loop have?"};
const Mistake one_less{"one-less", "k − 1 positions have weight.",
                       "How many iterations does your loop have?"};
const Mistake k_fixed{"k-fixed", "The number of positions does not depend on k.", "Use the argument k."};
const Mistake logarithms{"log-softmax", "These are the logarithms of the weights.",
                         "Use softmax, not log_softmax."};
const Mistake first_k{"first-k", "The first k positions were chosen.",
                      "Choose by the energy, not by the position."};
const Mistake over_batch{"batch-axis", "The k largest were chosen over the batch, or over all elements.",
                         "Choose k positions in every row."};
const Mistake pads_chosen{"pads-chosen", "Pads were chosen in place of real positions.",
                          "Exclude the pads before the choice."};
const Mistake uniform{"uniform", "All chosen positions have the same weight.",
                      "Their weights are the softmax of their energies."};
const Mistake undefined_lengths{
    "undefined-lengths", "",
    "If all rows have length T, lengths.defined() is false: check it before you read the lengths."};
const Mistake k_limited{"k-limited", "k is limited: a larger k changes nothing more.",
                        "If k ≥ T, all positions take part."};
const Mistake in_float{"in-float", "Energies that differ only after the seventh digit count as equal.",
                       "Compare the energies as they are: in double, if they are f64."};
const Mistake zero_taken{"zero-taken", "After the first choice, negative energies are never chosen.",
                         "Exclude a chosen position by −∞, not by 0: energies may be negative."};
const Mistake zero_lost{"zero-lost", "A chosen energy of exactly 0 gets no weight.",
                        "Mark the positions that are not chosen by −∞, not by 0: an energy may be 0."};
const Mistake all_ties{"ties", "With equal energies, more than k positions have weight.",
                       "Comparing with the k-th largest keeps all equal ones: choose exactly k."};
const Mistake one_length{"one-length", "Every sentence has the length of the first.",
                         "lengths[b] belongs to row b."};
const Mistake dropped_ties{"ties-dropped", "With equal energies, fewer than k positions have weight.",
                           "Exactly k positions: among equal energies, the earlier ones."};
const Mistake first_row{"first-row", "The positions of the first row were chosen in every row.",
                        "Choose k positions in every row, by its own energies."};
const Mistake shortest{"shortest", "k is limited to the shortest length of the batch.",
                       "Limit k to the length of each sentence by itself."};
const Mistake twice{"softmax-twice", "The softmax was taken twice.", "α = softmax(e), once."};
const Mistake others_learn{
    "others-learn", "Positions that were not chosen get a gradient.",
    "Their weights are 0 whatever their energies: the softmax runs over the chosen ones."};
const Mistake last_tie{"ties-last", "Among equal energies, later positions were chosen.",
                       "Choose the earlier positions."};

// Energies (B, T); the first `lengths[b]` of row b are real. Without `masked`, the answer gets no lengths.
struct Case {
  Tensor e;
  Lengths lengths;
  bool masked;
  Tensor told() const { return masked ? tensor(lengths) : Tensor(); }
};

// In the first row, the largest energies are not at the first positions, nor at the same positions as in
// other rows.
Case without_padding() {
  Generator generator(4);
  Plain e(normal({3, 6}, 0, 1.5, generator, Dtype::f64));
  e(0, 1) = e(0, 0) - 3;
  std::swap(e(0, 0), e(0, 4));
  return {e.tensor(), {6, 6, 6}, false};
}

// A case whose pads have the largest energies.
Case with_padding() {
  Generator generator(5);
  Plain e(normal({4, 6}, 0, 1.5, generator, Dtype::f64));
  const Lengths lengths = {4, 6, 2, 1};
  for (std::int64_t b = 0; b < 4; ++b)
    for (std::int64_t t = lengths[static_cast<std::size_t>(b)]; t < 6; ++t)
      e(b, t) = 7 + static_cast<double>(t);
  return {e.tensor(), lengths, true};
}

Case with_ties() {
  return {
      tensor({{1, 2, 2, 0, 2, -1}, {3, 3, 3, 3, 3, 3}, {0, -2, 1, 0, 0, 1}}, Dtype::f64), {6, 6, 6}, false};
}

// Rows with many equal energies. In rows as long as these, std::sort may change the order of equal energies.
Case with_many_ties() {
  constexpr std::int64_t T = 40;
  Plain e(Shape{2, T});
  for (std::int64_t t = 0; t < T; ++t) {
    e(0, t) = 1;
    e(1, t) = static_cast<double>(t % 3);
  }
  return {e.tensor(), {T, T}, false};
}

// --- plain loops

using Order = std::function<bool(double a, double b)>;  // true if a comes before b
bool larger(double a, double b) { return a > b; }

// Sorts the first `length` positions of row b by their energies, with `order`, and returns the first k of
// them. Equal energies keep the order of their positions.
std::vector<std::int64_t> first_of(const Plain& e, std::int64_t b, std::int64_t length, std::int64_t k,
                                   const Order& order = larger) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(length));
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](auto i, auto j) { return order(e(b, i), e(b, j)); });
  positions.resize(static_cast<std::size_t>(std::min(k, length)));
  return positions;
}

// A mask: 1 at the chosen positions, 0 elsewhere, (B, T).
Plain chosen(const Plain& e, const Lengths& lengths, std::int64_t k, const Order& order = larger) {
  Plain mask(e.shape());
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (const std::int64_t j : first_of(e, b, lengths[static_cast<std::size_t>(b)], k, order))
      mask(b, j) = 1;
  return mask;
}

template <class Chosen>
Plain mask_of(const Shape& shape, const Chosen& is_chosen) {
  Plain mask(shape);
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t t = 0; t < shape[1]; ++t) mask(b, t) = is_chosen(b, t) ? 1 : 0;
  return mask;
}

// The softmax over the positions in the mask, 0 at the others.
Plain softmax_over(const Plain& e, const Plain& mask) {
  Plain weights(e.shape());
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    double total = 0, largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t t = 0; t < e.size(1); ++t)
      if (mask(b, t) > 0) largest = std::max(largest, e(b, t));
    const auto power = [&](std::int64_t t) { return mask(b, t) > 0 ? std::exp(e(b, t) - largest) : 0; };
    for (std::int64_t t = 0; t < e.size(1); ++t) total += power(t);
    for (std::int64_t t = 0; t < e.size(1); ++t) weights(b, t) = total == 0 ? 0 : power(t) / total;
  }
  return weights;
}

template <class F>
Plain combined(const Plain& x, const Plain& mask, const F& f) {
  Plain y(x.shape());
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t t = 0; t < x.size(1); ++t) y(b, t) = f(x(b, t), mask(b, t));
  return y;
}

Plain expected(const Plain& e, const Lengths& lengths, std::int64_t k) {
  return softmax_over(e, chosen(e, lengths, k));
}

// --- results of known mistakes

// The k largest energies of each column instead of each row.
Plain chosen_over_batch(const Plain& e, std::int64_t k) {
  return mask_of(e.shape(), [&](auto b, auto t) {
    std::int64_t above = 0;
    for (std::int64_t i = 0; i < e.size(0); ++i) above += e(i, t) > e(b, t);
    return above < k;
  });
}

Plain chosen_of_everything(const Plain& e, std::int64_t k) {
  return mask_of(e.shape(), [&](auto b, auto t) {
    return std::count_if(e.values().begin(), e.values().end(), [&](double x) { return x > e(b, t); }) < k;
  });
}

// All energies ≥ the k-th largest.
Plain chosen_by_threshold(const Plain& e, const Lengths& lengths, std::int64_t k) {
  return mask_of(e.shape(), [&](auto b, auto t) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    return t < length && e(b, t) >= e(b, first_of(e, b, length, k).back());
  });
}

// All energies > the (k + 1)-th largest.
Plain chosen_above_next(const Plain& e, const Lengths& lengths, std::int64_t k) {
  return mask_of(e.shape(), [&](auto b, auto t) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    return t < length && (k >= length || e(b, t) > e(b, first_of(e, b, length, k + 1).back()));
  });
}

// The k largest energies of each row. Of equal energies, the later position is chosen.
Plain chosen_from_the_end(const Plain& e, const Lengths& lengths, std::int64_t k) {
  Plain turned(e.shape());
  Lengths all(lengths.size(), e.size(1));
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (std::int64_t t = 0; t < e.size(1); ++t) turned(b, t) = e(b, e.size(1) - 1 - t);
  const Plain mask = chosen(turned, all, k);
  return mask_of(e.shape(), [&](auto b, auto t) { return mask(b, e.size(1) - 1 - t) > 0; });
}

std::vector<exercise::Suspect> suspects(const Case& c, std::int64_t k) {
  const Plain e(c.e), right = chosen(e, c.lengths, k);
  const Lengths full(c.lengths.size(), e.size(1));
  const Plain real = chosen(e, c.lengths, e.size(1)), everywhere = chosen(e, full, e.size(1));
  const auto zeroed = [](double x, double mask) { return mask > 0 ? x : 0; };
  const auto real_only = [&](const Plain& mask) { return combined(mask, real, zeroed); };
  return {
      {all_weights, softmax_over(e, real)},
      {logarithms, combined(expected(e, c.lengths, k), right,
                            [](double x, double mask) { return mask > 0 ? std::log(x) : 0; })},
      {not_renormalised, combined(softmax_over(e, real), right, zeroed)},
      {zero_energy, softmax_over(combined(e, right, zeroed), real)},
      {zero_energy, softmax_over(combined(e, right, zeroed), everywhere)},
      {pads_chosen, softmax_over(e, real_only(chosen(combined(e, real, zeroed), full, k)))},
      {zero_lost,
       softmax_over(e, mask_of(e.shape(), [&](auto b, auto t) { return right(b, t) > 0 && e(b, t) != 0; }))},
      {zero_taken, softmax_over(e, mask_of(e.shape(),
                                           [&](auto b, auto t) {
                                             return right(b, t) > 0 &&
                                                    (e(b, t) > 0 || chosen(e, c.lengths, 1)(b, t) > 0);
                                           }))},
      {pads_chosen, softmax_over(e, chosen(e, full, k))},
      {pads_chosen, softmax_over(e, real_only(chosen(e, full, k)))},
      {smallest, softmax_over(e, chosen(e, c.lengths, k, std::less<>()))},
      {by_size, softmax_over(e, chosen(e, c.lengths, k,
                                       [](double a, double b) { return std::abs(a) > std::abs(b); }))},
      {one_more, softmax_over(e, chosen(e, c.lengths, k + 1))},
      {one_less, softmax_over(e, chosen(e, c.lengths, k - 1))},
      {shortest, softmax_over(e, chosen(e, c.lengths, std::min(k, std::ranges::min(c.lengths))))},
      {first_k, softmax_over(e, mask_of(e.shape(), [&](auto b, auto t) { return t < k && real(b, t) > 0; }))},
      {first_row,
       softmax_over(e, real_only(mask_of(e.shape(), [&](auto, auto t) { return right(0, t) > 0; })))},
      {twice, softmax_over(expected(e, c.lengths, k), right)},
      {over_batch, softmax_over(e, real_only(chosen_over_batch(e, k)))},
      {over_batch, softmax_over(e, real_only(chosen_of_everything(e, k)))},
      {uniform, softmax_over(Plain(e.shape()), right)},
      {all_ties, softmax_over(e, chosen_by_threshold(e, c.lengths, k))},
      {one_length, softmax_over(e, chosen(e, Lengths(c.lengths.size(), c.lengths[0]), k))},
      {dropped_ties, softmax_over(e, chosen_above_next(e, c.lengths, k))},
      {last_tie, softmax_over(e, real_only(chosen_from_the_end(e, c.lengths, k)))},
  };
}

// --- stages

Tensor weights_of(const TopK& answer, const Case& c, std::int64_t k) {
  try {
    return answer.softmax(c.e, c.told(), k);
  } catch (const Error& error) {
    if (c.masked) throw;
    answer.softmax(c.e, tensor(c.lengths), k);  // if this throws, the undefined lengths are not the cause
    throw exercise::Finding{.mistake = undefined_lengths,
                            .says = "The function fails without lengths, but works with them.",
                            .got = error.what()};
  }
}

// True if `got` and `right` choose different positions, but the same energies in each row.
bool is_tie_broken_otherwise(const Plain& e, const Plain& got, const Plain& right) {
  if (got.shape() != right.shape()) return false;
  bool elsewhere = false;
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    std::multiset<double> energies, chosen_energies;
    for (std::int64_t t = 0; t < e.size(1); ++t) {
      if (got(b, t) > 0) chosen_energies.insert(e(b, t));
      if (right(b, t) > 0) energies.insert(e(b, t));
      elsewhere |= (got(b, t) > 0) != (right(b, t) > 0);
    }
    if (energies != chosen_energies) return false;
  }
  return elsewhere;
}

// True if got(b, 0) is NaN in exactly the rows b whose k largest energies are all at pads, and if there is at
// least one such row.
bool is_nan_where_pads_win(const Plain& e, const Plain& got, const Lengths& lengths, std::int64_t k) {
  if (got.shape() != e.shape()) return false;
  bool any = false, all = true;
  for (std::int64_t b = 0; b < e.size(0); ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    const bool pads_win =
        std::ranges::all_of(first_of(e, b, e.size(1), k), [=](auto j) { return j >= length; });
    any |= pads_win;
    all &= std::isnan(got(b, 0)) == pads_win;
  }
  return any && all;
}

void expect_weights(const TopK& answer, const Case& c, const Lengths& ks) {
  const Plain e(c.e);
  for (const std::int64_t k : ks) {
    std::vector<exercise::Suspect> known = suspects(c, k);
    const Plain by_answer(weights_of(answer, c, k));
    if (k > 2 && has_values(weights_of(answer, c, k - 1), by_answer))
      known.insert(known.begin() + 1, {k_limited, softmax_over(e, chosen(e, c.lengths, k - 1))});
    // An answer that gives the same weights for k, k + 2 and 1 ignores k. Report this, and not an off-by-one
    // mistake.
    if (k + 2 <= c.e.size(1) && has_values(weights_of(answer, c, k + 2), by_answer) &&
        has_values(weights_of(answer, c, 1), by_answer))
      known.insert(known.begin() + 1, {k_fixed, by_answer});
    // `shortest` comes before k_fixed: an answer that limits k to the shortest length may seem to ignore k.
    known.insert(known.begin() + 1,
                 {shortest, softmax_over(e, chosen(e, c.lengths, std::min(k, std::ranges::min(c.lengths))))});
    if (is_tie_broken_otherwise(e, by_answer, expected(e, c.lengths, k)))
      known.push_back({last_tie, by_answer});
    const Tensor got = weights_of(answer, c, k);
    exercise::expect_values("e after top_k_softmax", c.e, e, {},
                            {"changes-its-input", "The energies were changed in place.",
                             "Make a new tensor, or clone() it first."});
    exercise::expect_shape("the weights", got, c.e.shape(), "(B, T)");
    exercise::expect_deterministic([&] { return exercise::Results{{"weights", weights_of(answer, c, k)}}; });
    exercise::expect_values("weights for k = " + std::to_string(k), got, expected(e, c.lengths, k), known,
                            is_nan_where_pads_win(e, by_answer, c.lengths, k) ? pads_chosen : Mistake{},
                            1e-11);
  }
}

// In each row, two energies differ by only 10⁻¹⁰, and the larger one is at the later position.
void expect_near_ties(const TopK& answer) {
  const Case c{tensor({{1, 0.5, 1 + 1e-10, 0}, {2, 3, -1, 2 + 1e-10}}, Dtype::f64), {4, 4}, false};
  for (const auto& [k, row] : {std::pair<std::int64_t, std::int64_t>(1, 0), {2, 1}}) {
    const Plain right = expected(Plain(c.e), c.lengths, k);
    exercise::expect_values("weights of nearly equal energies for k = " + std::to_string(k),
                            weights_of(answer, c, k)[row], Plain(right.tensor()[row]), {}, in_float);
  }
}

void expect_large(const TopK& answer, const Case& c, std::int64_t k, const Mistake& mistake) {
  exercise::expect_values("weights of large energies for k = " + std::to_string(k), weights_of(answer, c, k),
                          expected(Plain(c.e), c.lengths, k), {}, mistake);
}

void expect_others_learn_nothing(const TopK& answer, const Case& given, std::int64_t k) {
  Case c{given.e.clone(), given.lengths, given.masked};
  c.e.set_requires_grad();
  const Tensor weights = answer.softmax(c.e, c.told(), k);
  if (!weights.requires_grad()) return;  // the comparison with finite differences reports this
  Generator generator(3);
  sum(weights * normal(c.e.shape(), 0, 1, generator, Dtype::f64)).backward();
  if (!c.e.grad().defined()) return;
  const Plain gradient(c.e.grad()), mask = chosen(Plain(given.e), c.lengths, k);
  for (std::int64_t b = 0; b < mask.size(0); ++b)
    for (std::int64_t t = 0; t < mask.size(1); ++t)
      exercise::expect(mask(b, t) > 0 || std::abs(gradient(b, t)) < 1e-12, others_learn,
                       "The gradient of an energy that was not chosen is not 0.",
                       exercise::text(gradient(b, t)), "0");
}

void gradients(const TopK& answer) {
  expect_others_learn_nothing(answer, with_padding(), 1);
  for (const std::int64_t k : {2, 3, 9}) {
    const Case c = with_padding();
    expect_others_learn_nothing(answer, c, k);
    exercise::expect_gradients(
        [&](const std::vector<Tensor>& x) { return answer.softmax(x[0], c.told(), k); }, {c.e}, {"e"},
        {"gradient", "",
         "The choice has no gradient, but the softmax of the chosen energies has: is it computed from e "
         "without detaching?"});
  }
}

// --- the attention

constexpr exercise::AttentionSizes sizes{.query = 4, .value = 6, .energy = 7};
constexpr std::int64_t positions = 5;
const Lengths padded = {5, 2, 4};

// The answer's attention, with the right energies (additive) and the right weights (top-k) to compare with.
exercise::AnyAttention any(const TopK& answer, std::int64_t k) {
  const auto energies = [](const nn::Module& module, const Plain& query, const Plain& values) {
    return exercise::additive_energies(module, query, values);
  };
  return {.make =
              [=] {
                auto attention = answer.attention(sizes.query, sizes.value, sizes.energy, k);
                attention->to(Dtype::f64);
                attention->eval();
                exercise::expect_parameters(*attention,
                                            {{"W_a.weight", {sizes.energy, sizes.query}, "(A, Q)"},
                                             {"U_a.weight", {sizes.energy, sizes.value}, "(A, D)"},
                                             {"v_a", {sizes.energy}, "(A)"}});
                exercise::fill(*attention);
                return attention;
              },
          .sizes = sizes,
          .energies = energies,
          .weights =
              [=](const nn::Attention& attention, const exercise::AttentionCase& c) {
                return expected(energies(attention, Plain(c.query), Plain(c.values)), c.lengths, k);
              }};
}

void attends(const TopK& answer) {
  const exercise::AttentionCase c = attention_case(sizes, positions, padded);
  const Plain values(c.values);
  for (const std::int64_t k : {1, 2, 3, 6, 20}) {
    const exercise::AnyAttention right = any(answer, k);
    const auto attention = right.make();
    const Plain weights = right.weights(*attention, c), all = any(answer, positions).weights(*attention, c);
    const Plain e = right.energies(*attention, Plain(c.query), values);
    const Plain real = chosen(e, c.lengths, c.T());
    const Plain zeroed = combined(e, real, [](double x, double mask) { return mask > 0 ? x : 0; });
    const Plain of_zero_pads = softmax_over(zeroed, chosen(zeroed, Lengths(c.lengths.size(), c.T()), k));
    const Plain of_pads = softmax_over(e, chosen(e, Lengths(c.lengths.size(), c.T()), k));
    const nn::Attention::Result result =
        attention->attend(c.query, attention->prepare(c.values, c.told()), 0, Tensor());
    exercise::expect_shape("the weights", result.weights, {c.B(), c.T()}, "(B, T)");
    exercise::expect_shape("the context", result.context, {c.B(), sizes.value}, "(B, D)");
    const std::string of_k = " for k = " + std::to_string(k);
    exercise::expect_values("weights" + of_k, result.weights, weights,
                            {{all_weights, all}, {pads_chosen, of_pads}, {pads_chosen, of_zero_pads}});
    const Plain context = exercise::plain_context(weights, values);
    Plain reshaped(context.shape());  // the weights (B, T), read as (T, B)
    for (std::int64_t b = 0; b < c.B(); ++b)
      for (std::int64_t t = 0; t < c.T(); ++t)
        for (std::int64_t d = 0; d < sizes.value; ++d)
          reshaped(b, d) += weights.values()[static_cast<std::size_t>(t * c.B() + b)] * values(t, b, d);
    Plain mean = context;
    for (std::int64_t b = 0; b < c.B(); ++b)
      for (std::int64_t d = 0; d < sizes.value; ++d) mean(b, d) /= positions;
    exercise::expect_values(
        "context" + of_k, result.context, context,
        {{{"context-of-all", "The weights are right, but the context uses all positions.",
           "Compute the context from the weights that you return."},
          exercise::plain_context(all, values)},
         {{"reshaped", "The weights (B, T) were reshaped to (T, B).",
           "reshape keeps the order of the numbers in memory; transpose(x, 0, 1) exchanges the axes."},
          reshaped},
         {{"context-divided", "The context is divided by T.",
           "The weights sum to 1 already: a sum, not a mean."},
          mean}});
  }
}

void by_k(const TopK& answer) {
  const exercise::Reversals task;
  const Lengths ks = {1, 2, 3, task.longest};
  std::vector<exercise::ByLength> learnt;
  tutorial::Table table{.name = "top_k", .rows_are = "length", .columns = {}, .rows = {}};
  for (const std::int64_t k : ks) {
    seed(1);
    const auto model = exercise::bahdanau_with(
        [&](const models::AttentionSizes& n) { return answer.attention(n.query, n.value, n.energy, k); },
        task);
    learnt.push_back(exercise::train_on_reversals("k = " + std::to_string(k), *model, task));
    table.columns.push_back("k = " + std::to_string(k));
  }
  for (std::size_t i = 0; i < learnt.front().lengths.size(); ++i) {
    table.rows.push_back({std::to_string(learnt.front().lengths[i]), {}});
    for (const exercise::ByLength& measured : learnt) table.rows.back().values.push_back(measured.exact[i]);
  }
  std::cout << "\n  exact match on held-out sources after " << task.steps << " updates\n"
            << tutorial::text(table) << '\n';
  exercise::expect_learnt(learnt.back(), 0.7);
}

}  // namespace

exercise::Exercise top_k_exercise(const TopK& answer) {
  return {.name = "top_k",
          .stages = {{"weights, without padding",
                      [=] { expect_weights(answer, without_padding(), {2, 3, 1, 5}); }},
                     {"weights, with padding", [=] { expect_weights(answer, with_padding(), {2, 3, 1, 4}); }},
                     {"weights, with ties",
                      [=] {
                        expect_weights(answer, with_ties(), {2, 1, 4});
                        expect_weights(answer, with_many_ties(), {3, 5});
                        expect_near_ties(answer);
                      }},
                     {"k at least T",
                      [=] {
                        expect_weights(answer, without_padding(), {6, 7, 100});
                        expect_weights(answer, with_padding(), {6, 100});
                      }},
                     {"weights of large energies",
                      [=] {
                        Case c = without_padding();
                        c.e = 1e4 * c.e;
                        for (const std::int64_t k : {2, 6}) expect_large(answer, c, k, exercise::overflow);
                        c = with_padding();
                        c.e = 1e4 * c.e;
                        for (const std::int64_t k : {2, 6})
                          expect_large(answer, c, k, exercise::max_over_pads);
                      }},
                     {"gradients of the weights", [=] { gradients(answer); }},
                     {"attend()", [=] { attends(answer); }},
                     {"invariants of the attention",
                      [=] {
                        for (const std::int64_t k : {2, 7}) expect_only_its_arguments(any(answer, k));
                        expect_any_sentences(any(answer, 7));
                        expect_any_energies(any(answer, 2));
                      }},
                     {"gradients of the attention", [=] { expect_attention_gradients(any(answer, 2)); }},
                     {"exact match by k", [=] { by_k(answer); }, true}},
          .programs = {[answer](const museum::Sizes& n) {
            return museum::around(n, answer.attention(n.hidden, n.annotation(), n.energy, 3));
          }}};
}
