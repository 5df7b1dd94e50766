#!/usr/bin/env python3
"""Plants one fault at a time in the engine's backward code or in a model, and requires its folder's tests to notice.

    tests/mutants/mutants.py            all faults, on a copy of the tree in build/mutants; prints a table
    tests/mutants/mutants.py --only softmax    those whose file, text or kind match
    tests/mutants/mutants.py --check    only checks that every fault still fits its source (a test in CI)

A fault that the tests let through is a missing test. The exit status is 1 when there is one.
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
TIMEOUT = 300  # seconds for one run of the tests: a fault may make a loop endless


def planted(text, fault):
    """The source with the fault in it; an error when its place is not found exactly once."""
    count = text.count(fault.before)
    if count != 1:
        sys.exit(f"mutants: {fault.file}: {fault.before!r} occurs {count} times, and must occur once; "
                 "bring tests/mutants/faults.py up to date")
    return text.replace(fault.before, fault.after)


def check(faults):
    for fault in faults:
        planted((ROOT / fault.file).read_text(), fault)
        if fault.before == fault.after:
            sys.exit(f"mutants: {fault.file}: {fault.before!r} is no fault")
    print(f"{len(faults)} faults fit their sources")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def program(fault):
    return "test_" + pathlib.Path(fault.file).parts[0]


def build(*programs):
    return run(["cmake", "--build", str(WORK / "build"), "--target", *programs])


def prepare(programs):
    """A copy of the tree, built anew (files keep their times, so old objects could pass for theirs); its tests pass."""
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(ROOT, WORK / "tree", ignore=shutil.ignore_patterns("build", ".git", "out"))
    configure = ["cmake", "-S", str(WORK / "tree"), "-B", str(WORK / "build"), "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1", "-DGRADUS_TUTORIALS=OFF"]
    steps = [lambda: run(configure), lambda: build(*programs), *(functools.partial(test, name) for name in programs)]
    for step in steps:  # each only when the one before has passed
        done = step()
        if done.returncode != 0:
            sys.exit(f"mutants: the tree without faults does not build or pass:\n{done.stdout[-3000:]}")


def test(name):
    # Training takes long, and gets round many a fault.
    return run([str(next((WORK / "build").rglob(name))), "--abort", "~[learning]"], timeout=TIMEOUT)


def verdict(fault):
    """Plants the fault, builds, tests, and takes it out again."""
    source = WORK / "tree" / fault.file
    original = source.read_text()
    source.write_text(planted(original, fault))
    try:
        built = build(program(fault))
        if built.returncode != 0:
            error = re.search(r"error: .*", built.stdout)
            return f"DOES NOT COMPILE ({error.group(0) if error else 'no message'})"
        tested = test(program(fault))
        if tested.returncode == 0:
            return "SURVIVED"
        cases = re.findall(r"-{79}\n(.*?)\n-{79}", tested.stdout, re.DOTALL)  # the last failed; some only warn
        return "caught: " + (" ".join(cases[-1].split()) if cases else f"exit status {tested.returncode}")
    except subprocess.TimeoutExpired:
        return f"caught: no end after {TIMEOUT} s"
    finally:
        source.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="", help="faults that match")
    parser.add_argument("--check", action="store_true", help="check the list, build nothing")
    arguments = parser.parse_args()
    faults = [f for f in FAULTS if re.search(arguments.only, f"{f.file} {f.kind} {f.before} {f.after}")]
    check(faults)
    if arguments.check:
        return 0
    start = time.monotonic()
    prepare(sorted({program(fault) for fault in faults}))
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
