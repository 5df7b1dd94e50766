#!/usr/bin/env python3
"""Checks that docs/site/check.py finds every fault of a site, and nothing else."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent.parent / "docs" / "site" / "check.py"
RIGHT = ('<a href="sub/b.html#here">b</a><a href="https://example.org">outside</a>'
         '<img src="a.svg"><link rel="stylesheet" href="a.css">')
WRONG = {
    '<a href="c.html">': "index.html: dead link c.html",
    '<a href="sub/b.html#there">': "index.html: link sub/b.html#there has no such anchor",
    '<img src="b.svg">': "index.html: dead link b.svg",
    '<script src="https://example.org/a.js">': "index.html: external resource https://example.org/a.js",
    '<link rel="stylesheet" href="//example.org/a.css">': "index.html: external resource //example.org/a.css",
}

KATEX = pathlib.Path("/usr/share/javascript/katex/katex.min.js")
FORMULAS = r"""<span class="arithmatex">\(s^\top h &lt; \text{注}\)</span><div class="arithmatex">\[\frac{a}{b} \tag{1}\]</div>
<li><span class="arithmatex">\(<span class="arithmatex">\[c \tag{2}\]</span>\)</span></li>"""
WRONG_FORMULAS = {
    r'<span class="arithmatex">\(\frac{a\)</span>': r"index.html: formula \frac{a: KaTeX parse error",
    r'<span class="arithmatex">\(a \tag{1}\)</span>': r"index.html: formula a \tag{1}: KaTeX parse error",  # \tag needs a display formula
    r'<div class="arithmatex">\[\text{a}&#10;注\]</div>': r"index.html: formula \text{a} 注: LaTeX-incompatible input",
}


def checked(index, style=""):
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        (site / "sub").mkdir()
        other = '<p id="here"><a href="../index.html">'
        for name, text in {"index.html": index, "sub/b.html": other, "a.svg": "", "a.css": style}.items():
            (site / name).write_text(text)
        if "arithmatex" in index:
            (site / "assets/katex").mkdir(parents=True)
            shutil.copy(KATEX, site / "assets/katex")
        done = subprocess.run([sys.executable, CHECK, site], capture_output=True, text=True)
        return done.returncode, done.stderr.strip()


assert checked(RIGHT) == (0, ""), checked(RIGHT)
for wrong, message in WRONG.items():
    assert checked(RIGHT + wrong) == (1, message), checked(RIGHT + wrong)
assert checked(RIGHT, "@font-face { src: url('https://example.org/a.woff') }") == (1, "a.css: external resource https://example.org/a.woff")

if KATEX.exists() and (shutil.which("qjs") or shutil.which("duk")):  # `./run docs` installs them
    assert checked(FORMULAS) == (0, ""), checked(FORMULAS)
    for wrong, message in WRONG_FORMULAS.items():
        code, found = checked(FORMULAS + wrong)
        assert code == 1 and found.startswith(message) and "\n" not in found, found
