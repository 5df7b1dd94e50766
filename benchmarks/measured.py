"""Helpers for scripts that compare benchmark programs: run one, print a table."""

import json
import os
import subprocess
import sys


# Prefixes of the environment variables that select a library's kernels and threads. neutral_environment() removes these
# variables, so that the comparison is fair: some programs set them themselves, and others would take them from the user's
# shell.
CHOSEN_BY_VARIABLES = ("OPENBLAS_", "OMP_", "GOMP_", "MKL_")


def neutral_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(CHOSEN_BY_VARIABLES)}


def run(program, environment=None, **options):
    """Runs a benchmark program with --json and returns its report. Libraries choose their own kernels and threads unless
    `environment` sets them. An option with the value True becomes a flag."""
    command = [str(program), "--json"]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    done = subprocess.run(command, env={**neutral_environment(), **(environment or {})}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def table(header, rows):
    """Formats a table. The first column is left-aligned, the others are right-aligned."""
    lines = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def threads_of_machine():
    return len(os.sched_getaffinity(0))
