#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops_cases.hpp"

namespace bench {
namespace {

using namespace gradus;

constexpr std::int64_t rows = 2048, columns = 2048;
constexpr double size = 4.0 * rows * columns;  // bytes

Tensor random(const Shape& shape) {
  static Generator generator(1);
  return uniform(shape, -1, 1, generator);
}

const float* data(const Tensor& x) { return x.values<float>().data(); }
float* mutable_data(Tensor& x) { return x.mutable_values<float>().data(); }

// Returns a function that computes y[i] ← f(a[i], b[i]) in an existing buffer.
template <class F>
std::function<void()> each(const Tensor& a, const Tensor& b, F f) {
  return [a, b, y = empty(a.shape()), f]() mutable {
    const float *p = data(a), *q = data(b);
    float* to = mutable_data(y);
    for (std::int64_t i = 0; i < rows * columns; ++i) to[i] = f(p[i], q[i]);
  };
}

template <class F>
std::function<void()> each_row(const Tensor& a, F f) {
  return [a, y = empty(a.shape()), f]() mutable {
    const float* p = data(a);
    float* to = mutable_data(y);
    for (std::int64_t r = 0; r < rows; ++r) f(p + r * columns, to + r * columns, r);
  };
}

void softmax_row(const float* x, float* y, std::int64_t /*r*/) {
  float largest = x[0], total = 0;
  for (std::int64_t c = 1; c < columns; ++c) largest = std::max(largest, x[c]);
  for (std::int64_t c = 0; c < columns; ++c) total += y[c] = std::exp(x[c] - largest);
  for (std::int64_t c = 0; c < columns; ++c) y[c] /= total;
}

Tensor composed_softmax(const Tensor& x) {
  const Tensor e = exp(x - max(x, 1, true));
  return e / sum(e, 1, true);
}

}  // namespace

std::vector<OperationCase> elementwise_cases() {
  const Tensor a = random({rows, columns}), b = random({rows, columns});
  const Tensor row = random({columns}), column = random({rows, 1});
  return {
      {.name = "a + b",
       .ours = [=] { add(a, b); },
       .composed = {},
       .loop = each(a, b, [](float x, float y) { return x + y; }),
       .bytes = 3 * size},
      {.name = "a + row",
       .ours = [=] { add(a, row); },
       .composed = [=] { add(a, expand(row, a.shape())); },
       .loop = each_row(a,
                        [=](const float* x, float* y, std::int64_t) {
                          const float* q = data(row);
                          for (std::int64_t c = 0; c < columns; ++c) y[c] = x[c] + q[c];
                        }),
       .bytes = 2 * size},
      {.name = "a * column",
       .ours = [=] { mul(a, column); },
       .composed = [=] { mul(a, expand(column, a.shape())); },
       .loop = each_row(a,
                        [=](const float* x, float* y, std::int64_t r) {
                          const float q = data(column)[r];
                          for (std::int64_t c = 0; c < columns; ++c) y[c] = x[c] * q;
                        }),
       .bytes = 2 * size},
      {.name = "tanh",
       .ours = [=] { tanh(a); },
       .composed = {},
       .loop = each(a, a, [](float x, float) { return std::tanh(x); }),
       .bytes = 2 * size},
      {.name = "sigmoid",
       .ours = [=] { sigmoid(a); },
       .composed = [=] { 1.0 / (1.0 + exp(-a)); },
       .loop = each(a, a, [](float x, float) { return 1 / (1 + std::exp(-x)); }),
       .bytes = 2 * size},
      {.name = "exp",
       .ours = [=] { exp(a); },
       .composed = {},
       .loop = each(a, a, [](float x, float) { return std::exp(x); }),
       .bytes = 2 * size},
  };
}

std::vector<OperationCase> row_cases() {
  const Tensor a = random({rows, columns}), b = random({rows, columns});
  std::vector<std::int64_t> ids(rows);
  for (std::int64_t r = 0; r < rows; ++r) ids[static_cast<std::size_t>(r)] = r * 797 % rows;
  const Tensor index = tensor(ids, {rows});
  return {
      {.name = "sum of rows",
       .ours = [=] { sum(a, 1); },
       .composed = {},
       .loop = each_row(a,
                        [](const float* x, float* y, std::int64_t) {
                          float total = 0;
                          for (std::int64_t c = 0; c < columns; ++c) total += x[c];
                          y[0] = total;
                        }),
       .bytes = size},
      {.name = "sum of columns",
       .ours = [=] { sum(a, 0); },
       .composed = {},
       .loop =
           [a, y = empty({columns})]() mutable {
             float* to = mutable_data(y);
             std::fill_n(to, columns, 0.0F);
             for (std::int64_t i = 0; i < rows; ++i) {
               const float* x = data(a) + i * columns;
               for (std::int64_t c = 0; c < columns; ++c) to[c] += x[c];
             }
           },
       .bytes = size},
      {.name = "softmax",
       .ours = [=] { softmax(a); },
       .composed = [=] { composed_softmax(a); },
       .loop = each_row(a, softmax_row),
       .bytes = 2 * size},
      {.name = "transpose",
       .ours = [=] { transpose(a, 0, 1); },
       .composed = {},
       .loop =
           [a, y = empty({columns, rows})]() mutable {
             const float* x = data(a);
             float* to = mutable_data(y);
             for (std::int64_t r = 0; r < rows; ++r) {
               for (std::int64_t c = 0; c < columns; ++c) to[c * rows + r] = x[r * columns + c];
             }
           },
       .bytes = 2 * size},
      {.name = "concat of columns",
       .ours = [=] { concat({a, b}, 1); },
       .composed = [=] { transpose(concat({transpose(a, 0, 1), transpose(b, 0, 1)}, 0), 0, 1); },
       .loop =
           [a, b, y = empty({rows, 2 * columns})]() mutable {
             for (std::int64_t r = 0; r < rows; ++r) {
               float* to = mutable_data(y) + r * 2 * columns;
               std::memcpy(to, data(a) + r * columns, columns * sizeof(float));
               std::memcpy(to + columns, data(b) + r * columns, columns * sizeof(float));
             }
           },
       .bytes = 4 * size},
      {.name = "rows by index",
       .ours = [=] { index_select(a, index); },
       .composed = {},
       .loop = each_row(
           a,
           [=](const float*, float* y, std::int64_t r) {
             std::memcpy(y, data(a) + index.values<std::int64_t>()[static_cast<std::size_t>(r)] * columns,
                         columns * sizeof(float));
           }),
       .bytes = 2 * size},
  };
}

}  // namespace bench
