#!/usr/bin/env python3
"""Mutation tests: plants one fault at a time in a library. The library's tests, or those of another folder that faults.py
names, must then fail.

    tests/mutants/mutants.py                   tests all faults, in a copy of the tree in build/mutants; prints a table
    tests/mutants/mutants.py --only softmax    tests only the faults whose file, text or kind matches
    tests/mutants/mutants.py --check           checks that every fault matches its source; builds nothing (a test in CI)

If the tests pass in spite of a fault, a test is missing. The exit status is then 1, as for a fault that does not compile.
"""
import argparse
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import time

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
TIMEOUT = 300  # seconds for one run of the tests, because a fault may cause an endless loop


def planted(text, fault):
    """The source with the fault planted. Exits with an error unless fault.before occurs exactly once."""
    count = text.count(fault.before)
    if count != 1:
        sys.exit(f"mutants: {fault.file}: {fault.before!r} must occur once, found {count} times; update tests/mutants/faults.py")
    return text.replace(fault.before, fault.after)


def check(faults):
    for fault in faults:
        planted((ROOT / fault.file).read_text(), fault)
        if fault.before == fault.after:
            sys.exit(f"mutants: {fault.file}: before and after are equal: {fault.before!r}")
    print(f"{len(faults)} faults match their sources")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def programs(fault):
    return [f"test_{folder}" for folder in fault.tests]


def build(*programs):
    return run(["cmake", "--build", str(WORK / "build"), "--target", *programs])


def prepare(programs):
    """Copies the tree, and builds the copy from scratch: copied sources keep their old modification times, so an older build would
    miss their changes. The copy's tests must pass."""
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(ROOT, WORK / "tree", ignore=shutil.ignore_patterns("build", ".git", "out"))
    configure = ["cmake", "-S", str(WORK / "tree"), "-B", str(WORK / "build"), "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1", "-DGRADUS_TUTORIALS=OFF"]
    steps = [lambda: run(configure), lambda: build(*programs), *(functools.partial(test, name) for name in programs)]
    for step in steps:  # ends at the first failure
        done = step()
        if done.returncode != 0:
            sys.exit(f"mutants: the tree without faults does not build, or its tests fail:\n{done.stdout[-3000:]}")


def test(name):
    # Excludes training tests: they are slow, and training compensates for many faults.
    return run([str(next((WORK / "build").rglob(name))), "--abort", "~[learning]"], timeout=TIMEOUT)


def verdict(fault):
    """Plants the fault, builds, tests, and restores the source."""
    source = WORK / "tree" / fault.file
    original = source.read_text()
    source.write_text(planted(original, fault))
    try:
        built = build(*programs(fault))
        if built.returncode != 0:
            error = re.search(r"error: .*", built.stdout)
            return f"DOES NOT COMPILE ({error.group(0) if error else 'no message'})"
        tested = next((done for done in map(test, programs(fault)) if done.returncode != 0), None)
        if tested is None:
            return "SURVIVED"
        cases = re.findall(r"-{79}\n(.*?)\n-{79}", tested.stdout, re.DOTALL)  # the last case has failed; earlier ones may be warnings
        return "caught: " + (" ".join(cases[-1].split()) if cases else f"exit status {tested.returncode}")
    except subprocess.TimeoutExpired:
        return f"caught: timeout after {TIMEOUT} s"
    finally:
        source.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="", help="only matching faults")
    parser.add_argument("--check", action="store_true", help="only check that the faults match their sources")
    arguments = parser.parse_args()
    faults = [f for f in FAULTS if re.search(arguments.only, f"{f.file} {f.kind} {f.before} {f.after}")]
    check(faults)
    if arguments.check:
        return 0
    start = time.monotonic()
    prepare(sorted({name for fault in faults for name in programs(fault)}))
    missed = 0
    print(f"{'file':28} {'kind':28} {'fault':64} verdict")
    for fault in faults:
        result = verdict(fault)
        missed += not result.startswith("caught")
        change = f"{fault.before} → {fault.after}".replace("\n", " ")
        print(f"{pathlib.Path(fault.file).name:28} {fault.kind:28} {change[:64]:64} {result}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught in {time.monotonic() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
