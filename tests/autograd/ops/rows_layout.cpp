#include "rows.hpp"

namespace {

std::int64_t total_of(I numbers) {
  std::int64_t result = 0;
  for (const std::int64_t n : numbers) result += n;
  return result;
}

}  // namespace

std::vector<Operation> layout() {
  const auto joined = [](V x, I i, A a) {
    const auto axis = static_cast<std::size_t>(x[0].shape.axis_index(axis_of(a[0])));
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
       .call = [](X x, A a) { return transpose(x[0], axis_of(a[0]), axis_of(a[1])); },
       .value =
           [](V x, I i, A a) {
             const int p = x[0].shape.axis_index(axis_of(a[0]));
             const int q = x[0].shape.axis_index(axis_of(a[1]));
             return x[0](with(with(i, p, i[static_cast<std::size_t>(q)]), q, i[static_cast<std::size_t>(p)]));
           },
       .samples = {"(1) [0,0] -> (1)", "(3,5) [0,1] -> (5,3)", "(3,5) [1,1] -> (3,5)",
                   "(4,4) [-1,0] -> (4,4)", "(2,3,4) [0,1] -> (3,2,4)", "(2,3,4) [1,2] -> (2,4,3)",
                   "(2,3,4) [-1,-3] -> (4,3,2)", "(2,3,1,4) [1,3] -> (2,4,1,3)", "(1,5) [0,1] -> (5,1)",
                   "(0,3) [0,1] -> (3,0)"},
       .refusals = {no_axis("transpose", "[0,2]", 2), no_axis("transpose", "[-3,1]", -3)}},
      {.name = "permute",
       .variant = "by a list",
       .call = [](X x, A) { return permute(x[0], {2, 0, 1}); },
       .value = [](V x, I i, A) { return x[0]({i[1], i[2], i[0]}); },
       .samples = {"(2,3,4) -> (4,2,3)", "(1,5,1) -> (1,1,5)", "(2,0,3) -> (3,2,0)"},
       .refusals = {{"(2,3)", "permute: 3 axes were named, and (2, 3) has 2; name each once"}}},
      {.name = "permute",
       .call =
           [](X x, A a) {
             const std::vector<int> axes(a.begin(), a.end());
             return permute(x[0], std::span<const int>(axes));
           },
       .value =
           [](V x, I i, A a) {
             Integers index = i;
             for (std::size_t k = 0; k < a.size(); ++k)
               index[static_cast<std::size_t>(x[0].shape.axis_index(axis_of(a[k])))] = i[k];
             return x[0](index);
           },
       .samples = {"() [] -> ()", "(5) [0] -> (5)", "(3,5) [1,0] -> (5,3)", "(3,5) [0,1] -> (3,5)",
                   "(2,3,4) [1,2,0] -> (3,4,2)", "(2,3,4) [-1,0,-2] -> (4,2,3)",
                   "(2,3,4,5) [3,1,0,2] -> (5,3,2,4)", "(0,3) [1,0] -> (3,0)"},
       .refusals = {{"(2,3) [0]", "permute: 1 axes were named, and (2, 3) has 2; name each once"},
                    {"(2,3) [1,-1]", "permute: axis 1 of (2, 3) is named twice; name each once"},
                    no_axis("permute", "[0,2]", 2)}},
      {.name = "squeeze",
       .call = [](X x, A a) { return squeeze(x[0], axis_of(a[0])); },
       .value = [](V x, I i, A a) { return x[0](inserted(i, x[0].shape.axis_index(axis_of(a[0])), 0)); },
       .samples = {"(1) [0] -> ()", "(1,3) [0] -> (3)", "(3,1) [-1] -> (3)", "(2,1,3) [1] -> (2,3)",
                   "(0,1) [1] -> (0)"},
       .refusals = {{"(2,3) [1]", "squeeze: axis 1 of (2, 3) has 3 elements; it must have one"},
                    no_axis("squeeze", "[2]", 2)}},
      {.name = "unsqueeze",
       .call = [](X x, A a) { return unsqueeze(x[0], axis_of(a[0])); },
       .value =
           [](V x, I i, A a) {
             Integers index = i;
             index.erase(index.begin() + (a[0] < 0 ? a[0] + x[0].shape.rank() + 1 : a[0]));
             return x[0](index);
           },
       .samples = {"() [0] -> (1)", "() [-1] -> (1)", "(3) [0] -> (1,3)", "(3) [1] -> (3,1)",
                   "(2,3) [-1] -> (2,3,1)", "(2,3) [-2] -> (2,1,3)", "(0) [0] -> (1,0)"},
       .refusals = {{"(2,3) [3]",
                     "unsqueeze: there is no place 3 for a new axis in (2, 3); there are 3, counted from 0"},
                    {"(2,3) [-4]",
                     "unsqueeze: there is no place -4 for a new axis in (2, 3); there are 3, counted from 0"},
                    {"(1,1,1,1,1,1,1,1) [0]",
                     "Shape: no room for one more axis in (1, 1, 1, 1, 1, 1, 1, 1)"}}},
      {.name = "flip",
       .call =
           [](X x, A a) {
             const std::vector<int> axes(a.begin(), a.end());
             return flip(x[0], Axes(std::span<const int>(axes)));
           },
       .value =
           [](V x, I i, A a) {
             Integers index = i;
             for (const std::int64_t named : a) {
               const int axis = x[0].shape.axis_index(axis_of(named));
               index = with(index, axis, x[0].shape[axis] - 1 - index[static_cast<std::size_t>(axis)]);
             }
             return x[0](index);
           },
       .samples = {"(1) [0] -> (1)", "(5) [0] -> (5)", "(3,5) [0] -> (3,5)", "(3,5) [-1] -> (3,5)",
                   "(3,5) [0,1] -> (3,5)", "(2,3,4) [1] -> (2,3,4)", "(2,3,4) [0,-1] -> (2,3,4)",
                   "(0,3) [0] -> (0,3)", "(3,0) [0] -> (3,0)"},
       .refusals = {no_axis("flip", "[2]", 2), {"(2,3) [0,-2]", "flip: axis 0 of (2, 3) is named twice"}}},
      {.name = "pad",
       .call = [](X x, A a) { return pad(x[0], axis_of(a[0]), a[1], a[2], 2.5); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             const std::int64_t at = i[static_cast<std::size_t>(axis)] - a[1];
             return at < 0 || at >= x[0].shape[axis] ? 2.5 : x[0](with(i, axis, at));
           },
       .samples = {"(3) [0,1,2] -> (6)", "(3) [0,0,0] -> (3)", "(2,3) [0,2,1] -> (5,3)",
                   "(2,3) [-1,0,2] -> (2,5)", "(2,3,4) [1,1,0] -> (2,4,4)", "(2,0) [1,1,2] -> (2,3)",
                   "(0,3) [1,1,1] -> (0,5)"},
       .refusals = {no_axis("pad", "[2,1,1]", 2),
                    {"(2,3) [0,-1,1]",
                     "pad: cannot add -1 elements before and 1 after; use slice() to remove elements"},
                    {"(2,3) [0,1,-1]",
                     "pad: cannot add 1 elements before and -1 after; use slice() to remove elements"}}},
      {.name = "split",
       .call =
           [](X x, A a) {
             return split(x[0], std::span(a).subspan(2), axis_of(a[0])).at(static_cast<std::size_t>(a[1]));
           },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[0]));
             const std::int64_t begin = total_of(Integers(a.begin() + 2, a.begin() + 2 + a[1]));
             return x[0](with(i, axis, i[static_cast<std::size_t>(axis)] + begin));
           },
       .samples = {"(5) [0,0,2,3] -> (2)", "(5) [0,1,2,3] -> (3)", "(5) [0,0,5] -> (5)",
                   "(6,2) [0,2,1,2,3] -> (3,2)", "(2,5) [1,1,1,3,1] -> (2,3)",
                   "(2,3,4) [-1,1,1,3] -> (2,3,3)", "(2,3) [1,1,3,0] -> (2,0)"},
       .refusals = {no_axis("split", "[2,0,1]", 2),
                    {"(2,5) [1,0,2,2]",
                     "split: the parts have 4 elements together, and axis 1 of (2, 5) has 5"},
                    {"(2,5) [1,0,6,-1]", "split: a part cannot have -1 elements"}}},
      {.name = "split",
       .variant = "by a list",
       .call = [](X x, A) { return split(x[0], {2, 1}, 0).at(0); },
       .value = [](V x, I i, A) { return x[0](i); },
       .samples = {"(3,2) -> (2,2)"},
       .refusals = {{"(2,2)", "split: the parts have 3 elements together, and axis 0 of (2, 2) has 2"}}},
      {.name = "concat",
       .variant = "of many",
       .call = [](X x, A a) { return concat(x, axis_of(a[0])); },
       .value = joined,
       .samples = {"(3) [0] -> (3)", "(3) (1) (2) [0] -> (6)", "(2,3) (2,3) [0] -> (4,3)",
                   "(2,3) (2,1) [1] -> (2,4)", "(2,3) (2,0) (2,2) [-1] -> (2,5)",
                   "(2,1,3) (2,4,3) [1] -> (2,5,3)", "(0,3) (0,2) [1] -> (0,5)", "(0) (0) [0] -> (0)"},
       .refusals = {{"[0]", "concat: needs at least one tensor"},
                    no_axis("concat", "[2]", 2),
                    {"(2,3) (3,3) [1]", "concat: (2, 3) and (3, 3) may differ only on axis 1"},
                    {"(2,3) (3) [0]", "concat: (2, 3) and (3) may differ only on axis 0"},
                    {"(2):f32 (2) [0]",
                     "concat: (2) is f32 and (2) is f64; convert one with .to(other.dtype())"}}},
      {.name = "concat",
       .variant = "of a list",
       .call = [](X x, A a) { return gradus::concat({x[0], x[1]}, axis_of(a[0])); },
       .value = joined,
       .samples = {"(2,3) (2,3) [1] -> (2,6)", "(1) (4) [0] -> (5)"},
       .refusals = {{"() () [0]", "concat: there is no axis 0 in (); it has 0 axes, counted from 0"}}},
      {.name = "stack",
       .call = [](X x, A a) { return stack(x, axis_of(a[0])); },
       .value =
           [](V x, I i, A a) {
             const std::int64_t axis = a[0] < 0 ? a[0] + x[0].shape.rank() + 1 : a[0];
             Integers index = i;
             index.erase(index.begin() + axis);
             return x[static_cast<std::size_t>(i[static_cast<std::size_t>(axis)])](index);
           },
       .samples = {"() () () [0] -> (3)", "(3) [0] -> (1,3)", "(2,3) (2,3) [0] -> (2,2,3)",
                   "(2,3) (2,3) (2,3) [1] -> (2,3,3)", "(2,3) (2,3) [-1] -> (2,3,2)", "(1) (1) [0] -> (2,1)",
                   "(0,3) (0,3) [0] -> (2,0,3)"},
       .refusals = {{"[0]", "stack: needs at least one tensor"},
                    {"(2,3) (3) [0]", "stack: the shapes must be equal, and are (2, 3) and (3)"},
                    {"(2) (2) [2]",
                     "stack: there is no place 2 for a new axis in (2); there are 2, counted from 0"}}},
      {.name = "stack",
       .variant = "of a list",
       .call = [](X x, A) { return gradus::stack({x[0], x[1]}); },
       .value = [](V x, I i, A) { return x[static_cast<std::size_t>(i[0])](without_first(i)); },
       .samples = {"(3) (3) -> (2,3)"},
       .refusals = {{"(3) (2)", "stack: the shapes must be equal, and are (3) and (2)"}}},
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
       .call = [](X x, A a) { return x[0].reshape(shape_of(a)); },
       .value = at_flat,
       .samples = {"(6) [2,3] -> (2,3)", "(2,6) [3,4] -> (3,4)", "(1) [] -> ()", "() [1,1] -> (1,1)",
                   "(0,3) [5,0] -> (5,0)", "(2,6) [-1,4] -> (3,4)", "(2,1,3) [-1,6] -> (1,6)",
                   "(2,3) [-1] -> (6)", "() [-1] -> (1)", "(0) [-1,2] -> (0,2)"},
       .refusals =
           {{"(2,3) [4]", "reshape: (2, 3) has 6 elements and cannot become (4), which has 4"},
            {"(2,3) [-1,4]",
             "reshape: cannot infer -1 in (-1, 4): (2, 3) has 6 elements, and the other sizes give 4"},
            {"(0) [-1,0]",
             "reshape: cannot infer -1 in (-1, 0): (0) has 0 elements, and the other sizes give 0"},
            {"(6) [-1,2,-1]", "Shape: axes 0 and 2 are both -1; reshape() can infer one size"},
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
       .value = [](V x, I i,
                   A a) { return x[0](with(i, 0, i[0] + (a[0] < 0 ? a[0] + x[0].shape[0] : a[0]))); },
       .samples = {"(5) [1,4] -> (3)", "(5) [0,5] -> (5)", "(4,3) [2,4] -> (2,3)", "(4,3) [2,2] -> (0,3)",
                   "(5) [-3,-1] -> (2)", "(5) [-5,5] -> (5)", "(3,2,2) [1,2] -> (1,2,2)"},
       .refusals = {{"(4,3) [1,5]", "slice: [1, 5) is not within axis 0 of (4, 3), which is [0, 4)"},
                    {"(4,3) [-5,2]", "slice: [-5, 2) is not within axis 0 of (4, 3), which is [0, 4)"},
                    {"(4,3) [2,1]", "slice: [2, 1) is not within axis 0 of (4, 3), which is [0, 4)"},
                    {"(4,3) [-1,2]", "slice: [-1, 2) is not within axis 0 of (4, 3), which is [0, 4)"},
                    {"() [0,0]", "slice: there is no axis 0 in (); it has 0 axes, counted from 0"}}},
      {.name = "Tensor::slice",
       .variant = "on any axis",
       .call = [](X x, A a) { return x[0].slice(a[0], a[1], axis_of(a[2])); },
       .value =
           [](V x, I i, A a) {
             const int axis = x[0].shape.axis_index(axis_of(a[2]));
             const std::int64_t begin = a[0] < 0 ? a[0] + x[0].shape[axis] : a[0];
             return x[0](with(i, axis, i[static_cast<std::size_t>(axis)] + begin));
           },
       .samples = {"(5) [1,4,0] -> (3)", "(3,5) [1,3,-2] -> (2,5)", "(3,5) [2,4,1] -> (3,2)",
                   "(3,5) [4,5,-1] -> (3,1)", "(3,5) [-2,-1,1] -> (3,1)", "(2,4,3) [1,3,1] -> (2,2,3)",
                   "(2,4,3) [0,2,2] -> (2,4,2)", "(3,5) [5,5,1] -> (3,0)", "(3,0) [1,3,0] -> (2,0)"},
       .refusals = {no_axis("slice", "[0,1,2]", 2),
                    {"(2,3) [2,4,1]", "slice: [2, 4) is not within axis 1 of (2, 3), which is [0, 3)"},
                    {"(2,3) [-4,2,-1]", "slice: [-4, 2) is not within axis 1 of (2, 3), which is [0, 3)"}}},
      {.name = "Tensor::to",
       .call = [](X x, A) { return x[0].to(Dtype::f64); },
       .value = [](V x, I i, A) { return x[0](i); },
       .samples = {"() -> ()", "(3,5) -> (3,5)", "(0,2) -> (0,2)"},
       .refusals = {}},
  };
}
