#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "kit/expect.hpp"
#include "parts.hpp"

namespace copy_and_sort {

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake any_of_equal{"any-of-equal",
                           "A step counts even if its position is not the first of several largest weights.",
                           "If several weights are largest, the first of them counts."};
const Mistake eos_counted{"eos-counted", "The step of <eos> is counted.",
                          "Use only the first L of the L + 1 rows, and divide by L."};
const Mistake other_axis{"other-axis", "The largest weight is taken per column.",
                         "Take the largest weight of each row: a row belongs to a step."};
const Mistake percent{"percent", "The result is in percent.", "Return a fraction, from 0 to 1."};
const Mistake whole_division{"whole-division",
                             "The fraction is rounded down: an integer was divided by an integer.",
                             "Convert one of them: static_cast<double>(right) / …."};
const Mistake weight_there{"weight-there", "The result is the mean weight at the right position.",
                           "Each step counts 1 or 0: is its largest weight at the right position?"};
const Mistake above_half{
    "above-half", "A step counts only if its largest weight is above 1/2.",
    "A step counts if its largest weight is at the right position, however small it is."};
const Mistake not_averaged{"not-averaged", "The result is the number of steps, not their fraction.",
                           "Divide by L."};
const Mistake last_of_equal{"last-of-equal", "The last of several equal largest weights was used.",
                            "Use the first one."};
const Mistake strict{"strict", "The result is that of on_position.",
                     "Any position with the right symbol is right."};
const Mistake in_float{"in-float", "Weights that differ only after the seventh digit count as equal.",
                       "Compare doubles: a float has only seven digits."};
const Mistake smallest_taken{"smallest", "The smallest weight of each row is taken.", "Take the largest."};
const Mistake within_one{"within-one", "A step also counts if its largest weight is one position away.",
                         "Only positions[t] is right."};
const Mistake added_up{"added-up", "The weights of equal symbols are added up before the largest is taken.",
                       "Find the largest single weight, then look at the symbol at its position."};
const Mistake symbol_of_step{"symbol-of-step", "The symbols are compared with the source's symbol at t.",
                             "Step t needs the symbol at positions[t]."};

const Mistake sorted_symbols{"sorted-symbols",
                             "The symbols are compared with the sorted source, whatever the positions are.",
                             "Step t needs the symbol at positions[t]: the task need not be sorting."};

// A source, attention weights, and the right position for each step.
struct Aligned {
  Symbols source;
  Plain weights;  // (L + 1, L)
  Positions positions = sorted(source);
  std::size_t L() const { return source.size(); }
};

// A case with ties for the largest weight: three positions share it in step 2, two in steps 0, 1 and 3. The
// right position is the first of them in steps 0 and 1, the second in step 2, and the last in step 3. In step
// 1, both positions hold the same symbol. If an answer takes the last of equal weights, its on_position() and
// on_symbol() are wrong.
Aligned with_ties() {
  Aligned a{{8, 3, 12, 3, 7, 8, 3, 5}, Plain(Shape{9, 8})};  // positions 1 3 6 7 4 0 5 2
  const std::int64_t at[] = {1, 6, 3, 7, 4, 5, 6, 2, 7};
  Generator generator(3);
  for (std::int64_t t = 0; t < 9; ++t)
    for (std::int64_t j = 0; j < 8; ++j)
      a.weights(t, j) = 0.05 * generator.uniform() + (j == at[t] ? 0.6 : 0);
  a.weights(3, 2) = a.weights(3, 7);
  a.weights(2, 6) = a.weights(2, 7) = a.weights(2, 3);
  a.weights(0, 2) = a.weights(0, 1);
  a.weights(1, 3) = a.weights(1, 6);
  return a;
}

// In steps 0 to 3, the right position has the largest weight. Position 0 has a weight that is smaller by only
// 10⁻¹⁰.
Aligned with_near_ties() {
  Aligned a{{2, 9, 5, 7}, Plain(Shape{5, 4}), {3, 2, 1, 3}};
  for (std::int64_t t = 0; t < 4; ++t) {
    a.weights(t, 0) = 0.4;
    a.weights(t, a.positions[static_cast<std::size_t>(t)]) = 0.4 + 1e-10;
  }
  return a;
}

// Random weights. Each step puts 0.2 to 0.9 on one position. In the last row, that of <eos>, this position is
// random. In other rows, it is the right one with probability at least ½. All other weights are small. Rows
// do not sum to 1. The right positions sort the source, or reverse it if the seed is even. Some symbols
// differ by 10: this detects an answer that compares only their last digits.
Aligned drawn(std::int64_t L, std::uint64_t seed) {
  Generator generator(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(n)));
  };
  Symbols source;
  for (std::int64_t j = 0; j < L; ++j) source.push_back(3 + below(3) + 10 * below(2));
  Aligned a{source, Plain(Shape{L + 1, L})};
  if (seed % 2 == 0) a.positions = reversed(source);
  for (std::int64_t t = 0; t <= L; ++t) {
    const std::int64_t at = t < L && below(2) == 0 ? a.positions[static_cast<std::size_t>(t)] : below(L);
    const double weight = 0.2 + 0.7 * generator.uniform();
    for (std::int64_t j = 0; j < L; ++j)
      a.weights(t, j) =
          j == at ? weight : (1 - weight) * (0.5 + 0.01 * generator.uniform()) / static_cast<double>(L);
  }
  return a;
}

const std::vector<Aligned>& alignments() {
  static const std::vector<Aligned> all = {with_ties(), drawn(7, 1), drawn(9, 2), drawn(11, 3), drawn(13, 4)};
  return all;
}

std::int64_t largest(const Plain& weights, std::int64_t t, bool last = false) {
  std::int64_t best = 0;
  for (std::int64_t j = 1; j < weights.size(1); ++j)
    if (weights(t, j) > weights(t, best) || (last && weights(t, j) == weights(t, best))) best = j;
  return best;
}

std::int64_t largest_of_column(const Plain& weights, std::int64_t j) {
  std::int64_t best = 0;
  for (std::int64_t t = 1; t < weights.size(0); ++t)
    if (weights(t, j) > weights(best, j)) best = t;
  return best;
}

template <class Counts>
double fraction(std::size_t steps, double divided_by, const Counts& counts) {
  double total = 0;
  for (std::size_t t = 0; t < steps; ++t) total += static_cast<double>(counts(t));
  return total / divided_by;
}

// True if position j is right in step t.
using IsRight = std::function<bool(std::size_t t, std::int64_t j)>;

// The right positions of an alignment.
using Rule = std::function<IsRight(const Aligned&)>;
using OfAlignment = std::function<double(const Aligned&)>;

struct FractionSuspect {
  Mistake mistake;
  OfAlignment value;
};

OfAlignment right_fraction(const Rule& rule) {
  return [=](const Aligned& a) {
    const IsRight right = rule(a);
    return fraction(a.L(), static_cast<double>(a.L()), [&](std::size_t t) {
      return right(t, largest(a.weights, static_cast<std::int64_t>(t)));
    });
  };
}

// The fraction that each known mistake gives, for this rule.
std::vector<FractionSuspect> usual_suspects(const Rule& rule) {
  const auto row = [](std::size_t t) { return static_cast<std::int64_t>(t); };
  // The sum of count(alignment, is_right, t) over the steps t < L, divided by L + more.
  const auto counting = [=](double more, const auto& count) -> OfAlignment {
    return [=](const Aligned& a) {
      const IsRight right = rule(a);
      return fraction(a.L(), static_cast<double>(a.L()) + more,
                      [&](std::size_t t) { return static_cast<double>(count(a, right, t)); });
    };
  };
  const auto is_right = [=](const Aligned& a, const IsRight& right, std::size_t t) {
    return right(t, largest(a.weights, row(t)));
  };
  const auto any_largest = [=](const Aligned& a, const IsRight& right, std::size_t t) {
    bool any = false;
    for (std::int64_t j = 0; j < std::ssize(a.source); ++j)
      any = any || (right(t, j) && a.weights(row(t), j) == a.weights(row(t), largest(a.weights, row(t))));
    return any;
  };
  const auto is_smallest = [=](const Aligned& a, const IsRight& right, std::size_t t) {
    std::int64_t least = 0;
    for (std::int64_t j = 1; j < std::ssize(a.source); ++j)
      if (a.weights(row(t), j) < a.weights(row(t), least)) least = j;
    return right(t, least);
  };
  const auto is_near = [=](const Aligned& a, const IsRight& right, std::size_t t) {
    const std::int64_t best = largest(a.weights, row(t));
    return right(t, best) || (best > 0 && right(t, best - 1)) ||
           (best + 1 < std::ssize(a.source) && right(t, best + 1));
  };
  const auto weight = [=](const Aligned& a, const IsRight& right, std::size_t t) {
    double there = 0;
    for (std::int64_t j = 0; j < std::ssize(a.source); ++j) there += right(t, j) ? a.weights(row(t), j) : 0;
    return there;
  };
  return {
      {not_averaged, [=](const Aligned& a) { return static_cast<double>(a.L()) * right_fraction(rule)(a); }},
      {percent, [=](const Aligned& a) { return 100 * right_fraction(rule)(a); }},
      {whole_division, [=](const Aligned& a) { return std::floor(right_fraction(rule)(a)); }},
      {eos_counted, counting(1, is_right)},
      {last_of_equal, counting(0, [=](const Aligned& a, const IsRight& right,
                                      std::size_t t) { return right(t, largest(a.weights, row(t), true)); })},
      {any_of_equal, counting(0, any_largest)},
      {other_axis, counting(0,
                            [=](const Aligned& a, const IsRight& right, std::size_t t) {
                              const std::int64_t best = largest_of_column(a.weights, row(t));
                              return best < std::ssize(a.source) && right(t, best);
                            })},
      {above_half, counting(0,
                            [=](const Aligned& a, const IsRight& right, std::size_t t) {
                              const std::int64_t best = largest(a.weights, row(t));
                              return right(t, best) && a.weights(row(t), best) > 0.5;
                            })},
      {smallest_taken, counting(0, is_smallest)},
      {within_one, counting(0, is_near)},
      {weight_there, counting(0, weight)}};
}

// Checks the fractions of all alignments. If one is wrong, reports the known mistake that gives all of the
// answer's fractions, else "values".
void expect_fraction(const std::string& what, const OfAlignment& answer, const Rule& rule,
                     std::vector<FractionSuspect> suspects) {
  for (const FractionSuspect& suspect : usual_suspects(rule)) suspects.push_back(suspect);
  std::vector<double> got;
  for (const Aligned& a : alignments()) got.push_back(answer(a));
  const auto explains = [&](const FractionSuspect& suspect) {
    return std::ranges::equal(got, alignments(), [&](double value, const Aligned& a) {
      return std::abs(value - suspect.value(a)) < exercise::in_double;
    });
  };
  const auto found = std::ranges::find_if(suspects, explains);
  const Mistake mistake = found == suspects.end()
                              ? Mistake{"values", "", "Count the right steps of this alignment by hand."}
                              : found->mistake;
  for (std::size_t i = 0; i < got.size(); ++i)
    exercise::expect_value(what, got[i], right_fraction(rule)(alignments()[i]), mistake);
}

IsRight at_position(const Positions& positions) {
  return [=](std::size_t t, std::int64_t j) { return j == positions[t]; };
}

IsRight at_symbol(const Positions& positions, const Symbols& x) {
  return [=](std::size_t t, std::int64_t j) {
    return x[static_cast<std::size_t>(j)] == x[static_cast<std::size_t>(positions[t])];
  };
}

// A wrong fraction: adds up the weights of equal symbols. Counts a step if the symbol with the largest sum is
// the right one.
double by_symbol(const Aligned& a) {
  return fraction(a.L(), static_cast<double>(a.L()), [&](std::size_t t) {
    const auto row = static_cast<std::int64_t>(t);
    std::map<std::int64_t, double> sums;
    for (std::int64_t j = 0; j < std::ssize(a.source); ++j)
      sums[a.source[static_cast<std::size_t>(j)]] += a.weights(row, j);
    const auto most =
        std::ranges::max_element(sums, {}, [](const auto& entry) { return entry.second; })->first;
    return most == a.source[static_cast<std::size_t>(a.positions[t])];
  });
}

}  // namespace

void fractions(const CopyAndSort& answer) {
  const Rule position = [](const Aligned& a) { return at_position(a.positions); };
  const Rule symbol = [](const Aligned& a) { return at_symbol(a.positions, a.source); };
  const auto on_position = [&](const Aligned& a) {
    return answer.on_position(a.weights.tensor(), a.positions);
  };
  const auto on_symbol = [&](const Aligned& a) {
    return answer.on_symbol(a.weights.tensor(), a.positions, a.source);
  };
  expect_fraction(
      "on_position", on_position, position,
      {{other_task, right_fraction([](const Aligned& a) { return at_position(copied(a.source)); })}});
  expect_fraction("on_symbol", on_symbol, symbol,
                  {{strict, right_fraction(position)},
                   {added_up, by_symbol},
                   {sorted_symbols,
                    right_fraction([](const Aligned& a) { return at_symbol(sorted(a.source), a.source); })},
                   {symbol_of_step,
                    right_fraction([](const Aligned& a) { return at_symbol(copied(a.source), a.source); })}});
  const Aligned near = with_near_ties();
  exercise::expect_value("on_position of nearly equal weights", on_position(near), 1, in_float);
  exercise::expect_value("on_symbol of nearly equal weights", on_symbol(near), 1, in_float);
  const Aligned& a = alignments().front();
  exercise::expect_value("on_position of weights in f32",
                         answer.on_position(a.weights.tensor().to(Dtype::f32), a.positions),
                         right_fraction(position)(a));
  exercise::expect_value("on_position of a source of one symbol",
                         answer.on_position(tensor({{1}, {1}}, Dtype::f64), {0}), 1);
}

}  // namespace copy_and_sort
