#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <span>
#include <vector>

/// The operations. Each is one function: it checks its shapes, computes, and records its gradient; `g` below
/// is d(loss)/d(result). All throw Error, before anything is changed, for shapes or dtypes that do not fit.
/// Where two tensors meet elementwise, axes are matched from the last and a size of 1 stretches; the gradient
/// is summed over stretched axes. Floating tensors that meet must have the same dtype.
namespace gradus {

// ---- elementwise ----

/// a + b. Gradients: g, g.
Tensor add(const Tensor& a, const Tensor& b);
/// a − b. Gradients: g, −g.
Tensor sub(const Tensor& a, const Tensor& b);
/// a · b, elementwise. Gradients: g·b, g·a.
Tensor mul(const Tensor& a, const Tensor& b);
/// a / b, elementwise. Gradients: g/b, −g·a/b².
Tensor div(const Tensor& a, const Tensor& b);
/// −x. Gradient: −g.
Tensor neg(const Tensor& x);
/// e^x. Gradient: g·y. In f32, 0 below −87.3 and ∞ above 88.3.
Tensor exp(const Tensor& x);
/// ln x. Gradient: g/x. −∞ at 0 and NaN below.
Tensor log(const Tensor& x);
/// tanh x. Gradient: g·(1 − y²).
Tensor tanh(const Tensor& x);
/// σ(x) = 1 / (1 + e^−x). Gradient: g·y·(1 − y).
Tensor sigmoid(const Tensor& x);
/// max(x, 0). Gradient: g where x > 0, otherwise 0 (at 0 too).
Tensor relu(const Tensor& x);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(double a, const Tensor& b);

/// 1 where a > b, otherwise 0 (i64; not recorded). Both of one dtype, any.
Tensor greater(const Tensor& a, const Tensor& b);
/// a where condition ≠ 0, otherwise b; condition is i64. Gradients: g where each was taken, 0 elsewhere.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
/// Training's dropout (Srivastava et al. 2014, inverted): each element is 0 with `probability`, otherwise
/// multiplied by 1 / (1 − probability). Gradient: g under the same mask. @throws Error unless 0 ≤ probability
/// < 1.
Tensor dropout(const Tensor& x, double probability, Generator& generator);

// ---- reductions ----

/// The sum of all elements, a scalar. Gradient: g, everywhere.
Tensor sum(const Tensor& x);
/// The sum over one axis, which is removed, or kept with size 1. Gradient: g, stretched over the axis.
Tensor sum(const Tensor& x, int axis, bool keep = false);
/// The mean of all elements. Gradient: g / n. @throws Error when there are none.
Tensor mean(const Tensor& x);
/// The mean over one axis of n elements, which is removed, or kept with size 1. Gradient: g / n.
Tensor mean(const Tensor& x, int axis, bool keep = false);
/// The index of the largest element along the last axis, which is removed (i64; not recorded). The first,
/// where several are largest; NaN counts as largest. @throws Error when the axis is empty.
Tensor argmax(const Tensor& x);

// ---- products ----

/// A·B for A (m, k) and B (k, n): (m, n). Gradients: g·Bᵀ, Aᵀ·g.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x·Wᵀ + b over the last axis: x (…, I), W (O, I), b (O) or undefined for none → (…, O).
/// Gradients: g·W, gᵀ·x, and g summed over all axes but the last.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());

// ---- layout ----
// Tensor::reshape, operator[] and slice share their tensor's values; these copy.

/// Axes a and b exchanged. Gradient: g, exchanged back.
Tensor transpose(const Tensor& x, int a, int b);
/// Elements [begin, begin + size) of an axis. Gradient: g there, 0 elsewhere.
Tensor narrow(const Tensor& x, int axis, std::int64_t begin, std::int64_t size);
/// The tensors one after another along an axis; all other sizes are the same. Gradient: each its part of g.
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
/// Tensors of one shape, along a new leading axis. Gradient: each its part of g.
Tensor stack(std::span<const Tensor> parts);
/// Each element of x repeated over a new shape, with which x broadcasts. Gradient: g summed over the
/// stretched axes.
Tensor expand(const Tensor& x, const Shape& shape);

// ---- indexing ----

/// Rows of `table` (V, E) chosen by `ids` (i64, any shape): (ids.shape…, E). Gradient: g is added to the rows
/// chosen, as often as they were. @throws Error naming the first id outside [0, V), and its position.
Tensor embedding(const Tensor& table, const Tensor& ids);
/// Elements of x's leading axis, chosen by `index` (i64, one axis). Gradient: as for embedding.
Tensor index_select(const Tensor& x, const Tensor& index);

// ---- normalising and losses ----

/// e^x_i / Σ_j e^x_j over the last axis. Gradient: y·(g − Σ_j g_j y_j).
Tensor softmax(const Tensor& x);
/// The same over the first `lengths` elements of each row: x (B, T), lengths (i64, (B), or undefined for T
/// each); 0 beyond, and a row of length 0 is all zeros. @throws Error for a length outside [0, T].
Tensor masked_softmax(const Tensor& x, const Tensor& lengths);
/// ln softmax(x) over the last axis. Gradient: g − softmax(x)·Σ_j g_j.
Tensor log_softmax(const Tensor& x);
/// Mean of −ln softmax(logits)[target] over the targets that are not `ignored`: logits (…, V), targets (i64,
/// (…)) → a scalar; 0 when all are ignored. Gradient: g·(softmax(logits) − onehot(target)) / n, and 0 in
/// ignored rows.
/// @throws Error for a target outside [0, V) that is not `ignored`.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets, std::int64_t ignored = -1);

}  // namespace gradus
