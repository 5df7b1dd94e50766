"""The command line of a script that generates committed files: `render` writes them, `check` fails if they are out of date."""

import pathlib
import sys


def render_or_check(usage, script, render, faults):
    """Runs `render()` or a check, as the command line says, or prints `usage`. For the check, `faults()` yields a line for each
    difference between the committed output and what `render()` would write."""
    if sys.argv[1:] == ["render"]:
        return render()
    if sys.argv[1:] != ["check"]:
        sys.exit(usage)
    name = pathlib.Path(script).stem
    if found := list(faults()):
        sys.exit("".join(f"{name}: {fault}\n" for fault in found) + f"{name}: run {script} render")
