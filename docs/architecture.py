#!/usr/bin/env python3
"""Draws the libraries and their dependencies for docs/explained/architecture.md and its Chinese translation. Reads the
dependencies from the includes. diagrams_engine.py draws the folders of autograd and the stages of a training step; `check`
compares the folders with the includes, and the stages with the table on the page.

docs/architecture.py render   writes docs/pictures/architecture_libraries.svg (with Graphviz) and the line counts on the pages
docs/architecture.py check    fails if a picture has other folders or arrows than the includes, or if a line count on a
                              page is wrong by more than a fifth, or if the table of a training step has other files
                              than the picture
"""

import pathlib
import re
import subprocess

from diagrams_engine import AUTOGRAD, STAGES, UPWARD
from render_or_check import render_or_check

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / folder / "architecture.md" for folder in ("explained", "zh/explained")]
LIBRARIES_PICTURE = ROOT / "docs" / "pictures" / "architecture_libraries.svg"
LIBRARIES = ("files", "autograd", "nn", "data", "plot", "graph", "models", "speech", "compress", "distributed", "serve", "tools")
COUNTED = re.compile(r"(\| \[`[^`]+`\]\((?:\.\./)+(?P<path>[^)]+)\) \| )(?P<lines>\d+)( \|)")
# Each public header of autograd without a source of the same name → the folder that implements this header.
PUBLIC = {"ops": "ops", "checks": "tensor", "dtype": "tensor", "xtensor": "tensor", "parallel": "threads", "memory": "memory",
          "pack_weights": "products", **dict.fromkeys(("composed", "recording", "scope"), "runtime")}
# (folder, header): includes that do not count as an arrow. products uses only the type BuildInfo, and runtime uses only the
# types Precision and PackWeights: these folders call no function of the header. runtime implements a part of anomaly.hpp
# itself.
UNCOUNTED = {("products", "build_info"), ("runtime", "pack_weights"), ("runtime", "precision"), ("runtime", "anomaly")}
# The colour of a library: the engine is blue, models are green, and programs and pictures are yellow.
COLOURS = {"#e3edf9": ("autograd",), "#e6f4e8": ("nn", "data", "models", "speech", "compress", "distributed"),
           "#fcf2dd": ("tools", "serve", "plot", "graph")}
STYLE = """  graph [rankdir=TB, bgcolor=transparent, nodesep=0.3, ranksep=0.4]
  node [shape=box, style="rounded,filled", fillcolor=white, color="#7c9cc4", penwidth=0.8, margin="0.16,0.08", height=0.3, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#1f2933"]
  edge [color="#8b98a9", penwidth=0.8, arrowsize=0.6]
"""


def includes(path):
    return re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def library_of(header):
    """The library of a header. For gradus/LIBRARY/NAME.hpp this is LIBRARY. For gradus/NAME.hpp it is the library whose folder
    has the source NAME.cpp. None if there is no such folder, and for headers outside gradus/."""
    if not (match := re.fullmatch(r"gradus/(?:(\w+)/)?([\w/]+)\.hpp", header)):
        return None
    return match[1] or next((library for library in LIBRARIES if (ROOT / library / f"{match[2]}.cpp").exists()), None)


def library_arrows():
    """Pairs of a library and a library that it includes."""
    return {(library, used) for library in LIBRARIES for path in (ROOT / library).rglob("*.[ch]pp")
            for used in map(library_of, includes(path)) if used in LIBRARIES and used != library}


def autograd_arrows():
    """Pairs of a folder of autograd and a folder that it uses. A public header belongs to the folder that has the source of the
    same name, or to the folder in PUBLIC."""
    folder = ROOT / "autograd"
    names = {path.name for path in folder.iterdir() if path.is_dir() and path.name != "include"}

    def used(header):
        if match := re.fullmatch(r"gradus/autograd/(\w+)\.hpp", header):
            return PUBLIC.get(match[1]) or next((name for name in names if (folder / name / f"{match[1]}.cpp").exists()), None)
        return header.split("/")[0] if header.split("/")[0] in names else None

    pairs = {(path.parent.name, used(header)) for path in folder.glob("*/*.[ch]pp") for header in includes(path)
             if (path.parent.name, pathlib.Path(header).stem) not in UNCOUNTED}
    return {(a, b) for a, b in pairs if a in names and b and a != b}


def autograd_faults():
    """Yields the differences between the picture by diagrams_engine.py and the includes. In the picture, tensor and tape share
    a box."""
    names, found = list(AUTOGRAD), autograd_arrows()
    box = {name: "tensor" if name == "tape" else name for name in names}
    if missing := {name for arrow in found for name in arrow} ^ set(names):
        yield f"diagrams_engine.py: AUTOGRAD differs from the folders of autograd: {', '.join(sorted(missing))}"
        return
    place = {name: names.index(box[name]) for name in names}
    upward = {(a, box[b]) for a, b in found if place[a] > place[b]}
    if upward != {(a, box[b]) for a, b in UPWARD}:
        yield f"diagrams_engine.py: UPWARD differs from the includes that lead up: {sorted(upward)}"
    boxes = [name for name in names if box[name] == name]
    nearest = min((box[b] for a, b in found if a == "inspect"), key=boxes.index)
    if nearest != "products":
        yield f"docs/pictures/diagram_autograd_folders.svg shows inspect → products; the nearest folder that inspect uses is {nearest}"
    for arrow in zip(boxes[1:], boxes[2:]):
        if arrow not in {(box[a], box[b]) for a, b in found}:
            yield f"docs/pictures/diagram_autograd_folders.svg shows {arrow[0]} → {arrow[1]}, which no include confirms"


def reduced(arrows):
    """Removes arrows that other arrows imply: a → c, if a longer path leads from a to c."""
    def reached(start, skipped):
        found, waiting = set(), [start]
        while waiting:
            now = waiting.pop()
            new = {b for a, b in arrows if a == now and (a, b) != skipped} - found
            found |= new
            waiting += new
        return found
    return {arrow for arrow in arrows if arrow[1] not in reached(arrow[0], arrow)}


def folders(arrows):
    return sorted({name for arrow in arrows for name in arrow})


def dot(arrows):
    fill = {name: colour for colour, names in COLOURS.items() for name in names}
    lines = [f'  "{name}" [fillcolor="{fill[name]}"]' if name in fill else f'  "{name}"' for name in folders(arrows)] + [f'  "{a}" -> "{b}"' for a, b in sorted(reduced(arrows))]
    return "digraph architecture {\n" + STYLE + "\n".join(lines) + "\n}\n"


def shown(svg):
    """The libraries and arrows in a picture. Graphviz writes each of them into a <title>."""
    titles = re.findall(r"<title>([^<]+)</title>", svg)
    arrows = {tuple(title.split("&#45;&gt;")) for title in titles if "&#45;&gt;" in title}
    return sorted(title for title in titles if "&#45;&gt;" not in title and title != "architecture"), arrows


def stages_of(page):
    """The files in the table of a training step: for each stage, its files as "LIBRARY/NAME"."""
    stages = []
    for row in re.findall(r"^\|(?: (\d) \|| \|) \[`(\w+)/[\w/]+/(\w+\.cpp)`\]", page.read_text(), re.MULTILINE):
        if row[0]:
            stages.append([])
        stages[-1].append(f"{row[1]}/{row[2]}")
    return stages


def line_count(path):
    return len((ROOT / path).read_text().splitlines())


def render():
    svg = subprocess.run(["dot", "-Tsvg"], input=dot(library_arrows()), capture_output=True, text=True, check=True).stdout
    LIBRARIES_PICTURE.write_text(re.sub(r"<!-- Generated by[^>]*-->\n|<\?xml[^>]*\?>\n|<!DOCTYPE[^>]*>\n", "", svg))
    for page in PAGES:
        page.write_text(COUNTED.sub(lambda m: f"{m[1]}{line_count(m['path'])}{m[4]}", page.read_text()))


def faults():
    arrows = library_arrows()
    if shown(LIBRARIES_PICTURE.read_text()) != (folders(arrows), reduced(arrows)):
        yield f"{LIBRARIES_PICTURE.relative_to(ROOT)} does not show the libraries and arrows of the includes"
    yield from autograd_faults()
    drawn = [[f"{library}/{file}" for library, files in zip(("models", "nn", "autograd"), columns) for file in files]
             for _, _, *columns in STAGES]
    for page in PAGES:
        if stages_of(page) != drawn:
            yield f"{page.relative_to(ROOT)}: the table of a training step has other files than diagram_training_step.svg"
        counted = list(COUNTED.finditer(page.read_text()))
        if not counted:
            yield f"{page.relative_to(ROOT)} has no line counts"
        for match in counted:
            now = line_count(match["path"])
            if abs(now - int(match["lines"])) > now / 5:
                yield f"{page.relative_to(ROOT)} says that {match['path']} has {match['lines']} lines; it has {now}"


if __name__ == "__main__":
    render_or_check(__doc__, "docs/architecture.py", render, faults)
