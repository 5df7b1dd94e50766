#!/usr/bin/env python3
"""Translates the words in the diagrams: the Chinese book shows docs/pictures/zh/NAME.svg in place of docs/pictures/NAME.svg.

docs/diagrams_chinese.py render   writes the pictures
docs/diagrams_chinese.py check    fails if a picture is not what `render` would write

A word without a translation here stops both, so that no English is left in a Chinese picture.
"""

import re
import sys

from diagrams_kit import PICTURES, ROOT
from render_or_check import render_or_check

WORDS = {
    "forward": "前向", "backward": "反向", "keeps ": "保存 ", "broadcast": "广播", "keeps the shape": "保存形状", "repeat": "重复",
    "reduce": "归约", "decoder": "解码器", "encoder": "编码器", "context": "上下文", "attention": "注意力",
    "true ": "真实的 ", " once": "只传一次", ", once": "，只传一次", ", at every step": "，传给每一步", "has": "已经", "read": "读到", "query": "查询", "keys": "键",
    "values": "值", "mask, softmax": "掩码，softmax", "kept": "保留", "ended": "已结束", "kept and set aside": "保留，另外存放", "cut": "剪掉",
    "additive": "加性", "dot": "点积", "scaled dot": "缩放点积", "any ": "任意 ",
    "handles": "句柄", "one block of memory": "同一块内存", "broadcasting": "广播", "row: (3)": "行：(3)", "a + row: (2, 3)": "a + 行：(2, 3)",
    "repeated, not copied": "重复使用，不复制",
    "the ": "", " = 2 largest ln ": " = 2 个最大的 ln ", " of all ": "，选自全部 ",
}
SAME = {"flat", "GRU", "LSTM", "zip", "matmul", "tanh", "softmax", "general", "exp", "Bahdanau", "Luong", "bos", "eos"}
FONTS = "'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei'"


def is_word(text):
    """Whether a piece of text needs a translation: not a formula, code or a sequence of the letters a and b."""
    return bool(set(re.findall(r"[A-Za-z]{2,}", text)) - SAME - set(re.findall(r"\b[ab]+\b", text))
                - set(re.findall(r"\b[a-zA-Z]{2}\b", text)))


def chinese(svg, name):
    untranslated = set()

    def translated(match):
        text = match[1]
        if text in WORDS:
            return f">{WORDS[text]}<"
        if is_word(text):
            untranslated.add(text)
        return match[0]

    head, body = svg.split("</style>", 1)
    body = re.sub(r">([^<>\n]+)<", translated, body)
    if untranslated:
        sys.exit(f"diagrams_chinese: no translation of {', '.join(map(repr, sorted(untranslated)))} in {name}; add it to WORDS")
    head = re.sub(r"<(title|desc)>.*?</\1>\n", "", head, flags=re.DOTALL)  # the page describes the picture
    return head.replace("'Noto Sans'", FONTS) + "</style>" + body


def drawn():
    return {PICTURES / "zh" / path.name: chinese(path.read_text(), path.name) for path in sorted(PICTURES.glob("diagram_*.svg"))}


def render():
    (PICTURES / "zh").mkdir(exist_ok=True)
    for path, svg in drawn().items():
        path.write_text(svg)


def faults():
    pictures = drawn()
    for path in sorted({*pictures, *(PICTURES / "zh").glob("*.svg")}):
        if path not in pictures:
            yield f"{path.relative_to(ROOT)} translates no picture; remove it"
        elif not path.exists() or path.read_text() != pictures[path]:
            yield f"{path.relative_to(ROOT)} is out of date"


if __name__ == "__main__":
    render_or_check(__doc__, "docs/diagrams_chinese.py", render, faults)
