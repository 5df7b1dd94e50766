#pragma once

#include <gradus/autograd/axes.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
/// The operations. Each function checks its shapes, computes the result, and records the operation if it has
/// a gradient. Below, `g` is d(loss)/d(result), and y is the result. Every operation throws Error for
/// mismatched shapes or dtypes, and for an axis that does not exist, before it changes anything. Elementwise
/// operations broadcast by NumPy's rule: axes are matched from the last, and an axis of size 1 is stretched.
/// An operand's gradient is summed over the operand's stretched axes. Floating-point operands must have the
/// same dtype. A result computed from a NaN is NaN, except for comparisons, `argmax`, and the cases of `pow`
/// in which IEEE 754 defines the result as 1. A negative axis counts from the end.
namespace gradus {

// ---- Elementwise ----

/// a + b.
/// Gradients: g, g.
Tensor add(const Tensor& a, const Tensor& b);
/// a − b.
/// Gradients: g, −g.
Tensor sub(const Tensor& a, const Tensor& b);
/// a · b, elementwise.
/// Gradients: g·b, g·a.
Tensor mul(const Tensor& a, const Tensor& b);
/// a / b, elementwise.
/// Gradients: g/b, −g·a/b².
Tensor div(const Tensor& a, const Tensor& b);
/// −x.
/// Gradient: −g.
Tensor neg(const Tensor& x);
/// x^p for a number p; special values as in pow(a, b).
/// Gradient: g·p·x^(p−1); 0 for p = 0.
Tensor pow(const Tensor& x, double p);
/// a^b, elementwise, with the special values of IEEE 754. The result is 1 for a = 1 or b = 0, even if the
/// other operand is NaN. Otherwise the result is NaN for finite a < 0, unless b is an integer or infinite.
/// (−∞)^b is ∞ for b > 0 and 0 for b < 0, with a minus sign if b is an odd integer.
/// Gradients: for a, g·b·a^(b−1), or 0 where b = 0; for b, g·y·ln a, or 0 where a = 0 and b ≥ 0.
Tensor pow(const Tensor& a, const Tensor& b);
/// e^x. In f32, the result is 0 for x below about −87.7, and ∞ for x above about 88.4, a little before e^x
/// itself overflows (88.72).
/// Gradient: g·y.
Tensor exp(const Tensor& x);
/// ln x. −∞ at 0 and NaN below.
/// Gradient: g/x.
Tensor log(const Tensor& x);
/// √x. NaN below 0.
/// Gradient: g/(2y), infinite at 0.
Tensor sqrt(const Tensor& x);
/// tanh x.
/// Gradient: g·(1 − y²).
Tensor tanh(const Tensor& x);
/// σ(x) = 1 / (1 + e^−x).
/// Gradient: g·y·(1 − y).
Tensor sigmoid(const Tensor& x);
/// max(x, 0).
/// Gradient: g where x > 0 or x is NaN, otherwise 0 (at 0 too).
Tensor relu(const Tensor& x);
/// ln(1 + e^x), without overflow.
/// Gradient: g·σ(x).
Tensor softplus(const Tensor& x);
/// |x|.
/// Gradient: g·sign(x), and 0 at 0.
Tensor abs(const Tensor& x);
/// x limited to [low, high].
/// Gradient: g where low ≤ x ≤ high, otherwise 0. @throws Error unless low ≤ high.
Tensor clamp(const Tensor& x, double low, double high);
/// The larger of a and b, elementwise; NaN if either is NaN.
/// Gradients: g for the larger operand; g/2 for each operand where a = b; g for both where either is NaN.
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller of a and b, elementwise; NaN if either is NaN.
/// Gradients: g for the smaller operand; g/2 for each operand where a = b; g for both where either is NaN.
Tensor minimum(const Tensor& a, const Tensor& b);
/// Inverted dropout (Srivastava et al. 2014): sets each element to 0 with `probability`, and otherwise
/// multiplies it by 1 / (1 − probability). Each call draws one 64-bit number, the key of the mask, unless the
/// probability is 0. For x (…, n), the random bits of an element are Philox4x32-10 (random.hpp) of the key,
/// the row and the column.
/// Gradient: g with the same mask. @throws Error unless 0 ≤ probability < 1. Also throws if the probability
/// is above 0 and x does not fit a generator for a part of a batch (Generator::of_part). For a part of B
/// sequences, x must be (…, B, n).
Tensor dropout(const Tensor& x, double probability, Generator& generator);
/// Dropout of packed sequences (N, …). For (N, n), each element gets the same mask as in the padded tensor
/// (T, B, n).
/// Gradient: g with the same mask. @throws Error unless 0 ≤ probability < 1 and x has packing.rows() rows.
/// With a probability above 0, also throws if the generator is for a part of a batch (Generator::of_part)
/// whose number of sequences differs from that of `packing`.
Tensor dropout(const Tensor& x, double probability, Generator& generator, const Packing& packing);

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

// ---- Comparing and choosing ----
// Comparisons return i64: 1 where true, 0 elsewhere. NaN is unequal to everything.

/// a = b, for two tensors of the same dtype, i64 included.
/// Gradient: none.
Tensor equal(const Tensor& a, const Tensor& b);
/// a ≠ b.
/// Gradient: none.
Tensor not_equal(const Tensor& a, const Tensor& b);
/// a < b.
/// Gradient: none.
Tensor less(const Tensor& a, const Tensor& b);
/// a ≤ b.
/// Gradient: none.
Tensor less_equal(const Tensor& a, const Tensor& b);
/// a > b.
/// Gradient: none.
Tensor greater(const Tensor& a, const Tensor& b);
/// a ≥ b.
/// Gradient: none.
Tensor greater_equal(const Tensor& a, const Tensor& b);
/// The elements of `a` where `condition` (i64) is not 0, and the elements of `b` where it is 0.
/// Gradients: g where the operand was chosen, 0 elsewhere.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
/// `value` where mask ≠ 0, otherwise x. The mask is i64 and broadcasts to x's shape.
/// Gradient: g where mask = 0, 0 elsewhere. @throws Error when x would have to broadcast to the mask's shape.
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

// ---- Reductions ----
// `argmax` reduces one axis, by default the last, and `cumsum` reduces none. The other operations reduce
// `axes`, for example `1` or `{0, -1}`; by default all axes. Reduced axes are removed or, with `keep`, have
// size 1.

/// Σ x.
/// Gradient: g, broadcast to the shape of x.
Tensor sum(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// Σ x / n over the n reduced elements.
/// Gradient: g / n, broadcast to the shape of x. @throws Error when n = 0.
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// Σ (x − mean)² / (n − correction) over the n reduced elements, computed in two passes. A correction of 1
/// gives the unbiased estimate; 0 gives the population variance, which layer_norm uses.
/// Gradient: g · 2 (x − mean) / (n − correction). @throws Error unless n > correction.
Tensor variance(const Tensor& x, const Axes& axes = {}, bool keep = false, int correction = 1);
/// The largest element; NaN if any element is NaN.
/// Gradient: g for the largest element, divided equally among ties; NaN if the result is NaN. @throws Error
/// when a reduced axis is empty.
Tensor max(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// The smallest element; NaN if any element is NaN.
/// Gradient: g for the smallest element, divided equally among ties; NaN if the result is NaN. @throws Error
/// when a reduced axis is empty.
Tensor min(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// ln Σ e^x, without overflow; −∞ if all elements are −∞ or there are none.
/// Gradient: g·e^(x − y), where e^(x − y) is the softmax of x; 0 where y = −∞.
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// The index of the largest element along an axis, i64; the first index if several elements are equally
/// large. NaN counts as largest.
/// Gradient: none. @throws Error when the axis is empty.
Tensor argmax(const Tensor& x, int axis = -1, bool keep = false);
/// Σ_{j ≤ i} x_j along an axis, in x's shape. Sums are accumulated in double.
/// Gradient: Σ_{j ≥ i} g_j, also accumulated in double.
Tensor cumsum(const Tensor& x, int axis);

// ---- Products ----

/// A·B, as in NumPy: matrices (m, k) and (k, n), or batches (…, m, k) and (…, k, n) whose leading axes
/// broadcast. A vector (k) in place of A counts as a row, and a vector in place of B as a column. The
/// added axis is removed from the result: (k) and (k, n) give (n).
/// Gradients: g·Bᵀ, Aᵀ·g, summed over stretched axes. @throws Error when the inner sizes differ.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x·Wᵀ + b over the last axis. Shapes: x (…, I), W (O, I), b (O), result (…, O). Without a bias, b is
/// undefined.
/// Gradients: g·W, gᵀ·x, and g summed over all axes but the last.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());
/// a bᵀ for vectors (m) and (n): (m, n).
/// Gradients: g·b, gᵀ·a.
Tensor outer(const Tensor& a, const Tensor& b);

// ---- Layout ----
// In this section, squeeze and unsqueeze return views. So does split along the leading axis. The other
// operations copy. The member functions Tensor::reshape and Tensor::operator[] also return views. So does
// Tensor::slice along the leading axis.

/// x with axes a and b exchanged.
/// Gradient: g, exchanged back.
Tensor transpose(const Tensor& x, int a, int b);
/// Axis i of the result is axis `axes[i]` of x.
/// Gradient: g, permuted back. @throws Error unless `axes` contains each axis exactly once.
Tensor permute(const Tensor& x, std::span<const int> axes);
Tensor permute(const Tensor& x, std::initializer_list<int> axes);
/// x with an axis of size 1 removed.
/// Gradient: g. @throws Error when the size of the axis is not 1.
Tensor squeeze(const Tensor& x, int axis);
/// x with a new axis of size 1, which is axis `axis` of the result. If `axis` is −1, the new axis is the
/// last.
/// Gradient: g.
Tensor unsqueeze(const Tensor& x, int axis);
/// x broadcast to a shape.
/// Gradient: g summed over the stretched axes. @throws Error when an axis that would be stretched does not
/// have size 1.
Tensor expand(const Tensor& x, const Shape& shape);
/// The tensors joined along an axis. Along every other axis, their sizes must be equal.
/// Gradients: to each tensor, its part of g. @throws Error when there are no tensors.
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
/// Tensors of one shape, joined along a new axis.
/// Gradients: to each tensor, its part of g. @throws Error when there are no tensors.
Tensor stack(std::span<const Tensor> parts, int axis = 0);
Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
/// Consecutive parts of x along an axis, of the given sizes; the inverse of concat.
/// Gradient: the parts' gradients, joined. @throws Error when a size is negative, or the sizes do not add up
/// to the size of the axis.
std::vector<Tensor> split(const Tensor& x, std::span<const std::int64_t> sizes, int axis);
std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> sizes, int axis);
/// x with the order of elements reversed along `axes`.
/// Gradient: g, reversed back.
Tensor flip(const Tensor& x, const Axes& axes);
/// x with `before` elements added at the start of an axis and `after` elements at its end, all equal to
/// `value`.
/// Gradient: g without the added elements. @throws Error when `before` or `after` is negative.
Tensor pad(const Tensor& x, int axis, std::int64_t before, std::int64_t after, double value = 0);

// ---- Indexing ----
// Indices are i64. An index out of range throws an Error that names the index and its position.

/// Rows of `table` (V, E) chosen by `ids` (any shape): (ids.shape…, E).
/// Gradient: each row of g is added to the gradient of the row of `table` that was chosen. A row chosen
/// several times gets the sum.
Tensor embedding(const Tensor& table, const Tensor& ids);
/// The elements of x's leading axis that `index` (n) lists: (n, …).
/// Gradient: each element of g is added to the gradient of the element of x that was chosen. An element
/// chosen several times gets the sum.
Tensor index_select(const Tensor& x, const Tensor& index);
/// y[i, j, …] = x[i, index[i, j, …], …] for `axis` = 1. Along `axis`, the position comes from `index`; along
/// all other axes, it is the position of the element of y. `index` has x's shape, but may have any size along
/// `axis`.
/// Gradient: each element of g is added to the gradient of the element of x that was chosen. An element
/// chosen several times gets the sum.
Tensor gather(const Tensor& x, int axis, const Tensor& index);
/// A copy of x in which source[i, j, …] is added to element [i, index[i, j, …], …], for `axis` = 1. Along
/// `axis`, the position comes from `index`; along all other axes, it is the position of the element of
/// `source`.
/// Gradients: g for x; for each element of `source`, g at the element of x to which it was added.
Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source);
/// 1 at each id and 0 elsewhere: ids (any shape) → (ids.shape…, classes).
/// Gradient: none. @throws Error when `classes` is negative.
Tensor one_hot(const Tensor& ids, std::int64_t classes, Dtype dtype = Dtype::f32);

// ---- Normalising ----

/// e^x_i / Σ_j e^x_j along an axis. If any x_j is ∞, or all x_j are −∞, the result is NaN.
/// Gradient: y·(g − Σ_j g_j y_j).
Tensor softmax(const Tensor& x, int axis = -1);
/// Softmax over the first `lengths` elements of each row, for x (…, T) and lengths (…), i64. Undefined
/// lengths mean that all are T. Elements past the length are 0, so a row of length 0 is all zeros.
/// Gradient: y·(g − Σ_j g_j y_j), which is 0 past the length. @throws Error for a length outside [0, T].
Tensor masked_softmax(const Tensor& x, const Tensor& lengths);
/// ln softmax(x) along an axis. NaN where softmax(x) is NaN.
/// Gradient: g − softmax(x)·Σ_j g_j.
Tensor log_softmax(const Tensor& x, int axis = -1);
/// x̂ ∘ gain + bias with x̂ = (x − μ) / √(σ² + ε), for the mean μ and the variance σ² of each row along the
/// last axis (Ba et al. 2016). gain and bias have the size of that axis, or are undefined.
/// Gradients: for x, (ĝ − mean(ĝ) − x̂·mean(ĝ∘x̂)) / √(σ² + ε) with ĝ = g∘gain; for gain, Σ g∘x̂; for bias, Σ
/// g. @throws Error when the axis is empty.
Tensor layer_norm(const Tensor& x, const Tensor& gain = Tensor(), const Tensor& bias = Tensor(),
                  double epsilon = 1e-5);

// ---- Losses ----
// All return a mean, as a scalar.

/// Mean of −Σ_k q_k ln softmax(logits)_k over the targets that are not `ignored`, for logits (…, V) and
/// targets (…), i64. Without label smoothing, q is 1 at the target and 0 elsewhere. With label smoothing ε, q
/// is 1 − ε + ε/V at the target and ε/V elsewhere (Szegedy et al. 2016). Rows of ignored targets are not
/// read. If all targets are ignored, the loss is 0. A logit of −∞ makes the loss ∞ if its q_k > 0; otherwise
/// it has no effect. If `logits` is moved in and nothing else shares its values, its buffer is reused for the
/// exponentials and the gradient. `unsmoothed`, if not null, receives the loss without smoothing.
/// Gradient: g·(softmax(logits) − q) / n for the n targets that are not ignored, even where the loss is ∞; 0
/// in rows of ignored targets.
/// @throws Error for a target outside [0, V) that is not `ignored`, and for ε outside [0, 1].
Tensor cross_entropy(Tensor logits, const Tensor& targets, std::int64_t ignored = -1,
                     double label_smoothing = 0, double* unsmoothed = nullptr);
/// Mean of −log_probabilities[target] over the targets that are not `ignored`. Equals cross_entropy(logits,
/// targets) for log_probabilities = log_softmax(logits).
/// Gradient: −g/n at each of the n targets that are not ignored, 0 elsewhere. @throws Error for a target
/// outside [0, V) that is not `ignored`.
Tensor nll(const Tensor& log_probabilities, const Tensor& targets, std::int64_t ignored = -1);
/// Mean of (prediction − target)² for two tensors of equal shape.
/// Gradients: for the prediction, g·2 (prediction − target) / n with n elements; for the target, the negative
/// of this gradient.
/// @throws Error when the shapes differ, or there are no elements.
Tensor mse(const Tensor& prediction, const Tensor& target);
/// Mean of −t ln σ(x) − (1 − t) ln(1 − σ(x)) for logits x and targets t in [0, 1] of the same shape.
/// Gradients: for the logits, g·(σ(x) − t) / n with n elements; for the targets, −g·x / n. @throws Error when
/// the shapes differ, or there are no elements.
Tensor binary_cross_entropy(const Tensor& logits, const Tensor& targets);

}  // namespace gradus
#pragma GCC visibility pop
