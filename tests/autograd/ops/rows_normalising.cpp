#include "rows.hpp"

namespace {

// (x − μ) / √(σ² + ε), over the last axis.
double normal(const Values& x, I i, double epsilon = 1e-5) {
  const std::int64_t n = x.shape[-1];
  const double mean = total(n, [&](auto k) { return x(with_last(i, k)); }) / static_cast<double>(n);
  const double squares = total(n, [&](auto k) { return std::pow(x(with_last(i, k)) - mean, 2); });
  return (x(i) - mean) / std::sqrt(squares / static_cast<double>(n) + epsilon);
}

}  // namespace

std::vector<Operation> normalising() {
  const std::vector<std::string> over_last_axis = {"(1) -> (1)",       "(5) -> (5)",         "(3,4) -> (3,4)",
                                                   "(2,37) -> (2,37)", "(2,3,4) -> (2,3,4)", "(4,1) -> (4,1)",
                                                   "(0,3) -> (0,3)",   "(3,0) -> (3,0)"};
  const auto refusals_over_last_axis = [](const std::string& operation) -> std::vector<Refusal> {
    return {{"()", operation + ": there is no axis -1 in (); it has 0 axes, counted from 0"},
            integers(operation, "(2):i64")};
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
      {.name = "softmax",
       .variant = "along any axis",
       .call = [](X x, A a) { return softmax(x[0], axis_of(a[0])); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             const double sum =
                 total(x[0].shape[axis], [&](auto k) { return std::exp(x[0](with(i, axis, k))); });
             return std::exp(x[0](i)) / sum;
           },
       .samples = {"(5) [0] -> (5)", "(3,4) [0] -> (3,4)", "(3,4) [1] -> (3,4)", "(2,3,4) [1] -> (2,3,4)",
                   "(2,3,4) [-3] -> (2,3,4)", "(0,3) [0] -> (0,3)"},
       .refusals = {no_axis("softmax", "[2]", 2)}},
      {.name = "masked_softmax",
       .call = [](X x, A) { return masked_softmax(x[0], x[1]); },
       .value =
           [](V x, I i, A) {
             const auto length = static_cast<std::int64_t>(x[1](without_last(i)));
             if (i.back() >= length) return 0.0;
             return std::exp(x[0](i)) /
                    total(length, [&](auto k) { return std::exp(x[0](with_last(i, k))); });
           },
       .samples = {"(5,4) {4,0,1,3,2} -> (5,4)", "(1,1) {1} -> (1,1)", "(1,1) {0} -> (1,1)",
                   "(2,37) {37,19} -> (2,37)", "(0,3) {} -> (0,3)", "(2,0) {0,0} -> (2,0)", "(5) ()<5 -> (5)",
                   "(2,3,4) (2,3)<5 -> (2,3,4)"},
       .refusals = {{"(2,3) {3,4}", "masked_softmax: length 4 is outside [0, 3]"},
                    {"(2,3) {-1,4}", "masked_softmax: length -1 is outside [0, 3]"},
                    {"(2,3) {1,2,3}",
                     "masked_softmax: the lengths are (3) and must be (2), one per row of (2, 3)"},
                    {"(2) {1,2}", "masked_softmax: the lengths are (2) and must be (), one per row of (2)"},
                    {"() {}", "masked_softmax: needs scores (…, T), and got a scalar"},
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
      {.name = "log_softmax",
       .variant = "along any axis",
       .call = [](X x, A a) { return log_softmax(x[0], axis_of(a[0])); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             const double sum =
                 total(x[0].shape[axis], [&](auto k) { return std::exp(x[0](with(i, axis, k))); });
             return x[0](i) - std::log(sum);
           },
       .samples = {"(5) [0] -> (5)", "(3,4) [0] -> (3,4)", "(3,4) [1] -> (3,4)", "(2,3,4) [1] -> (2,3,4)",
                   "(2,3,4) [-3] -> (2,3,4)", "(0,3) [0] -> (0,3)"},
       .refusals = {no_axis("log_softmax", "[2]", 2)}},
      {.name = "layer_norm",
       .call = [](X x, A) { return layer_norm(x[0]); },
       .value = [](V x, I i, A) { return normal(x[0], i); },
       .samples = {"(5) -> (5)", "(1) -> (1)", "(3,4) -> (3,4)", "(2,37) -> (2,37)", "(2,3,4) -> (2,3,4)",
                   "(0,3) -> (0,3)"},
       .refusals = {{"()", "layer_norm: the last axis of () must have elements to normalise"},
                    {"(3,0)", "layer_norm: the last axis of (3, 0) must have elements to normalise"},
                    integers("layer_norm", "(2):i64")}},
      {.name = "layer_norm",
       .variant = "with gain and bias",
       .call = [](X x, A) { return layer_norm(x[0], x[1], x[2], 0.1); },
       .value = [](V x, I i, A) { return normal(x[0], i, 0.1) * x[1]({i.back()}) + x[2]({i.back()}); },
       .samples = {"(5) (5) (5) -> (5)", "(3,4) (4) (4) -> (3,4)", "(2,3,4) (4) (4) -> (2,3,4)",
                   "(3,1) (1) (1) -> (3,1)", "(0,3) (3) (3) -> (0,3)"},
       .refusals = {{"(3,4) (3) (4)", "layer_norm: the gain is (3) and must be (4) for the input (3, 4)"},
                    {"(3,4) (4) (1,4)",
                     "layer_norm: the bias is (1, 4) and must be (4) for the input (3, 4)"},
                    {"(3,4) (4):f32 (4)",
                     "layer_norm: (3, 4) is f64 and (4) is f32; convert one with .to(other.dtype())"}}},
      {.name = "layer_norm",
       .variant = "with only a bias",
       .call = [](X x, A) { return layer_norm(x[0], Tensor(), x[1]); },
       .value = [](V x, I i, A) { return normal(x[0], i) + x[1]({i.back()}); },
       .samples = {"(3,4) (4) -> (3,4)"},
       .refusals = {{"(3,4) (3)", "layer_norm: the bias is (3) and must be (4) for the input (3, 4)"}}},
  };
}
