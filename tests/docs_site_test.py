#!/usr/bin/env python3
"""docs/site/check.py finds what is wrong with a site, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent.parent / "docs" / "site" / "check.py"
RIGHT = ('<a href="sub/b.html#here">b</a><a href="https://example.org">outside</a>'
         '<img src="a.svg"><link rel="stylesheet" href="a.css">')
WRONG = {
    '<a href="c.html">': "index.html leads to c.html, which is not there",
    '<a href="sub/b.html#there">': "index.html leads to sub/b.html#there, which has no such anchor",
    '<img src="b.svg">': "index.html leads to b.svg, which is not there",
    '<script src="https://example.org/a.js">': "index.html fetches https://example.org/a.js",
    '<link rel="stylesheet" href="//example.org/a.css">': "index.html fetches //example.org/a.css",
}


def checked(index, style=""):
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        (site / "sub").mkdir()
        other = '<p id="here"><a href="../index.html">'
        for name, text in {"index.html": index, "sub/b.html": other, "a.svg": "", "a.css": style}.items():
            (site / name).write_text(text)
        done = subprocess.run([sys.executable, CHECK, site], capture_output=True, text=True)
        return done.returncode, done.stderr.strip()


assert checked(RIGHT) == (0, ""), checked(RIGHT)
for wrong, message in WRONG.items():
    assert checked(RIGHT + wrong) == (1, message), checked(RIGHT + wrong)
assert checked(RIGHT, "@font-face { src: url('https://example.org/a.woff') }") == (1, "a.css fetches https://example.org/a.woff")
