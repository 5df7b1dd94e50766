#!/usr/bin/env python3
"""Draws the models of the tutorials as circuits, and the other diagrams of the book.

docs/diagrams.py render   writes docs/pictures/diagram_*.svg
docs/diagrams.py check    fails if a picture is not what `render` would write, or if no page shows it

Data flows upwards: the encoder is at the bottom, the context above it, the decoder at the top. A part has the same place, shape
and colour in all pictures. Each of the other diagrams_*.py has one function per picture, with two exceptions: diagrams_parts.py
draws parts of models, and diagrams_kit.py draws boxes, arrows, formulas and matrices.
"""

import diagrams_book  # noqa: F401 (its pictures are added to DRAWN)
import diagrams_engine  # noqa: F401
import diagrams_explained  # noqa: F401
import diagrams_gates  # noqa: F401
import diagrams_how_to  # noqa: F401
import diagrams_machines  # noqa: F401
import diagrams_models  # noqa: F401
import diagrams_recurrent  # noqa: F401
import diagrams_small  # noqa: F401
import diagrams_small_measured  # noqa: F401
import diagrams_speech  # noqa: F401
import diagrams_speed  # noqa: F401
from diagrams_kit import DRAWN, PICTURES, ROOT
from render_or_check import render_or_check


def render():
    for path, svg in DRAWN.items():
        path.write_text(svg)


def faults():
    pages = [path.read_text() for pattern in ("README.md", "docs/**/*.md", "exercises/*/README.md") for path in ROOT.glob(pattern)]
    for path, svg in DRAWN.items():
        if not path.exists() or path.read_text() != svg:
            yield f"{path.relative_to(ROOT)} is out of date"
        if not any(path.name in page for page in pages):
            yield f"{path.relative_to(ROOT)} is on no page; show it or remove its function"
    for path in set(PICTURES.glob("diagram_*.svg")) - set(DRAWN):
        yield f"{path.relative_to(ROOT)} has no function in docs/diagrams_*.py; remove it"


if __name__ == "__main__":
    render_or_check(__doc__, "docs/diagrams.py", render, faults)
