#include <algorithm>
#include <functional>
#include <sstream>
#include <string>

#include "kit/expect.hpp"
#include "parts.hpp"

namespace copy_and_sort {

namespace {

using exercise::Mistake;

const Mistake one_entry_a_step{"one-entry-a-step", "",
                               "Return one position for each of the L symbols and none for <eos>."};
const Mistake from_one{"from-one", "The positions start at 1.", "The first position is 0."};
const Mistake off_by_one{"off-by-one", "The positions are off by one.",
                         "Step 0 of a reversal reads the last position: L − 1."};
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
const Mistake negative{"negative", "Only sources with negative symbols get wrong positions.",
                       "Symbols are any integers: a remainder or an index of a negative number is negative."};
const Mistake is_unsigned{"unsigned", "Negative symbols come after the others.",
                          "Symbols are any integers: compare them as std::int64_t."};
const Mistake order{"order", "The symbols are sorted as text: \"12\" before \"3\".", "Compare the numbers."};
const Mistake repeated{"repeated", "Equal symbols all get the position of the first one.",
                       "Use each position once: the result is a permutation."};

const Mistake repeated_last{"repeated", "Equal symbols all get the position of the last one.",
                            "Use each position once: the result is a permutation."};

Positions range(std::int64_t first, std::int64_t step, std::size_t count) {
  Positions positions;
  for (std::size_t t = 0; t < count; ++t) positions.push_back(first + step * static_cast<std::int64_t>(t));
  return positions;
}

// The index that the symbol at position j gets in the stable sort.
std::int64_t rank(const Symbols& x, std::size_t j) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < x.size(); ++i) before += x[i] < x[j] || (x[i] == x[j] && i < j);
  return before;
}

}  // namespace

Positions copied(const Symbols& x) { return range(0, 1, x.size()); }
Positions reversed(const Symbols& x) { return range(std::ssize(x) - 1, -1, x.size()); }

Positions sorted(const Symbols& x) {
  Positions positions(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    positions[static_cast<std::size_t>(rank(x, j))] = static_cast<std::int64_t>(j);
  return positions;
}

namespace {

Positions all_ranks(const Symbols& x) {
  Positions positions;
  for (std::size_t j = 0; j < x.size(); ++j) positions.push_back(rank(x, j));
  return positions;
}

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

// A mistake: for each target symbol, the first position in x that has this symbol. Equal symbols then share a
// position. `right` holds the right positions.
Positions firsts_of(const Symbols& x, const Positions& right) {
  Positions positions;
  for (const std::int64_t symbol : symbols_at(x, right))
    positions.push_back(std::find(x.begin(), x.end(), symbol) - x.begin());
  return positions;
}

Positions lasts_of(const Symbols& x, const Positions& right) {
  Positions positions;
  for (const std::int64_t symbol : symbols_at(x, right))
    positions.push_back(x.rend() - std::find(x.rbegin(), x.rend(), symbol) - 1);
  return positions;
}

// True if the positions are a permutation that sorts x. Equal symbols may be in any order.
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

// One source has 30 symbols, because std::sort may keep the order of equal symbols in shorter sources.
const std::vector<Symbols> sources = {
    {8, 3, 12, 3, 7, 8, 3, 5},
    {5, 4, 9},
    {4},
    {6, 6, 6},
    {3, 4, 5, 6},
    {6, 3, 5, 4},
    {4, 3, 4, 3, 3, 4, 4, 3, 3, 4, 3, 4, 4, 3, 4, 3, 3, 3, 4, 4, 3, 4, 3, 3, 4, 4, 3, 3, 4, 3},
    {5, -2, 0, -2, 1000000000000, -7}};

// The mistake of the first suspect that gives the same positions as `answer` for every source. If no suspect
// does: `unstable` if all answers sort their sources, `negative` if only sources with negative symbols have
// wrong answers, else "values".
Mistake mistake_in(const OfSource& answer, const OfSource& right, const std::vector<Suspect>& suspects) {
  for (const Suspect& suspect : suspects)
    if (std::ranges::all_of(sources, [&](const Symbols& x) { return answer(x) == suspect.positions(x); }))
      return suspect.mistake;
  if (std::ranges::all_of(sources, [&](const Symbols& x) { return is_permutation_that_sorts(x, answer(x)); }))
    return unstable;
  const auto wrong = [&](const Symbols& x) { return answer(x) != right(x); };
  const auto has_negative = [](const Symbols& x) {
    return std::ranges::any_of(x, [](auto s) { return s < 0; });
  };
  if (std::ranges::none_of(sources, [&](const Symbols& x) { return wrong(x) && !has_negative(x); }))
    return negative;
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
    throw exercise::Finding{.mistake = fits ? mistake_in(answer, right, suspects) : one_entry_a_step,
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

}  // namespace

void copy_and_reverse(const CopyAndSort& answer) {
  expect_positions(
      "copy_positions", answer.copy, copied,
      {{from_one, moved(copied, 1)}, {symbols_given, symbols_of(copied)}, {other_task, reversed}});
  expect_positions("reverse_positions", answer.reverse, reversed,
                   {{off_by_one, moved(reversed, 1)},
                    {off_by_one, moved(reversed, -1)},
                    {symbols_given, symbols_of(reversed)},
                    {repeated, [](const Symbols& x) { return firsts_of(x, reversed(x)); }},
                    {repeated_last, [](const Symbols& x) { return lasts_of(x, reversed(x)); }},
                    {other_task, copied}});
}

void sort(const CopyAndSort& answer) {
  expect_positions("sort_positions", answer.sort, sorted,
                   {{symbols_given, symbols_of(sorted)},
                    {ranks, all_ranks},
                    {from_one, moved(sorted, 1)},
                    {descending, largest_first},
                    {descending, [](const Symbols& x) { return backwards(sorted(x)); }},
                    {repeated, [](const Symbols& x) { return firsts_of(x, sorted(x)); }},
                    {repeated_last, [](const Symbols& x) { return lasts_of(x, sorted(x)); }},
                    {order, by_key([](std::int64_t symbol) { return std::to_string(symbol); })},
                    {is_unsigned, by_key([](auto symbol) { return static_cast<std::uint64_t>(symbol); })},
                    {other_task, copied},
                    {other_task, reversed}});
}

}  // namespace copy_and_sort
