#include "rows.hpp"

namespace {

Operation compare(const std::string& name, Call call, Value value) {
  std::vector<std::string> compared = two_tensors;
  compared.push_back("(4,5)<3 (4,5)<4 -> (4,5)");  // i64; some pairs are equal
  return {.name = name,
          .call = call,
          .value = value,
          .samples = compared,
          .refusals = {{"(2,3) (4)", name + ": shapes (2, 3) and (4) do not match at axis -1 (3 and 4): "
                                            "sizes must be equal, or one of them 1"},
                       {"(2):f32 (2):i64",
                        name + ": (2) is f32 and (2) is i64; convert one with .to(other.dtype())"}},
          .differentiable = false};
}

}  // namespace

std::vector<Operation> choosing() {
  return {
      // clang-format off
      compare("equal", [](X x, A) { return equal(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) == x[1](i) ? 1.0 : 0.0; }),
      compare("not_equal", [](X x, A) { return not_equal(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) != x[1](i) ? 1.0 : 0.0; }),
      compare("less", [](X x, A) { return less(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) < x[1](i) ? 1.0 : 0.0; }),
      compare("less_equal", [](X x, A) { return less_equal(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) <= x[1](i) ? 1.0 : 0.0; }),
      compare("greater", [](X x, A) { return greater(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) > x[1](i) ? 1.0 : 0.0; }),
      compare("greater_equal", [](X x, A) { return greater_equal(x[0], x[1]); }, [](V x, I i, A) { return x[0](i) >= x[1](i) ? 1.0 : 0.0; }),
      // clang-format on
      {.name = "where",
       .call = [](X x, A) { return where(x[0], x[1], x[2]); },
       .value = [](V x, I i, A) { return x[0](i) != 0 ? x[1](i) : x[2](i); },
       .samples = {"{1} () () -> (1)", "()<2 () () -> ()", "(3,5)<3 (3,5) (3,5) -> (3,5)",
                   "(3,1)<2 (5) (3,5) -> (3,5)", "(5)<2 (3,1) () -> (3,5)", "(2,3,4)<2 (3,1) (4) -> (2,3,4)",
                   "(4)<2 (2,1,4) (3,1) -> (2,3,4)", "(0)<2 (0) (1) -> (0)", "(3,0)<2 (3,1) () -> (3,0)",
                   "{0,0} (2) (2) -> (2)", "{1,1} (2) (2) -> (2)", "{-1,7} (2) (2) -> (2)"},
       .refusals = {{"(2) (2) (2)", "where: the condition (2) must be i64, and is f64"},
                    {"{1,0} (2):f32 (2)",
                     "where: (2) is f32 and (2) is f64; convert one with .to(other.dtype())"},
                    {"{1,0} (2,2) (2,3)",
                     "where: shapes (2, 2) and (2, 3) do not match at axis -1 (2 and 3): "
                     "sizes must be equal, or one of them 1"},
                    {"{1,0} (2,3) (2,3)",
                     "where: shapes (2) and (2, 3) do not match at axis -1 (2 and 3): "
                     "sizes must be equal, or one of them 1"}}},
      {.name = "masked_fill",
       .call = [](X x, A) { return masked_fill(x[0], x[1], -7.5); },
       .value = [](V x, I i, A) { return x[1](i) != 0 ? -7.5 : x[0](i); },
       .samples = {"() ()<2 -> ()", "(3,5) (3,5)<2 -> (3,5)", "(3,5) (5)<2 -> (3,5)",
                   "(3,5) (3,1)<2 -> (3,5)", "(2,3,4) (3,1)<2 -> (2,3,4)", "(2) {0,-3} -> (2)",
                   "(0,3) (3)<2 -> (0,3)"},
       .refusals =
           {{"(2,3) (2,3)", "masked_fill: the mask (2, 3) must be i64, and is f64"},
            {"(3) (2,3)<2",
             "masked_fill: the mask (2, 3) would stretch (3); expand() the input first if this is intended"},
            {"(2,3) (4)<2",
             "masked_fill: shapes (2, 3) and (4) do not match at axis -1 (3 and 4): sizes must be "
             "equal, or one of them 1"}}},
  };
}
