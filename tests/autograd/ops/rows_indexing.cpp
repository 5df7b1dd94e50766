#include "rows.hpp"

std::vector<Operation> indexing() {
  return {
      {.name = "embedding",
       .call = [](X x, A) { return embedding(x[0], x[1]); },
       .value = [](V x, I i,
                   A) { return x[0]({static_cast<std::int64_t>(x[1](without_last(i))), i.back()}); },
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
      {.name = "gather",
       .call = [](X x, A a) { return gather(x[0], axis_of(a[0]), x[1]); },
       .value =
           [](V x, I i, A a) {
             return x[0](with(i, x[0].shape.axis_index(axis_of(a[0])), static_cast<std::int64_t>(x[1](i))));
           },
       .samples = {"(4) (6)<4 [-1] -> (6)", "(3,4) (3,2)<4 [1] -> (3,2)", "(3,4) (5,4)<3 [0] -> (5,4)",
                   "(2,3,4) (2,5,4)<3 [1] -> (2,5,4)", "(2,3,4) (2,3,1)<4 [-1] -> (2,3,1)",
                   "(2,3) (2,0)<3 [1] -> (2,0)", "(0,3) (0,2)<3 [1] -> (0,2)", "(1) {0,0} [0] -> (2)"},
       .refusals =
           {{"(2,3) (2,1)<3 [2]", "gather: there is no axis 2 in (2, 3); it has 2 axes, counted from 0"},
            {"(2,3) (1,3)<3 [1]", "gather: the index (1, 3) and (2, 3) may differ only on axis 1"},
            {"(2,3) (2)<3 [1]", "gather: the index (2) and (2, 3) may differ only on axis 1"},
            {"(2,3) (2,2) [1]", "gather: the index (2, 2) must be i64, and is f64"},
            {"(3) {0,3} [0]", "gather: index 3 at position 1 of (2) is outside [0, 3), the axis of (3)"},
            {"(3) {-1} [0]", "gather: index -1 at position 0 of (1) is outside [0, 3), the axis of (3)"}}},
      {.name = "scatter_add",
       .call = [](X x, A a) { return scatter_add(x[0], axis_of(a[0]), x[1], x[2]); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             return x[0](i) + total(x[1].shape[axis], [&](auto k) {
                      const Integers at = with(i, axis, k);
                      return x[1](at) == static_cast<double>(i[static_cast<std::size_t>(axis)]) ? x[2](at)
                                                                                                : 0;
                    });
           },
       .samples = {"(4) (6)<4 (6) [0] -> (4)", "(3,4) (3,2)<4 (3,2) [1] -> (3,4)",
                   "(3,4) (5,4)<3 (5,4) [0] -> (3,4)", "(2,3,4) (2,5,4)<3 (2,5,4) [1] -> (2,3,4)",
                   "(2,3,4) (2,3,1)<4 (2,3,1) [-1] -> (2,3,4)", "(2,3) (2,0)<3 (2,0) [1] -> (2,3)",
                   "(0,3) (0,2)<3 (0,2) [1] -> (0,3)"},
       .refusals = {{"(2,3) (2,2)<3 (2,3) [1]",
                     "scatter_add: the source is (2, 3) and the index (2, 2); they must be equal"},
                    {"(2,3) (1,3)<3 (1,3) [1]",
                     "scatter_add: the index (1, 3) and (2, 3) may differ only on axis 1"},
                    {"(3) {3} (1) [0]",
                     "scatter_add: index 3 at position 0 of (1) is outside [0, 3), the axis of (3)"},
                    {"(3) {0} (1):f32 [0]",
                     "scatter_add: (3) is f64 and (1) is f32; convert one with "
                     ".to(other.dtype())"},
                    integers("scatter_add", "(3):i64 {0} (1):i64 [0]")}},
      {.name = "one_hot",
       .call = [](X x, A a) { return one_hot(x[0], a[0]); },
       .value = [](V x, I i,
                   A) { return x[0](without_last(i)) == static_cast<double>(i.back()) ? 1.0 : 0.0; },
       .samples = {"{0,2,1} [3] -> (3,3)", "(2,3)<4 [4] -> (2,3,4)", "()<3 [3] -> (3)", "{} [3] -> (0,3)",
                   "{0} [1] -> (1,1)"},
       .refusals = {{"{0,3} [3]",
                     "one_hot: index 3 at position 1 of (2) is outside [0, 3), the classes of (3)"},
                    {"(2) [3]", "one_hot: the index (2) must be i64, and is f64"},
                    {"{0} [-1]", "one_hot: needs at least 0 classes, and got -1"}},
       .differentiable = false},
  };
}
