#include <algorithm>
#include <limits>

#include "rows.hpp"

namespace {

// The arguments of a reduction are [keep, axes…].
Axes axes_of(A a) {
  const std::vector<int> axes(a.begin() + 1, a.end());
  return Axes(std::span<const int>(axes));
}

// The elements of x that contribute to element i of the result.
std::vector<double> members(const Values& x, I i, A a) {
  std::vector<bool> reduced(static_cast<std::size_t>(x.shape.rank()), a.size() == 1);
  for (std::size_t k = 1; k < a.size(); ++k)
    reduced[static_cast<std::size_t>(x.shape.axis_index(axis_of(a[k])))] = true;
  std::vector<double> found;
  for (std::int64_t n = 0; n < x.shape.numel(); ++n) {
    const Integers index = x.shape.index_of(n);
    bool belongs = true;
    std::size_t in_result = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      if (!reduced[axis]) belongs = belongs && index[axis] == i[in_result];
      if (!reduced[axis] || a[0] != 0) ++in_result;
    }
    if (belongs) found.push_back(x.numbers[static_cast<std::size_t>(n)]);
  }
  return found;
}

double sum_of(const std::vector<double>& x) {
  return total(static_cast<std::int64_t>(x.size()), [&](auto k) { return x[static_cast<std::size_t>(k)]; });
}
double mean_of(const std::vector<double>& x) { return sum_of(x) / static_cast<double>(x.size()); }
double squares_of(const std::vector<double>& x) {
  double result = 0;
  for (const double v : x) result += (v - mean_of(x)) * (v - mean_of(x));
  return result;
}

const std::vector<std::string> over_axes = {
    "() [0] -> ()",           "(1) [0] -> ()",
    "(1) [1] -> (1)",         "(5) [0,0] -> ()",
    "(3,37) [0] -> ()",       "(3,37) [1] -> (1,1)",
    "(3,37) [0,1] -> (3)",    "(3,37) [1,-1] -> (3,1)",
    "(37,3) [0,0] -> (3)",    "(37,3) [1,-2] -> (1,3)",
    "(2,3,4) [0,0] -> (3,4)", "(2,3,4) [0,1] -> (2,4)",
    "(2,3,4) [0,2] -> (2,3)", "(2,3,4) [1,1] -> (2,1,4)",
    "(2,3,4) [0,0,2] -> (3)", "(2,3,4) [1,-1,0] -> (1,3,1)",
    "(2,3,4) [0,2,1] -> (2)", "(2,3,4) [0,0,1,2] -> ()",
    "(2,1,4) [0,1] -> (2,4)", "(2,3,2,5) [1,-3,3] -> (2,1,2,1)",
    "(0,3) [0,1] -> (0)",
};
// Samples in which each reduction covers at least two elements.
const std::vector<std::string> over_several = {
    "(5) [0,0] -> ()",          "(3,37) [0] -> ()",
    "(3,37) [1] -> (1,1)",      "(3,37) [0,1] -> (3)",
    "(37,3) [1,-2] -> (1,3)",   "(2,3,4) [0,0,2] -> (3)",
    "(2,3,4) [1,1] -> (2,1,4)", "(2,3,2,5) [1,-3,3] -> (2,1,2,1)",
    "(0,3) [0,1] -> (0)",
};

// The samples of over_axes, and samples with axes of size 0.
std::vector<std::string> over_empty_axes_too() {
  std::vector<std::string> samples = over_axes;
  for (const char* sample : {"(0) [0] -> ()", "(0) [0,0] -> ()", "(0,3) [0,0] -> (3)", "(3,0) [1,1] -> (3,1)",
                             "(3,0) [0] -> ()", "(2,0,3) [0,0,1] -> (3)"})
    samples.push_back(sample);
  return samples;
}

std::vector<Refusal> refusals(const std::string& operation, const std::string& of_nothing) {
  std::vector<Refusal> all = {
      no_axis(operation, "[0,2]", 2),
      no_axis(operation, "[0,-3]", -3),
      {"() [0,0]", operation + ": there is no axis 0 in (); it has 0 axes, counted from 0"},
      {"(2,3) [0,1,-1]", operation + ": axis 1 of (2, 3) is named twice"},
      integers(operation, "(2):i64 [0]")};
  if (!of_nothing.empty()) {
    all.push_back({"(0) [0]", operation + ": " + of_nothing + " (0)"});
    all.push_back({"(3,0) [1,1]", operation + ": " + of_nothing + " (3, 0)"});
  }
  return all;
}

}  // namespace

std::vector<Operation> reductions() {
  return {
      {.name = "sum",
       .call = [](X x, A a) { return sum(x[0], axes_of(a), a[0] != 0); },
       .value = [](V x, I i, A a) { return sum_of(members(x[0], i, a)); },
       .samples = over_empty_axes_too(),
       .refusals = refusals("sum", "")},
      {.name = "mean",
       .call = [](X x, A a) { return mean(x[0], axes_of(a), a[0] != 0); },
       .value = [](V x, I i, A a) { return mean_of(members(x[0], i, a)); },
       .samples = over_axes,
       .refusals = refusals("mean", "there is nothing to average in")},
      {.name = "variance",
       .call = [](X x, A a) { return variance(x[0], axes_of(a), a[0] != 0); },
       .value =
           [](V x, I i, A a) {
             const std::vector<double> elements = members(x[0], i, a);
             return squares_of(elements) / static_cast<double>(elements.size() - 1);
           },
       .samples = over_several,
       .refusals =
           {no_axis("variance", "[0,2]", 2),
            {"(3,1) [0,1]",
             "variance: 1 elements of (3, 1) are too few for a correction of 1; lower the correction"},
            integers("variance", "(2):i64 [0]")}},
      {.name = "variance",
       .variant = "without correction",
       .call = [](X x, A a) { return variance(x[0], axes_of(a), a[0] != 0, 0); },
       .value =
           [](V x, I i, A a) {
             const std::vector<double> elements = members(x[0], i, a);
             return squares_of(elements) / static_cast<double>(elements.size());
           },
       .samples = over_axes,
       .refusals =
           {{"(3,0) [0,1]",
             "variance: 0 elements of (3, 0) are too few for a correction of 0; lower the correction"}}},
      {.name = "max",
       .call = [](X x, A a) { return max(x[0], axes_of(a), a[0] != 0); },
       .value =
           [](V x, I i, A a) {
             const std::vector<double> elements = members(x[0], i, a);
             return *std::max_element(elements.begin(), elements.end());
           },
       .samples = over_axes,
       .refusals = refusals("max", "there is nothing to choose from in")},
      {.name = "min",
       .call = [](X x, A a) { return min(x[0], axes_of(a), a[0] != 0); },
       .value =
           [](V x, I i, A a) {
             const std::vector<double> elements = members(x[0], i, a);
             return *std::min_element(elements.begin(), elements.end());
           },
       .samples = over_axes,
       .refusals = refusals("min", "there is nothing to choose from in")},
      {.name = "logsumexp",
       .call = [](X x, A a) { return logsumexp(x[0], axes_of(a), a[0] != 0); },
       .value =
           [](V x, I i, A a) {
             double result = 0;
             for (const double v : members(x[0], i, a)) result += std::exp(v);
             return std::log(result);
           },
       .samples = over_axes,
       .refusals = refusals("logsumexp", "")},
      {.name = "argmax",
       .call = [](X x, A a) { return argmax(x[0], axis_of(a[1]), a[0] != 0); },
       .value =
           [](V x, I i, A a) {
             const std::vector<double> elements = members(x[0], i, a);
             return static_cast<double>(std::max_element(elements.begin(), elements.end()) -
                                        elements.begin());
           },
       .samples = {"(1) [0,0] -> ()", "(9) [0,-1] -> ()", "(4,7) [0,1] -> (4)", "(4,7) [1,0] -> (1,7)",
                   "(2,3,5) [0,1] -> (2,5)", "(2,3,5) [1,2] -> (2,3,1)", "(5,1) [0,1] -> (5)",
                   "(0,3) [0,1] -> (0)", "(4,7)<5 [0,1] -> (4)"},
       .refusals = {{"() [0,-1]", "argmax: there is no axis -1 in (); it has 0 axes, counted from 0"},
                    {"(3,0) [0,1]", "argmax: axis 1 of (3, 0) is empty"}},
       .differentiable = false},
      {.name = "cumsum",
       .call = [](X x, A a) { return cumsum(x[0], axis_of(a[0])); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             return total(i[static_cast<std::size_t>(axis)] + 1,
                          [&](auto k) { return x[0](with(i, axis, k)); });
           },
       .samples = {"(1) [0] -> (1)", "(9) [0] -> (9)", "(3,5) [0] -> (3,5)", "(3,5) [-1] -> (3,5)",
                   "(2,3,4) [1] -> (2,3,4)", "(0,3) [0] -> (0,3)", "(3,0) [0] -> (3,0)"},
       .refusals = {no_axis("cumsum", "[2]", 2), integers("cumsum", "(2):i64 [0]")}},
  };
}
