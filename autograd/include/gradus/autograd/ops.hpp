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
/// The operations. Each is one function: it checks its shapes, computes, and records its gradient; `g` below
/// is d(loss)/d(result), and y the result. All throw Error, before anything is changed, for shapes or dtypes
/// that do not fit. Where several tensors meet elementwise, axes are matched from the last and a size of 1
/// stretches (NumPy's rule); the gradient is summed over stretched axes. Floating tensors that meet must have
/// the same dtype. NaN goes through: no operation hides one. A negative axis counts from the end.
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
/// x^p for a number p, as pow(a, b).
/// Gradient: g·p·x^(p−1); 0 for p = 0.
Tensor pow(const Tensor& x, double p);
/// a^b, elementwise, by the rules of IEEE 754: NaN for a finite a < 0, unless b is an integer; 1 for a = 1 or
/// b = 0, even of NaN; (−∞)^b is ∞ for b > 0 and 0 for b < 0, and negative for an odd integer b.
/// Gradients: g·b·a^(b−1), which is 0 where b = 0; g·y·ln a, which is 0 where a = 0 and b ≥ 0.
Tensor pow(const Tensor& a, const Tensor& b);
/// e^x. In f32, 0 below −87.3 and ∞ above 88.3.
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
/// Gradient: g where x > 0, otherwise 0 (at 0 too).
Tensor relu(const Tensor& x);
/// ln(1 + e^x), without overflow.
/// Gradient: g·σ(x).
Tensor softplus(const Tensor& x);
/// |x|.
/// Gradient: g·sign(x), and 0 at 0.
Tensor abs(const Tensor& x);
/// x, but not below `low` nor above `high`.
/// Gradient: g where low ≤ x ≤ high, otherwise 0. @throws Error unless low ≤ high.
Tensor clamp(const Tensor& x, double low, double high);
/// The larger of a and b, elementwise; NaN where one is.
/// Gradients: g to the larger; half of it to each where they are equal.
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller of a and b, elementwise; NaN where one is.
/// Gradients: g to the smaller; half of it to each where they are equal.
Tensor minimum(const Tensor& a, const Tensor& b);
/// Training's dropout (Srivastava et al. 2014, inverted): each element is 0 with `probability`, otherwise
/// multiplied by 1 / (1 − probability). Draws one number of 64 bits, the key of the mask: an element's bits
/// are Philox4x32-10's (random.hpp) under that key, for its row and column, where x is (…, n).
/// Gradient: g under the same mask. @throws Error unless 0 ≤ probability < 1.
Tensor dropout(const Tensor& x, double probability, Generator& generator);
/// The same of packed sequences, (N, …): an element has the mask that it has in the padded tensor (T, B, n).
/// Gradient: g under the same mask. @throws Error also when x does not have the packing's rows.
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
// Comparisons are 1 where they hold and 0 elsewhere, i64. NaN is unequal to everything.

/// a = b, for two tensors of one dtype, any.
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
/// a where condition ≠ 0, otherwise b; condition is i64.
/// Gradients: g where each was taken, 0 elsewhere.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
/// `value` where mask ≠ 0, otherwise x; the mask is i64 and may stretch to x's shape, not x to the mask's.
/// Gradient: g where mask = 0, 0 elsewhere. @throws Error when the mask would stretch x.
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

// ---- Reductions ----
// Over `axes`: `1`, `{0, -1}`, or all when none are named. Reduced axes are removed, or kept with size 1.

/// Σ x.
/// Gradient: g, everywhere.
Tensor sum(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// Σ x / n, for the n elements that become one.
/// Gradient: g / n, everywhere. @throws Error when there are none.
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// Σ (x − mean)² / (n − correction), computed in two passes. A correction of 1 gives the unbiased estimate, 0
/// the variance of the elements themselves, as layer_norm uses it. Gradient: g · 2 (x − mean) / (n −
/// correction). @throws Error unless n > correction.
Tensor variance(const Tensor& x, const Axes& axes = {}, bool keep = false, int correction = 1);
/// The largest element; NaN when there is one.
/// Gradient: g to the largest, in equal parts where several are; NaN when the result is. @throws Error when
/// there are no elements.
Tensor max(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// The smallest element; NaN when there is one.
/// Gradient: g to the smallest, in equal parts where several are; NaN when the result is. @throws Error when
/// there are no elements.
Tensor min(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// ln Σ e^x, without overflow; −∞ when all are −∞, or there are none.
/// Gradient: g·e^(x − y), the softmax; 0 where y = −∞.
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keep = false);
/// The index of the largest element along an axis, i64. The first, where several are largest; NaN counts as
/// largest.
/// Gradient: none. @throws Error when the axis is empty.
Tensor argmax(const Tensor& x, int axis = -1, bool keep = false);
/// Σ_{j ≤ i} x_j along an axis, of x's shape; added in double.
/// Gradient: Σ_{j ≥ i} g_j, added in double too.
Tensor cumsum(const Tensor& x, int axis);

// ---- Products ----

/// A·B, as in NumPy: of matrices (m, k) and (k, n); of batches of them, (…, m, k) and (…, k, n), whose
/// leading axes stretch; of a vector (k) as a row on the left or a column on the right, whose axis then
/// disappears. Gradients: g·Bᵀ, Aᵀ·g, summed over
/// stretched axes. @throws Error when the inner sizes differ.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x·Wᵀ + b over the last axis: x (…, I), W (O, I), b (O) or undefined for none → (…, O).
/// Gradients: g·W, gᵀ·x, and g summed over all axes but the last.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());
/// a bᵀ for vectors (m) and (n): (m, n).
/// Gradients: g·b, gᵀ·a.
Tensor outer(const Tensor& a, const Tensor& b);

// ---- Layout ----
// Tensor::reshape, operator[], slice of the leading axis, squeeze and unsqueeze share their input's values;
// the others copy.

/// Axes a and b exchanged.
/// Gradient: g, exchanged back.
Tensor transpose(const Tensor& x, int a, int b);
/// Axis i of the result is axis `axes[i]` of x.
/// Gradient: g, permuted back. @throws Error unless each axis is named once.
Tensor permute(const Tensor& x, std::span<const int> axes);
Tensor permute(const Tensor& x, std::initializer_list<int> axes);
/// x without an axis of size 1.
/// Gradient: g. @throws Error when its size is not 1.
Tensor squeeze(const Tensor& x, int axis);
/// x with an axis of size 1 put before axis `axis` of x; −1 puts it last.
/// Gradient: g.
Tensor unsqueeze(const Tensor& x, int axis);
/// x repeated over a new shape, with which it broadcasts.
/// Gradient: g summed over the stretched axes. @throws Error when more than axes of size 1 would stretch.
Tensor expand(const Tensor& x, const Shape& shape);
/// The tensors one after another along an axis; all other sizes are the same.
/// Gradients: each its part of g.
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
/// Tensors of one shape, along a new axis.
/// Gradients: each its part of g.
Tensor stack(std::span<const Tensor> parts, int axis = 0);
Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
/// Consecutive parts of x along an axis, of these sizes: the inverse of concat.
/// Gradient: each part's g in its place. @throws Error unless the sizes add up to the axis'.
std::vector<Tensor> split(const Tensor& x, std::span<const std::int64_t> sizes, int axis);
std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> sizes, int axis);
/// x with the elements of these axes in reverse order.
/// Gradient: g, reversed back.
Tensor flip(const Tensor& x, const Axes& axes);
/// x with elements of one value added at both ends of an axis.
/// Gradient: the part of g that x went to. @throws Error for a negative number of them.
Tensor pad(const Tensor& x, int axis, std::int64_t before, std::int64_t after, double value = 0);

// ---- Indexing ----
// An index is i64; one out of range is an Error that names it and its position.

/// Rows of `table` (V, E) chosen by `ids` (any shape): (ids.shape…, E).
/// Gradient: g is added to the rows chosen, as often as they were.
Tensor embedding(const Tensor& table, const Tensor& ids);
/// Elements of x's leading axis, chosen by `index` (one axis).
/// Gradient: as for embedding.
Tensor index_select(const Tensor& x, const Tensor& index);
/// y[i, j, …] = x[i, index[i, j, …], …], for `axis` = 1 and likewise for others: one element of x's axis for
/// each element of the index, which has x's shape but for that axis.
/// Gradient: g is added to the elements chosen, as often as they were.
Tensor gather(const Tensor& x, int axis, const Tensor& index);
/// x, with source[i, j, …] added to the element [i, index[i, j, …], …], for `axis` = 1 and likewise for
/// others. Gradients: g, and g at the elements added to.
Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source);
/// 1 at each id and 0 elsewhere: ids (any shape) → (ids.shape…, classes).
/// Gradient: none.
Tensor one_hot(const Tensor& ids, std::int64_t classes, Dtype dtype = Dtype::f32);

// ---- Normalising ----

/// e^x_i / Σ_j e^x_j along an axis.
/// Gradient: y·(g − Σ_j g_j y_j).
Tensor softmax(const Tensor& x, int axis = -1);
/// The same over the first `lengths` elements of each row, the last axis: x (…, T), lengths (i64, (…), or
/// undefined for T each); 0 beyond, and a row of length 0, fully masked, is all zeros.
/// Gradient: as for softmax, and 0 beyond. @throws Error for a length outside [0, T].
Tensor masked_softmax(const Tensor& x, const Tensor& lengths);
/// ln softmax(x) along an axis.
/// Gradient: g − softmax(x)·Σ_j g_j.
Tensor log_softmax(const Tensor& x, int axis = -1);
/// x̂ ∘ gain + bias with x̂ = (x − μ) / √(σ² + ε), for the mean μ and the variance σ² of each row, the last
/// axis (Ba et al. 2016). gain and bias (that axis' size) may be undefined. Gradients: (ĝ − mean(ĝ) −
/// x̂·mean(ĝ∘x̂)) / √(σ² + ε) with ĝ = g∘gain; Σ g∘x̂; Σ g. @throws Error when the axis is empty.
Tensor layer_norm(const Tensor& x, const Tensor& gain = Tensor(), const Tensor& bias = Tensor(),
                  double epsilon = 1e-5);

// ---- Losses ----
// All are means, scalars.

/// Mean of −Σ_k q_k ln softmax(logits)_k over the targets that are not `ignored`: logits (…, V), targets
/// (i64, (…)); 0 when all are ignored; an ignored row is not read. q is 1 at the target or, with label
/// smoothing ε, 1 − ε + ε/V there and ε/V elsewhere (Szegedy et al. 2016). A logit of −∞ makes the loss ∞ if
/// its q_k > 0, and has no effect otherwise. Logits that are moved here, and that nobody else sees, are
/// overwritten: then they, the probabilities and the gradient share one buffer. `unsmoothed`, unless null, is
/// set to the loss without smoothing.
/// Gradient: g·(softmax(logits) − q) / n, also where the loss is ∞, and 0 in ignored rows.
/// @throws Error for a target outside [0, V) that is not `ignored`, and unless 0 ≤ ε ≤ 1.
Tensor cross_entropy(Tensor logits, const Tensor& targets, std::int64_t ignored = -1,
                     double label_smoothing = 0, double* unsmoothed = nullptr);
/// Mean of −log_probabilities[target] over the targets that are not `ignored`: cross_entropy, after
/// log_softmax. Gradient: −g/n at each target. @throws Error as cross_entropy does.
Tensor nll(const Tensor& log_probabilities, const Tensor& targets, std::int64_t ignored = -1);
/// Mean of (prediction − target)², of equal shapes.
/// Gradients: g·2 (prediction − target) / n, and the opposite.
/// @throws Error when the shapes differ, or there are no elements.
Tensor mse(const Tensor& prediction, const Tensor& target);
/// Mean of −t ln σ(x) − (1 − t) ln(1 − σ(x)) for logits x and targets t in [0, 1], of equal shapes.
/// Gradients: g·(σ(x) − t) / n, −g·x / n. @throws Error when the shapes differ, or there are no elements.
Tensor binary_cross_entropy(const Tensor& logits, const Tensor& targets);

}  // namespace gradus
#pragma GCC visibility pop
