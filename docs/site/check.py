#!/usr/bin/env python3
"""docs/site/check.py FOLDER: fails if the built book has dead links, external resources, or formulas for which KaTeX reports an
error or a warning."""

import html.parser
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "srcset"), ("iframe", "src"), ("object", "data")}
NOT_FETCHED = {"canonical", "alternate", "prev", "next"}


class Page(html.parser.HTMLParser):
    """A page's anchors, links, fetched resources and formulas."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched = {"", "__search"}, [], []
        self.marked, self.depth = [], 0  # [text, is display] of each formula that arithmatex marked; number of open marks
        self.feed(text)
        # Removes the delimiters, as math.js does.
        self.formulas = [(re.sub(r"^(\\[([])+|(\\[)\]])+$", "", text.strip()), displayed)
                         for text, displayed in self.marked]

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get("rel") not in NOT_FETCHED:
            self.fetched += [value for name, value in attributes if (tag, name) in FETCHED and value]
        if given.get("class") == "arithmatex":
            self.depth += 1
            if self.depth == 1:
                self.marked.append(["", tag == "div"])
            else:
                self.marked[-1][1] = True

    def handle_endtag(self, tag):
        if self.depth and tag in ("span", "div"):
            self.depth -= 1

    def handle_data(self, data):
        if self.depth:
            self.marked[-1][0] += data


def is_outside(address):
    return bool(urllib.parse.urlsplit(address).netloc)


def complaints(formulas, root):
    """Maps formulas to KaTeX's errors and warnings. Runs the site's own KaTeX in QuickJS if installed, otherwise in Duktape."""
    formulas = sorted(formulas)
    if not formulas:
        return {}
    program = "\n".join([(root / "assets/katex/katex.min.js").read_text(), f"var formulas = {json.dumps(formulas)};",
                         pathlib.Path(__file__).with_name("formulas.js").read_text()])
    engine = ["qjs", "--script"] if shutil.which("qjs") else ["duk"]
    with tempfile.NamedTemporaryFile("w", suffix=".js") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([*engine, file.name], stdout=subprocess.PIPE, text=True, check=True)
    return {formula: complaint for formula, complaint in zip(formulas, json.loads(done.stdout)) if complaint}


def findings(root):
    pages = {path.relative_to(root).as_posix(): Page(path.read_text()) for path in sorted(root.rglob("*.html"))
             if path.name != "404.html"}  # shown at any address, so its links begin at the root
    wrong = complaints({formula for page in pages.values() for formula in page.formulas}, root)
    for name, page in pages.items():
        yield from (f"{name}: external resource {address}" for address in page.fetched if is_outside(address))
        yield from (f"{name}: formula {' '.join(formula[0].split())}: {wrong[formula]}"
                    for formula in page.formulas if formula in wrong)
        for address in page.links + page.fetched:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            path = urllib.parse.unquote(parts.path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (root / target).is_file():
                yield f"{name}: dead link {address}"
            elif (target in pages and not name.startswith("api/") and  # doxygen's pages link to a few anchors that do not exist
                  urllib.parse.unquote(parts.fragment) not in pages[target].anchors):
                yield f"{name}: link {address} has no such anchor"
    for style in sorted(root.rglob("*.css")):
        for address in re.findall(r"(?:@import\s*|url\()[\"']?([^\"')]+)", style.read_text()):
            if is_outside(address):
                yield f"{style.relative_to(root)}: external resource {address}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(findings(pathlib.Path(sys.argv[1])))
    sys.exit("\n".join(found) if found else 0)
