#!/usr/bin/env python3
"""Checks the output of a tutorial, or of a page's program, against docs/results/printed_NAME.json:
tutorial_prints.py NAME PROGRAM [OPTIONS]. NAME is NN, the tutorial's number, or the page's name.

The options shorten the run, so numbers and model outputs differ. But for each recorded line, the program must print a line with
the same words. Tutorial 00 trains nothing, so it must print the recorded lines unchanged.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORD = re.compile(r"[A-Za-zα-ωΑ-Ω_']{2,}")
WRITTEN = re.compile(r"^( *(?:fixed context|Bahdanau|answer|replaced|written)) .*")  # a label, followed by a model's output
ENDS = {"eos", "nan", "inf"}  # whether these words are printed depends on the training


def words(line):
    return tuple(word for word in WORD.findall(WRITTEN.sub(r"\1", line)) if word not in ENDS)


def missing(recorded, printed):
    """The recorded lines for which no printed line has the same words in the same order."""
    there = {words(line) for line in printed} | {()}
    return [line for line in recorded if words(line) not in there]


def check_itself():
    recorded = ["  a 0.5", "loss before training: 2.9 by hand", "Bahdanau  Where is it?"]
    printed = ["  b 1", "", "loss before training: 3.0 by hand", "Bahdanau  It is."]
    assert not missing(recorded, printed)
    assert missing(recorded, [line.replace("hand", "the library") for line in printed]) == recorded[1:2]
    assert missing(recorded, printed[:-1]) == recorded[-1:]


def main(number, program, *options):
    done = subprocess.run([program, *options], stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, end="")
    assert "try next: " in done.stdout or not number.isdigit(), "the tutorial did not run to its end"
    path = ROOT / "docs" / "results" / f"printed_{number}.json"
    if not path.exists():
        sys.exit(f"{path} is missing; run docs/results.py measure printed {number}")
    recorded, printed = json.loads(path.read_text())["lines"], done.stdout.rstrip().split("\n")
    lost = [line for line in recorded if line not in printed] if number == "00" else missing(recorded, printed)
    if lost:
        sys.exit(f"{number} no longer prints:\n" + "\n".join(lost) + f"\nrun docs/results.py measure printed {number}")


if __name__ == "__main__":
    check_itself()
    main(*sys.argv[1:])
