#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "answer.hpp"

using namespace gradus;

namespace {

using Symbols = CopyAndSort::Symbols;
using Positions = CopyAndSort::Positions;

Positions copy(const Symbols& source) { return arange(std::ssize(source)).to_vector<std::int64_t>(); }

Positions reverse(const Symbols& source) {
  const Positions positions = copy(source);
  return {positions.rbegin(), positions.rend()};
}

template <class Before>
Positions sorted_by(const Symbols& source, const Before& before) {
  Positions positions = copy(source);
  std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t i, std::int64_t j) {
    return before(source[static_cast<std::size_t>(i)], source[static_cast<std::size_t>(j)]);
  });
  return positions;
}

Positions sort(const Symbols& source) { return sorted_by(source, std::less<>()); }

// Sorts with a map from symbols to positions.
Positions sort_by_map(const Symbols& source) {
  std::map<std::int64_t, Positions> places;
  for (std::size_t j = 0; j < source.size(); ++j) places[source[j]].push_back(static_cast<std::int64_t>(j));
  Positions positions;
  for (const auto& [symbol, at] : places) positions.insert(positions.end(), at.begin(), at.end());
  return positions;
}

Tensor looks(const Tensor& weights) { return argmax(weights.slice(0, weights.size(1))); }

double fraction(const Tensor& right) { return mean(right.to(Dtype::f64)).item(); }

double on_position(const Tensor& weights, const Positions& positions) {
  return fraction(equal(looks(weights), tensor(positions)));
}

double on_symbol(const Tensor& weights, const Positions& positions, const Symbols& source) {
  const Tensor x = tensor(source).to(Dtype::f64);
  return fraction(equal(index_select(x, looks(weights)), index_select(x, tensor(positions))));
}

double on_position_by_loops(const Tensor& weights, const Positions& positions) {
  const std::vector<double> alpha = weights.to_vector<double>();
  const auto L = static_cast<std::ptrdiff_t>(positions.size());
  int right = 0;
  for (std::ptrdiff_t t = 0; t < L; ++t) {
    const auto row = alpha.begin() + t * L;
    right += std::max_element(row, row + L) - row == positions[static_cast<std::size_t>(t)];
  }
  return static_cast<double>(right) / static_cast<double>(L);
}

// Computes on_symbol with on_position. First replaces positions[t] by the position of step t's largest
// weight, if the symbols at both positions are equal.
double on_symbol_by_loops(const Tensor& weights, const Positions& positions, const Symbols& source) {
  Positions equal_ones = positions;
  const Positions at = looks(weights).to_vector<std::int64_t>();
  for (std::size_t t = 0; t < at.size(); ++t)
    if (source[static_cast<std::size_t>(at[t])] == source[static_cast<std::size_t>(positions[t])])
      equal_ones[t] = at[t];
  return on_position_by_loops(weights, equal_ones);
}

const CopyAndSort right{copy, reverse, sort, on_position, on_symbol};

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const CopyAndSort& answer) {
  return {name, mistake, copy_and_sort_exercise(answer)};
}

// Our solution with one function replaced.
template <class Member, class F>
exercise::Attempt with(Member member, const std::string& name, const std::string& mistake, const F& wrong) {
  CopyAndSort answer = right;
  answer.*member = wrong;
  return attempt(name, mistake, answer);
}

Positions moved(Positions positions, std::int64_t by) {
  for (std::int64_t& position : positions) position += by;
  return positions;
}

}  // namespace

int main() {
  constexpr auto the_copy = &CopyAndSort::copy, the_reverse = &CopyAndSort::reverse,
                 the_sort = &CopyAndSort::sort;
  constexpr auto position = &CopyAndSort::on_position;
  constexpr auto symbol = &CopyAndSort::on_symbol;
  return exercise::bank({
      attempt("tensor operations", "", right),
      attempt("loops and a map", "", {copy, reverse, sort_by_map, on_position_by_loops, on_symbol_by_loops}),
      with(the_copy, "copy from 1", "from-one", [](const Symbols& x) { return moved(copy(x), 1); }),
      with(the_copy, "<eos> included", "one-entry-a-step",
           [](const Symbols& x) {
             Positions positions = copy(x);
             positions.push_back(std::ssize(x));
             return positions;
           }),
      with(the_copy, "symbols", "symbols", [](const Symbols& x) { return x; }),
      with(the_reverse, "L − t", "off-by-one", [](const Symbols& x) { return moved(reverse(x), 1); }),
      with(the_reverse, "L − 2 − t", "off-by-one", [](const Symbols& x) { return moved(reverse(x), -1); }),
      with(the_reverse, "not reversed", "other-task", copy),
      with(the_sort, "kept by the source's length", "values",
           [](const Symbols& x) {
             static std::map<std::size_t, Positions> kept;
             return kept.try_emplace(x.size(), sort(x)).first->second;
           }),
      with(the_sort, "ranks", "ranks", [](const Symbols& x) { return sort(sort(x)); }),
      with(the_sort, "symbols, sorted", "symbols",
           [](Symbols x) {
             std::sort(x.begin(), x.end());
             return x;
           }),
      with(the_sort, "descending", "descending",
           [](const Symbols& x) { return sorted_by(x, std::greater<>()); }),
      with(the_sort, "reversed", "descending",
           [](const Symbols& x) {
             const Positions positions = sort(x);
             return Positions(positions.rbegin(), positions.rend());
           }),
      with(the_sort, "equal symbols reversed", "unstable",
           [](const Symbols& x) {
             Positions positions = reverse(x);
             std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t i, std::int64_t j) {
               return x[static_cast<std::size_t>(i)] < x[static_cast<std::size_t>(j)];
             });
             return positions;
           }),
      with(the_sort, "std::sort", "unstable",
           [](const Symbols& x) {
             Positions positions = copy(x);
             std::sort(positions.begin(), positions.end(), [&](std::int64_t i, std::int64_t j) {
               return x[static_cast<std::size_t>(i)] < x[static_cast<std::size_t>(j)];
             });
             return positions;
           }),
      with(the_sort, "first of equal symbols each time", "repeated",
           [](const Symbols& x) {
             Positions positions;
             Symbols target = x;
             std::sort(target.begin(), target.end());
             for (const std::int64_t wanted : target)
               positions.push_back(std::find(x.begin(), x.end(), wanted) - x.begin());
             return positions;
           }),
      with(the_sort, "symbols taken as unsigned", "unsigned",
           [](const Symbols& x) {
             return sorted_by(x, [](std::int64_t a, std::int64_t b) {
               return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
             });
           }),
      with(the_sort, "symbols sorted as text", "order",
           [](const Symbols& x) {
             return sorted_by(
                 x, [](std::int64_t a, std::int64_t b) { return std::to_string(a) < std::to_string(b); });
           }),
      with(the_sort, "symbols modulo 10", "values",
           [](const Symbols& x) {
             return sorted_by(x, [](std::int64_t a, std::int64_t b) { return a % 10 < b % 10; });
           }),
      with(position, "only weights above 1/2", "above-half",
           [](const Tensor& weights, const Positions& positions) {
             const Tensor rows = weights.slice(0, weights.size(1));
             const Tensor sure = less(full({}, 0.5, weights.dtype()), max(rows, 1)).to(Dtype::f64);
             return mean(sure * equal(argmax(rows), tensor(positions)).to(Dtype::f64)).item();
           }),
      with(symbol, "symbols modulo 10", "values",
           [](const Tensor& weights, const Positions& positions, Symbols source) {
             for (std::int64_t& x : source) x %= 10;
             return on_symbol(weights, positions, source);
           }),
      with(position, "any of several maxima", "any-of-equal",
           [](const Tensor& weights, const Positions& positions) {
             const Tensor rows = weights.slice(0, weights.size(1));
             const Tensor there = gather(rows, 1, unsqueeze(tensor(positions), 1));
             return fraction(equal(there, max(rows, 1, true)));
           }),
      with(position, "<eos> included", "eos-counted",
           [](const Tensor& weights, const Positions& positions) {
             const double L = static_cast<double>(positions.size());
             return on_position(weights, positions) * L / (L + 1);
           }),
      with(position, "maxima of columns", "other-axis",
           [](const Tensor& weights, const Positions& positions) {
             return fraction(equal(argmax(weights, 0), tensor(positions)));
           }),
      with(position, "mean weight", "weight-there",
           [](const Tensor& weights, const Positions& positions) {
             const Tensor rows = weights.slice(0, weights.size(1));
             return mean(gather(rows, 1, unsqueeze(tensor(positions), 1))).item();
           }),
      with(position, "not divided", "not-averaged",
           [](const Tensor& weights, const Positions& positions) {
             return on_position(weights, positions) * static_cast<double>(positions.size());
           }),
      with(position, "last of several maxima", "last-of-equal",
           [](const Tensor& weights, const Positions& positions) {
             Positions from_the_end = positions;
             for (std::int64_t& p : from_the_end) p = weights.size(1) - 1 - p;
             return on_position(flip(weights, 1), from_the_end);
           }),
      with(symbol, "the weights of equal symbols added up", "added-up",
           [](const Tensor& weights, const Positions& positions, const Symbols& source) {
             const std::vector<double> w = weights.to_vector<double>();
             double right_steps = 0;
             for (std::size_t t = 0; t < source.size(); ++t) {
               std::map<std::int64_t, double> sums;
               for (std::size_t j = 0; j < source.size(); ++j) sums[source[j]] += w[t * source.size() + j];
               const auto of = [](const auto& entry) { return entry.second; };
               right_steps += std::ranges::max_element(sums, {}, of)->first ==
                              source[static_cast<std::size_t>(positions[t])];
             }
             return right_steps / static_cast<double>(source.size());
           }),
      with(symbol, "on_position", "strict",
           [](const Tensor& weights, const Positions& positions, const Symbols&) {
             return on_position(weights, positions);
           }),
      with(symbol, "sorted symbols", "sorted-symbols",
           [](const Tensor& weights, const Positions&, const Symbols& source) {
             return on_symbol(weights, sort(source), source);
           }),
      with(symbol, "symbol at t", "symbol-of-step",
           [](const Tensor& weights, const Positions&, const Symbols& source) {
             return on_symbol(weights, copy(source), source);
           }),
      with(position, "percent", "percent",
           [](const Tensor& weights, const Positions& positions) {
             return 100 * on_position(weights, positions);
           }),
      with(position, "integer division", "whole-division",
           [](const Tensor& weights, const Positions& positions) {
             return std::floor(on_position(weights, positions));
           }),
      with(symbol, "up to the first miss", "values",
           [](const Tensor& weights, const Positions& positions, const Symbols& source) {
             const Positions at = looks(weights).to_vector<std::int64_t>();
             std::size_t t = 0;
             while (t < at.size() &&
                    source[static_cast<std::size_t>(at[t])] == source[static_cast<std::size_t>(positions[t])])
               ++t;
             return static_cast<double>(t) / static_cast<double>(at.size());
           }),
      with(symbol, "the last of equal weights", "last-of-equal",
           [](const Tensor& weights, const Positions& positions, const Symbols& source) {
             const Tensor turned = argmax(flip(weights.slice(0, weights.size(1)), 1));
             Positions at = turned.to_vector<std::int64_t>();
             for (std::int64_t& j : at) j = weights.size(1) - 1 - j;
             const Tensor x = tensor(source).to(Dtype::f64);
             return fraction(equal(index_select(x, tensor(at)), index_select(x, tensor(positions))));
           }),
      with(position, "weights in float", "in-float",
           [](const Tensor& weights, const Positions& positions) {
             return on_position(weights.to(Dtype::f32), positions);
           }),
      with(
          position, "the smallest weight", "smallest",
          [](const Tensor& weights, const Positions& positions) { return on_position(-weights, positions); }),
  });
}
