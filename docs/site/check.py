#!/usr/bin/env python3
"""docs/site/check.py FOLDER: fails when a page of the built book leads nowhere, or fetches anything from elsewhere."""

import html.parser
import pathlib
import posixpath
import re
import sys
import urllib.parse

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "srcset"), ("iframe", "src"), ("object", "data")}
NOT_FETCHED = {"canonical", "alternate", "prev", "next"}


class Page(html.parser.HTMLParser):
    """What a page can be addressed by, what it leads to, and what the browser fetches for it."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched = {"", "__search"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get("rel") not in NOT_FETCHED:
            self.fetched += [value for name, value in attributes if (tag, name) in FETCHED and value]


def is_outside(address):
    return bool(urllib.parse.urlsplit(address).netloc)


def findings(root):
    pages = {path.relative_to(root).as_posix(): Page(path.read_text()) for path in sorted(root.rglob("*.html"))
             if path.name != "404.html"}  # it is shown at any address, so its links begin at the root
    for name, page in pages.items():
        yield from (f"{name} fetches {address}" for address in page.fetched if is_outside(address))
        for address in page.links + page.fetched:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            path = urllib.parse.unquote(parts.path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (root / target).is_file():
                yield f"{name} leads to {address}, which is not there"
            elif (target in pages and not name.startswith("api/") and  # doxygen's own pages miss a few of its anchors
                  urllib.parse.unquote(parts.fragment) not in pages[target].anchors):
                yield f"{name} leads to {address}, which has no such anchor"
    for style in sorted(root.rglob("*.css")):
        for address in re.findall(r"(?:@import\s*|url\()[\"']?([^\"')]+)", style.read_text()):
            if is_outside(address):
                yield f"{style.relative_to(root)} fetches {address}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(findings(pathlib.Path(sys.argv[1])))
    sys.exit("\n".join(found) if found else 0)
