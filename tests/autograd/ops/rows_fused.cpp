#include "rows.hpp"

namespace {

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

std::vector<Operation> fused() {
  // Computes one element of the new state.
  const auto gru = [](V x, I i, A) {
    const std::int64_t H = x[2].shape[1];
    const auto x_at = [&](std::int64_t gate) { return x[0]({i[0], gate * H + i[1]}); };
    const auto h_at = [&](std::int64_t gate) { return x[1]({i[0], gate * H + i[1]}); };
    const double r = sigmoid_of(x_at(0) + h_at(0));
    const double z = sigmoid_of(x_at(1) + h_at(1));
    const double n = std::tanh(x_at(2) + r * h_at(2));
    return (1 - z) * n + z * x[2](i);
  };
  // Computes one element of [h′; c′].
  const auto lstm = [](V x, I i, A) {
    const std::int64_t H = x[2].shape[1], b = i[1], k = i[2];
    const auto argument = [&](std::int64_t gate) {
      return x[0]({b, gate * H + k}) + x[1]({b, gate * H + k});
    };
    const double c =
        sigmoid_of(argument(1)) * x[2]({b, k}) + sigmoid_of(argument(0)) * std::tanh(argument(2));
    return i[0] == 0 ? sigmoid_of(argument(3)) * std::tanh(c) : c;
  };
  const auto energy = [](V x, I i, A) {
    const std::int64_t b = i[0], t = i[1];
    return total(x[2].shape[0],
                 [&](auto a) { return x[2]({a}) * std::tanh(x[0]({b, a}) + x[1]({t, b, a})); });
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
                     "gru_update: (2, 6) is f64 and (2, 6) is f32; convert one with .to(other.dtype())"},
                    {"(2,6) (2,6) (2,2):f32",
                     "gru_update: (2, 6) is f64 and (2, 2) is f32; convert one with .to(other.dtype())"},
                    integers("gru_update", "(2,6):i64 (2,6):i64 (2,2):i64")}},
      {.name = "lstm_update",
       .call = [](X x, A) { return lstm_update(x[0], x[1], x[2]); },
       .value = lstm,
       .samples = {"(1,4) (1,4) (1,1) -> (2,1,1)", "(2,20) (2,20) (2,5) -> (2,2,5)",
                   "(3,76) (3,76) (3,19) -> (2,3,19)", "(0,8) (0,8) (0,2) -> (2,0,2)",
                   "(2,0) (2,0) (2,0) -> (2,2,0)"},
       .refusals = {{"(2,8) (2,8) (2,3)",
                     "lstm_update: needs parts (B, 4H) and a cell (B, H), and got (2, 8), (2, 8) and (2, 3)"},
                    {"(2,8) (1,8) (2,2)",
                     "lstm_update: needs parts (B, 4H) and a cell (B, H), and got (2, 8), (1, 8) and (2, 2)"},
                    {"(2,8) (2,8) (2)",
                     "lstm_update: needs parts (B, 4H) and a cell (B, H), and got (2, 8), (2, 8) and (2)"},
                    {"(2,8) (2,8):f32 (2,2)",
                     "lstm_update: (2, 8) is f64 and (2, 8) is f32; convert one with .to(other.dtype())"},
                    {"(2,8) (2,8) (2,2):f32",
                     "lstm_update: (2, 8) is f64 and (2, 2) is f32; convert one with .to(other.dtype())"},
                    integers("lstm_update", "(2,8):i64 (2,8):i64 (2,2):i64")}},
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
             "additive_energy: (2, 3) is f64 and (4, 2, 3) is f32; convert one with .to(other.dtype())"},
            {"(2,3) (4,2,3) (3):f32",
             "additive_energy: (2, 3) is f64 and (3) is f32; convert one with .to(other.dtype())"},
            integers("additive_energy", "(2,3):i64 (4,2,3):i64 (3):i64")}},
      {.name = "additive_energy",
       .variant = "with lengths",
       .call = [](X x, A) { return additive_energy(x[0], x[1], x[2], x[3]); },
       .value =
           [](V x, I i, A a) {
             return static_cast<double>(i[1]) < x[3]({i[0]}) ? decltype(energy){}(x, i, a) : 0;
           },
       .samples = {"(3,2) (4,3,2) (2) {4,0,2} -> (3,4)", "(1,1) (1,1,1) (1) {0} -> (1,1)"},
       .refusals = {{"(2,3) (4,2,3) (3) {5,4}", "additive_energy: length 5 is outside [0, 4]"}}},
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
                     "weighted_sum: (2, 4) is f64 and (4, 2, 3) is f32; convert one with .to(other.dtype())"},
                    integers("weighted_sum", "(2,4):i64 (4,2,3):i64")}},
      {.name = "weighted_sum",
       .variant = "with lengths",
       .call = [](X x, A) { return weighted_sum(x[0], x[1], x[2]); },
       .value = context,
       .samples = {"(3,4) (4,3,2) {4,0,2} -> (3,2)", "(1,1) (1,1,1) {0} -> (1,1)"},
       .refusals = {{"(2,4) (4,2,3) {-1,4}", "weighted_sum: length -1 is outside [0, 4]"}}},
  };
}
