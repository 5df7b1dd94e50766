#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/nn/init.hpp>

#include <cmath>
#include <numeric>
#include <vector>

namespace gradus::nn {
namespace {

Tensor symmetric_uniform(const Shape& shape, double bound, Dtype dtype = Dtype::f32) {
  return uniform(shape, -bound, bound, default_generator(), dtype);
}

// √(numerator / fan). If fan is 0, as for an empty tensor, returns 0.
double deviation(double numerator, std::int64_t fan) {
  return fan > 0 ? std::sqrt(numerator / static_cast<double>(fan)) : 0;
}

std::int64_t in_and_out(const Shape& shape) {
  const auto [in, out] = fans(shape);
  return in + out;
}

std::int64_t chosen(const Shape& shape, Fan fan) { return fan == Fan::in ? fans(shape).in : fans(shape).out; }

// Orthonormalises k rows of n ≥ k numbers by modified Gram–Schmidt. Two passes per row make the rows
// orthogonal up to rounding (Giraud et al. 2005). If A is the matrix of the given rows, the result is the Q
// of A = L Q, where L is lower triangular with a positive diagonal. If the elements of A are normally
// distributed, this Q is uniformly distributed (Mezzadri 2007).
void orthonormalise(double* rows, std::int64_t k, std::int64_t n) {
  for (std::int64_t i = 0; i < k; ++i) {
    double* row = rows + i * n;
    const auto times = [&](const double* other) { return std::transform_reduce(row, row + n, other, 0.0); };
    for (int pass = 0; pass < 2; ++pass) {
      for (const double* done = rows; done < row; done += n) {
        const double along = times(done);
        for (std::int64_t j = 0; j < n; ++j) row[j] -= along * done[j];
      }
    }
    const double norm = std::sqrt(times(row));
    for (std::int64_t j = 0; j < n; ++j) row[j] /= norm;
  }
}

// A random matrix (rows, columns) in f64 with orthonormal rows, or orthonormal columns if there are fewer
// columns.
Tensor orthonormal(std::int64_t rows, std::int64_t columns) {
  if (rows > columns) return transpose(orthonormal(columns, rows), 0, 1);
  Tensor q = normal({rows, columns}, 0, 1, default_generator(), Dtype::f64);
  orthonormalise(q.mutable_values<double>("orthogonal").data(), rows, columns);
  return q;
}

}  // namespace

Tensor uniform_fan_in(const Shape& shape, std::int64_t n) {
  return symmetric_uniform(shape, deviation(1, n));
}

Fans fans(const Shape& weight) {
  if (weight.rank() < 2) fail("fans", "a weight must have at least two axes, (O, I, …), and is ", weight);
  std::int64_t positions = 1;
  for (int axis = 2; axis < weight.rank(); ++axis) positions *= weight[axis];
  return {.in = weight[1] * positions, .out = weight[0] * positions};
}

double gain(Nonlinearity nonlinearity, double slope) {
  switch (nonlinearity) {
    case Nonlinearity::tanh:
      return 5.0 / 3.0;
    case Nonlinearity::relu:
      return std::sqrt(2.0);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2.0 / (1 + slope * slope));
    case Nonlinearity::selu:
      return 0.75;
    default:
      return 1;
  }
}

Tensor xavier_uniform(const Shape& shape, double gain, Dtype dtype) {
  return symmetric_uniform(shape, gain * deviation(6, in_and_out(shape)), dtype);
}

Tensor xavier_normal(const Shape& shape, double gain, Dtype dtype) {
  return normal(shape, 0, gain * deviation(2, in_and_out(shape)), default_generator(), dtype);
}

Tensor kaiming_uniform(const Shape& shape, const KaimingOptions& options) {
  return symmetric_uniform(shape, options.gain * deviation(3, chosen(shape, options.fan)), options.dtype);
}

Tensor kaiming_normal(const Shape& shape, const KaimingOptions& options) {
  return normal(shape, 0, options.gain * deviation(1, chosen(shape, options.fan)), default_generator(),
                options.dtype);
}

Tensor orthogonal(const Shape& shape, double gain, Dtype dtype) {
  if (shape.rank() != 2) fail("orthogonal", "needs a shape of two axes, and got ", shape);
  if (!is_floating(dtype)) fail("orthogonal", "works in f32 or f64, not in i64");
  return (gain * orthonormal(shape[0], shape[1])).to(dtype);
}

Tensor orthogonal_blocks(const Shape& shape, double gain, Dtype dtype) {
  if (shape.rank() != 2 || shape[1] == 0 || shape[0] % shape[1] != 0 || shape[0] == 0) {
    fail("orthogonal_blocks", "needs a shape (G·H, H), stacked square blocks, and got ", shape);
  }
  std::vector<Tensor> blocks;
  for (std::int64_t rows = 0; rows < shape[0]; rows += shape[1]) {
    blocks.push_back(orthogonal(shape.with(0, shape[1]), gain, dtype));
  }
  return concat(blocks, 0);
}

}  // namespace gradus::nn
