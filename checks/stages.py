#!/usr/bin/env python3
"""Runs stages in order, and prints a summary: stages.py 'NAME: COMMAND' …

A failed stage does not stop the others. build/check/NAME.log holds the output of each stage. The output of the first failed
stage is also printed, with the command that repeats it. The summary shows the time of each stage, and the CPU time of all its
processes, which depends little on what else runs on the machine.
"""

import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "check"


def cpu_seconds():
    """The CPU time of all ended child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Stage:
    def __init__(self, text):
        self.name, self.command = text.split(": ", 1)
        self.log = LOGS / f"{self.name}.log"

    def run(self):
        print(f"{self.name:<12} {self.command}", flush=True)
        start, used = time.monotonic(), cpu_seconds()
        with self.log.open("w") as log:
            self.ok = subprocess.run(["bash", "-c", self.command], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT).returncode == 0
        self.seconds = time.monotonic() - start
        self.cpu = cpu_seconds() - used

    def summary(self):
        return row(self.name, self.seconds, self.cpu) + ("ok" if self.ok else f"FAILED: {self.command}")


def row(name, seconds, cpu):
    return f"{name:<12} {seconds:6.0f} s  {cpu:6.0f} s of CPU time  "


def main(texts):
    LOGS.mkdir(parents=True, exist_ok=True)
    stages = [Stage(text) for text in texts]
    for stage in stages:
        stage.run()
    failed = [stage for stage in stages if not stage.ok]
    if failed:
        print(f"\n{failed[0].name} failed. Its output:\n\n{failed[0].log.read_text(errors='replace')}\n"
              f"To repeat it: {failed[0].command}")
    total = row("total", sum(stage.seconds for stage in stages), sum(stage.cpu for stage in stages))
    print("", *(stage.summary() for stage in stages), total.rstrip(), sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
