#include "rows.hpp"

std::vector<Operation> losses() {
  return {
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
      {.name = "cross_entropy",
       .variant = "with label smoothing",
       .call = [](X x, A a) { return cross_entropy(x[0], x[1], -1, percent(a[0])); },
       .value =
           [](V x, I, A a) {
             const std::int64_t classes = x[0].shape[-1];
             double loss = 0, counted = 0;
             for (std::int64_t row = 0; row < x[1].shape.numel(); ++row) {
               const auto logit = [&](std::int64_t k) {
                 return x[0].numbers[static_cast<std::size_t>(row * classes + k)];
               };
               const auto target = static_cast<std::int64_t>(x[1].numbers[static_cast<std::size_t>(row)]);
               if (target == -1) continue;
               const double log_sum = std::log(total(classes, [&](auto k) { return std::exp(logit(k)); }));
               loss += total(classes, [&](auto k) {
                 const double q =
                     percent(a[0]) / static_cast<double>(classes) + (k == target ? 1 - percent(a[0]) : 0);
                 return q * (log_sum - logit(k));
               });
               ++counted;
             }
             return loss / counted;
           },
       .samples = {"(4) ()<4 [10] -> ()", "(3,5) {4,-1,2} [10] -> ()", "(2,37) {36,17} [100] -> ()",
                   "(2,3,5) (2,3)<5 [50] -> ()", "(1,1) {0} [30] -> ()"},
       .refusals = {{"(2,3) {0,1} [101]",
                     "cross_entropy: the label smoothing must be in [0, 1], and is 1.01"},
                    {"(2,3) {0,1} [-1]",
                     "cross_entropy: the label smoothing must be in [0, 1], and is -0.01"}}},
      {.name = "nll",
       .call = [](X x, A a) { return a.empty() ? nll(x[0], x[1]) : nll(x[0], x[1], a[0]); },
       .value =
           [](V x, I, A a) {
             double loss = 0, counted = 0;
             for (std::int64_t row = 0; row < x[1].shape.numel(); ++row) {
               const auto target = static_cast<std::int64_t>(x[1].numbers[static_cast<std::size_t>(row)]);
               if (target == (a.empty() ? -1 : a[0])) continue;
               loss -= x[0].numbers[static_cast<std::size_t>(row * x[0].shape[-1] + target)];
               ++counted;
             }
             return counted == 0 ? 0 : loss / counted;
           },
       .samples = {"(4) ()<4 -> ()", "(3,5) {4,0,4} -> ()", "(3,5) {4,-1,2} -> ()", "(2,3,5) (2,3)<5 -> ()",
                   "(4,3) {0,2,0,1} [0] -> ()", "(2,3) {-1,-1} -> ()", "(0,3) {} -> ()"},
       .refusals = {{"(2,3) {0,3}",
                     "nll: target 3 at position 1 of (2) is outside [0, 3), the last axis of the "
                     "log-probabilities (2, 3)"},
                    {"(2,3) {0}",
                     "nll: needs log-probabilities (…, V) and targets (…), and got (2, 3) and (1)"},
                    {"(2,3) (2)", "nll: the targets (2) must be i64, and is f64"},
                    integers("nll", "(2,3):i64 {0,1}")}},
      {.name = "mse",
       .call = [](X x, A) { return mse(x[0], x[1]); },
       .value =
           [](V x, I, A) {
             const std::int64_t n = x[0].shape.numel();
             return total(n,
                          [&](auto k) {
                            const auto at = static_cast<std::size_t>(k);
                            return std::pow(x[0].numbers[at] - x[1].numbers[at], 2);
                          }) /
                    static_cast<double>(n);
           },
       .samples = {"() () -> ()", "(5) (5) -> ()", "(3,37) (3,37) -> ()"},
       .refusals = {{"(3) (3,1)", "mse: the shapes are (3) and (3, 1); they must be equal (reshape one?)"},
                    {"(0,3) (0,3)", "mse: there is nothing to average in (0, 3)"},
                    {"(3) (3):f32", "mse: (3) is f64 and (3) is f32; convert one with .to(other.dtype())"}}},
      {.name = "binary_cross_entropy",
       .call = [](X x, A) { return binary_cross_entropy(x[0], sigmoid(x[1])); },
       .value =
           [](V x, I, A) {
             const std::int64_t n = x[0].shape.numel();
             return total(n,
                          [&](auto k) {
                            const auto at = static_cast<std::size_t>(k);
                            const double p = 1 / (1 + std::exp(-x[0].numbers[at]));
                            const double t = 1 / (1 + std::exp(-x[1].numbers[at]));
                            return -t * std::log(p) - (1 - t) * std::log(1 - p);
                          }) /
                    static_cast<double>(n);
           },
       .samples = {"() () -> ()", "(5) (5) -> ()", "(3,37) (3,37) -> ()"},
       .refusals =
           {{"(3) (1)",
             "binary_cross_entropy: the shapes are (3) and (1); they must be equal (reshape one?)"},
            {"(0) (0)", "binary_cross_entropy: there is nothing to average in (0)"},
            {"(3) (3):f32",
             "binary_cross_entropy: (3) is f64 and (3) is f32; convert one with .to(other.dtype())"}}},
  };
}
