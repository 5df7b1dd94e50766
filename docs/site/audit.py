#!/usr/bin/python3
"""docs/site/audit.py FOLDER AXE [PATTERN …]: opens the pages of the built book in Chromium, in light and dark themes, 1280 and
390 pixels wide. Fails if a page is wider than the window or breaks a rule of axe-core. The rule color-contrast demands 4.5:1.
Search results of the API reference are shown in a frame of other pages, so only this rule applies to them.

AXE is axe-core's axe.min.js. A PATTERN such as 'tutorials/*' selects pages; without one, all pages are opened.
"""

import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import sys

from browser import browser, emulate, served

SETTINGS = [(scheme, width) for width in (1280, 390) for scheme in ("light", "dark")]
AUDIT = """
const done = arguments[arguments.length - 1];
document.fonts.ready.then(() => axe.run({resultTypes: ["violations"], ...arguments[0]})).then(found => done({
  violations: found.violations.map(rule => ({
    rule: rule.id, help: rule.help,
    nodes: rule.nodes.map(node => node.target.flat().join(" ") + ": " + node.any.concat(node.all, node.none).map(check => check.message).join("; ")),
  })),
  width: document.documentElement.scrollWidth,
}), error => done({error: String(error)}));
"""
FRAMES = "api/search/"
OF_FRAMES = {"runOnly": ["color-contrast"]}
SHOWN = 3  # number of elements shown per rule, page and setting


def findings_of(driver, axe, address, page):
    """Yields (rule, where, text) for each finding on a page."""
    for scheme, width in SETTINGS:
        emulate(driver, scheme, width)
        driver.get(f"{address}/{page}")
        driver.execute_script(axe)
        found = driver.execute_async_script(AUDIT, OF_FRAMES if page.startswith(FRAMES) else {})
        where = f"{page} ({scheme}, {width} px)"
        if "error" in found:
            yield "axe-core failed", where, found["error"]
            continue
        if found["width"] > width and not page.startswith(FRAMES):
            yield "overflow", where, f"the page is {found['width']} px wide"
        for violation in found["violations"]:
            nodes = violation["nodes"]
            more = f"\n    and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
            yield violation["rule"], where, violation["help"] + "".join(f"\n    {node}" for node in nodes[:SHOWN]) + more


def audit(pages, axe, address):
    """Prints the findings of each page as soon as the page is done. Returns the rules that were broken."""
    rules = []
    with browser() as driver:
        for page in pages:
            found = list(findings_of(driver, axe, address, page))
            print("\n".join(f"{where}: {rule}: {text}" for rule, where, text in found) or f"{page}: ok", flush=True)
            rules += [rule for rule, *_ in found]
    return rules


def main(folder, axe, patterns):
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    pages = [page for page in pages if not patterns or any(fnmatch.fnmatch(page, pattern) for pattern in patterns)]
    if not pages:
        sys.exit(f"audit: no page of {folder} matches {' '.join(patterns)}")
    browsers = os.cpu_count()
    with served(folder) as address, concurrent.futures.ThreadPoolExecutor(browsers) as pool:
        shares = pool.map(lambda first: audit(pages[first::browsers], axe.read_text(), address), range(browsers))
        counts = collections.Counter(rule for share in shares for rule in share)
    print(f"{len(pages)} pages: " + (", ".join(f"{rule} {number}" for rule, number in counts.most_common()) or "no findings"))
    sys.exit(bool(counts))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
