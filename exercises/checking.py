"""Builds the learner's programs and checks them."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

import compile_errors
import endings
from course import is_chinese, shown

STAGE_SECONDS = 20  # limit of a stage; a training stage gets three times as long
MEMORY_MIB = 4096
POLL = 0.2  # seconds between two tests for a saved file


class Saved(Exception):
    """Raised when the learner saves the file while it is built or checked."""


class Translated(subprocess.Popen):
    """A program whose output is printed to sys.stdout, which translates every line."""

    def __init__(self, command, **options):
        super().__init__(command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace", **options)
        self.copying = threading.Thread(target=self.copy)
        self.copying.start()

    def copy(self):
        for line in self.stdout:
            print(line, end="")

    def wait(self, timeout=None):
        code = super().wait(timeout)
        self.copying.join()
        return code


def run(command, **options):
    """Starts a program whose output is shown to the learner."""
    return (Translated if is_chinese() else subprocess.Popen)(command, **options)


def wait_for(process, saved, waiting=lambda: None):
    """Waits for the process and returns its exit code. Calls waiting() every POLL seconds. If saved() becomes true, stops the
    process and raises Saved."""
    while True:
        try:
            return process.wait(POLL)
        except subprocess.TimeoutExpired:
            waiting()
        except KeyboardInterrupt:
            process.wait()
            raise
        if saved():
            process.terminate()
            process.wait()
            raise Saved


class Build:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        cache = self.folder / "CMakeCache.txt"
        self.sanitized = cache.exists() and bool(re.search(r"^GRADUS_SANITIZE:\w+=\w", cache.read_text(), re.MULTILINE))

    def take(self, exercise):
        """Copies the learner's file into the build folder. A #line directive makes compiler messages name the original."""
        taken = self.folder / "exercises" / "learner" / exercise.file.name
        text = f"#line 1 {json.dumps(str(exercise.file))}\n{exercise.file.read_text()}"
        if not taken.exists() or taken.read_text() != text:
            taken.parent.mkdir(exist_ok=True)
            taken.write_text(text)

    def program(self, exercise, kind="", saved=lambda: False):
        """Builds the learner's program. If it does not compile, explains the first error and returns None."""
        target = f"{exercise.target}{kind}"
        if not (self.folder / "exercises" / target).exists():
            print(f"Building {target} in {shown(self.folder)}; the first build takes longest.\n", flush=True)
        self.take(exercise)
        in_english = {**os.environ, "LC_ALL": "C.UTF-8", "NINJA_STATUS": "[%f/%t] "}  # compile_errors reads English
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            ninja = subprocess.Popen(["ninja", "-C", self.folder, target], env=in_english, stdout=output, stderr=subprocess.STDOUT)
            code = wait_for(ninja, saved, lambda: show_progress(output))
            clear_progress()
            text = re.sub(r"^\[\d+/\d+\].*\n", "", read_again(output), flags=re.MULTILINE)
        if code == 0:
            return self.folder / "exercises" / target
        print(compile_errors.explain(text, exercise.file, self.folder, shown))
        return None


def read_again(file):
    file.seek(0)
    return file.read()


def show_progress(output):
    """In a terminal, shows ninja's progress."""
    steps = re.findall(r"^\[\d+/\d+\]", read_again(output), re.MULTILINE)
    if steps and sys.stdout.isatty():
        print(f"\r  built {steps[-1]}", end="", flush=True)


def clear_progress():
    if sys.stdout.isatty():
        print("\r\033[K", end="", flush=True)


class Check:
    """The command-line options of a check. The check stops when saved() returns true."""

    def __init__(self, patience=1, sanitize=False, saved=lambda: False):
        self.seconds, self.sanitize, self.saved = round(STAGE_SECONDS * patience), sanitize, saved

    def run(self, program, exercise):
        """Runs the program. Returns (Ending, report): how it ended, and the sanitizer's report on the learner's file, or None."""
        seconds = self.seconds * 3 if self.sanitize else self.seconds
        parts = ["--parts", ",".join(exercise.parts)] if exercise.parts else []
        memory = [] if self.sanitize else ["--memory", str(MEMORY_MIB)]  # AddressSanitizer reserves more than the limit
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"}
        with tempfile.TemporaryDirectory() as folder:
            record, errors = pathlib.Path(folder, "record"), pathlib.Path(folder, "errors")
            record.touch()
            with errors.open("wb") as stderr:
                process = run([program, "--state", record, "--seconds", str(seconds), *memory, *parts], env=environment,
                              stderr=stderr if self.sanitize else None,
                              preexec_fn=lambda: signal.alarm(seconds))  # limits code that runs before main()
                code = wait_for(process, self.saved)
            printed = errors.read_text(errors="replace")
            report = endings.report(printed, exercise.file)
            if not report:
                print(printed, end="", file=sys.stderr)
            return endings.Ending(record.read_text(), code), report

    def explain(self, exercise, program, ending, report):
        """Prints why the program ended, unless the program itself has printed the reason. Also prints the line of the error."""
        lines = [("at", line) for line in endings.lines_in(exercise.file, program, ending.addresses)[:1]]
        hint = None
        if not ending.explained:
            says, hint = ending.cause()
            if report:
                (says, lines), hint = report, None
            print(f"  not yet {ending.stage or 'code outside the stages'}\n\n  {says}")
        source = exercise.file.read_text().splitlines()
        for label, line in lines:
            print(f"    {label:<11} {shown(exercise.file)}:{line}: {source[line - 1].strip() if line <= len(source) else ''}")
        if hint:
            print(f"    {'hint':<11} {hint}")
