"""The Chinese text of docs/zh/operations.md: translations of the headers' docstrings, for docs/operations.py.

docs/operations.py fails if a paragraph, gradient or error of a docstring has no translation here, unless that text consists of
formulas.
"""

import re

INTRODUCTION = """\
<!-- Generated from the headers by docs/operations.py; edit those, then run `docs/operations.py render`. -->
# 运算

这一页列出每个运算的公式、梯度和错误。[速查表](cheat-sheet.md)用表格列出各种调用，以及输入和结果的形状。

在梯度中，`g` 表示 d(loss)/d(result)，`y` 表示结果。如果有几个梯度，次序与参数相同。

- 这些运算用 `#include <gradus/gradus.hpp>` 引入，位于命名空间 `gradus`；“稀疏权重”一节的运算位于 `gradus::nn`。
- 形状或数据类型不匹配，或者轴不存在时，每个运算都抛出 `gradus::Error`，而且在此之前不改变任何东西。下面的“错误”列出其他会报错的条件。
- 逐元素的运算会广播：各轴从最后一个开始对应，大小为 1 的轴会拉伸。梯度在拉伸的轴上求和。
- 浮点操作数的数据类型必须相同。
- 可以用于 i64 数据的有：比较、`where`、`masked_fill`、`argmax`、布局的各个运算、`embedding`、`index_select`、`gather`、`pack`、`unpack` 和成员函数。其他运算的数据必须是 f32 或 f64，要先用 `to` 转换，例如准确率 `mean(equal(argmax(x, -1), t).to(Dtype::f32))`。
- 逐元素的运算、归约或乘积读到 NaN，结果就是 NaN。例外有三个：比较、`argmax`，以及按 IEEE 754 规定为 1 的 `pow`，例如 pow(NaN, 0)。被屏蔽、被 `dropout` 置零或没有选中的元素不会读到。
- 负的轴从末尾数起。
- `+`、`-`、`*` 和 `/` 接受两个张量，或者一个张量和一个数。
- 例子里，向量写作 `(1, 2, 3)`，矩阵按行写作 `((1, 2), (3, 4))`。
- **打包**的序列逐步存放，没有填充。每一步里，尚未结束的序列各占一行，最长的在前。例如，序列 a 的长度是 2，b 的长度是 3，各行就是 b₀ a₀ | b₁ a₁ | b₂。N 是行数，也就是各长度之和，这里是 5。[`Packing`](../../autograd/include/gradus/autograd/packing.hpp) 由各序列的长度构造，保存这种布局。
- 多数归约以及 `flip` 有一个参数，类型是 [`Axes`](../../autograd/include/gradus/autograd/axes.hpp)：一个轴，或几个轴。

要检验梯度，用 `gradcheck`（[gradcheck.hpp](../../autograd/include/gradus/autograd/gradcheck.hpp)）。
"""
GRADIENT, ERROR = "**梯度**：", "**错误**："
EXAMPLE = "**例子**：`{}` 是 `{}`。g = `{}` 时，梯度是 `{}`。"
PLAIN_EXAMPLE = "**例子**：`{}` 是 `{}`。"
SHAPE_EXAMPLE = "**例子**：x 的形状是 {} 时，`{}` 的形状是 {}。"
TYPES, COMMA = "**类型**：", "、"

WORDS = {
    # chapters and their notes
    "Elementwise": "逐元素的运算", "Comparing and choosing": "比较与选择", "Reductions": "归约", "Products": "乘积", "Layout": "布局", "Indexing": "下标",
    "Normalising": "归一化", "Losses": "损失", "Members of Tensor": "Tensor 的成员", "Fused": "融合运算", "Packed sequences": "打包的序列",
    "Sparse weights": "稀疏权重",
    "Comparisons return i64: 1 where true, 0 elsewhere. NaN is unequal to everything.": "比较返回 i64：成立处为 1，其余为 0。NaN 与任何数都不相等。",
    "`argmax` reduces one axis, by default the last, and `cumsum` reduces none. The other operations reduce `axes`, for example `1` or `{0, -1}`; by default all axes. Reduced axes are removed or, with `keep`, have size 1.":
        "`argmax` 在一个轴上归约，默认是最后一个；`cumsum` 不归约。其他运算在 `axes` 上归约，例如 `1` 或 `{0, -1}`；默认是所有轴。归约的轴被去掉；有 `keep` 时保留，大小为 1。",
    "In this section, squeeze and unsqueeze return views. So does split along the leading axis. The other operations copy. The member functions Tensor::reshape and Tensor::operator[] also return views. So does Tensor::slice along the leading axis.":
        "在这一节里，squeeze、unsqueeze 和对第一个轴的 split 返回视图，其余的复制。成员 reshape、operator[] 和对第一个轴的 slice 也返回视图。",
    "Indices are i64. An index out of range throws an Error that names the index and its position.":
        "下标是 i64。下标越界时抛出 Error，其中指出下标和它的位置。",
    "All return a mean, as a scalar.": "都返回平均值，是一个标量。",
    "These functions of gradus/nn/normaliser.hpp turn attention energies into weights. Many of the weights are exactly 0. The lengths are (B), i64, or undefined if all are T. A row of length 0 gets zeros.":
        "这些运算用于注意力，声明在 gradus/nn/normaliser.hpp 中。长度是 (B)，i64；都是 T 时可以未定义。长度为 0 的行全是零。",
    # elementwise
    "none.": "无。",
    "a · b, elementwise.": "逐元素的 a · b。", "a / b, elementwise.": "逐元素的 a / b。",
    "x^p for a number p; special values as in pow(a, b).": "x^p，p 是一个数；特殊值与 pow(a, b) 相同。",
    "g·p·x^(p−1); 0 for p = 0.": "g·p·x^(p−1)；p = 0 时为 0。",
    "a^b, elementwise, with the special values of IEEE 754. The result is 1 for a = 1 or b = 0, even if the other operand is NaN. Otherwise the result is NaN for finite a < 0, unless b is an integer or infinite. (−∞)^b is ∞ for b > 0 and 0 for b < 0, with a minus sign if b is an odd integer.":
        "逐元素的 a^b，特殊值与 IEEE 754 相同。a = 1 或 b = 0 时结果为 1，即使另一个操作数是 NaN。否则，a 是有限的负数时结果为 NaN，除非 b 是整数或无穷大。(−∞)^b 在 b > 0 时为 ∞，在 b < 0 时为 0；b 是奇数时带负号。",
    "for a, g·b·a^(b−1), or 0 where b = 0; for b, g·y·ln a, or 0 where a = 0 and b ≥ 0.":
        "a 的梯度是 g·b·a^(b−1)，b = 0 处为 0；b 的梯度是 g·y·ln a，a = 0 且 b ≥ 0 处为 0。",
    "e^x. In f32, the result is 0 for x below about −87.7, and ∞ for x above about 88.4, a little before e^x itself overflows (88.72).":
        "e^x。在 f32 中，x 低于约 −87.7 时结果为 0，高于约 88.4 时为 ∞，比 e^x 本身的溢出（88.72）略早一点。",
    "ln x. −∞ at 0 and NaN below.": "ln x。在 0 处为 −∞，小于 0 时为 NaN。",
    "√x. NaN below 0.": "√x。小于 0 时为 NaN。",
    "g/(2y), infinite at 0.": "g/(2y)，在 0 处为无穷大。",
    "g where x > 0 or x is NaN, otherwise 0 (at 0 too).": "x > 0 或 x 是 NaN 处为 g，其余为 0（在 0 处也是 0）。",
    "ln(1 + e^x), without overflow.": "ln(1 + e^x)，不会溢出。",
    "g·sign(x), and 0 at 0.": "g·sign(x)，在 0 处为 0。",
    "x limited to [low, high].": "把 x 限制在 [low, high] 之内。",
    "g where low ≤ x ≤ high, otherwise 0.": "low ≤ x ≤ high 处为 g，其余为 0。",
    "unless low ≤ high.": "low ≤ high 不成立时。",
    "The larger of a and b, elementwise; NaN if either is NaN.": "逐元素取 a 和 b 中较大的一个；有一个是 NaN，结果就是 NaN。",
    "g for the larger operand; g/2 for each operand where a = b; g for both where either is NaN.": "较大的操作数得到 g；a = b 处各得 g/2；有一个是 NaN 的地方，两个都得到 g。",
    "The smaller of a and b, elementwise; NaN if either is NaN.": "逐元素取 a 和 b 中较小的一个；有一个是 NaN，结果就是 NaN。",
    "g for the smaller operand; g/2 for each operand where a = b; g for both where either is NaN.": "较小的操作数得到 g；a = b 处各得 g/2；有一个是 NaN 的地方，两个都得到 g。",
    "Inverted dropout (Srivastava et al. 2014): sets each element to 0 with `probability`, and otherwise multiplies it by 1 / (1 − probability). Each call draws one 64-bit number, the key of the mask, unless the probability is 0. For x (…, n), the random bits of an element are Philox4x32-10 (random.hpp) of the key, the row and the column.":
        "倒置的 dropout（inverted dropout，Srivastava 等人，2014）：以概率 `probability` 把元素设为 0，否则乘以 1 / (1 − probability)。每次调用抽取一个 64 位的数，作为掩码的密钥；概率为 0 时不抽取。对于 x (…, n)，一个元素的随机位是对密钥、行和列计算的 Philox4x32-10（random.hpp）。",
    "g with the same mask.": "用同一个掩码处理的 g。",
    "unless 0 ≤ probability < 1. Also throws if the probability is above 0 and x does not fit a generator for a part of a batch (Generator::of_part). For a part of B sequences, x must be (…, B, n).":
        "0 ≤ probability < 1 不成立时。概率大于 0，而生成器属于批次的一部分（Generator::of_part）时，如果 x 的形状不是这一部分的 (…, B, n)，也会报错。",
    "Dropout of packed sequences (N, …). For (N, n), each element gets the same mask as in the padded tensor (T, B, n).":
        "打包的序列 (N, …) 的 dropout。对于 (N, n)，每个元素的掩码，与它在填充的张量 (T, B, n) 中的掩码相同。",
    "unless 0 ≤ probability < 1 and x has packing.rows() rows. With a probability above 0, also throws if the generator is for a part of a batch (Generator::of_part) whose number of sequences differs from that of `packing`.":
        "0 ≤ probability < 1 不成立时，或者 x 的行数不是 packing.rows() 时。概率大于 0，而生成器属于批次的一部分时，如果序列数不同，也会报错。",
    # comparing and choosing
    "a = b, for two tensors of the same dtype, i64 included.": "a = b，两个张量的数据类型相同，可以是 i64。",
    "The elements of `a` where `condition` (i64) is not 0, and the elements of `b` where it is 0.":
        "`condition`（i64）不为 0 处取 `a` 的元素，为 0 处取 `b` 的元素。",
    "g where the operand was chosen, 0 elsewhere.": "被选中处为 g，其余为 0。",
    "`value` where mask ≠ 0, otherwise x. The mask is i64 and broadcasts to x's shape.": "mask ≠ 0 处为 `value`，其余为 x。掩码是 i64，会广播到 x 的形状。",
    "g where mask = 0, 0 elsewhere.": "mask = 0 处为 g，其余为 0。",
    "when x would have to broadcast to the mask's shape.": "x 需要广播才能与掩码的形状一致时。",
    # reductions
    "g, broadcast to the shape of x.": "广播到 x 的形状的 g。",
    "Σ x / n over the n reduced elements.": "Σ x / n，对 n 个归约的元素求和。",
    "g / n, broadcast to the shape of x.": "广播到 x 的形状的 g / n。",
    "when n = 0.": "n = 0 时。",
    "Σ (x − mean)² / (n − correction) over the n reduced elements, computed in two passes. A correction of 1 gives the unbiased estimate; 0 gives the population variance, which layer_norm uses.":
        "对归约的 n 个元素计算 Σ (x − mean)² / (n − correction)，分两遍计算。correction 为 1 时是无偏估计；为 0 时是总体方差，layer_norm 用的就是它。",
    "g · 2 (x − mean) / (n − correction).": "g · 2 (x − mean) / (n − correction)。",
    "unless n > correction.": "n > correction 不成立时。",
    "The largest element; NaN if any element is NaN.": "最大的元素；只要有一个元素是 NaN，结果就是 NaN。",
    "g for the largest element, divided equally among ties; NaN if the result is NaN.": "最大的元素得到 g，有几个相等时平分；结果是 NaN 时为 NaN。",
    "when a reduced axis is empty.": "归约的轴为空时。",
    "The smallest element; NaN if any element is NaN.": "最小的元素；只要有一个元素是 NaN，结果就是 NaN。",
    "g for the smallest element, divided equally among ties; NaN if the result is NaN.": "最小的元素得到 g，有几个相等时平分；结果是 NaN 时为 NaN。",
    "ln Σ e^x, without overflow; −∞ if all elements are −∞ or there are none.": "ln Σ e^x，不会溢出；所有元素都是 −∞ 或没有元素时为 −∞。",
    "g·e^(x − y), where e^(x − y) is the softmax of x; 0 where y = −∞.": "g·e^(x − y)，其中 e^(x − y) 是 x 的 softmax；y = −∞ 处为 0。",
    "The index of the largest element along an axis, i64; the first index if several elements are equally large. NaN counts as largest.":
        "沿一个轴的最大元素的下标，i64；有几个相等时取第一个。NaN 算作最大。",
    "when the axis is empty.": "轴的大小为 0 时。",
    "Σ_{j ≤ i} x_j along an axis, in x's shape. Sums are accumulated in double.": "沿一个轴的 Σ_{j ≤ i} x_j，形状与 x 相同。用 double 累加。",
    "Σ_{j ≥ i} g_j, also accumulated in double.": "Σ_{j ≥ i} g_j，也用 double 累加。",
    # products
    "A·B, as in NumPy: matrices (m, k) and (k, n), or batches (…, m, k) and (…, k, n) whose leading axes broadcast. A vector (k) in place of A counts as a row, and a vector in place of B as a column. The added axis is removed from the result: (k) and (k, n) give (n).":
        "A·B，与 NumPy 相同：矩阵 (m, k) 和 (k, n)，或者批次 (…, m, k) 和 (…, k, n)，前面的轴会广播。在 A 的位置上，向量 (k) 算作一行；在 B 的位置上，算作一列。结果去掉所加的轴：(k) 和 (k, n) 得到 (n)。",
    "g·Bᵀ, Aᵀ·g, summed over stretched axes.": "g·Bᵀ，Aᵀ·g，在拉伸的轴上求和。",
    "when the inner sizes differ.": "内侧的大小不同时。",
    "x·Wᵀ + b over the last axis. Shapes: x (…, I), W (O, I), b (O), result (…, O). Without a bias, b is undefined.":
        "在最后一个轴上计算 x·Wᵀ + b。形状：x (…, I)，W (O, I)，b (O)，结果 (…, O)。没有偏置时，b 是未定义的张量。",
    "g·W, gᵀ·x, and g summed over all axes but the last.": "g·W，gᵀ·x，以及在最后一个轴以外的所有轴上求和的 g。",
    "a bᵀ for vectors (m) and (n): (m, n).": "向量 (m) 和 (n) 的 a bᵀ：(m, n)。",
    # layout
    "x with axes a and b exchanged.": "交换 x 的轴 a 和 b。", "g, exchanged back.": "交换回来的 g。",
    "Axis i of the result is axis `axes[i]` of x.": "结果的轴 i 是 x 的轴 `axes[i]`。", "g, permuted back.": "重排回来的 g。",
    "unless `axes` contains each axis exactly once.": "没有把每个轴恰好列出一次时。",
    "x with an axis of size 1 removed.": "去掉 x 的一个大小为 1 的轴。", "when the size of the axis is not 1.": "轴的大小不是 1 时。",
    "x with a new axis of size 1, which is axis `axis` of the result. If `axis` is −1, the new axis is the last.":
        "加上一个大小为 1 的新轴，它是结果的轴 `axis`。−1 时，它是最后一个轴。",
    "x broadcast to a shape.": "把 x 广播到一个形状。", "g summed over the stretched axes.": "在拉伸的轴上求和的 g。",
    "when an axis that would be stretched does not have size 1.": "要拉伸的轴大小不是 1 时。",
    "The tensors joined along an axis. Along every other axis, their sizes must be equal.": "沿一个轴把张量连接起来；沿其他各轴的大小必须相等。",
    "to each tensor, its part of g.": "每个张量得到 g 中自己的部分。",
    "Tensors of one shape, joined along a new axis.": "把形状相同的张量沿一个新轴连接起来。",
    "Consecutive parts of x along an axis, of the given sizes; the inverse of concat.": "x 沿一个轴的各个相连的部分，大小由参数给出；是 concat 的逆运算。",
    "the parts' gradients, joined.": "各部分的梯度，连接起来。",
    "when there are no tensors.": "没有张量时。",
    "when a size is negative, or the sizes do not add up to the size of the axis.": "某个大小是负数，或者各部分的大小之和不等于轴的大小时。",
    "x with the order of elements reversed along `axes`.": "沿 `axes` 把 x 的元素次序反转。", "g, reversed back.": "反转回来的 g。",
    "x with `before` elements added at the start of an axis and `after` elements at its end, all equal to `value`.":
        "在 x 的一个轴的开头加上 `before` 个元素，在末尾加上 `after` 个元素，值都是 `value`。",
    "g without the added elements.": "去掉所加元素的 g。", "when `before` or `after` is negative.": "`before` 或 `after` 是负数时。",
    # indexing
    "Rows of `table` (V, E) chosen by `ids` (any shape): (ids.shape…, E).": "用 `ids`（任意形状）选出 `table` (V, E) 的行：(ids.shape…, E)。",
    "each row of g is added to the gradient of the row of `table` that was chosen. A row chosen several times gets the sum.":
        "g 的每一行加到 `table` 中被选中的那一行的梯度上。多次被选中的行得到总和。",
    "The elements of x's leading axis that `index` (n) lists: (n, …).": "x 的第一个轴上由 `index` (n) 列出的元素：(n, …)。",
    "each element of g is added to the gradient of the element of x that was chosen. An element chosen several times gets the sum.":
        "g 的每个元素加到 x 中被选中的那个元素的梯度上。多次被选中的元素得到总和。",
    "y[i, j, …] = x[i, index[i, j, …], …] for `axis` = 1. Along `axis`, the position comes from `index`; along all other axes, it is the position of the element of y. `index` has x's shape, but may have any size along `axis`.":
        "`axis` = 1 时，y[i, j, …] = x[i, index[i, j, …], …]。沿 `axis` 的位置由 `index` 给出；沿其他各轴的位置，就是 y 的这个元素的位置。除了沿 `axis`，`index` 的形状与 x 相同。",
    "A copy of x in which source[i, j, …] is added to element [i, index[i, j, …], …], for `axis` = 1. Along `axis`, the position comes from `index`; along all other axes, it is the position of the element of `source`.":
        "x 的副本；`axis` = 1 时，source[i, j, …] 加到元素 [i, index[i, j, …], …] 上。沿 `axis` 的位置由 `index` 给出；沿其他各轴的位置，就是 `source` 的这个元素的位置。",
    "g for x; for each element of `source`, g at the element of x to which it was added.": "x 得到 g；`source` 的每个元素，得到它所加到的 x 的元素处的 g。",
    "1 at each id and 0 elsewhere: ids (any shape) → (ids.shape…, classes).": "在每个编号处为 1，其余为 0：ids（任意形状）→ (ids.shape…, classes)。",
    "when `classes` is negative.": "`classes` 是负数时。",
    # normalising
    "e^x_i / Σ_j e^x_j along an axis. If any x_j is ∞, or all x_j are −∞, the result is NaN.": "沿一个轴的 e^x_i / Σ_j e^x_j。某个 x_j 是 ∞，或者全是 −∞ 时，结果是 NaN。",
    "Softmax over the first `lengths` elements of each row, for x (…, T) and lengths (…), i64. Undefined lengths mean that all are T. Elements past the length are 0, so a row of length 0 is all zeros.":
        "对每一行的前 `lengths` 个元素计算 softmax，x (…, T)，lengths (…)，i64。lengths 未定义，表示长度都是 T。长度之外的元素为 0，所以长度为 0 的行全是零。",
    "y·(g − Σ_j g_j y_j), which is 0 past the length.": "y·(g − Σ_j g_j y_j)，在长度之外为 0。",
    "for a length outside [0, T].": "长度在 [0, T] 之外时。",
    "ln softmax(x) along an axis. NaN where softmax(x) is NaN.": "沿一个轴的 ln softmax(x)。softmax(x) 是 NaN 处为 NaN。",
    "x̂ ∘ gain + bias with x̂ = (x − μ) / √(σ² + ε), for the mean μ and the variance σ² of each row along the last axis (Ba et al. 2016). gain and bias have the size of that axis, or are undefined.":
        "x̂ ∘ gain + bias，其中 x̂ = (x − μ) / √(σ² + ε)，μ 和 σ² 是每一行沿最后一个轴的平均值和方差（Ba 等人，2016）。gain 和 bias 的大小与这个轴相同，或者未定义。",
    "for x, (ĝ − mean(ĝ) − x̂·mean(ĝ∘x̂)) / √(σ² + ε) with ĝ = g∘gain; for gain, Σ g∘x̂; for bias, Σ g.":
        "x 的梯度是 (ĝ − mean(ĝ) − x̂·mean(ĝ∘x̂)) / √(σ² + ε)，其中 ĝ = g∘gain；gain 的梯度是 Σ g∘x̂；bias 的梯度是 Σ g。",
    # losses
    "Mean of −Σ_k q_k ln softmax(logits)_k over the targets that are not `ignored`, for logits (…, V) and targets (…), i64. Without label smoothing, q is 1 at the target and 0 elsewhere. With label smoothing ε, q is 1 − ε + ε/V at the target and ε/V elsewhere (Szegedy et al. 2016). Rows of ignored targets are not read. If all targets are ignored, the loss is 0. A logit of −∞ makes the loss ∞ if its q_k > 0; otherwise it has no effect. If `logits` is moved in and nothing else shares its values, its buffer is reused for the exponentials and the gradient. `unsmoothed`, if not null, receives the loss without smoothing.":
        "−Σ_k q_k ln softmax(logits)_k 的平均值，对所有不等于 `ignored` 的目标计算；logits (…, V)，targets (…)，i64。目标被忽略的行不读。如果所有目标都被忽略，损失为 0。没有标签平滑时，q 在目标处为 1，其余为 0。标签平滑为 ε 时，q 在目标处为 1 − ε + ε/V，其余为 ε/V（Szegedy 等人，2016）。某个 logit 为 −∞ 时，如果 q_k > 0，损失就是 ∞；否则没有影响。如果 `logits` 是移动传入的，而且没有别的张量共享它的值，就用它的缓冲区存放指数和梯度。`unsmoothed` 不为空时，得到没有平滑的损失。",
    "g·(softmax(logits) − q) / n for the n targets that are not ignored, even where the loss is ∞; 0 in rows of ignored targets.":
        "g·(softmax(logits) − q) / n，n 是未被忽略的目标的个数，损失为 ∞ 时也是如此；目标被忽略的行为 0。",
    "for a target outside [0, V) that is not `ignored`, and for ε outside [0, 1].": "目标在 [0, V) 之外而又不等于 `ignored` 时，以及 ε 在 [0, 1] 之外时。",
    "Mean of −log_probabilities[target] over the targets that are not `ignored`. Equals cross_entropy(logits, targets) for log_probabilities = log_softmax(logits).":
        "−log_probabilities[target] 的平均值，对所有不等于 `ignored` 的目标计算。log_probabilities = log_softmax(logits) 时，等于 cross_entropy(logits, targets)。",
    "−g/n at each of the n targets that are not ignored, 0 elsewhere.": "在 n 个未被忽略的目标处为 −g/n，其余为 0。",
    "for a target outside [0, V) that is not `ignored`.": "目标在 [0, V) 之外而又不等于 `ignored` 时。",
    "Mean of (prediction − target)² for two tensors of equal shape.": "(prediction − target)² 的平均值，两个张量的形状相同。",
    "for the prediction, g·2 (prediction − target) / n with n elements; for the target, the negative of this gradient.":
        "prediction 的梯度是 g·2 (prediction − target) / n，n 是元素个数；target 的梯度是它的相反数。",
    "when the shapes differ, or there are no elements.": "形状不同时，或者没有元素时。",
    "Mean of −t ln σ(x) − (1 − t) ln(1 − σ(x)) for logits x and targets t in [0, 1] of the same shape.":
        "−t ln σ(x) − (1 − t) ln(1 − σ(x)) 的平均值，其中 x 是 logit，t 是 [0, 1] 中的目标，两者形状相同。",
    "for the logits, g·(σ(x) − t) / n with n elements; for the targets, −g·x / n.":
        "logit 的梯度是 g·(σ(x) − t) / n，n 是元素个数；目标的梯度是 −g·x / n。",
    # members of Tensor
    "A view of this tensor's values that is not on the tape.": "这个张量的值的视图，不在梯度带上。",
    "A copy of this tensor's values that is not on the tape.": "这个张量的值的副本，不在梯度带上。",
    "The values, converted to `dtype`. Conversion to i64 truncates. Returns this tensor if it already has that dtype.":
        "转换成 `dtype` 的值。转换成 i64 时截去小数。如果数据类型已经相同，就返回这个张量本身。",
    "g, converted back; none if either dtype is i64.": "转换回来的 g；有一个数据类型是 i64 时，没有梯度。",
    "when NaN or a number outside the range of i64 is converted to i64.": "把 NaN 或超出 i64 范围的数转换成 i64 时。",
    "Element i of the leading axis: a view without that axis. A negative i counts from the end.": "第一个轴的元素 i：没有这个轴的视图。负的 i 从末尾数起。",
    "g at that element, 0 elsewhere.": "在这个元素处为 g，其余为 0。",
    "for i out of range.": "i 越界时。",
    "Elements [begin, end) of an axis; negative bounds count from the end. The result is a view for the leading axis, and a copy for other axes.":
        "一个轴的元素 [begin, end)；负的边界从末尾数起。对第一个轴，结果是视图；对其他轴，结果是副本。",
    "g at these elements, 0 elsewhere.": "在这些元素处为 g，其余为 0。",
    "when [begin, end) is not within the axis.": "[begin, end) 不在轴的范围之内时。",
    "A view of the values in another shape. One size may be −1, and is then inferred from the other sizes.": "同样的值在另一种形状下的视图。可以有一个大小写作 −1，由其余的大小推出。",
    "g, reshaped back.": "变回原来形状的 g。",
    "when the numbers of elements differ.": "元素的个数不同时。",
    # fused
    "One step of a gated recurrent unit, in PyTorch's form, from the weights' products with x and h:":
        "门控循环单元（GRU）的一步，用 PyTorch 的形式，由权重与 x 和 h 的乘积计算：",
    "- `x_part`: W_ih x + b_ih, (B, 3H), in the order r, z, n": "- `x_part`：W_ih x + b_ih，(B, 3H)，次序为 r、z、n",
    "- `h_part`: W_hh h + b_hh, (B, 3H), in the same order": "- `h_part`：W_hh h + b_hh，(B, 3H)，次序相同",
    "- `h`: (B, H)": "- `h`：(B, H)", "- `c`: (B, H)": "- `c`：(B, H)", "- returns h′, (B, H)": "- 返回 h′，(B, H)",
    "let d_n = g∘(1 − z)∘(1 − n²), d_r = d_n∘h_n∘r∘(1 − r) and d_z = g∘(h − n)∘z∘(1 − z) be the gradients of the arguments of tanh and σ. x_part gets [d_r; d_z; d_n], h_part gets [d_r; d_z; d_n∘r], and h gets g∘z.":
        "设 tanh 和两个 σ 的自变量的梯度为 d_n = g∘(1 − z)∘(1 − n²)、d_r = d_n∘h_n∘r∘(1 − r)、d_z = g∘(h − n)∘z∘(1 − z)。x_part 得到 [d_r; d_z; d_n]，h_part 得到 [d_r; d_z; d_n∘r]，h 得到 g∘z。",
    "One step of a long short-term memory, in PyTorch's form, from the weights' products with x and h. As in PyTorch, g is a gate here, and not the gradient of the result.":
        "长短期记忆（LSTM）的一步，用 PyTorch 的形式，由权重与 x 和 h 的乘积计算。与 PyTorch 一样，这里的 g 是一个门，不是结果的梯度：",
    "- `x_part`: W_ih x + b_ih, (B, 4H), in the order i, f, g, o": "- `x_part`：W_ih x + b_ih，(B, 4H)，次序为 i、f、g、o",
    "- `h_part`: W_hh h + b_hh, (B, 4H), in the same order": "- `h_part`：W_hh h + b_hh，(B, 4H)，次序相同",
    "- returns h′ and c′, stacked, (2, B, H)": "- 返回堆叠起来的 h′ 和 c′，(2, B, H)",
    "let d and d_c′ be the gradients of the results h′ and c′, and e = d_c′ + d∘o∘(1 − tanh²(c′)) the total gradient of c′. The argument of i gets e∘g∘i∘(1 − i), the argument of f gets e∘c∘f∘(1 − f), the argument of g gets e∘i∘(1 − g²), and the argument of o gets d∘tanh(c′)∘o∘(1 − o). x_part and h_part each get these four gradients; c gets e∘f.":
        "设 d 是 h′ 的梯度，e = d_c′ + d∘o∘(1 − tanh²(c′)) 是 c′ 的总梯度。i 的自变量得到 e∘g∘i∘(1 − i)，f 的自变量得到 e∘c∘f∘(1 − f)，g 的自变量得到 e∘i∘(1 − g²)，o 的自变量得到 d∘tanh(c′)∘o∘(1 − o)。x_part 和 h_part 都得到这些；c 得到 e∘f。",
    "Runs a gated cell over packed sequences. The cells compute, at each step t,": "在打包的序列上运行带门的循环单元。各种单元在每一步 t 计算",
    "    gru            h_t = gru_update(x_part_t, W_hh h_{t−1} + b_hh, h_{t−1})": "    gru            h_t = gru_update(x_part_t, W_hh h_{t−1} + b_hh, h_{t−1})",
    "    original_gru   the same, with n = tanh(x_n + W_hn (r ∘ h_{t−1}) + b_hn)     Cho et al. 2014, eq. 8":
        "    original_gru   同上，但 n = tanh(x_n + W_hn (r ∘ h_{t−1}) + b_hn)     Cho 等人，2014，式 8",
    "    lstm           h_t, c_t = lstm_update(x_part_t, W_hh h_{t−1} + b_hh, c_{t−1})": "    lstm           h_t, c_t = lstm_update(x_part_t, W_hh h_{t−1} + b_hh, c_{t−1})",
    "The original GRU applies the reset gate before the product. W_hn and b_hn are the last H rows of W_hh and b_hh. Padding is skipped. The gradient of W_hh is computed for all steps at once.":
        "原始形式的 GRU 先用重置门，再计算乘积。W_hn 和 b_hn 是 W_hh 和 b_hh 的最后 H 行。跳过填充。W_hh 的梯度对所有步一次算出。",
    "- `x_parts`: W_ih x + b_ih, (N, G·H), packed; G is 3 for a GRU and 4 for an LSTM": "- `x_parts`：W_ih x + b_ih，(N, G·H)，打包的；GRU 的 G 是 3，LSTM 的 G 是 4",
    "- `weight_hh`: W_hh, (G·H, H)": "- `weight_hh`：W_hh，(G·H, H)", "- `bias_hh`: b_hh, (G·H), or undefined": "- `bias_hh`：b_hh，(G·H)，或者未定义",
    "- `first`: {h_0}, or {h_0, c_0} for an LSTM: (B, H) each, in the order of the batch": "- `first`：{h_0}，对 LSTM 是 {h_0, c_0}；都是 (B, H)，按批次的次序",
    "- `reverse`: whether each sequence is read from its last step to its first": "- `reverse`：是否从最后一步向第一步读每个序列",
    "- returns Scanned: `states`, (N, H), packed: h after each step; `last`, {h} or {h, c}, (B, H) each: after each sequence's last step, or after the first step if reversed":
        "- 返回 Scanned：`states`，(N, H)，打包的，是每一步之后的 h；`last`，{h} 或 {h, c}，都是 (B, H)，是每个序列最后一步之后的状态，反向读时是第一步之后的状态",
    "as in gru_update or lstm_update, at every step, in the reverse order of the forward pass. With d_t the gradient of W_hh h_{t−1} + b_hh, W_hh gets Σ_t d_tᵀ·h_{t−1}, and b_hh gets Σ_t d_t. In the original GRU, the gradient of W_hn has r ∘ h_{t−1} in place of h_{t−1}.":
        "每一步与 gru_update 或 lstm_update 相同，次序与前向传播相反。设 d_t 是 W_hh h_{t−1} + b_hh 的梯度，W_hh 得到 Σ_t d_tᵀ·h_{t−1}，b_hh 得到 Σ_t d_t。在原始形式的 GRU 中，W_hn 的梯度用 r ∘ h_{t−1} 代替 h_{t−1}。",
    "for a wrong number of tensors in `first`.": "`first` 中张量的个数不对时。",
    "Bahdanau's energies, e_bt = v · tanh(q_b + k_tb) (Bahdanau et al. 2015, appendix A.1.2). The tanh is not stored.":
        "Bahdanau 的能量 e_bt = v · tanh(q_b + k_tb)（Bahdanau 等人，2015，附录 A.1.2）。不保存 tanh。",
    "- `query`: W_a s, (B, A)": "- `query`：W_a s，(B, A)", "- `keys`: U_a h_t, (T, B, A)": "- `keys`：U_a h_t，(T, B, A)", "- `v`: v_a, (A)": "- `v`：v_a，(A)",
    "- `lengths`: (B), i64, or undefined if all are T. Energies past a length are 0 and have no gradient":
        "- `lengths`：(B)，i64；都是 T 时可以未定义。长度之外的能量为 0，没有梯度",
    "- returns e, (B, T)": "- 返回 e，(B, T)",
    "with y = tanh(q_b + k_tb), k_tb gets d_bt = g_bt v∘(1 − y²), q_b gets Σ_t d_bt, and v gets Σ_bt g_bt y.":
        "设 y = tanh(q_b + k_tb)，k_tb 得到 d_bt = g_bt v∘(1 − y²)，q_b 得到 Σ_t d_bt，v 得到 Σ_bt g_bt y。",
    "The context c_b = Σ_t α_bt h_tb.": "上下文 c_b = Σ_t α_bt h_tb。",
    "- `weights`: α, (B, T)": "- `weights`：α，(B, T)", "- `values`: h, (T, B, D)": "- `values`：h，(T, B, D)",
    "- `lengths`: (B), i64, or undefined if all are T. Positions past a length are excluded": "- `lengths`：(B)，i64；都是 T 时可以未定义。不计长度之外的位置",
    "- returns c, (B, D)": "- 返回 c，(B, D)",
    "α_bt gets g_b · h_tb, and h_tb gets α_bt g_b.": "α_bt 得到 g_b · h_tb，h_tb 得到 α_bt g_b。",
    "Runs a decoder over packed target sequences, with teacher forcing. The decoder attends before it updates its state (Bahdanau et al. 2015, appendix A.2.2 and A.1.2; for dot products, Luong et al. 2015, section 3.1). At each step t, with s the state of the top layer,":
        "用教师强制在打包的目标序列上运行解码器。解码器先计算注意力，再更新状态（Bahdanau 等人，2015，附录 A.2.2 和 A.1.2；点积见 Luong 等人，2015，3.1 节）。在每一步 t，设 s 是最上层的状态，",
    "    e_tj = v_a · tanh(W_a s_{t−1} + k_j)  or  scale · (W_a s_{t−1}) · k_j": "    e_tj = v_a · tanh(W_a s_{t−1} + k_j)  或  scale · (W_a s_{t−1}) · k_j",
    "The cell also reads W_hh and b_hh, as in recurrent_sequence. With several layers, the input of layer l > 0 is the new state of layer l − 1 (for an LSTM, its h).":
        "循环单元还用到 W_hh 和 b_hh，与 recurrent_sequence 相同。有几层时，第 l > 0 层的输入是第 l − 1 层的新状态（对 LSTM 是其中的 h）。",
    "Padding of targets and sources is skipped. The gradient of each weight matrix is computed for all steps at once. The tanh of the energies, N·T·A values, is not stored.":
        "跳过目标和源的填充。每个权重矩阵的梯度对所有步一次算出。能量的 tanh 有 N·T·A 个值，不保存。",
    "- `y`: the embedded previous tokens, (N, E), packed": "- `y`：前一个词元的嵌入，(N, E)，打包的",
    "- `state`: s_0 of each layer, then for an LSTM the first cell state of each layer; (B, H), in batch order": "- `state`：各层的 s_0；对 LSTM，接着是各层细胞状态的初值；(B, H)，按批次的次序",
    "- `keys`: k_j, (T, B, A): U_a h_j, or h_j": "- `keys`：k_j，(T, B, A)：U_a h_j，或 h_j", "- `values`: h_j, (T, B, D)": "- `values`：h_j，(T, B, D)",
    "- `lengths`: lengths of the sources, (B), i64, or undefined when all are T": "- `lengths`：源序列的长度，(B)，i64；都是 T 时可以未定义",
    "- `decoder`: the cell, the layers, the score, `earlier` and the dropouts. Each layer has W_ih, W_hh, b_ih and b_hh; in the lowest layer, W_ih is [W_y, W_c]. If W_a is undefined, the query is s_{t−1} itself. If v_a is defined, the score is the first form of e_tj, otherwise the second":
        "- `decoder`：循环单元、各层、打分函数、`earlier` 和 dropout。每一层有 W_ih、W_hh、b_ih 和 b_hh；在最下层，W_ih 是 [W_y, W_c]。W_a 未定义时，查询就是 s_{t−1} 本身。v_a 有定义时，得分是 e_tj 的第一种形式，否则是第二种",
    "- `packing`: packing of the targets": "- `packing`：目标的打包方式",
    "- returns rows [s_t; c_t; α_t] or, if decoder.earlier, [s_{t−1}; c_t; α_t]: (N, H + D + T), packed. α_t is taken before dropout.":
        "- 返回各行 [s_t; c_t; α_t]；decoder.earlier 为真时，返回 [s_{t−1}; c_t; α_t]：(N, H + D + T)，打包的。α_t 是 dropout 之前的权重。",
    "from the last step to the first, the gradients of the cell (as in recurrent_sequence), of c_t, of α_t and of e_t.":
        "循环单元的梯度（与 recurrent_sequence 相同），以及 c_t、α_t 和 e_t 的梯度，从最后一步到第一步计算。",
    "without layers, for a wrong number of tensors in `state`, and for a length outside [0, T]. If decoder.draws is set, also throws for a dropout probability outside [0, 1), and for a generator for a part of a batch (Generator::of_part) whose number of sequences differs from that of `packing`.":
        "没有层，`state` 中张量的个数不对，或者长度在 [0, T] 之外时。设置了 decoder.draws 时，dropout 的概率在 [0, 1) 之外，或者生成器属于批次的一部分而序列数不同，也会报错。",
    # packed sequences
    "Packs padded sequences.": "把填充的序列打包。",
    "- `x`: (T, B, …), T at least the longest length": "- `x`：(T, B, …)，T 至少是最大的长度",
    "- returns (N, …); a view of x if there is no padding": "- 返回 (N, …)；没有填充时是 x 的视图",
    "g at the sequences' steps, 0 at padding.": "序列的各步得到 g，填充处为 0。",
    "when the shapes do not fit.": "形状不匹配时。",
    "Pads packed sequences with zeros to `steps` steps, or to the longest length if `steps` is 0.": "用零把打包的序列填充到 `steps` 步；`steps` 为 0 时，填充到最大的长度。",
    "- `x`: (N, …)": "- `x`：(N, …)", "- returns (T, B, …), where T is the number of steps; a view of x if there is no padding": "- 返回 (T, B, …)，T 是步数；没有填充时是 x 的视图",
    "g at the sequences' steps.": "序列的各步处的 g。",
    # sparse weights
    "Sparsemax (Martins and Astudillo 2016, eq. 1 and algorithm 1): for each row of e (B, T), the nearest point of the simplex, the set of all weights that are at least 0 and sum to 1.":
        "Sparsemax（Martins 和 Astudillo，2016，式 1 和算法 1）：对 e (B, T) 的每一行，取单纯形上离它最近的点。单纯形由所有不小于 0、总和为 1 的权重组成。",
    "With the sorted energies e_(1) ≥ e_(2) ≥ …, k is the largest number with 1 + k e_(k) > Σ_{i ≤ k} e_(i). S holds the positions of the k largest energies. Positions outside S have weight 0 exactly.":
        "设排序后的能量为 e_(1) ≥ e_(2) ≥ …，k 是满足 1 + k e_(k) > Σ_{i ≤ k} e_(i) 的最大整数。S 由 k 个最大能量的位置组成。S 之外的位置，权重正好是 0。",
    "g_j − (Σ_{i∈S} g_i) / |S| for j ∈ S, 0 elsewhere (section 2.5).": "j ∈ S 时为 g_j − (Σ_{i∈S} g_i) / |S|，其余为 0（2.5 节）。",
    "when e is not (B, T), a length is outside [0, T], an energy within a length is NaN or ∞, or all energies of a row are −∞.":
        "e 的形状不是 (B, T)，长度在 [0, T] 之外，长度之内的某个能量是 NaN 或 ∞，或者一行的能量全是 −∞ 时。",
    "Softmax over the k largest energies of each row (Gupta et al. 2021), for e (B, T). If a row's length is at most k, all its positions get weight. Among equal energies, the earlier position is chosen first.":
        "对每一行的 k 个最大的能量计算 softmax（Gupta 等人，2021），e 的形状是 (B, T)。如果一行的长度不超过 k，它的所有位置都有权重。能量相等时，先选靠前的位置。",
    "that of a softmax at the chosen positions, 0 elsewhere.": "被选中的位置与 softmax 的梯度相同，其余为 0。",
    "when e is not (B, T), k is below 1, or a length is outside [0, T].": "e 的形状不是 (B, T)，k 小于 1，或者长度在 [0, T] 之外时。",
}
SYMBOLS = {"ln", "tanh", "max", "softmax", "cell"}  # words that are the same in both languages


def phrase(text):
    """The Chinese of a paragraph, or None if it is missing. Formulas stay as they are."""
    if text in WORDS:
        return WORDS[text]
    if set(re.findall(r"(?<![_\w])[A-Za-z]{2,}", text)) - SYMBOLS:
        return None
    return text if text.startswith("    ") else re.sub(r"\.$", "。", text)
