"""Code that pages quote: functions and classes of a source, as they stand there."""

import re

from results_kit import ROOT


def definition(file, name):
    """From the line that begins it to the brace that ends it."""
    begins = rf"^[^/#\s}}][^\n;]*\b{re.escape(name)}\b[^;{{}}]*\{{\n"
    found = re.search(begins + r".*?^\};?$", (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"excerpts: {file} defines no {name}")
    return found[0]


def excerpt(where):
    """Of `FILE NAME …`, as a block of code."""
    file, *names = where.split()
    return "```cpp\n" + "\n\n".join(definition(file, name) for name in names) + "\n```"
