#!/usr/bin/env python3
"""Measures the numbers quoted in pages, stores them in docs/results, and renders them into the pages.

docs/results.py measure [PART [NAME]]
runs each tutorial on three seeds, the benchmarks, and the other programs whose results pages
quote; with PART, only that part of MODULES below; with NAME, only this measurement of the
part. Writes docs/results/*.json and docs/pictures/*.svg. `tutorials` also records the output
of each tutorial. `printed` records only outputs: of each tutorial, and of the programs and
commands of other pages. Without PART, `printed` does not run. Training on real text needs
GRADUS_DATA, a folder with the files named in docs/command.md.
docs/results.py render    updates the tables of the pages from docs/results
docs/results.py check     fails if a page is not what `render` would write, or a result is below its bound

In a page, the function NAME of a module in RENDERERS writes the text between <!-- result NAME --> and <!-- end -->. If no
module has this function, results_tutorials.text_of() writes the text. <!-- code FILE NAME … --> and <!-- end --> enclose the
named functions or classes of a source; without a name, the whole source. <!-- printed NN … --> and <!-- end --> enclose
paragraphs from a tutorial's output (results_printed.py).

`measure` does not repeat the decisions_*.json, which compare programs built by hand; tutorial_04_orthogonal.json, which comes
from tutorial 04 with the change of its Try 3; and small_speed_amd.json, which was measured on another processor.
"""

import inspect
import re
import sys

import excerpts
import results_chinese
import results_command
import results_compress
import results_decisions
import results_listening
import results_machines
import results_museum
import results_printed
import results_serve
import results_small_both
import results_small_french
import results_small_reversal
import results_small_reversal_page
import results_sparse
import results_speaking
import results_speed
import results_tutorials
from results_kit import PICTURES, RESULTS, ROOT, revision

MODULES = {"tutorials": results_tutorials, "printed": results_printed, "speed": results_speed, "command": results_command,
           "museum": results_museum, "compress": results_compress, "sparse": results_sparse,
           "small": results_small_french, "small_reversal": results_small_reversal, "machines": results_machines,
           "serve": results_serve, "speaking": results_speaking, "listening": results_listening}
RENDERERS = [*MODULES.values(), results_decisions, results_small_both]
PAGES = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")])
MARKED = re.compile(r"(<!-- (result|code|printed) ([^>]+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


def text_of(kind, name):
    if kind == "code":
        return excerpts.excerpt(name)
    if kind == "printed":
        return results_printed.quoted(name)
    written = next((getattr(module, name) for module in RENDERERS if hasattr(module, name)), None)
    return written() if written else results_tutorials.text_of(name)


def rendered(page):
    is_chinese = page.name == "README.zh-CN.md" or ROOT / "docs" / "zh" in page.parents

    def filled(match):
        text = text_of(match[2], match[3])
        if match[2] == "result" and is_chinese:
            text = results_chinese.in_chinese(text)
        return match[1] + text + "\n" + match[4]

    return MARKED.sub(filled, page.read_text())


def measure(only=None, *more):
    if only not in (None, *MODULES):
        sys.exit(__doc__)
    if more and "only" not in inspect.signature(MODULES[only].measure).parameters:
        sys.exit(f"results.py: the part '{only}' has no parts of its own; leave out '{more[0]}'")
    for folder in (RESULTS, PICTURES):
        folder.mkdir(exist_ok=True)
    at = revision()
    # `printed` is left out: `tutorials` also records the outputs of tutorials.
    for name in [only] if only else [name for name in MODULES if name != "printed"]:
        MODULES[name].measure(at, *more)


def render():
    for page in PAGES:
        page.write_text(rendered(page))


def check():
    results_tutorials.check_bounds()
    results_command.check_bounds()
    results_museum.check_bounds()
    results_compress.check_bounds()
    results_sparse.check_bounds()
    results_small_french.check_bounds()
    results_small_reversal.check_bounds()
    results_small_reversal_page.check_text()
    results_machines.check_bounds()
    results_serve.check_bounds()
    results_speaking.check_bounds()
    results_listening.check_bounds()
    stale = [str(page.relative_to(ROOT)) for page in PAGES if rendered(page) != page.read_text()]
    if stale:
        sys.exit(f"results.py: out of date: {', '.join(stale)}; run docs/results.py render")


if __name__ == "__main__":
    commands = {"measure": measure, "render": render, "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in commands or len(sys.argv) > (4 if sys.argv[1] == "measure" else 2):
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
