#!/usr/bin/env python3
"""Compiles the tests' sources against Catch2 3, as declared in tests/catch3: catch3.py BUILD, where BUILD is a configured build
folder.

Debian 12 has Catch2 2, and ./run test compiles the tests against that version. This check does not link or run the tests;
checks/debian.sh runs them with the Catch2 3 of Debian 13.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from lint import ROOT, options

CLANG = "clang++-19"  # Debian 12 and 13 have this version
TESTS = ROOT / "tests"


def commands(build):
    """Maps each source of the test programs to its compiler options. A source may be a unit that includes several sources."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if re.search(r"CMakeFiles/test_\w+\.dir/", entry["command"]):
            found[source] = options(entry["command"])
    return found


def compiles(source, flags):
    # xtensor 0.24 does not compile with C++17's matching of template template arguments, which is clang 19's default.
    done = subprocess.run([CLANG, "-w", "-fno-relaxed-template-template-args", "-I", TESTS / "catch3", "-fsyntax-only", *flags, source],
                          capture_output=True, text=True)
    print(done.stderr, end="")
    return done.returncode == 0


def main(build):
    subprocess.run(["ninja", "-C", build, "--quiet", "test_units"], check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda job: compiles(*job), commands(build).items()))
    print(f"{len(done)} units of test sources, {done.count(False)} do not compile against Catch2 3")
    sys.exit(not done or not all(done))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
