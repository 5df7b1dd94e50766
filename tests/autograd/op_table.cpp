// The table of operations: a row for each declaration in ops.hpp, and for Tensor's own that are recorded.

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "operation.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

using X = const Tensors&;              // a call's tensors
using V = const std::vector<Values>&;  // the same as plain values
using I = const Integers&;             // an index of the result
using A = const Integers&;             // the call's arguments

// Σ_{k < n} term(k)
template <class Term>
double total(std::int64_t n, Term term) {
  double result = 0;
  for (std::int64_t k = 0; k < n; ++k) result += term(k);
  return result;
}

Integers with(Integers index, std::int64_t axis, std::int64_t position) {
  index[static_cast<std::size_t>(axis)] = position;
  return index;
}
Integers with_last(Integers index, std::int64_t position) {
  index.back() = position;
  return index;
}
Integers inserted(Integers index, std::int64_t axis, std::int64_t position) {
  index.insert(index.begin() + axis, position);
  return index;
}
Integers without_first(I index) { return {index.begin() + 1, index.end()}; }
Integers without_last(I index) { return {index.begin(), index.end() - 1}; }
std::int64_t flat(I index, I sizes) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) at = at * sizes[axis] + index[axis];
  return at;
}
Shape shape_of(I sizes) { return Shape(std::span<const std::int64_t>(sizes)); }
double percent(std::int64_t n) { return static_cast<double>(n) / 100; }

const std::vector<std::string> one_tensor = {
    "() -> ()", "(1) -> (1)", "(7) -> (7)", "(0) -> (0)", "(3,0,2) -> (3,0,2)", "(3,37) -> (3,37)",
};

// clang-format off
const std::vector<std::string> two_tensors = {
    "() () -> ()",               "(1) (1) -> (1)",            "(5) (5) -> (5)",
    "(2,3) (2,3) -> (2,3)",      "(3,19) (3,19) -> (3,19)",   "(2,1,3) (2,1,3) -> (2,1,3)",
    "(2,3) () -> (2,3)",         "() (2,3) -> (2,3)",         // a scalar
    "(3,5) (5) -> (3,5)",        "(5) (3,5) -> (3,5)",        // a row
    "(3,5) (3,1) -> (3,5)",      "(3,1) (3,5) -> (3,5)",      // a column
    "(3,1) (1,5) -> (3,5)",      "(1,5) (3,1) -> (3,5)",      // both
    "(2,3,4) (3,1) -> (2,3,4)",  "(3,1) (2,3,4) -> (2,3,4)",  // leading axes as well
    "(2,3,4) (2,1,4) -> (2,3,4)", "(2,1,4) (3,1) -> (2,3,4)", "(1,1,4) (2,3,1) -> (2,3,4)",
    "(2,1,3,1,2) (4,1,5,1) -> (2,4,3,5,2)",
    "(0) (0) -> (0)",            "(0,3) (3) -> (0,3)",        "(3,0) (3,1) -> (3,0)",
    "(1) (0) -> (0)",            "(2,0,3) (1,3) -> (2,0,3)",
};
// clang-format on

Refusal integers(const std::string& operation, const std::string& sample) {
  return {sample, operation + ": works on f32 or f64, not on i64; convert with .to(Dtype::f32)"};
}

std::vector<Refusal> refusals_of_one(const std::string& operation) {
  return {integers(operation, "(2):i64")};
}

std::vector<Refusal> refusals_of_two(const std::string& operation) {
  const std::string advice = ": sizes must be equal, or one of them 1";
  return {
      {"(2,3) (4)", operation + ": shapes (2, 3) and (4) do not match at axis -1 (3 and 4)" + advice},
      {"(3,1) (2,4,5)",
       operation + ": shapes (3, 1) and (2, 4, 5) do not match at axis -2 (3 and 4)" + advice},
      {"(0) (2)", operation + ": shapes (0) and (2) do not match at axis -1 (0 and 2)" + advice},
      {"(2):f32 (3):f64", operation + ": (2) is f32 and (3) is f64; convert one with .to(Dtype::f32)"},
      {"(2):i64 (2):f32", operation + ": (2) is i64 and (2) is f32; convert one with .to(Dtype::i64)"},
      integers(operation, "(2):i64 (2):i64"),
  };
}

Refusal no_axis(const std::string& operation, const std::string& arguments, int axis) {
  return {"(2,3) " + arguments, operation + ": there is no axis " + std::to_string(axis) +
                                    " in (2, 3); it has 2 axes, counted from 0"};
}

using Call = Tensor (*)(X, A);
using Value = double (*)(V, I, A);

// A row of an elementwise operation.
Operation one(const std::string& name, Call call, Value value, Domain domain = anything) {
  return {.name = name,
          .call = call,
          .value = value,
          .samples = one_tensor,
          .refusals = refusals_of_one(name),
          .domain = domain};
}
Operation two(const std::string& name, Call call, Value value, Domain domain = anything) {
  return {.name = name,
          .call = call,
          .value = value,
          .samples = two_tensors,
          .refusals = refusals_of_two(name),
          .domain = domain};
}
// The same operation by an operator.
Operation by(const std::string& name, const std::string& variant, Operation row) {
  row.name = name;
  row.variant = variant;
  return row;
}

// clang-format off
std::vector<Operation> elementwise() {
  return {
      two("add", [](X x, A) { return add(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) + x[1](i); }),
      two("sub", [](X x, A) { return sub(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) - x[1](i); }),
      two("mul", [](X x, A) { return mul(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) * x[1](i); }),
      two("div", [](X x, A) { return div(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) / x[1](i); },
          nonzero),
      one("neg", [](X x, A) { return neg(x[0]); }, [](V x, I i, A) { return -x[0](i); }),
      one("exp", [](X x, A) { return exp(x[0]); }, [](V x, I i, A) { return std::exp(x[0](i)); }),
      one("log", [](X x, A) { return log(x[0]); }, [](V x, I i, A) { return std::log(x[0](i)); }, positive),
      one("tanh", [](X x, A) { return tanh(x[0]); }, [](V x, I i, A) { return std::tanh(x[0](i)); }),
      one("sigmoid", [](X x, A) { return sigmoid(x[0]); },
          [](V x, I i, A) { return 1 / (1 + std::exp(-x[0](i))); }),
      one("relu", [](X x, A) { return relu(x[0]); }, [](V x, I i, A) { return x[0](i) > 0 ? x[0](i) : 0; },
          nonzero),
  };
}

std::vector<Operation> operators() {
  return {
      by("operator+", "a + b",
         two("add", [](X x, A) { return x[0] + x[1]; }, [](V x, I i, A) { return x[0](i) + x[1](i); })),
      by("operator+", "a + 2.5",
         one("add", [](X x, A) { return x[0] + 2.5; }, [](V x, I i, A) { return x[0](i) + 2.5; })),
      by("operator+", "2.5 + a",
         one("add", [](X x, A) { return 2.5 + x[0]; }, [](V x, I i, A) { return 2.5 + x[0](i); })),
      by("operator-", "a - b",
         two("sub", [](X x, A) { return x[0] - x[1]; }, [](V x, I i, A) { return x[0](i) - x[1](i); })),
      by("operator-", "a - 2.5",
         one("sub", [](X x, A) { return x[0] - 2.5; }, [](V x, I i, A) { return x[0](i) - 2.5; })),
      by("operator-", "2.5 - a",
         one("sub", [](X x, A) { return 2.5 - x[0]; }, [](V x, I i, A) { return 2.5 - x[0](i); })),
      by("operator*", "a * b",
         two("mul", [](X x, A) { return x[0] * x[1]; }, [](V x, I i, A) { return x[0](i) * x[1](i); })),
      by("operator*", "a * 2.5",
         one("mul", [](X x, A) { return x[0] * 2.5; }, [](V x, I i, A) { return x[0](i) * 2.5; })),
      by("operator*", "2.5 * a",
         one("mul", [](X x, A) { return 2.5 * x[0]; }, [](V x, I i, A) { return 2.5 * x[0](i); })),
      by("operator/", "a / b",
         two("div", [](X x, A) { return x[0] / x[1]; }, [](V x, I i, A) { return x[0](i) / x[1](i); },
             nonzero)),
      by("operator/", "a / 2.5",
         one("div", [](X x, A) { return x[0] / 2.5; }, [](V x, I i, A) { return x[0](i) / 2.5; })),
      by("operator/", "2.5 / a",
         one("div", [](X x, A) { return 2.5 / x[0]; }, [](V x, I i, A) { return 2.5 / x[0](i); }, nonzero)),
      by("operator-", "-a", one("neg", [](X x, A) { return -x[0]; }, [](V x, I i, A) { return -x[0](i); })),
  };
}
// clang-format on

std::vector<Operation> choices() {
  std::vector<std::string> compared = two_tensors;
  compared.push_back("(4,5)<3 (4,5)<4 -> (4,5)");  // i64, with equal pairs
  return {
      {.name = "greater",
       .call = [](X x, A) { return greater(x[0], x[1]); },
       .value = [](V x, I i, A) { return x[0](i) > x[1](i) ? 1.0 : 0.0; },
       .samples = compared,
       .refusals = {{"(2,3) (4)",
                     "greater: shapes (2, 3) and (4) do not match at axis -1 (3 and 4): "
                     "sizes must be equal, or one of them 1"},
                    {"(2):f32 (2):i64",
                     "greater: (2) is f32 and (2) is i64; convert one with "
                     ".to(Dtype::f32)"}},
       .differentiable = false},
      {.name = "where",
       .call = [](X x, A) { return where(x[0], x[1], x[2]); },
       .value = [](V x, I i, A) { return x[0](i) != 0 ? x[1](i) : x[2](i); },
       .samples = {"{1} () () -> (1)", "()<2 () () -> ()", "(3,5)<3 (3,5) (3,5) -> (3,5)",
                   "(3,1)<2 (5) (3,5) -> (3,5)", "(5)<2 (3,1) () -> (3,5)", "(2,3,4)<2 (3,1) (4) -> (2,3,4)",
                   "(4)<2 (2,1,4) (3,1) -> (2,3,4)", "(0)<2 (0) (1) -> (0)", "(3,0)<2 (3,1) () -> (3,0)",
                   "{0,0} (2) (2) -> (2)", "{1,1} (2) (2) -> (2)", "{-1,7} (2) (2) -> (2)"},
       .refusals = {{"(2) (2) (2)", "where: the condition (2) must be i64, and is f64"},
                    {"{1,0} (2):f32 (2)",
                     "where: (2) is f32 and (2) is f64; convert one with .to(Dtype::f32)"},
                    {"{1,0} (2,2) (2,3)",
                     "where: shapes (2, 2) and (2, 3) do not match at axis -1 (2 and 3): "
                     "sizes must be equal, or one of them 1"},
                    {"{1,0} (2,3) (2,3)",
                     "where: shapes (2) and (2, 3) do not match at axis -1 (2 and 3): "
                     "sizes must be equal, or one of them 1"}}},
      {.name = "dropout",
       .call =
           [](X x, A a) {
             Generator generator(7);
             return dropout(x[0], percent(a[0]), generator);
           },
       .value =
           [](V x, I i, A a) {
             Generator generator;
             const Integers sizes(x[0].shape.begin(), x[0].shape.end());
             generator.set_state({7, static_cast<std::uint64_t>(flat(i, sizes))});
             return generator.uniform() < percent(a[0]) ? 0 : x[0](i) / (1 - percent(a[0]));
           },
       .samples = {"() [30] -> ()", "(1) [50] -> (1)", "(3,7) [30] -> (3,7)", "(4,5) [90] -> (4,5)",
                   "(0,3) [50] -> (0,3)"},
       .refusals = {{"(2) [100]", "dropout: the probability must be in [0, 1), and is 1"},
                    {"(2) [-1]", "dropout: the probability must be in [0, 1), and is -0.01"},
                    integers("dropout", "(2):i64 [50]")}},
  };
}

std::vector<Operation> reductions() {
  const auto whole_sum = [](V x, I, A) {
    return total(x[0].shape.numel(), [&](auto k) { return x[0].numbers[static_cast<std::size_t>(k)]; });
  };
  // Without keep the axis is missing from the index; with it, its position there is 0.
  const auto axis_sum = [](V x, I i, A a) {
    const auto axis = x[0].shape.axis_index(static_cast<int>(a[0]));
    const bool keep = a.size() > 1;
    return total(x[0].shape[axis],
                 [&](auto k) { return x[0](keep ? with(i, axis, k) : inserted(i, axis, k)); });
  };
  const std::vector<std::string> over_an_axis = {
      "(1) [0] -> ()",
      "(1) [0,1] -> (1)",
      "(5) [0] -> ()",
      "(3,37) [1] -> (3)",
      "(3,37) [-1,1] -> (3,1)",
      "(37,3) [0] -> (3)",
      "(37,3) [-2,1] -> (1,3)",
      "(2,3,4) [0] -> (3,4)",
      "(2,3,4) [1] -> (2,4)",
      "(2,3,4) [2] -> (2,3)",
      "(2,3,4) [1,1] -> (2,1,4)",
      "(2,1,4) [1] -> (2,4)",
      "(1,5) [1,1] -> (1,1)",
      "(2,3,2,5) [-3,1] -> (2,1,2,5)",
  };
  std::vector<std::string> over_an_empty_axis = over_an_axis;
  for (const char* sample :
       {"(0) [0] -> ()", "(0,3) [0] -> (3)", "(0,3) [1] -> (0)", "(3,0) [1,1] -> (3,1)"}) {
    over_an_empty_axis.push_back(sample);
  }
  const auto call_sum = [](X x, A a) { return sum(x[0], static_cast<int>(a[0]), a.size() > 1); };
  const auto call_mean = [](X x, A a) { return mean(x[0], static_cast<int>(a[0]), a.size() > 1); };
  return {
      {.name = "sum",
       .variant = "of all",
       .call = [](X x, A) { return sum(x[0]); },
       .value = whole_sum,
       .samples = {"() -> ()", "(1) -> ()", "(5) -> ()", "(1,1) -> ()", "(3,37) -> ()", "(2,3,4) -> ()",
                   "(0) -> ()", "(3,0) -> ()"},
       .refusals = refusals_of_one("sum")},
      {.name = "sum",
       .variant = "over an axis",
       .call = call_sum,
       .value = axis_sum,
       .samples = over_an_empty_axis,
       .refusals = {no_axis("sum", "[2]", 2),
                    no_axis("sum", "[-3]", -3),
                    {"() [0]", "sum: there is no axis 0 in (); it has 0 axes, counted from 0"},
                    integers("sum", "(2):i64 [0]")}},
      {.name = "mean",
       .variant = "of all",
       .call = [](X x, A) { return mean(x[0]); },
       .value = [](V x, I i,
                   A a) { return decltype(whole_sum){}(x, i, a) / static_cast<double>(x[0].shape.numel()); },
       .samples = {"() -> ()", "(1) -> ()", "(5) -> ()", "(3,37) -> ()", "(2,3,4) -> ()"},
       .refusals = {{"(0)", "mean: there is nothing to average in (0)"},
                    {"(3,0)", "mean: there is nothing to average in (3, 0)"},
                    integers("mean", "(2):i64")}},
      {.name = "mean",
       .variant = "over an axis",
       .call = call_mean,
       .value =
           [](V x, I i, A a) {
             return decltype(axis_sum){}(x, i, a) / static_cast<double>(x[0].shape[static_cast<int>(a[0])]);
           },
       .samples = over_an_axis,
       .refusals = {no_axis("mean", "[2]", 2),
                    {"(2,0) [1]", "mean: there is nothing to average in (2, 0)"},
                    integers("mean", "(2):i64 [0]")}},
      {.name = "argmax",
       .call = [](X x, A) { return argmax(x[0]); },
       .value =
           [](V x, I i, A) {
             double best = 0;
             for (std::int64_t k = 1; k < x[0].shape[-1]; ++k) {
               if (x[0](inserted(i, x[0].shape.rank() - 1, k)) >
                   x[0](inserted(i, x[0].shape.rank() - 1, static_cast<std::int64_t>(best)))) {
                 best = static_cast<double>(k);
               }
             }
             return best;
           },
       .samples = {"(1) -> ()", "(9) -> ()", "(4,7) -> (4)", "(2,3,5) -> (2,3)", "(5,1) -> (5)",
                   "(0,3) -> (0)", "(4,7)<5 -> (4)"},
       .refusals = {{"()", "argmax: the last axis of () is empty"},
                    {"(3,0)", "argmax: the last axis of (3, 0) is empty"}},
       .differentiable = false},
  };
}

std::vector<Operation> products() {
  const auto product = [](V x, I i, A) {
    return total(x[1].shape[1], [&](auto k) { return x[0](with_last(i, k)) * x[1]({i.back(), k}); });
  };
  return {
      {.name = "matmul",
       .call = [](X x, A) { return matmul(x[0], x[1]); },
       .value =
           [](V x, I i, A) {
             return total(x[0].shape[1], [&](auto k) { return x[0]({i[0], k}) * x[1]({k, i[1]}); });
           },
       .samples = {"(1,1) (1,1) -> (1,1)", "(2,3) (3,4) -> (2,4)", "(3,3) (3,3) -> (3,3)",
                   "(5,1) (1,7) -> (5,7)", "(1,7) (7,1) -> (1,1)", "(1,5) (5,3) -> (1,3)",
                   "(7,5) (5,1) -> (7,1)", "(0,3) (3,2) -> (0,2)", "(2,0) (0,3) -> (2,3)",
                   "(2,3) (3,0) -> (2,0)", "(3,19) (19,2) -> (3,2)"},
       .refusals = {{"(2,3) (4,5)",
                     "matmul: cannot multiply (2, 3) by (4, 5): axis 1 of the first is 3 and axis 0 "
                     "of the second is 4; they must be equal (transpose one?)"},
                    {"(2,3) (3)",
                     "matmul: needs two matrices, and got (2, 3) and (3); reshape() makes one of two "
                     "axes"},
                    {"(2,2,3) (3,2)",
                     "matmul: needs two matrices, and got (2, 2, 3) and (3, 2); reshape() makes "
                     "one of two axes"},
                    {"(2,3):f32 (3,2):f64",
                     "matmul: (2, 3) is f32 and (3, 2) is f64; convert one with "
                     ".to(Dtype::f32)"},
                    integers("matmul", "(2,3):i64 (3,2):i64")}},
      {.name = "linear",
       .variant = "with a bias",
       .call = [](X x, A) { return linear(x[0], x[1], x[2]); },
       .value = [](V x, I i, A a) { return decltype(product){}(x, i, a) + x[2]({i.back()}); },
       .samples = {"(1) (1,1) (1) -> (1)", "(3) (4,3) (4) -> (4)", "(5,3) (4,3) (4) -> (5,4)",
                   "(3,3) (3,3) (3) -> (3,3)", "(2,5,3) (4,3) (4) -> (2,5,4)", "(2,1,3) (1,3) (1) -> (2,1,1)",
                   "(5,1) (4,1) (4) -> (5,4)", "(0,3) (4,3) (4) -> (0,4)", "(2,0) (4,0) (4) -> (2,4)",
                   "(2,3) (0,3) (0) -> (2,0)"},
       .refusals = {{"(2,3) (4,3) (3)", "linear: the bias is (3) and must be (4) for the weight (4, 3)"},
                    {"(2,3) (4,3) (1,4)", "linear: the bias is (1, 4) and must be (4) for the weight (4, 3)"},
                    {"(2,3) (4,3) (4):f32",
                     "linear: (2, 3) is f64 and (4) is f32; convert one with "
                     ".to(Dtype::f64)"}}},
      {.name = "linear",
       .variant = "without a bias",
       .call = [](X x, A) { return linear(x[0], x[1]); },
       .value = product,
       .samples = {"(3) (4,3) -> (4)", "(5,3) (4,3) -> (5,4)", "(2,5,3) (4,3) -> (2,5,4)",
                   "(3,3) (3,3) -> (3,3)", "(2,0) (4,0) -> (2,4)", "(0,3) (4,3) -> (0,4)"},
       .refusals = {{"(2,3) (3)", "linear: the weight must be (outputs, inputs), and is (3)"},
                    {"() (4,3)",
                     "linear: the last axis of the input () must be axis 1 of the weight (4, 3), 3"},
                    {"(2,4) (4,3)",
                     "linear: the last axis of the input (2, 4) must be axis 1 of the weight (4, 3), "
                     "3"},
                    {"(2,3) (4,3):f32",
                     "linear: (2, 3) is f64 and (4, 3) is f32; convert one with "
                     ".to(Dtype::f64)"},
                    integers("linear", "(2,3):i64 (4,3):i64")}},
  };
}

std::vector<Operation> layout() {
  const auto joined = [](V x, I i, A a) {
    const auto axis = static_cast<std::size_t>(x[0].shape.axis_index(static_cast<int>(a[0])));
    std::int64_t position = i[axis];
    std::size_t part = 0;
    while (position >= x[part].shape[static_cast<int>(axis)]) {
      position -= x[part++].shape[static_cast<int>(axis)];
    }
    return x[part](with(i, static_cast<std::int64_t>(axis), position));
  };
  const auto at_flat = [](V x, I i, A a) { return x[0].numbers[static_cast<std::size_t>(flat(i, a))]; };
  return {
      {.name = "transpose",
       .call = [](X x, A a) { return transpose(x[0], static_cast<int>(a[0]), static_cast<int>(a[1])); },
       .value =
           [](V x, I i, A a) {
             const int p = x[0].shape.axis_index(static_cast<int>(a[0]));
             const int q = x[0].shape.axis_index(static_cast<int>(a[1]));
             return x[0](with(with(i, p, i[static_cast<std::size_t>(q)]), q, i[static_cast<std::size_t>(p)]));
           },
       .samples = {"(1) [0,0] -> (1)", "(3,5) [0,1] -> (5,3)", "(3,5) [1,1] -> (3,5)",
                   "(4,4) [-1,0] -> (4,4)", "(2,3,4) [0,1] -> (3,2,4)", "(2,3,4) [1,2] -> (2,4,3)",
                   "(2,3,4) [-1,-3] -> (4,3,2)", "(2,3,1,4) [1,3] -> (2,4,1,3)", "(1,5) [0,1] -> (5,1)",
                   "(0,3) [0,1] -> (3,0)"},
       .refusals = {no_axis("transpose", "[0,2]", 2), no_axis("transpose", "[-3,1]", -3)}},
      {.name = "narrow",
       .call = [](X x, A a) { return narrow(x[0], static_cast<int>(a[0]), a[1], a[2]); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(static_cast<int>(a[0]));
             return x[0](with(i, axis, i[static_cast<std::size_t>(axis)] + a[1]));
           },
       .samples = {"(5) [0,1,3] -> (3)", "(5) [0,0,5] -> (5)", "(3,5) [0,1,2] -> (2,5)",
                   "(3,5) [1,2,2] -> (3,2)", "(3,5) [-1,4,1] -> (3,1)", "(2,4,3) [1,1,2] -> (2,2,3)",
                   "(2,4,3) [2,0,2] -> (2,4,2)", "(3,5) [1,5,0] -> (3,0)", "(3,0) [0,1,2] -> (2,0)"},
       .refusals = {no_axis("narrow", "[2,0,1]", 2),
                    {"(2,3) [1,2,2]",
                     "narrow: 2 elements from 2 on are no part of axis 1 of (2, 3), which is [0, 3)"},
                    {"(2,3) [-1,-1,2]",
                     "narrow: 2 elements from -1 on are no part of axis 1 of (2, 3), which is [0, 3)"},
                    {"(2,3) [0,1,-1]",
                     "narrow: -1 elements from 1 on are no part of axis 0 of (2, 3), which is [0, 2)"}}},
      {.name = "concat",
       .variant = "of many",
       .call = [](X x, A a) { return concat(x, static_cast<int>(a[0])); },
       .value = joined,
       .samples = {"(3) [0] -> (3)", "(3) (1) (2) [0] -> (6)", "(2,3) (2,3) [0] -> (4,3)",
                   "(2,3) (2,1) [1] -> (2,4)", "(2,3) (2,0) (2,2) [-1] -> (2,5)",
                   "(2,1,3) (2,4,3) [1] -> (2,5,3)", "(0,3) (0,2) [1] -> (0,5)", "(0) (0) [0] -> (0)"},
       .refusals = {{"[0]", "concat: needs at least one tensor"},
                    no_axis("concat", "[2]", 2),
                    {"(2,3) (3,3) [1]", "concat: (2, 3) and (3, 3) differ elsewhere than on axis 1"},
                    {"(2,3) (3) [0]", "concat: (2, 3) and (3) differ elsewhere than on axis 0"},
                    {"(2):f32 (2) [0]",
                     "concat: (2) is f32 and (2) is f64; convert one with .to(Dtype::f32)"}}},
      {.name = "concat",
       .variant = "of a list",
       .call =
           [](X x, A a) {
             return gradus::concat({x[0], x[1]}, static_cast<int>(a[0]));
           },
       .value = joined,
       .samples = {"(2,3) (2,3) [1] -> (2,6)", "(1) (4) [0] -> (5)"},
       .refusals = {{"() () [0]", "concat: there is no axis 0 in (); it has 0 axes, counted from 0"}}},
      {.name = "stack",
       .call = [](X x, A) { return stack(x); },
       .value = [](V x, I i, A) { return x[static_cast<std::size_t>(i[0])](without_first(i)); },
       .samples = {"() () () -> (3)", "(3) -> (1,3)", "(2,3) (2,3) -> (2,2,3)", "(1) (1) -> (2,1)",
                   "(0,3) (0,3) -> (2,0,3)"},
       .refusals = {{"", "stack: needs at least one tensor"},
                    {"(2,3) (3)", "stack: the shapes must be equal, and are (2, 3) and (3)"}}},
      {.name = "expand",
       .call = [](X x, A a) { return expand(x[0], shape_of(a)); },
       .value = [](V x, I i, A) { return x[0](i); },
       .samples = {"() [2,3] -> (2,3)", "(1) [4] -> (4)", "(3) [3] -> (3)", "(3) [2,3] -> (2,3)",
                   "(3,1) [3,5] -> (3,5)", "(2,1,4) [2,3,4] -> (2,3,4)", "(3,1) [2,3,37] -> (2,3,37)",
                   "(1,3) [0,3] -> (0,3)"},
       .refusals = {{"(2,3) [2,4]",
                     "expand: shapes (2, 3) and (2, 4) do not match at axis -1 (3 and 4): sizes must "
                     "be equal, or one of them 1"},
                    {"(2,3) [2,1]",
                     "expand: (2, 3) cannot be stretched to (2, 1): only axes of size 1 stretch"},
                    {"(2,3) [3]", "expand: (2, 3) cannot be stretched to (3): only axes of size 1 stretch"}}},
      {.name = "Tensor::reshape",
       .variant = "a shape",
       .call = [](X x, A a) { return x[0].reshape(shape_of(a)); },
       .value = at_flat,
       .samples = {"(6) [2,3] -> (2,3)", "(2,6) [3,4] -> (3,4)", "(1) [] -> ()", "() [1,1] -> (1,1)",
                   "(0,3) [5,0] -> (5,0)"},
       .refusals = {{"(2,3) [4]", "reshape: (2, 3) has 6 elements and cannot become (4), which has 4"},
                    {"(2,3) [-1]", "Shape: axis 0 has the negative size -1"}}},
      {.name = "Tensor::reshape",
       .variant = "sizes, one unknown",
       .call =
           [](X x, A a) {
             return x[0].reshape({a[0], a[1]});
           },
       .value = at_flat,
       .samples = {"(6) [2,3] -> (2,3)", "(2,6) [-1,4] -> (3,4)", "(2,1,3) [-1,6] -> (1,6)",
                   "(0) [-1,2] -> (0,2)"},
       .refusals = {{"(2,3) [-1,4]",
                     "reshape: (2, 3) has 6 elements, which the other sizes (4 elements together) do "
                     "not divide, so that -1 cannot be worked out"},
                    {"(0) [-1,0]",
                     "reshape: (0) has 0 elements, which the other sizes (0 elements together) do not "
                     "divide, so that -1 cannot be worked out"},
                    {"(6) [-1,-1]", "Shape: axis 1 has the negative size -1"},
                    {"(6) [2,-3]", "Shape: axis 1 has the negative size -3"}}},
      {.name = "Tensor::operator[]",
       .call = [](X x, A a) { return x[0][a[0]]; },
       .value = [](V x, I i, A a) { return x[0](inserted(i, 0, a[0] < 0 ? a[0] + x[0].shape[0] : a[0])); },
       .samples = {"(5) [0] -> ()", "(5) [4] -> ()", "(3,4) [1] -> (4)", "(3,4) [-1] -> (4)",
                   "(3,4) [-3] -> (4)", "(2,3,4) [1] -> (3,4)", "(2,0) [1] -> (0)"},
       .refusals = {{"(3,4) [3]", "index: no element 3 on axis 0 of (3, 4), which has 3"},
                    {"(3,4) [-4]", "index: no element -4 on axis 0 of (3, 4), which has 3"},
                    {"() [0]", "index: a scalar has no axis to index"}}},
      {.name = "Tensor::slice",
       .call = [](X x, A a) { return x[0].slice(a[0], a[1]); },
       .value = [](V x, I i, A a) { return x[0](with(i, 0, i[0] + a[0])); },
       .samples = {"(5) [1,4] -> (3)", "(5) [0,5] -> (5)", "(4,3) [2,4] -> (2,3)", "(4,3) [2,2] -> (0,3)",
                   "(3,2,2) [1,2] -> (1,2,2)"},
       .refusals = {{"(4,3) [1,5]", "slice: [1, 5) is no part of axis 0 of (4, 3), which is [0, 4)"},
                    {"(4,3) [-1,2]", "slice: [-1, 2) is no part of axis 0 of (4, 3), which is [0, 4)"},
                    {"(4,3) [2,1]", "slice: [2, 1) is no part of axis 0 of (4, 3), which is [0, 4)"},
                    {"() [0,0]", "slice: a scalar has no axis to slice"}}},
      {.name = "Tensor::to",
       .call = [](X x, A) { return x[0].to(Dtype::f64); },
       .value = [](V x, I i, A) { return x[0](i); },
       .samples = {"() -> ()", "(3,5) -> (3,5)", "(0,2) -> (0,2)"},
       .refusals = {}},
  };
}

std::vector<Operation> indexing() {
  return {
      {.name = "embedding",
       .call = [](X x, A) { return embedding(x[0], x[1]); },
       .value =
           [](V x, I i, A) {
             return x[0]({static_cast<std::int64_t>(x[1](without_last(i))), i.back()});
           },
       .samples = {"(5,3) {4,0,4,4} -> (4,3)", "(1,3) {0} -> (1,3)", "(4,1) {3,1} -> (2,1)",
                   "(5,3) (2,4)<5 -> (2,4,3)", "(5,3) ()<5 -> (3)", "(5,3) {} -> (0,3)",
                   "(5,0) {1,2} -> (2,0)"},
       .refusals = {{"(3,2) {0,3,-1}",
                     "embedding: index 3 at position 1 of (3) is outside [0, 3), the rows of "
                     "(3, 2)"},
                    {"(3,2) {0,2,-1}",
                     "embedding: index -1 at position 2 of (3) is outside [0, 3), the rows of "
                     "(3, 2)"},
                    {"(0,2) {0}",
                     "embedding: index 0 at position 0 of (1) is outside [0, 0), the rows of (0, 2)"},
                    {"(3,2) (2)", "embedding: the index (2) must be i64, and is f64"},
                    {"(3) {0}", "embedding: the table must be (vocabulary, size), and is (3)"}}},
      {.name = "index_select",
       .call = [](X x, A) { return index_select(x[0], x[1]); },
       .value = [](V x, I i, A) { return x[0](with(i, 0, static_cast<std::int64_t>(x[1]({i[0]})))); },
       .samples = {"(5) {4,0,4} -> (3)", "(5,3) {1,1} -> (2,3)", "(3,2,2) {2,0,1,2} -> (4,2,2)",
                   "(5,3) {} -> (0,3)", "(1) {0,0} -> (2)"},
       .refusals = {{"(3,2) {0,3}",
                     "index_select: index 3 at position 1 of (2) is outside [0, 3), the rows of "
                     "(3, 2)"},
                    {"(3,2) (2)", "index_select: the index (2) must be i64, and is f64"},
                    {"() {0}",
                     "index_select: needs a tensor with an axis and an index of one axis, and got () and "
                     "(1)"},
                    {"(3,2) (1,1)<3",
                     "index_select: needs a tensor with an axis and an index of one axis, and got "
                     "(3, 2) and (1, 1)"}}},
  };
}

std::vector<Operation> normalising() {
  const std::vector<std::string> over_last_axis = {"(1) -> (1)",       "(5) -> (5)",         "(3,4) -> (3,4)",
                                                   "(2,37) -> (2,37)", "(2,3,4) -> (2,3,4)", "(4,1) -> (4,1)",
                                                   "(0,3) -> (0,3)",   "(3,0) -> (3,0)"};
  const auto refusals_over_last_axis = [](const std::string& operation) -> std::vector<Refusal> {
    return {{"()", operation + ": a scalar has no axis to normalise"}, integers(operation, "(2):i64")};
  };
  return {
      {.name = "softmax",
       .call = [](X x, A) { return softmax(x[0]); },
       .value =
           [](V x, I i, A) {
             return std::exp(x[0](i)) /
                    total(x[0].shape[-1], [&](auto k) { return std::exp(x[0](with_last(i, k))); });
           },
       .samples = over_last_axis,
       .refusals = refusals_over_last_axis("softmax")},
      {.name = "masked_softmax",
       .call = [](X x, A) { return masked_softmax(x[0], x[1]); },
       .value =
           [](V x, I i, A) {
             const auto length = static_cast<std::int64_t>(x[1]({i[0]}));
             if (i[1] >= length) return 0.0;
             return std::exp(x[0](i)) / total(length, [&](auto k) { return std::exp(x[0]({i[0], k})); });
           },
       .samples = {"(5,4) {4,0,1,3,2} -> (5,4)", "(1,1) {1} -> (1,1)", "(1,1) {0} -> (1,1)",
                   "(2,37) {37,19} -> (2,37)", "(0,3) {} -> (0,3)", "(2,0) {0,0} -> (2,0)"},
       .refusals = {{"(2,3) {3,4}", "masked_softmax: a length is 4, outside [0, 3], the steps there are"},
                    {"(2,3) {-1,4}", "masked_softmax: a length is -1, outside [0, 3], the steps there are"},
                    {"(2,3) {1,2,3}",
                     "masked_softmax: the lengths are (3) and must be (2), one a row of the batch"},
                    {"(2) {1,2}", "masked_softmax: needs scores (B, T), and got (2)"},
                    {"(2,3) (2)", "masked_softmax: the lengths (2) must be i64, and is f64"},
                    integers("masked_softmax", "(2,3):i64 {1,2}")}},
      {.name = "log_softmax",
       .call = [](X x, A) { return log_softmax(x[0]); },
       .value =
           [](V x, I i, A) {
             return x[0](i) -
                    std::log(total(x[0].shape[-1], [&](auto k) { return std::exp(x[0](with_last(i, k))); }));
           },
       .samples = over_last_axis,
       .refusals = refusals_over_last_axis("log_softmax")},
      {.name = "cross_entropy",
       .call = [](X x,
                  A a) { return a.empty() ? cross_entropy(x[0], x[1]) : cross_entropy(x[0], x[1], a[0]); },
       .value =
           [](V x, I, A a) {
             const std::int64_t classes = x[0].shape[-1];
             const auto logit = [&](std::int64_t row, std::int64_t k) {
               return x[0].numbers[static_cast<std::size_t>(row * classes + k)];
             };
             double loss = 0, counted = 0;
             for (std::int64_t row = 0; row < x[1].shape.numel(); ++row) {
               const auto target = static_cast<std::int64_t>(x[1].numbers[static_cast<std::size_t>(row)]);
               if (target == (a.empty() ? -1 : a[0])) continue;
               loss += std::log(total(classes, [&](auto k) { return std::exp(logit(row, k)); })) -
                       logit(row, target);
               ++counted;
             }
             return counted == 0 ? 0 : loss / counted;
           },
       .samples = {"(4) ()<4 -> ()", "(1,1) {0} -> ()", "(3,5) {4,0,4} -> ()", "(3,5) {4,-1,2} -> ()",
                   "(2,37) {36,17} -> ()", "(2,3,5) (2,3)<5 -> ()", "(4,3) {0,2,0,1} [0] -> ()",
                   "(2,3) {-1,-1} -> ()", "(0,3) {} -> ()", "(2,0) {-1,-1} -> ()"},
       .refusals = {{"(2,3) {0,3}",
                     "cross_entropy: target 3 at position 1 of (2) is outside [0, 3), the last axis "
                     "of the logits (2, 3)"},
                    {"(2,3) {0,-1} [-2]",
                     "cross_entropy: target -1 at position 1 of (2) is outside [0, 3), the last "
                     "axis of the logits (2, 3)"},
                    {"(2,3) {0}",
                     "cross_entropy: needs logits (…, V) and targets (…), and got (2, 3) and (1)"},
                    {"() ()<1", "cross_entropy: needs logits (…, V) and targets (…), and got () and ()"},
                    {"(2,3) (2)", "cross_entropy: the targets (2) must be i64, and is f64"},
                    integers("cross_entropy", "(2,3):i64 {0,1}")}},
  };
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<Operation> fused() {
  // One element of the new state.
  const auto gru = [](V x, I i, A) {
    const std::int64_t H = x[2].shape[1];
    const auto x_at = [&](std::int64_t gate) { return x[0]({i[0], gate * H + i[1]}); };
    const auto h_at = [&](std::int64_t gate) { return x[1]({i[0], gate * H + i[1]}); };
    const double r = sigmoid_of(x_at(0) + h_at(0));
    const double z = sigmoid_of(x_at(1) + h_at(1));
    const double n = std::tanh(x_at(2) + r * h_at(2));
    return (1 - z) * n + z * x[2](i);
  };
  const auto energy = [](V x, I i, A) {
    const std::int64_t b = i[0], t = i[1];
    return total(x[2].shape[0], [&](auto a) {
      return x[2]({a}) * std::tanh(x[0]({b, a}) + x[1]({t, b, a}));
    });
  };
  const auto context = [](V x, I i, A) {
    const std::int64_t length = x.size() > 2 ? static_cast<std::int64_t>(x[2]({i[0]})) : x[1].shape[0];
    return total(length, [&](auto t) { return x[0]({i[0], t}) * x[1]({t, i[0], i[1]}); });
  };
  return {
      {.name = "gru_update",
       .call = [](X x, A) { return gru_update(x[0], x[1], x[2]); },
       .value = gru,
       .samples = {"(1,3) (1,3) (1,1) -> (1,1)", "(2,15) (2,15) (2,5) -> (2,5)",
                   "(3,57) (3,57) (3,19) -> (3,19)", "(0,6) (0,6) (0,2) -> (0,2)",
                   "(2,0) (2,0) (2,0) -> (2,0)"},
       .refusals = {{"(2,6) (2,6) (2,3)",
                     "gru_update: needs parts (B, 3H) and a state (B, H), and got (2, 6), (2, 6) and (2, 3)"},
                    {"(2,6) (1,6) (2,2)",
                     "gru_update: needs parts (B, 3H) and a state (B, H), and got (2, 6), (1, 6) and (2, 2)"},
                    {"(2,6) (2,6) (2)",
                     "gru_update: needs parts (B, 3H) and a state (B, H), and got (2, 6), (2, 6) and (2)"},
                    {"(2,6) (2,6):f32 (2,2)",
                     "gru_update: (2, 6) is f64 and (2, 6) is f32; convert one with .to(Dtype::f64)"},
                    {"(2,6) (2,6) (2,2):f32",
                     "gru_update: (2, 6) is f64 and (2, 2) is f32; convert one with .to(Dtype::f64)"},
                    integers("gru_update", "(2,6):i64 (2,6):i64 (2,2):i64")}},
      {.name = "gru_update",
       .variant = "with lengths",
       .call = [](X x, A a) { return gru_update(x[0], x[1], x[2], x[3], a[0]); },
       .value =
           [](V x, I i, A a) {
             return x[3]({i[0]}) <= static_cast<double>(a[0]) ? x[2](i) : decltype(gru){}(x, i, a);
           },
       .samples = {"(4,9) (4,9) (4,3) {0,1,2,3} [1] -> (4,3)", "(2,6) (2,6) (2,2) {1,1} [0] -> (2,2)",
                   "(2,6) (2,6) (2,2) {5,4} [5] -> (2,2)"},
       .refusals = {{"(2,6) (2,6) (2,2) {1} [0]",
                     "gru_update: the lengths are (1) and must be (2), one a row of the batch"},
                    {"(2,6) (2,6) (2,2) (2) [0]", "gru_update: the lengths (2) must be i64, and is f64"}}},
      {.name = "additive_energy",
       .call = [](X x, A) { return additive_energy(x[0], x[1], x[2]); },
       .value = energy,
       .samples = {"(1,1) (1,1,1) (1) -> (1,1)", "(2,3) (4,2,3) (3) -> (2,4)",
                   "(3,19) (2,3,19) (19) -> (3,2)", "(2,3) (0,2,3) (3) -> (2,0)",
                   "(0,3) (2,0,3) (3) -> (0,2)", "(2,0) (3,2,0) (0) -> (2,3)"},
       .refusals =
           {{"(2,3) (4,2,5) (3)",
             "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 3), (4, 2, 5) "
             "and (3)"},
            {"(2,3) (4,1,3) (3)",
             "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 3), (4, 1, 3) "
             "and (3)"},
            {"(2,3) (4,2,3) (4)",
             "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 3), (4, 2, 3) "
             "and (4)"},
            {"(2,3) (2,3) (3)",
             "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 3), (2, 3) and "
             "(3)"},
            {"(2,3) (4,2,3):f32 (3)",
             "additive_energy: (2, 3) is f64 and (4, 2, 3) is f32; convert one with .to(Dtype::f64)"},
            {"(2,3) (4,2,3) (3):f32",
             "additive_energy: (2, 3) is f64 and (3) is f32; convert one with .to(Dtype::f64)"},
            integers("additive_energy", "(2,3):i64 (4,2,3):i64 (3):i64")}},
      {.name = "additive_energy",
       .variant = "with lengths",
       .call = [](X x, A) { return additive_energy(x[0], x[1], x[2], x[3]); },
       .value =
           [](V x, I i, A a) {
             return static_cast<double>(i[1]) < x[3]({i[0]}) ? decltype(energy){}(x, i, a) : 0;
           },
       .samples = {"(3,2) (4,3,2) (2) {4,0,2} -> (3,4)", "(1,1) (1,1,1) (1) {0} -> (1,1)"},
       .refusals = {{"(2,3) (4,2,3) (3) {5,4}",
                     "additive_energy: a length is 5, outside [0, 4], the steps there are"}}},
      {.name = "weighted_sum",
       .call = [](X x, A) { return weighted_sum(x[0], x[1]); },
       .value = context,
       .samples = {"(1,1) (1,1,1) -> (1,1)", "(2,4) (4,2,3) -> (2,3)", "(3,2) (2,3,19) -> (3,19)",
                   "(2,0) (0,2,3) -> (2,3)", "(0,2) (2,0,3) -> (0,3)", "(2,4) (4,2,0) -> (2,0)"},
       .refusals = {{"(4,2) (4,2,3)",
                     "weighted_sum: needs weights (B, T) and values (T, B, D), and got (4, 2) and (4, 2, 3)"},
                    {"(2,4) (4,2)",
                     "weighted_sum: needs weights (B, T) and values (T, B, D), and got (2, 4) and (4, 2)"},
                    {"(2,4) (4,2,3):f32",
                     "weighted_sum: (2, 4) is f64 and (4, 2, 3) is f32; convert one with .to(Dtype::f64)"},
                    integers("weighted_sum", "(2,4):i64 (4,2,3):i64")}},
      {.name = "weighted_sum",
       .variant = "with lengths",
       .call = [](X x, A) { return weighted_sum(x[0], x[1], x[2]); },
       .value = context,
       .samples = {"(3,4) (4,3,2) {4,0,2} -> (3,2)", "(1,1) (1,1,1) {0} -> (1,1)"},
       .refusals = {{"(2,4) (4,2,3) {-1,4}",
                     "weighted_sum: a length is -1, outside [0, 4], the steps there are"}}},
  };
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> rows;
    for (const auto& chapter :
         {elementwise, operators, choices, reductions, products, layout, indexing, normalising, fused}) {
      for (Operation& row : chapter()) rows.push_back(std::move(row));
    }
    return rows;
  }();
  return all;
}
