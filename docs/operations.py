#!/usr/bin/env python3
"""Generates the reference of operations, docs/operations.md, from the headers' docstrings, and docs/zh/operations.md from their
translations in operations_chinese.py.

docs/operations.py render   writes both pages
docs/operations.py check    fails if a page is not what `render` would write, an operation's docstring has no gradient, a
                            translation is missing or unused, an example is of an unknown operation, or the headers have
                            fewer than 60 operations

A docstring is the `///` lines before one or more declarations. It states what the operation computes and for which shapes, then
"Gradient: …", and "@throws Error …" for errors other than mismatched shapes, mismatched dtypes and
axes that do not exist.
"""

import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

import operations_chinese

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "autograd" / "include" / "gradus" / "autograd"
PAGE, CHINESE_PAGE = ROOT / "docs" / "operations.md", ROOT / "docs" / "zh" / "operations.md"

INTRODUCTION = """\
<!-- Generated from the headers by docs/operations.py; edit those, then run `docs/operations.py render`. -->
# Operations

This page lists the equation, gradient and errors of each operation. The [cheat sheet](cheat-sheet.md) is a table of calls with the
shapes of inputs and results.

In the gradients, `g` is d(loss)/d(result) and `y` is the result. Several gradients are listed in the order of the arguments.

- `#include <gradus/gradus.hpp>` declares all operations. They are in the namespace `gradus`; those of the section *Sparse weights*
  are in `gradus::nn`.
- Every operation throws `gradus::Error` for mismatched shapes or dtypes, and for an axis that does not exist. It throws before it
  changes anything. Below, "Error" lists the other conditions for an error.
- Elementwise operations broadcast: axes are matched from the last, and an axis of size 1 is stretched. The gradient is summed
  over stretched axes.
- Floating-point operands must have the same dtype.
- These operations also accept i64 data: the comparisons, `where`, `masked_fill`, `argmax`, the section *Layout*, `embedding`,
  `index_select`, `gather`, `pack`, `unpack` and the members of Tensor. All other operations need f32 or f64 data. Convert i64 data
  with `to`, as in the accuracy `mean(equal(argmax(x, -1), t).to(Dtype::f32))`.
- If an elementwise operation, a reduction or a product reads a NaN, its result is NaN. There are three
  exceptions: comparisons, `argmax`, and the cases of `pow` that IEEE 754 defines as 1, for example pow(NaN, 0). Elements that are
  masked, not chosen, or set to 0 by `dropout` are not read.
- A negative axis counts from the end.
- `+`, `-`, `*` and `/` accept two tensors, or a tensor and a number.
- An example writes a vector as `(1, 2, 3)`, and a matrix as its rows, `((1, 2), (3, 4))`.
- *Packed* sequences are stored step by step, without padding. Each step has one row for every sequence that has not ended, the longest
  first. For example, if sequence a has length 2 and b has length 3, the rows are b₀ a₀ | b₁ a₁ | b₂. N is the number of rows, the sum
  of the lengths, here 5. A [`Packing`](../autograd/include/gradus/autograd/packing.hpp) is made from the lengths and holds this layout.
- [`Axes`](../autograd/include/gradus/autograd/axes.hpp), the type of an argument of most reductions and of `flip`, is one axis or a
  list of axes.

To check a gradient, use `gradcheck` ([gradcheck.hpp](../autograd/include/gradus/autograd/gradcheck.hpp)).
"""
GRADIENT, ERROR = "**Gradient**: ", "**Error** "
EXAMPLE = "**Example**: `{}` is `{}`. With g = `{}`, the gradient is `{}`."
PLAIN_EXAMPLE = "**Example**: `{}` is `{}`."
SHAPE_EXAMPLE = "**Example**: for x of shape {}, `{}` has shape {}."
TYPES, COMMA = "**Types**: ", ", "
# Type of an argument or result → its header
TYPE_HEADERS = {"Generator": "random.hpp", "Packing": "packing.hpp", "Scanned": "packing.hpp", "GatedCell": "fused.hpp",
                "AttentionDecoder": "fused.hpp"}
# The example of an operation, in one of three forms: (call, result, g, gradient), (call, result), or (shape of x, call, shape of
# the result). `gradient` may be two gradients, in the order of the arguments.
EXAMPLES = {
    "where": ("where((1, 0), ((1, 2), (3, 4)), (8, 9))", "((1, 9), (3, 9))", "((1, 2), (3, 4))", "((1, 0), (3, 0))`, `(0, 6)"),
    "variance": ("variance((1, 2, 3))", "1", "1", "(−1, 0, 1)"),
    "matmul": ("matmul(((1, 2), (3, 4)), ((10), (1)))", "((12), (34))", "((1), (1))", "((10, 1), (10, 1))`, `((4), (6))"),
    "permute": ("(4, 5, 6)", "permute(x, {2, 0, 1})", "(6, 4, 5)"),
    "split": ("split((1, 2, 3, 4, 5), {2, 3}, 0)", "{(1, 2), (3, 4, 5)}", "{(6, 7), (8, 9, 10)}", "(6, 7, 8, 9, 10)"),
    "one_hot": ("one_hot((2, 0), 3)", "((0, 0, 1), (1, 0, 0))"),
    "cumsum": ("cumsum((1, 2, 3), 0)", "(1, 3, 6)", "(1, 1, 1)", "(3, 2, 1)"),
    "pad": ("pad((1, 2), 0, 1, 2)", "(0, 1, 2, 0, 0)", "(1, 2, 3, 4, 5)", "(2, 3)"),
    "index_select": ("index_select((5, 6, 7), (2, 0, 2))", "(7, 5, 7)", "(1, 2, 3)", "(2, 0, 4)"),
    "gather": ("gather(((1, 2, 3), (4, 5, 6)), 1, ((2, 0), (1, 1)))", "((3, 1), (5, 5))", "((1, 2), (3, 4))", "((2, 0, 1), (0, 7, 0))"),
    "scatter_add": ("scatter_add((0, 0, 0), 0, (2, 0, 2), (1, 2, 3))", "(2, 0, 4)", "(5, 6, 7)", "(5, 6, 7)`, `(7, 5, 7)"),
    "masked_softmax": ("masked_softmax(((0, ln 3, 9)), (2))", "((0.25, 0.75, 0))", "((1, 0, 0))", "((0.1875, −0.1875, 0))"),
    "sparsemax": ("sparsemax(((1, 0.5, −1)), (3))", "((0.75, 0.25, 0))", "((1, 0, 0))", "((0.5, −0.5, 0))"),
    "top_k_softmax": ("top_k_softmax(((0, ln 3, −1)), (3), 2)", "((0.25, 0.75, 0))", "((1, 0, 0))", "((0.1875, −0.1875, 0))"),
}


class Entry(NamedTuple):
    chapter: str
    names: list
    declarations: list
    text: str
    gradient: str
    errors: str


def sections(lines):
    """Splits a docstring into text (with indented formulas as code), gradient and errors."""
    parts = {"text": "", "gradient": "", "errors": ""}
    current = "text"
    for line in lines:
        for piece in re.split(r"(?=@throws|@param|@return|Gradients?: )", line):
            if piece.startswith("@throws"):
                current, piece = "errors", re.sub(r"^@throws( Error)? ?", "", piece)
            elif piece.startswith("Gradient"):
                current, piece = "gradient", re.sub(r"^Gradients?: ", "", piece)
            elif match := re.match(r"@param (\w+)\s+(.*)", piece):
                current, piece = "text", f"\n- `{match.group(1)}`: {match.group(2)}"
            elif piece.startswith("@return "):
                current, piece = "text", f"\n- returns {piece[8:]}"
            if piece.startswith("    "):
                parts[current] += f"\n{piece}"
            elif not piece.strip():
                parts[current] += "\n\n" if not line.strip() else ""
            else:
                glue = "" if not parts[current] or parts[current].endswith("\n") or piece.startswith("\n") else " "
                parts[current] += glue + piece.strip(" ")
    return {name: part.strip("\n").strip(" ") if name != "text" else part.strip("\n") for name, part in parts.items()}


NOTES = {}  # chapter → the comment below its heading


def found_in(found, chapter):
    return any(entry.chapter == chapter for entry in found)


def entries(header, chapter, wanted=None):
    """The documented operations of a header, in order. For a class, only the members in `wanted`."""
    found, doc, declaration = [], [], ""
    NOTES.setdefault(chapter, [])
    for as_written in (HEADERS / header).read_text().splitlines():
        line = as_written.strip()
        if match := re.match(r"// ---- (.*) ----", line):
            chapter = match.group(1)
            NOTES[chapter] = []
        elif line.startswith("///"):
            if declaration == "":
                if doc and doc[-1] is None:
                    doc = []
                doc.append(line[4:])
        elif line.startswith("// ") and not found_in(found, chapter):
            NOTES[chapter].append(line[3:])
        elif line.startswith(("//", "#")) or line.endswith("{") or line == "":
            doc, declaration = [], ""
        else:
            declaration = f"{declaration}\n{as_written}".strip("\n")
            if not declaration.endswith((";", "}")):
                continue
            declaration = textwrap.dedent(declaration)
            name = re.search(r"([\w]+|operator[^\s(]+)\s*\(", declaration)
            is_operation = re.match(r"(std::vector<)?(Tensor|Scanned)>? \S", declaration) and name
            if is_operation and (wanted is None or name.group(1) in wanted):
                if doc and doc[-1] is not None:
                    found.append(Entry(chapter, [name.group(1)], [declaration], **sections(doc)))
                    doc.append(None)  # declarations without a docstring overload this operation
                elif doc and found:
                    found[-1].declarations.append(declaration)
            declaration = ""
    return found


def all_entries():
    own = entries("tensor.hpp", "Members of Tensor",
                  {"detach", "clone", "to", "operator[]", "slice", "reshape"})
    packing = entries("packing.hpp", "Packed sequences", {"pack", "unpack"})
    attention = entries(ROOT / "nn/include/gradus/nn/normaliser.hpp", "", {"sparsemax", "top_k_softmax"})
    return entries("ops.hpp", "") + own + entries("fused.hpp", "Fused") + packing + attention


def example_of(name, words):
    """The paragraph with an operation's example; `words` is this module or operations_chinese."""
    example = EXAMPLES[name]
    if len(example) < 4:
        return (words.PLAIN_EXAMPLE if len(example) == 2 else words.SHAPE_EXAMPLE).format(*example)
    shown = words.EXAMPLE.format(*example)
    return shown.replace("gradient is", "gradients are") if "`" in example[3] else shown


def types_of(entry, words, root):
    """The paragraph that links the types in an entry's declarations, or ""."""
    found = [name for name in TYPE_HEADERS if re.search(rf"\b{name}\b", " ".join(entry.declarations))]
    return words.TYPES + words.COMMA.join(f"[`{name}`]({root}autograd/include/gradus/autograd/{TYPE_HEADERS[name]})" for name in found) if found else ""


def page(words, phrase, root):
    """The text of the page. `words` is the module with the words of its language: this module or operations_chinese. `phrase`
    translates a paragraph into this language. Links start at `root`."""
    lines = [words.INTRODUCTION]
    chapter = None
    for entry in all_entries():
        if entry.chapter != chapter:
            chapter = entry.chapter
            lines += [f"## {phrase(chapter)}", ""]
            if NOTES[chapter]:
                lines += [phrase(" ".join(NOTES[chapter])), ""]
        # Python-Markdown needs a blank line before a list.
        text = re.sub(r"^(?!- )(.+)\n- ", r"\1\n\n- ", "\n".join(map(phrase, entry.text.split("\n"))), flags=re.MULTILINE)
        lines += [f"### {entry.names[0]}", "", "```cpp", *entry.declarations, "```", "", text, "",
                  f"{words.GRADIENT}{phrase(entry.gradient)}", ""]
        if entry.names[0] in EXAMPLES:
            lines += [example_of(entry.names[0], words), ""]
        if entry.errors:
            lines += [f"{words.ERROR}{phrase(entry.errors)}", ""]
        if types := types_of(entry, words, root):
            lines += [types, ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def pages():
    """Maps each page's path to its text."""
    used = set()

    def chinese(text):
        used.add(text)
        translated = operations_chinese.phrase(text)
        if translated is None:
            sys.exit(f"operations: {text!r} has no Chinese; add it to docs/operations_chinese.py")
        return translated

    found = {PAGE: page(sys.modules[__name__], str, "../"), CHINESE_PAGE: page(operations_chinese, chinese, "../../")}
    if unused := set(operations_chinese.WORDS) - used:
        sys.exit(f"operations: no docstring has {', '.join(map(repr, sorted(unused)))}; remove it from docs/operations_chinese.py")
    return found


def check():
    silent = [entry.names[0] for entry in all_entries() if not entry.gradient]
    if silent:
        sys.exit(f"operations: docstrings without 'Gradient: …': {', '.join(silent)}")
    if unknown := set(EXAMPLES) - {name for entry in all_entries() for name in entry.names}:
        sys.exit(f"operations: examples of unknown operations: {', '.join(sorted(unknown))}")
    if len(all_entries()) < 60:
        sys.exit(f"operations: found only {len(all_entries())} operations in the headers, expected at least 60")
    for path, text in pages().items():
        if path.read_text() != text:
            sys.exit(f"operations: {path.relative_to(ROOT)} is out of date; run docs/operations.py render")


if __name__ == "__main__":
    if sys.argv[1:] == ["render"]:
        for path, text in pages().items():
            path.write_text(text)
    elif sys.argv[1:] == ["check"]:
        check()
    else:
        sys.exit(__doc__)
