"""The command line of a script whose output is committed. `render` writes the output, and `check` fails if it is out of date."""

import pathlib
import sys


def render_or_check(usage, script, render, faults):
    """`faults()` yields a line for each difference between the committed output and what `render()` would write."""
    if sys.argv[1:] == ["render"]:
        return render()
    if sys.argv[1:] != ["check"]:
        sys.exit(usage)
    name = pathlib.Path(script).stem
    if found := list(faults()):
        sys.exit("".join(f"{name}: {fault}\n" for fault in found) + f"{name}: run {script} render")
