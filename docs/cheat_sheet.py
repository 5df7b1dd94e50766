#!/usr/bin/env python3
"""Generates the cheat sheet in both languages from the calls in docs/cheat_sheet.cpp.

docs/cheat_sheet.py render PROGRAM   writes the pages; PROGRAM is the built cheat_sheet
docs/cheat_sheet.py check PROGRAM    fails if a page is not what `render` would write

Both commands fail if an operation of docs/operations.md is neither on the sheet nor in LEFT_OUT.
"""

import itertools
import re
import subprocess
import sys

from operations import ROOT, all_entries

PAGES = {"en": ROOT / "docs" / "cheat-sheet.md", "zh": ROOT / "docs" / "zh" / "cheat-sheet.md"}
OPERATORS = {"a + b": "add", "a - b": "sub", "a * b": "mul", "a / b": "div", "-x": "neg", "x[0]": "operator[]"}
LEFT_OUT = {"gru_update", "lstm_update", "recurrent_sequence", "attention_sequence"}  # modules call these

CHINESE = {
    "Making tensors": "创建张量",
    "Elementwise": "逐元素", "Comparing and choosing": "比较与选择", "Reductions": "归约", "Products": "乘积", "Layout": "布局",
    "Members of Tensor": "Tensor 的成员", "Indexing": "下标", "Normalising": "归一化", "Losses": "损失",
    "Attention and packing": "注意力与打包", "Modules": "模块",
}
TEXTS = {
    "en": ("""\
# Cheat sheet

This page lists the operations with the shapes of their inputs and results. [Operations](operations.md) adds equations, gradients and
errors. It also lists the fused steps and sequences that the modules call, such as `gru_update`.

The sizes are: $T$ steps, $B$ sequences in a batch, $H$ hidden units, $I$ inputs, $O$ outputs, and $V$ words. $N$ is the number
of rows that `index_select` chooses, or of the real tokens in a packed batch. A query has size $Q$, a value has size $D$, and a
key has size $A$. $m$, $k$ and $n$ are any sizes.

A new tensor is f32, unless the last argument is another dtype, as in `zeros({T, B}, Dtype::f64)`. `arange` is always i64. Lengths,
ids, indices, masks and the targets of `cross_entropy` and `nll` must be i64, so write `tensor({3, 2}, Dtype::i64)` for the lengths 3
and 2. Both losses, `cross_entropy` and `nll`, ignore targets of −1. In the tables, `i64` marks an i64 tensor; other tensors are f32 or f64. Most
operations do not accept i64 tensors. Convert these first, as in the accuracy `mean(equal(argmax(x, -1), t).to(Dtype::f32))`.

Elementwise operations broadcast: shapes are aligned at the right, an axis of size 1 stretches, and a missing axis counts as 1. A
negative axis counts from the end.

Include `<gradus/gradus.hpp>`. The names are in the namespace `gradus`; modules, `sparsemax` and `top_k_softmax` are in `gradus::nn`.
In the calls, `p` is a probability. The other objects are `Generator generator(1)`, `Packing packing(lengths)` and
`nn::AdditiveAttention attention(Q, D, A)`. The last two arguments of `attend` are the number of the step and the weights of the step
before. `GRU` returns `.output` and `.h_n`, `LSTM` also `.c_n`, and `attend` returns `.context` and `.weights`.

For a gradient, call `x.set_requires_grad()` before the operations, and `loss.backward()` after them. Then `x.grad()` is the gradient.
Each call of `backward()` adds to it, until `x.zero_grad()` clears it. While a `NoGrad` object exists, operations are not recorded.

To train, create `nn::Adam adam(model.parameters(), {.learning_rate = 0.001})` once. In each step, call
`adam.zero_grad()`, compute the loss, and call `loss.backward()` and `adam.step()`.

`x.item()` returns the number of a tensor with one element, and `x.to_vector<float>()` all numbers. `x.mutable_values<float>()[0] = 7`
sets the first number. `x.replace(y)` gives a leaf `x` the values, shape and dtype of `y`, and clears the gradient of `x`.
""", ("call", "takes", "gives")),
    "zh": ("""\
# 速查表

这一页列出各种运算，以及它们接受和返回的形状。公式、梯度和错误见[运算](operations.md)；那一页还列出模块调用的融合运算，例如 `gru_update`。

$T$ 是步数，$B$ 是一批中的序列数，$H$ 是隐藏单元数，$I$ 是输入数，$O$ 是输出数，$V$ 是词表大小，$N$ 是 `index_select` 选出的行数，或打包的批次中真实词元的个数，$Q$、$D$、$A$ 分别是查询、值和键的大小，$m$、$k$、$n$ 是任意的大小。

新的张量是 f32，除非最后一个参数指定另一种数据类型，例如 `zeros({T, B}, Dtype::f64)`。`arange` 总是 i64。长度、编号、下标、掩码，以及 `cross_entropy` 和 `nll` 的目标必须是 i64，所以长度 3 和 2 要写作 `tensor({3, 2}, Dtype::i64)`。这两个损失忽略值为 −1 的目标。表中的 `i64` 表示这样的张量，其他张量是 f32 或 f64。多数运算不接受 `i64`，要先转换，例如准确率 `mean(equal(argmax(x, -1), t).to(Dtype::f32))`。

逐元素的运算会广播：形状右端对齐，大小为 1 的轴被拉伸，缺少的轴当作大小为 1。负的轴从末尾数起。

请包含 `<gradus/gradus.hpp>`。名字位于命名空间 `gradus`；模块、`sparsemax` 和 `top_k_softmax` 位于 `gradus::nn`。调用里的 `p` 是概率，其他对象是 `Generator generator(1)`、`Packing packing(lengths)` 和 `nn::AdditiveAttention attention(Q, D, A)`。`attend` 的最后两个参数是当前的步数和上一步的权重。`GRU` 返回 `.output` 和 `.h_n`，`LSTM` 还返回 `.c_n`，`attend` 返回 `.context` 和 `.weights`。

要得到梯度，在运算之前调用 `x.set_requires_grad()`，在运算之后调用 `loss.backward()`；这时 `x.grad()` 就是梯度。每次调用 `backward()` 都会累加，直到 `x.zero_grad()` 把它清除。只要有一个 `NoGrad` 对象存在，运算就不会被记录。

训练时，先构造 `nn::Adam adam(model.parameters(), {.learning_rate = 0.001})`。每一步调用 `adam.zero_grad()`，计算损失，再调用 `loss.backward()` 和 `adam.step()`。

`x.item()` 返回只有一个元素的张量的那个数，`x.to_vector<float>()` 返回全部的数。`x.mutable_values<float>()[0] = 7` 改写第一个数。`x.replace(y)` 让叶节点 `x` 采用 `y` 的数值、形状和数据类型，并清除 `x` 的梯度。
""", ("调用", "接受", "返回")),
}
MARK = "<!-- Generated by docs/cheat_sheet.py from docs/cheat_sheet.cpp; edit those. -->\n"


def calls(program):
    """The fields [chapter, call, takes, gives] of each call that the program printed."""
    return [line.split("\t") for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()]


def missing(rows):
    """Operations that no call uses, except those in LEFT_OUT."""
    used = {name for _, call, *_ in rows for name in re.findall(r"\w+(?=\()", call)} | {OPERATORS.get(call) for _, call, *_ in rows}
    return {name for entry in all_entries() for name in entry.names} - used - LEFT_OUT


def whole(shapes):
    """Makes spaces unbreakable within a shape, and between a name and its shape, as in `x (T, B, H)`."""
    return re.sub(r"(\w+ )?\([^)]*\)( i64)?", lambda match: match[0].replace(" ", "\u00a0"), shapes)


def table(rows, header):
    """A table of calls. Consecutive calls with the same shapes share a line. If no call takes a tensor, the column of the
    arguments' shapes is left out."""
    cells = [header]
    for (takes, gives), alike in itertools.groupby(rows, lambda row: row[2:]):
        cells.append((", ".join(f"`{call}`" for _, call, *_ in alike), whole(takes), whole(gives)))
    if not any(takes for _, _, takes, _ in rows):
        cells = [(call, gives) for call, _, gives in cells]
    lines = [f"| {' | '.join(line)} |" for line in cells]
    return "\n".join([lines[0], "|---" * len(cells[0]) + "|", *lines[1:]])


def page(rows, language):
    introduction, header = TEXTS[language]
    parts = [MARK + introduction, '<div class="sheet" markdown>\n']
    for chapter, of_chapter in itertools.groupby(rows, lambda row: row[0]):
        title = chapter if language == "en" else CHINESE[chapter]
        parts.append(f"## {title}\n\n{table(list(of_chapter), header)}\n")
    return "\n".join([*parts, "</div>\n"])


def main(what, program):
    rows = calls(program)
    if absent := missing(rows):
        sys.exit(f"cheat_sheet: no call of {', '.join(sorted(absent))}; add one to docs/cheat_sheet.cpp")
    for language, path in PAGES.items():
        text = page(rows, language)
        if what == "render":
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"cheat_sheet: {path.relative_to(ROOT)} is out of date; run docs/cheat_sheet.py render {program}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("render", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
