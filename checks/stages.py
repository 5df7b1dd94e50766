#!/usr/bin/env python3
"""Runs stages in order, and prints a summary: stages.py 'NAME: COMMAND' …

A failed stage does not stop the others. build/check/NAME.log holds the output of each stage. The output of the first failed
stage is also printed, with the command that repeats it.
"""

import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "check"


class Stage:
    def __init__(self, text):
        self.name, self.command = text.split(": ", 1)
        self.log = LOGS / f"{self.name}.log"

    def run(self):
        print(f"{self.name:<12} {self.command}", flush=True)
        start = time.monotonic()
        with self.log.open("w") as log:
            self.ok = subprocess.run(["bash", "-c", self.command], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT).returncode == 0
        self.seconds = time.monotonic() - start

    def summary(self):
        return f"{self.name:<12} {self.seconds:6.0f} s  " + ("ok" if self.ok else f"FAILED: {self.command}")


def main(texts):
    LOGS.mkdir(parents=True, exist_ok=True)
    stages = [Stage(text) for text in texts]
    for stage in stages:
        stage.run()
    failed = [stage for stage in stages if not stage.ok]
    if failed:
        print(f"\n{failed[0].name} failed. Its output:\n\n{failed[0].log.read_text(errors='replace')}\n"
              f"To repeat it: {failed[0].command}")
    print("", *(stage.summary() for stage in stages), f"{'total':<12} {sum(s.seconds for s in stages):6.0f} s", sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
