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
import subprocess
import sys
import tempfile

from lint import ROOT, options

CLANG = "clang++-19"  # Debian 12 and 13 have this version
TESTS = ROOT / "tests"


def groups(build):
    """Maps compiler options to the test programs' sources. A source in two programs gets the longer list of options."""
    longest = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(TESTS) and source != TESTS / "main.cpp":
            longest[source] = max(longest.get(source, ()), options(entry["command"]), key=len)
    grouped = {}
    for source, flags in longest.items():
        grouped.setdefault(flags, []).append(source)
    return grouped


def clang(*arguments):
    # xtensor 0.24 does not compile with C++17's matching of template template arguments, which is clang 19's default.
    done = subprocess.run([CLANG, "-w", "-fno-relaxed-template-template-args", "-I", TESTS / "catch3", *arguments],
                          capture_output=True, text=True)
    return done.returncode, done.stderr


def header(folder, flags):
    """Precompiles the headers that nearly every test includes. This cuts the tests' compile time to a third."""
    source, compiled = folder / f"{abs(hash(flags))}.hpp", folder / f"{abs(hash(flags))}.pch"
    source.write_text('#include "catch.hpp"\n#include <gradus/gradus.hpp>\n')
    code, text = clang(*flags, "-x", "c++-header", source, "-o", compiled)
    if code:
        sys.exit(text)
    return compiled


def main(build):
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for flags, sources in groups(build).items():
            compiled = header(pathlib.Path(scratch), flags)
            jobs += [(*flags, "-include-pch", compiled, "-fsyntax-only", source) for source in sorted(sources)]
        done = list(pool.map(lambda job: clang(*job), jobs))
    print("".join(text for _, text in done), end="")
    print(f"{len(done)} sources, {sum(bool(code) for code, _ in done)} do not compile against Catch2 3")
    sys.exit(not done or any(code for code, _ in done))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
