"""Code quoted in pages: functions and classes of a source file, or the whole file."""

import re

from results_kit import ROOT


def definition(file, name):
    """The source of a function or class, from its first line to its closing brace."""
    head = rf"^[^/#\s}}][^\n;]*(?<!\w){re.escape(name)}(?!\w)(?:[^;{{}}]|\{{\}})*\{{(?: *//.*)?\n"  # {}: a default argument
    found = re.search(head + r"(?s:.*?)^\};?$", (ROOT / file).read_text(), re.MULTILINE)
    if not found:
        raise SystemExit(f"excerpts: {file} defines no {name}")
    return found[0]


def excerpt(where):
    """The code block for `FILE NAME …`. Without a name, the whole file."""
    file, *names = where.split()
    language = "cmake" if file.endswith("CMakeLists.txt") else "cpp"
    code = "\n\n".join(definition(file, name) for name in names) if names else (ROOT / file).read_text().rstrip()
    return f"```{language}\n{code}\n```"
