#include "attention_cost.hpp"

namespace tutorial {

Table attention_cost(std::int64_t A) {
  Table table{.name = "cost",
              .rows_are = "sizes",
              .columns = {"additive: once", "a query", "tanh a query", "dot: a query"},
              .digits = 1};
  const auto add_row = [&](const std::string& sizes, double Q, double D, double a, double T) {
    table.rows.push_back({sizes, {T * a * D / 1000, (a * Q + T * a) / 1000, T * a / 1000, T * D / 1000}});
  };
  add_row("here: Q 12, D 24, A " + std::to_string(A) + ", T 8", 12, 24, static_cast<double>(A), 8);
  add_row("tutorial 10: Q 64, D 128, A 64, T 12", 64, 128, 64, 12);
  add_row("the paper: Q 1000, D 2000, A 1000, T 30", 1000, 2000, 1000, 30);
  return table;
}

}  // namespace tutorial
