#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
/// Initial values, drawn from default_generator(). To initialise an existing parameter again:
///
///     parameter.replace(orthogonal(parameter.shape()));
///
/// For plain distributions, use gradus::uniform, gradus::normal and gradus::full. fans() and the Xavier and
/// Kaiming functions throw Error for shapes with fewer than two axes.
namespace gradus::nn {

/// U(−1/√n, 1/√n). This is PyTorch's default if n is the number of inputs of a linear layer, or the state
/// size of a recurrent layer.
Tensor uniform_fan_in(const Shape& shape, std::int64_t n);

/// `in` is the number of inputs per output, and `out` is the number of outputs per input. For a weight (O,
/// I), in = I and out = O. For a weight (O, I, k₁, k₂, …), both numbers are multiplied by k₁ k₂ ⋯.
struct Fans {
  std::int64_t in, out;
};
Fans fans(const Shape& weight);

/// The function applied to a layer's output W x + b.
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu, selu };
/// A factor on the standard deviation of initial weights, to compensate for the nonlinearity. PyTorch's
/// factors, in the order of Nonlinearity, are 1, 1, 5/3, √2, √(2 / (1 + slope²)) and 3/4. `slope` is the
/// slope of leaky_relu for inputs below 0.
double gain(Nonlinearity nonlinearity, double slope = 0.01);

/// Xavier initialisation (Glorot and Bengio 2010) balances the variance of activations and of gradients.
/// xavier_uniform() draws from U(−b, b) with b = gain · √(6 / (in + out)) (eq. 16), and xavier_normal() from
/// N(0, gain² · 2 / (in + out)) (eq. 12).
Tensor xavier_uniform(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);
Tensor xavier_normal(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);

enum class Fan { in, out };
/// Kaiming initialisation (He et al. 2015). Fan::in preserves the variance of activations (eq. 10). Fan::out
/// preserves the variance of gradients (eq. 14). `gain` is the gain of the nonlinearity, √2 for ReLU. The
/// distribution is N(0, gain² / fan), or U(−b, b) with b = gain · √(3 / fan), which has the same variance.
struct KaimingOptions {
  Fan fan = Fan::in;
  double gain = nn::gain(Nonlinearity::relu);
  Dtype dtype = Dtype::f32;
};
Tensor kaiming_uniform(const Shape& shape, const KaimingOptions& options = {});
Tensor kaiming_normal(const Shape& shape, const KaimingOptions& options = {});

/// gain · Q (Saxe et al. 2014). Q is drawn uniformly from the matrices of this shape with orthonormal rows,
/// or with orthonormal columns if there are more rows than columns. @throws Error unless the shape has two
/// axes and the dtype is f32 or f64.
Tensor orthogonal(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);
/// (G·H, H): G independent orthogonal (H, H) blocks, stacked like the gates of a recurrent weight.
/// @throws Error unless the shape is (G·H, H) with G and H of at least 1 and the dtype is f32 or f64.
Tensor orthogonal_blocks(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);

}  // namespace gradus::nn
#pragma GCC visibility pop
