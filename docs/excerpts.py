"""Code quoted in pages: functions and classes of a source file, parts of a function, or the whole file."""

import re
import textwrap

from results_kit import ROOT


def definition(file, name):
    """The source of a function or class, from its first line to its closing brace."""
    head = rf"^[^/#\s}}][^\n;]*(?<!\w){re.escape(name)}(?!\w)(?:[^;{{}}]|\{{\}})*\{{(?: *//.*)?\n"  # {}: a default argument
    found = re.search(head + r"(?s:.*?)^\};?$", (ROOT / file).read_text(), re.MULTILINE)
    if not found:
        raise SystemExit(f"excerpts: {file} defines no {name}")
    return found[0]


def part(file, name):
    """The definition for `NAME`. For `NAME:WORD`, its lines from the first with this word to the end of their block."""
    name, *words = re.split(r"(?<!:):(?!:)", name)
    code = definition(file, name)
    if not words:
        return code
    lines = code.splitlines()
    first = next((i for i, line in enumerate(lines) if words[0] in line), None)
    if first is None:
        raise SystemExit(f"excerpts: {name} in {file} has no line with '{words[0]}'")
    depth = len(lines[first]) - len(lines[first].lstrip())
    end = next(i for i in range(first, len(lines)) if lines[i] and len(lines[i]) - len(lines[i].lstrip()) < depth)
    return textwrap.dedent("\n".join(lines[first:end]))


def excerpt(where):
    """The code block for `FILE NAME …`. Without a name, the whole file. A name can be followed by `:WORD`, see part()."""
    file, *names = where.split()
    language = "cmake" if file.endswith("CMakeLists.txt") else "cpp"
    code = "\n\n".join(part(file, name) for name in names) if names else (ROOT / file).read_text().rstrip()
    return f"```{language}\n{code}\n```"
