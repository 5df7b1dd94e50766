#include <gradus/autograd/packing.hpp>

#include <array>

#include "rows.hpp"

namespace {

// Philox4x32-10, as defined by its authors.
using Words = std::array<std::uint32_t, 4>;
Words philox(std::uint64_t key, Words c) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0], p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

// Dropout's factor at `index` of a tensor (…, n). Philox's key is the first number of a generator with seed
// 7. In each row, each value of the counter gives four random words. In block m of 64 columns, the value
// 16m + k gives the words for the block's columns 2k, 2k + 1, 2k + 32 and 2k + 33.
double mask_of(I index, const gradus::Shape& shape, double probability) {
  std::int64_t row = 0;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    row = row * shape[axis] + index[static_cast<std::size_t>(axis)];
  }
  const std::int64_t column = index.empty() ? 0 : index.back(), j = column % 64;
  const auto counter = static_cast<std::uint32_t>(column / 64 * 16 + j % 32 / 2);
  const Words words = philox(Generator(7).bits(), {counter, 0, static_cast<std::uint32_t>(row), 0});
  const std::uint32_t word = words.at(static_cast<std::size_t>((j < 32 ? 1 : 3) - j % 2));
  return word / 2 < (1 - probability) * 0x1p31 ? 1 / (1 - probability) : 0;
}

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
       .value = [](V x, I i, A a) { return x[0](i) * mask_of(i, x[0].shape, percent(a[0])); },
       .samples = {"() [30] -> ()", "(1) [50] -> (1)", "(3,7) [30] -> (3,7)", "(4,5) [90] -> (4,5)",
                   "(2,3,70) [30] -> (2,3,70)", "(0,3) [50] -> (0,3)"},
       .refusals = {{"(2) [100]", "dropout: the probability must be in [0, 1), and is 1"},
                    {"(2) [-1]", "dropout: the probability must be in [0, 1), and is -0.01"},
                    integers("dropout", "(2):i64 [50]")}},
      {.name = "dropout",
       .variant = "of packed sequences",  // with lengths 1, 3, 2
       .call =
           [](X x, A a) {
             Generator generator(7);
             return dropout(x[0], percent(a[0]), generator,
                            gradus::Packing(gradus::tensor({1, 3, 2}, Dtype::i64)));
           },
       .value =
           [](V x, I i, A a) {
             constexpr std::array<std::int64_t, 6> place{1, 2, 0, 3 + 1, 3 + 2, 6 + 1};  // at t·3 + b
             const Integers at{place.at(static_cast<std::size_t>(i[0])), i[1]};
             return x[0](i) * mask_of(at, {9, x[0].shape[1]}, percent(a[0]));
           },
       .samples = {"(6,1) [50] -> (6,1)", "(6,5) [30] -> (6,5)", "(6,130) [60] -> (6,130)"},
       .refusals = {{"(5,2) [50]", "dropout: the packed sequences are (5, 2) and must be (6, …)"},
                    {"() [50]", "dropout: the packed sequences are () and must be (6, …)"},
                    {"(6,2) [100]", "dropout: the probability must be in [0, 1), and is 1"}}},
  };
}

}  // namespace

std::vector<Operation> elementwise() {
  std::vector<Operation> rows;
  for (const auto& part : {functions(), operators(), with_numbers()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}
