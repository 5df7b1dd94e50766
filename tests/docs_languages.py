#!/usr/bin/env python3
"""Compares the Chinese pages with the English ones: docs_languages.py.

docs/zh/PATH translates docs/PATH; elsewhere, NAME.zh-CN.md translates NAME.md in its folder.

Compares the parts that must be equal: levels of headings, code, formulas, pictures, results and links.
"""

import pathlib
import posixpath
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRANSLATED = ["README.md", "docs/tutorials/*.md", "docs/how-to/*.md", "docs/terms.md", "docs/notation.md", "docs/course.md",
              "docs/cheat-sheet.md", "docs/play.md", "docs/check.md", "docs/inside.md", "docs/command.md", "docs/speed.md",
              "docs/explained/ten-questions.md", "docs/explained/why-attention.md", "docs/explained/museum.md",
              "docs/explained/sparse-attention.md", "docs/explained/hard-attention.md",
              "docs/explained/more-ways-to-save.md", "docs/explained/small-devices-reversal.md", "docs/explained/listening.md",
              "docs/explained/all-reduce.md", "docs/explained/architecture.md",
              "docs/explained/gru-conventions.md", "docs/explained/tape.md", "docs/scope.md", "docs/api.md", "docs/operations.md", "docs/decisions/*.md",
              "exercises/README.md", "exercises/*_*/README.md", "exercises/*_*/hints.md"]
FENCED = re.compile(r"^```([\w+]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMENT = {"cpp": r"\s*//.*", "c++": r"\s*//.*", "sh": r"(^|\s+)#.*", "python": r"(^|\s+)#.*", "cmake": r"(^|\s+)#.*"}


def english_of(path):
    return path.replace(".zh-CN.md", ".md") if path.endswith(".zh-CN.md") else path.replace("docs/zh/", "docs/", 1)


def chinese_of(path):
    return path.replace("docs/", "docs/zh/", 1) if path.startswith("docs/") else path.replace(".md", ".zh-CN.md")


def code(text):
    return [re.sub(COMMENT.get(language, r"(?!)"), "", body, flags=re.MULTILINE).strip()
            for language, body in FENCED.findall(text)]


def translated(english, chinese):
    """True if the second block is a Chinese form of the first: it has Chinese characters, and the same numbers as the first."""
    return re.search("[\u4e00-\u9fff]", chinese) and re.findall(r"[\d.]*\d", english) == re.findall(r"[\d.]*\d", chinese)


def formulas(text):
    return [re.sub(r"\\text\{[^}]*\}|[\s.,。，]", "", formula) for formula in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL)]


def links(text, path):
    """The targets of links and pictures. Links to pages count as links to the English page; anchors are dropped, because they are translated."""
    found = re.findall(r"(?:\]\(|(?:src|srcset)=\")([^)\s#\"]+)", FENCED.sub("", text))
    folder = posixpath.dirname(path)
    return sorted({link if "://" in link else english_of(posixpath.normpath(posixpath.join(folder, link)))
                   for link in found} - {"README.md", english_of(path)})  # ignores a link between a page and its translation


def parts(text, path):
    prose = FENCED.sub("", text)
    return {"headings": re.findall(r"^(#+) ", prose, re.MULTILINE), "code": code(text), "formulas": formulas(prose),
            "results": re.findall(r"<!-- (.*?) -->", text), "links and pictures": links(text, path)}


def differences(english, chinese, path):
    """Yields the differences between a page and its translation. `path` is the path of the English page."""
    ours, theirs = parts(english, path), parts(chinese, chinese_of(path))
    if len(ours["code"]) == len(theirs["code"]):
        theirs["code"] = [a if translated(a, b) else b for a, b in zip(ours["code"], theirs["code"])]
    for name in ours:
        if ours[name] != theirs[name]:
            lost = [item for item in ours[name] if item not in theirs[name]]
            added = [item for item in theirs[name] if item not in ours[name]]
            yield f"{chinese_of(path)}: its {name} differ; only in English {lost}, only in Chinese {added}"


def findings():
    there = {path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.zh-CN.md"), *ROOT.glob("exercises/**/*.zh-CN.md"), *ROOT.glob("docs/zh/**/*.md")]}
    wanted = {path.relative_to(ROOT).as_posix() for pattern in TRANSLATED for path in ROOT.glob(pattern)}
    for path in sorted(wanted):
        if chinese_of(path) not in there:
            yield f"{path}: the translation {chinese_of(path)} is missing"
    for path in sorted(there):
        english = ROOT / english_of(path)
        if english.exists():
            yield from differences(english.read_text(), (ROOT / path).read_text(), english_of(path))
        else:
            yield f"{path}: the English page {english_of(path)} is missing"


def check_itself():
    page = "# A\n\nx $$a$$ [b](10-bahdanau.md)\n\n```sh\n./run  # go\n```\n```text\ngot 0.5\n```\n"
    other = "# 甲\n\nx $$a$$ [乙](10-bahdanau.md)\n\n```sh\n./run  # 走\n```\n```text\n得到 0.5\n```\n"
    path = "docs/tutorials/09-additive-attention.md"
    assert not list(differences(page, other, path)), list(differences(page, other, path))
    for right, wrong in (("# ", "## "), ("$$a", "$$b"), ("./run", "./run test"), ("10-b", "11-b"), ("到 0.5", "到 0.6")):
        assert len(list(differences(page, other.replace(right, wrong, 1), path))) == 1, wrong


if __name__ == "__main__":
    check_itself()
    found = list(findings())
    sys.exit("\n".join(found) or None)
