#include "rows.hpp"

namespace {

// clang-format off
std::vector<Operation> functions() {
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
      one("sqrt", [](X x, A) { return sqrt(x[0]); }, [](V x, I i, A) { return std::sqrt(x[0](i)); }, positive),
      one("softplus", [](X x, A) { return softplus(x[0]); },
          [](V x, I i, A) { return std::log(1 + std::exp(x[0](i))); }),
      one("abs", [](X x, A) { return abs(x[0]); }, [](V x, I i, A) { return std::abs(x[0](i)); }, nonzero),
      two("pow", [](X x, A) { return pow(x[0], x[1]); }, [](V x, I i, A) { return std::pow(x[0](i), x[1](i)); },
          positive),
      two("maximum", [](X x, A) { return maximum(x[0], x[1]); },
          [](V x, I i, A) { return std::max(x[0](i), x[1](i)); }),
      two("minimum", [](X x, A) { return minimum(x[0], x[1]); },
          [](V x, I i, A) { return std::min(x[0](i), x[1](i)); }),
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

std::vector<Operation> with_numbers() {
  return {
      {.name = "pow",
       .variant = "to a number",
       .call = [](X x, A a) { return pow(x[0], percent(a[0])); },
       .value = [](V x, I i, A a) { return std::pow(x[0](i), percent(a[0])); },
       .samples = {"() [250] -> ()", "(1) [200] -> (1)", "(3,7) [-150] -> (3,7)", "(7) [100] -> (7)",
                   "(7) [0] -> (7)", "(0,3) [200] -> (0,3)"},
       .refusals = {integers("pow", "(2):i64 [200]")},
       .domain = positive},
      {.name = "clamp",
       .call = [](X x, A a) { return clamp(x[0], percent(a[0]), percent(a[1])); },
       .value = [](V x, I i, A a) { return std::min(std::max(x[0](i), percent(a[0])), percent(a[1])); },
       .samples = {"() [-50,75] -> ()", "(1) [0,100] -> (1)", "(3,37) [-50,75] -> (3,37)",
                   "(7) [50,50] -> (7)", "(0) [0,1] -> (0)"},
       .refusals = {{"(2) [100,50]", "clamp: needs low ≤ high, and got 1 and 0.5"},
                    integers("clamp", "(2):i64 [0,100]")}},
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

}  // namespace

std::vector<Operation> elementwise() {
  std::vector<Operation> rows;
  for (const auto& part : {functions(), operators(), with_numbers()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}
