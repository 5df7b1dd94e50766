#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
/// Initial values, drawn from default_generator(). A parameter that there is already takes them by
///
///     parameter.replace(orthogonal(parameter.shape()));
///
/// Plain ones are gradus::uniform, gradus::normal and gradus::full. Functions throw Error for shapes of fewer
/// than two axes, where they speak of inputs and outputs.
namespace gradus::nn {

/// U(−1/√n, 1/√n) for n inputs: what PyTorch gives its linear layers, and its recurrent ones with n the size
/// of the state.
Tensor uniform_fan_in(const Shape& shape, std::int64_t n);

/// How many numbers go into an output, and how many outputs an input goes to. A weight (O, I) has I and O; of
/// (O, I, k…) each is multiplied by the product of the further axes.
struct Fans {
  std::int64_t in, out;
};
Fans fans(const Shape& weight);

/// What comes after the weight.
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu, selu };
/// The factor on the deviation that makes up for it, by PyTorch's table: 1, 1, 5/3, √2, √(2 / (1 + slope²))
/// and 3/4. `slope` is leaky_relu's below 0.
double gain(Nonlinearity nonlinearity, double slope = 0.01);

/// Xavier's, which keeps the variance of activations and gradients alike (Glorot and Bengio 2010):
/// U(−b, b) with b = gain · √(6 / (in + out)) (eq. 16), and N(0, gain² · 2 / (in + out)) (eq. 12).
Tensor xavier_uniform(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);
Tensor xavier_normal(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);

enum class Fan { in, out };
/// Kaiming's, which keeps the variance of activations (fan in; He et al. 2015, eq. 10), or of gradients (fan
/// out; eq. 14), given the gain of the nonlinearity, √2 for ReLU: N(0, gain² / fan), and U(−b, b) of the same
/// variance, b = gain · √(3 / fan).
struct KaimingOptions {
  Fan fan = Fan::in;
  double gain = nn::gain(Nonlinearity::relu);
  Dtype dtype = Dtype::f32;
};
Tensor kaiming_uniform(const Shape& shape, const KaimingOptions& options = {});
Tensor kaiming_normal(const Shape& shape, const KaimingOptions& options = {});

/// gain · Q, Q uniform among the matrices of that shape with orthonormal rows, or columns where there are
/// more rows (Saxe et al. 2014). @throws Error unless the shape has two axes.
Tensor orthogonal(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);
/// (G·H, H): G of them, each (H, H), one below the other, as the gates of a recurrent weight are.
/// @throws Error unless the shape has two axes, the first a multiple of the second.
Tensor orthogonal_blocks(const Shape& shape, double gain = 1, Dtype dtype = Dtype::f32);

}  // namespace gradus::nn
#pragma GCC visibility pop
