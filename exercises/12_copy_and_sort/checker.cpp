#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/models/forced_decoding.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/plot/terminal.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

#include "answer.hpp"
#include "kit/expect.hpp"
#include "support/reversal.hpp"
#include "support/table.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;
using Symbols = CopyAndSort::Symbols;
using Positions = CopyAndSort::Positions;

const Mistake one_entry_a_step{"one-entry-a-step", "",
                               "Return one position for each of the L symbols and none for <eos>."};
const Mistake from_one{"from-one", "The positions start at 1.", "The first position is 0."};
const Mistake off_by_one{"off-by-one", "The positions are off by one.",
                         "Step 0 of a reversal reads the last position: L − 1."};
const Mistake other_task{"other-task", "These are the positions of another task.",
                         "Write the target below the source: where does each of its symbols come from?"};
const Mistake symbols_given{"symbols",
                            "The result contains the target's symbols, not their positions in the source.",
                            "Sort the positions by their symbols."};
const Mistake ranks{
    "ranks",
    "The result contains ranks: where each source symbol goes, not where each target symbol comes from.",
    "Invert the permutation: the first number is the position of the smallest symbol."};
const Mistake descending{"descending", "The largest symbol comes first.",
                         "Sort from the smallest to the largest."};
const Mistake unstable{"unstable", "Equal symbols are not in the order of the source.",
                       "Use a stable sort: std::stable_sort."};
const Mistake is_unsigned{"unsigned", "Negative symbols come after the others.",
                          "Symbols are any integers: compare them as std::int64_t."};
const Mistake order{"order", "The symbols are sorted as text: \"12\" before \"3\".", "Compare the numbers."};
const Mistake any_of_equal{"any-of-equal",
                           "A step counts even if its position is not the first of several largest weights.",
                           "If several weights are largest, the first of them counts."};
const Mistake repeated{"repeated", "Equal symbols all get the position of the first one.",
                       "Use each position once: the result is a permutation."};

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
const Mistake symbol_of_step{"symbol-of-step", "The symbols are compared with the source's symbol at t.",
                             "Step t needs the symbol at positions[t]."};

// --- positions, in plain loops

Positions range(std::int64_t first, std::int64_t step, std::size_t count) {
  Positions positions;
  for (std::size_t t = 0; t < count; ++t) positions.push_back(first + step * static_cast<std::int64_t>(t));
  return positions;
}

Positions copied(const Symbols& x) { return range(0, 1, x.size()); }
Positions reversed(const Symbols& x) { return range(std::ssize(x) - 1, -1, x.size()); }

// The index of position j in the stable sort.
std::int64_t rank(const Symbols& x, std::size_t j) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < x.size(); ++i) before += x[i] < x[j] || (x[i] == x[j] && i < j);
  return before;
}

Positions all_ranks(const Symbols& x) {
  Positions positions;
  for (std::size_t j = 0; j < x.size(); ++j) positions.push_back(rank(x, j));
  return positions;
}

Positions sorted(const Symbols& x) {
  Positions positions(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    positions[static_cast<std::size_t>(rank(x, j))] = static_cast<std::int64_t>(j);
  return positions;
}

// --- results of known mistakes

Positions shifted(Positions positions, std::int64_t by) {
  for (std::int64_t& position : positions) position += by;
  return positions;
}

Symbols symbols_at(const Symbols& x, const Positions& positions) {
  Symbols symbols;
  for (const std::int64_t position : positions) symbols.push_back(x[static_cast<std::size_t>(position)]);
  return symbols;
}

Positions largest_first(Symbols x) {
  for (std::int64_t& symbol : x) symbol = -symbol;
  return sorted(x);
}

template <class Key>
Positions sorted_by(const Symbols& x, const Key& key) {
  Positions positions = copied(x);
  const auto of = [&](std::int64_t j) { return key(x[static_cast<std::size_t>(j)]); };
  std::stable_sort(positions.begin(), positions.end(), [&](auto i, auto j) { return of(i) < of(j); });
  return positions;
}

Positions backwards(Positions positions) {
  std::reverse(positions.begin(), positions.end());
  return positions;
}

Positions firsts(const Symbols& x) {
  Positions positions;
  for (const std::int64_t symbol : symbols_at(x, sorted(x)))
    positions.push_back(std::find(x.begin(), x.end(), symbol) - x.begin());
  return positions;
}

// Whether the positions are a permutation that sorts x, with equal symbols in any order.
bool is_permutation_that_sorts(const Symbols& x, Positions positions) {
  const bool within = std::all_of(positions.begin(), positions.end(),
                                  [&](std::int64_t j) { return j >= 0 && j < std::ssize(x); });
  if (!within || symbols_at(x, positions) != symbols_at(x, sorted(x))) return false;
  std::sort(positions.begin(), positions.end());
  return positions == copied(x);
}

using OfSource = std::function<Positions(const Symbols&)>;

struct Suspect {
  Mistake mistake;
  OfSource positions;
};

// The source of 30 symbols is long enough for std::sort to reorder equal symbols.
const std::vector<Symbols> sources = {
    {8, 3, 12, 3, 7, 8, 3, 5},
    {5, 4, 9},
    {4},
    {6, 6, 6},
    {3, 4, 5, 6},
    {4, 3, 4, 3, 3, 4, 4, 3, 3, 4, 3, 4, 4, 3, 4, 3, 3, 3, 4, 4, 3, 4, 3, 3, 4, 4, 3, 3, 4, 3},
    {5, -2, 0, -2, 1000000000000, -7}};

// The mistake that explains the answers for all sources.
Mistake mistake_in(const OfSource& answer, const std::vector<Suspect>& suspects) {
  for (const Suspect& suspect : suspects)
    if (std::ranges::all_of(sources, [&](const Symbols& x) { return answer(x) == suspect.positions(x); }))
      return suspect.mistake;
  if (std::ranges::all_of(sources, [&](const Symbols& x) { return is_permutation_that_sorts(x, answer(x)); }))
    return unstable;
  return {"values", "", "Write the target below the source: where does each of its symbols come from?"};
}

std::string text(const std::vector<std::int64_t>& numbers) {
  std::ostringstream line;
  for (std::size_t i = 0; i < numbers.size(); ++i) line << (i == 0 ? "" : " ") << numbers[i];
  return numbers.empty() ? "nothing" : line.str();
}

void expect_positions(const std::string& what, const OfSource& answer, const OfSource& right,
                      const std::vector<Suspect>& suspects) {
  for (const Symbols& x : sources) {
    const Positions got = answer(x);
    if (got == right(x)) continue;
    const bool fits = got.size() == x.size();
    throw exercise::Finding{.mistake = fits ? mistake_in(answer, suspects) : one_entry_a_step,
                            .says = fits ? what + " has wrong positions."
                                         : what + " has " + std::to_string(got.size()) + " entries for " +
                                               std::to_string(x.size()) + " symbols.",
                            .where = "the source " + text(x),
                            .got = text(got),
                            .expected = text(right(x))};
  }
}

OfSource moved(const OfSource& positions, std::int64_t by) {
  return [=](const Symbols& x) { return shifted(positions(x), by); };
}

OfSource symbols_of(const OfSource& positions) {
  return [=](const Symbols& x) { return symbols_at(x, positions(x)); };
}

template <class Key>
OfSource by_key(const Key& key) {
  return [=](const Symbols& x) { return sorted_by(x, key); };
}

void copy_and_reverse(const CopyAndSort& answer) {
  expect_positions(
      "copy_positions", answer.copy, copied,
      {{from_one, moved(copied, 1)}, {symbols_given, symbols_of(copied)}, {other_task, reversed}});
  expect_positions("reverse_positions", answer.reverse, reversed,
                   {{off_by_one, moved(reversed, 1)},
                    {off_by_one, moved(reversed, -1)},
                    {symbols_given, symbols_of(reversed)},
                    {other_task, copied}});
}

void sort(const CopyAndSort& answer) {
  expect_positions("sort_positions", answer.sort, sorted,
                   {{symbols_given, symbols_of(sorted)},
                    {ranks, all_ranks},
                    {from_one, moved(sorted, 1)},
                    {descending, largest_first},
                    {descending, [](const Symbols& x) { return backwards(sorted(x)); }},
                    {repeated, firsts},
                    {order, by_key([](std::int64_t symbol) { return std::to_string(symbol); })},
                    {is_unsigned, by_key([](auto symbol) { return static_cast<std::uint64_t>(symbol); })},
                    {other_task, copied},
                    {other_task, reversed}});
}

// --- fractions

// An alignment whose largest weights are at the right position in some steps, at an equal symbol or elsewhere
// in others.
struct Aligned {
  Symbols source;
  Plain weights;  // (L + 1, L)
  Positions positions = sorted(source);
  std::size_t L() const { return source.size(); }
};

// Two steps have several largest weights: step 3 needs the last of two, step 2 the second of three.
Aligned with_ties() {
  Aligned a{{8, 3, 12, 3, 7, 8, 3, 5}, Plain(Shape{9, 8})};  // positions 1 3 6 7 4 0 5 2
  const std::int64_t at[] = {1, 6, 3, 7, 4, 5, 6, 2, 7};
  Generator generator(3);
  for (std::int64_t t = 0; t < 9; ++t)
    for (std::int64_t j = 0; j < 8; ++j)
      a.weights(t, j) = 0.05 * generator.uniform() + (j == at[t] ? 0.6 : 0);
  a.weights(3, 2) = a.weights(3, 7);
  a.weights(2, 6) = a.weights(2, 7) = a.weights(2, 3);
  return a;
}

// Each step puts a weight of 0.2 to 0.9 on its right position, on an equal symbol or anywhere, and the rest
// elsewhere. Symbols 10 apart occur.
Aligned drawn(std::int64_t L, std::uint64_t seed) {
  Generator generator(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(n)));
  };
  Symbols source;
  for (std::int64_t j = 0; j < L; ++j) source.push_back(3 + below(3) + 10 * below(2));
  Aligned a{source, Plain(Shape{L + 1, L})};
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

// Whether position j is right in step t.
using IsRight = std::function<bool(std::size_t t, std::int64_t j)>;

// The positions that are right in an alignment.
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

// The results of known mistakes in an alignment with these right positions.
std::vector<FractionSuspect> usual_suspects(const Rule& rule) {
  const auto row = [](std::size_t t) { return static_cast<std::int64_t>(t); };
  // The sum of count(α, is right, t) over the steps t < L, divided by L + more.
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
      {weight_there, counting(0, weight)}};
}

// Compares all alignments, and names the mistake that explains all results.
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
                  {{strict, right_fraction(position)}, {symbol_of_step, right_fraction([](const Aligned& a) {
                                                          return at_symbol(copied(a.source), a.source);
                                                        })}});
  const Aligned& a = alignments().front();
  exercise::expect_value("on_position of weights in f32",
                         answer.on_position(a.weights.tensor().to(Dtype::f32), a.positions),
                         right_fraction(position)(a));
  exercise::expect_value("on_position of a source of one symbol",
                         answer.on_position(tensor({{1}, {1}}, Dtype::f64), {0}), 1);
}

// --- trained models

constexpr std::int64_t symbols = 10, updates = 400, measured_sources = 300;

std::vector<std::int64_t> ids(const std::string& numbers) {
  std::istringstream in(numbers);
  std::vector<std::int64_t> out;
  for (std::int64_t number = 0; in >> number;) out.push_back(data::first_symbol + number);
  return out;
}

data::Pair pair_of(const data::SentencePair& text) {
  data::Pair pair{ids(text.source), ids(text.target)};
  pair.target.push_back(data::eos);
  return pair;
}

std::vector<data::Pair> draw(const data::Task& task, Generator& generator, std::int64_t count) {
  std::vector<data::Pair> pairs;
  for (std::int64_t i = 0; i < count; ++i)
    pairs.push_back(pair_of(task.sample([&](std::uint64_t n) { return generator.below(n); })));
  return pairs;
}

std::unique_ptr<models::Seq2Seq> trained(const data::Task& task) {
  seed(1);
  auto model = models::make_bahdanau({.vocabulary = data::first_symbol + symbols});
  Generator generator(1);
  tutorial::train(task.name(), *model, [&] { return data::make_batch(draw(task, generator, 64)); },
                  {.steps = updates});
  return model;
}

// Exact match, and fractions of all steps of all sources.
struct Shares {
  double exact = 0, copy = 0, reverse = 0, sort = 0, sort_symbol = 0;
};

Shares measure(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs,
               const CopyAndSort& answer) {
  const std::vector<models::Decoded> written = models::greedy(model, pairs);
  const std::vector<models::Forced> forced = models::force_decode(model, pairs);
  Shares sums;
  double steps = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Symbols& x = pairs[i].source;
    const Tensor& weights = forced[i].weights;  // (L + 1, L)
    const auto L = static_cast<double>(x.size());
    sums.exact += data::matches_exactly(written[i].tokens, pairs[i].target) ? 1 : 0;
    sums.copy += L * answer.on_position(weights, answer.copy(x));
    sums.reverse += L * answer.on_position(weights, answer.reverse(x));
    sums.sort += L * answer.on_position(weights, answer.sort(x));
    sums.sort_symbol += L * answer.on_symbol(weights, answer.sort(x), x);
    steps += L;
  }
  return {sums.exact / static_cast<double>(pairs.size()), sums.copy / steps, sums.reverse / steps,
          sums.sort / steps, sums.sort_symbol / steps};
}

std::string token_text(std::int64_t id) {
  return id == data::eos ? "<eos>" : std::to_string(id - data::first_symbol);
}

std::string alignment(const std::string& title, const models::Seq2Seq& model, const data::Pair& pair) {
  const models::Forced forced = models::force_decode(model, std::span(&pair, 1)).front();
  plot::Heatmap heatmap{.title = title, .values = forced.weights.to_vector<double>()};
  for (const std::int64_t token : pair.source) heatmap.columns.push_back(token_text(token));
  for (const std::int64_t token : pair.target) heatmap.rows.push_back(token_text(token));
  return plot::terminal(heatmap, plot::colour_of(STDOUT_FILENO));
}

void expect_found(const std::string& what, double got, double least) {
  exercise::expect(
      got >= least,
      {"not-found", "", "Your functions passed the other stages: compare with the alignment above."},
      "The trained model's largest weights are not where " + what + " reads.", tutorial::decimals(got),
      "at least " + tutorial::decimals(least));
}

void trained_models(const CopyAndSort& answer) {
  const data::TaskOptions sizes{.symbols = symbols, .min_length = 3, .max_length = 8};
  tutorial::Table table{.name = "shares",
                        .rows_are = "trained to",
                        .columns = {"exact match", "copy", "reverse", "sort", "sort, by symbol"},
                        .rows = {}};
  std::ostringstream pictures;
  std::map<std::string, Shares> found;
  for (const std::string name : {"copy", "reverse", "sort"}) {
    const auto task = data::make_task(name, sizes);
    const auto model = trained(*task);
    Generator generator(2);  // the same sources for all three
    const std::vector<data::Pair> pairs = draw(*task, generator, measured_sources);
    const Shares s = found[name] = measure(*model, pairs, answer);
    table.rows.push_back({name, {s.exact, s.copy, s.reverse, s.sort, s.sort_symbol}});
    const auto longest = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return a.source.size() < b.source.size();
    });
    pictures << '\n' << alignment(name, *model, *longest);
  }
  std::cout << "\n  " << measured_sources << " new sources, after " << updates
            << " updates: exact match, and the fraction of steps whose largest weight is\n"
               "  at the position that each task reads\n"
            << tutorial::text(table) << pictures.str() << '\n';
  expect_found("copying", found["copy"].copy, 0.8);
  expect_found("reversing", found["reverse"].reverse, 0.8);
  expect_found("sorting", found["sort"].sort_symbol, 0.75);
}

}  // namespace

exercise::Exercise copy_and_sort_exercise(const CopyAndSort& answer) {
  return {.name = "copy_and_sort",
          .stages = {{"positions to copy and to reverse", [=] { copy_and_reverse(answer); }},
                     {"positions to sort", [=] { sort(answer); }},
                     {"fractions of an alignment", [=] { fractions(answer); }},
                     {"trained models", [=] { trained_models(answer); }, true}}};
}
