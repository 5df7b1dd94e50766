#!/usr/bin/env python3
"""Checks which pictures docs/site/values.py puts inline into a page, and with which markup."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs" / "site"))

import values


def page(name, language="en", more=""):
    return values.on_post_page(f'<p><img {more}alt="Weights" src="../pictures/{name}.svg" /></p>', None, {"theme": {"language": language}})


heatmap = page("tutorial_10_alignment", more='style="--width-to-read: 9px" ')
assert heatmap.startswith('<p><span class="values"><svg style="--width-to-read: 9px" '), heatmap[:99]
assert 'aria-label="Weights" tabindex="0"' in heatmap
assert heatmap.count("<title>") == (values.PICTURES / "tutorial_10_alignment.svg").read_text().count("<title>") > 100
assert "prefers-color-scheme" not in heatmap and '[data-md-color-scheme="slate"]{.gp-back{' in heatmap
assert f"<output>{values.HINTS['en']}</output></span></p>" in heatmap
assert values.HINTS["zh"] in page("tutorial_10_alignment", "zh")
assert "源，读到的" in page("tutorial_10_alignment", "zh") and "source, read" not in page("tutorial_10_alignment", "zh")
assert "<svg" in page("tutorial_10_exact_match")

for kept in ("tutorial_10_forming", "diagram_10_bahdanau", "no_such_picture"):  # too large; no tooltips; does not exist
    assert "<svg" not in page(kept), kept
front = '<picture><source srcset="a.svg"><img alt="Weights" src="pictures/tutorial_10_alignment.svg"></picture>'
assert values.on_post_page(front, None, {"theme": {"language": "en"}}) == front
