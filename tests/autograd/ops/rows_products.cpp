#include "rows.hpp"

std::vector<Operation> products() {
  const auto product = [](V x, I i, A) {
    return total(x[1].shape[1], [&](auto k) { return x[0](with_last(i, k)) * x[1]({i.back(), k}); });
  };
  return {
      {.name = "matmul",
       .call = [](X x, A) { return matmul(x[0], x[1]); },
       .value =
           [](V x, I i, A) {
             const bool row = x[0].shape.rank() > 1, column = x[1].shape.rank() > 1;
             Integers batch = i;
             if (column) batch.pop_back();
             if (row) batch.pop_back();
             const auto joined = [&](Integers last) {
               last.insert(last.begin(), batch.begin(), batch.end());
               return last;
             };
             const std::int64_t c = column ? i.back() : 0;
             const std::int64_t r = row ? i[i.size() - (column ? 2 : 1)] : 0;
             return total(x[0].shape[-1], [&](auto k) {
               return x[0](joined(row ? Integers{r, k} : Integers{k})) *
                      x[1](joined(column ? Integers{k, c} : Integers{k}));
             });
           },
       .samples = {"(1,1) (1,1) -> (1,1)", "(2,3) (3,4) -> (2,4)", "(3,3) (3,3) -> (3,3)",
                   "(5,1) (1,7) -> (5,7)", "(1,7) (7,1) -> (1,1)", "(1,5) (5,3) -> (1,3)",
                   "(7,5) (5,1) -> (7,1)", "(0,3) (3,2) -> (0,2)", "(2,0) (0,3) -> (2,3)",
                   "(2,3) (3,0) -> (2,0)", "(3,19) (19,2) -> (3,2)",
                   // vectors
                   "(3) (3) -> ()", "(1) (1) -> ()", "(0) (0) -> ()", "(3) (3,4) -> (4)", "(2,3) (3) -> (2)",
                   "(3) (5,3,4) -> (5,4)", "(5,2,3) (3) -> (5,2)",
                   // batches
                   "(5,2,3) (5,3,4) -> (5,2,4)", "(5,2,3) (3,4) -> (5,2,4)", "(2,3) (5,3,4) -> (5,2,4)",
                   "(1,2,3) (5,3,4) -> (5,2,4)", "(5,2,3) (1,3,4) -> (5,2,4)",
                   "(2,1,2,3) (4,3,5) -> (2,4,2,5)", "(2,1,3,3) (1,4,3,3) -> (2,4,3,3)",
                   "(0,2,3) (3,4) -> (0,2,4)", "(0,2,3) (1,3,4) -> (0,2,4)", "(2,4,0) (2,0,3) -> (2,4,3)",
                   "(2,0,3) (2,3,4) -> (2,0,4)"},
       .refusals =
           {{"(2,3) (4,5)",
             "matmul: cannot multiply (2, 3) by (4, 5): axis 1 of the first is 3 and axis 0 "
             "of the second is 4; they must be equal (transpose one?)"},
            {"(3) (4)",
             "matmul: cannot multiply (3) by (4): axis 0 of the first is 3 and axis 0 of the second is "
             "4; they must be equal (transpose one?)"},
            {"(5,2,3) (5,4,3)",
             "matmul: cannot multiply (5, 2, 3) by (5, 4, 3): axis 2 of the first is 3 and axis 1 of "
             "the second is 4; they must be equal (transpose one?)"},
            {"(5,2,3) (4,3,2)",
             "matmul: shapes (5) and (4) do not match at axis -1 (5 and 4): sizes must be equal, or one "
             "of them 1"},
            {"() (2,3)",
             "matmul: needs vectors, matrices or batches of them, and got () and (2, 3); multiply by a "
             "scalar with *"},
            {"(2,3):f32 (3,2):f64",
             "matmul: (2, 3) is f32 and (3, 2) is f64; convert one with "
             ".to(other.dtype())"},
            integers("matmul", "(2,3):i64 (3,2):i64")}},
      {.name = "outer",
       .call = [](X x, A) { return outer(x[0], x[1]); },
       .value = [](V x, I i, A) { return x[0]({i[0]}) * x[1]({i[1]}); },
       .samples = {"(3) (4) -> (3,4)", "(1) (1) -> (1,1)", "(3) (3) -> (3,3)", "(0) (2) -> (0,2)"},
       .refusals = {{"(2,3) (3)", "outer: needs two vectors, and got (2, 3) and (3)"},
                    {"(2) ()", "outer: needs two vectors, and got (2) and ()"}}},
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
                     ".to(other.dtype())"}}},
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
                     ".to(other.dtype())"},
                    integers("linear", "(2,3):i64 (4,3):i64")}},
  };
}
