#!/usr/bin/env python3
"""Implements ./run exercise: builds and checks the learner's files and records the progress.

exercise.py BUILD [WORDS …]: BUILD is a configured build folder, WORDS the arguments of ./run exercise.

The learner edits copies of the stubs in exercises/mine/ (ignored by git) or in the folder that GRADUS_EXERCISES names.
progress.json in that folder records the stages passed, the hints shown, and the exercise of the last command.
"""

import difflib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import compile_errors
import endings
from museum import exhibits, quiz
from plain_text import plain

HERE = pathlib.Path(__file__).resolve().parent
MINE = pathlib.Path(os.environ.get("GRADUS_EXERCISES", HERE / "mine")).resolve()
EXIT_FINDING, EXIT_USAGE, EXIT_TO_DO = 1, 2, 3
STAGE_SECONDS = 20  # the limit for a stage; three times as much for a training
MEMORY_MIB = 4096
POLL = 0.2  # seconds between two checks whether the file was saved
LAST = "last exercise"  # the key in progress.json

USAGE = """\
usage: ./run exercise                      list the exercises and your progress
       ./run exercise NAME                 build and check your solution; the first call copies the stub to your folder
       ./run exercise watch [NAME]         the same, at every save
       ./run exercise build [NAME]         build the program for a debugger, without running it
       ./run exercise hint [NAME]          show the next hint
       ./run exercise reset NAME           start again from the stub; your old file is renamed
       ./run exercise solution [NAME]      show our solution, once yours has passed (or with --give-up)
       ./run exercise check-all            check every exercise that you have started
       ./run exercise diagnose [NAME]      name the exhibit of the museum that your attention or decoder resembles
       ./run exercise museum [N [LETTER]]  fifteen real mistakes: see the symptoms of number N, name the cause
       ./run exercise NAME --cli COMMAND   run the gradus command with your classes (exercises listed with --cli)
NAME is a name, a number, or a file of the exercise; without NAME, the exercise of the last command

options of a check and of watch:
       --patience N                        N times the time for each stage: 20 s, and 60 s for a training
       --sanitize                          find invalid memory accesses: your code is built with AddressSanitizer

environment: GRADUS_EXERCISES              folder of your files; default: exercises/mine
"""


class Exercise:
    """An exercise, or one sitting of a long one: some of its parts, with progress of their own. All sittings share a file."""

    def __init__(self, folder, sitting="", parts=()):
        self.folder, self.parts = folder, parts
        self.number, self.whole = folder.name.split("_", 1)
        self.name = f"{self.whole}_{sitting}" if sitting else self.whole
        self.target = f"exercise_{self.whole}"
        self.file = MINE / f"{self.whole}.hpp"

    @property
    def sittings(self):
        """In sittings.json: the parts of each sitting."""
        file = self.folder / "sittings.json"
        return [Exercise(self.folder, name, parts) for name, parts in json.loads(file.read_text()).items()] if file.exists() else []

    @property
    def title(self):
        """The first line of README.md is "# NN · Title"."""
        return translated(self.folder / "README.md").read_text().split("\n", 1)[0].split("·", 1)[1].strip()

    @property
    def stub(self):
        return (self.folder / "stub.hpp").read_text()

    @property
    def page(self):
        return shown(translated(self.folder / "README.md"))

    @property
    def hints(self):
        """In hints.md, each hint follows a heading "## N"."""
        return [part.strip() for part in re.split(r"^## \d+\n", translated(self.folder / "hints.md").read_text(), flags=re.M)[1:]]

    def hints_of(self, part):
        """In an exercise with parts, hints and stage names begin with the part: "general: gradients"."""
        return [hint for hint in self.hints if hint.startswith(part + ": ")] or self.hints

    @property
    def has_cli(self):
        return (self.folder / "cli.cpp").exists()

    def begin(self):
        if not self.file.exists():
            MINE.mkdir(parents=True, exist_ok=True)
            self.file.write_text(self.stub)
            print(f"Created your file, {shown(self.file)}. The statement: {self.page}.\n")


def translated(path):
    """The Chinese page NAME.zh-CN.md beside NAME.md, if there is one and the reader's locale is Chinese; otherwise `path`."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    chinese = path.with_suffix(".zh-CN.md")
    return chinese if locale.startswith("zh") and chinese.exists() else path


def exercises():
    return [Exercise(folder) for folder in sorted(HERE.glob("[0-9][0-9]_*"))]


def find(word):
    words = {pathlib.Path(word).stem, pathlib.Path(word).parent.name}  # for example of exercises/11_luong/README.md
    for exercise in exercises():
        if words & {exercise.name, exercise.number, exercise.number.lstrip("0"), exercise.folder.name}:
            return exercise
    sittings = [sitting for exercise in exercises() for sitting in exercise.sittings]
    for sitting in sittings:
        if sitting.name in words:
            return sitting
    near = difflib.get_close_matches(word, [exercise.name for exercise in [*exercises(), *sittings]] + list(COMMANDS), 1)
    stop(f"unknown exercise '{word}'; " + (f"did you mean {near[0]}?" if near else "./run exercise lists them"))


def find_or_last(words, progress):
    """The exercise that `words` names; if they name none, that of the last command."""
    if words:
        return find(words[0])
    if not (last := progress.known.get(LAST)):
        stop("you have begun no exercise yet; ./run exercise lists them")
    return find(last)


def stop(message, code=EXIT_USAGE):
    sys.exit(print(f"exercise: {message}", file=sys.stderr) or code)


def shown(path):
    try:
        return path.relative_to(HERE.parent)
    except ValueError:
        return path


class Progress:
    """The progress of each exercise. The file is replaced atomically."""

    def __init__(self):
        self.path = MINE / "progress.json"
        try:
            self.known = json.loads(self.path.read_text()) if self.path.exists() else {}
        except ValueError:
            stop(f"{shown(self.path)} is not valid JSON; delete it to reset your progress")

    def of(self, exercise):
        return {"passed": False, "stages": 0, "of": 0, "part": "", "hints": 0, **self.known.get(exercise.name, {})}

    @property
    def named(self):
        """The exhibits of the museum whose causes the learner has named."""
        return self.known.get("museum", [])

    def note(self, exercise, **changes):
        self.known |= {exercise.name: {**self.of(exercise), **changes}, LAST: exercise.name}
        self.write()

    def note_named(self, number):
        self.known["museum"] = sorted({*self.named, number})
        self.write()

    def write(self):
        MINE.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.known, indent=1) + "\n")
        new.replace(self.path)


def state_of(exercise, progress):
    reached = progress.of(exercise)
    if reached["passed"] or (exercise.sittings and all(progress.of(sitting)["passed"] for sitting in exercise.sittings)):
        return "passed"
    if not exercise.file.exists():
        return "not started"
    return f"{reached['stages']} of {reached['of']} stages" if reached["of"] else "started"


def list_exercises(progress):
    for exercise in exercises():
        cli = "  (--cli)" if exercise.has_cli else ""
        print(f"  {exercise.number}  {exercise.name:<20} {state_of(exercise, progress):<14} {exercise.title}{cli}")
        for sitting in exercise.sittings:
            print(f"        {sitting.name:<18} {state_of(sitting, progress):<14} {', '.join(sitting.parts)}")
    print(f"      {'museum':<20} {f'{len(progress.named)} of {len(exhibits.EXHIBITS)} named':<14} Fifteen mistakes of real learners, by their symptoms")


class Saved(Exception):
    """The learner has saved the file while it was checked."""


def wait_for(process, saved, waiting=lambda: None):
    """Waits for the end and returns the exit code. If saved() becomes true, stops the process and raises Saved."""
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
        """Copies the learner's file into the build folder. #line makes the compiler's messages name the original."""
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
        in_english = {**os.environ, "LC_ALL": "C.UTF-8", "NINJA_STATUS": "[%f/%t] "}  # for compile_errors
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
    """In a terminal, shows the step that ninja has reached."""
    steps = re.findall(r"^\[\d+/\d+\]", read_again(output), re.MULTILINE)
    if steps and sys.stdout.isatty():
        print(f"\r  built {steps[-1]}", end="", flush=True)


def clear_progress():
    if sys.stdout.isatty():
        print("\r\033[K", end="", flush=True)


class Check:
    """How exercises are checked: options of the command line, and saved(), which stops a check."""

    def __init__(self, patience=1, sanitize=False, saved=lambda: False):
        self.seconds, self.sanitize, self.saved = round(STAGE_SECONDS * patience), sanitize, saved

    def run(self, program, exercise):
        """(Ending, report): how the program ended, and what a sanitizer reported about the file, None without a report."""
        seconds = self.seconds * 3 if self.sanitize else self.seconds
        parts = ["--parts", ",".join(exercise.parts)] if exercise.parts else []
        memory = [] if self.sanitize else ["--memory", str(MEMORY_MIB)]  # AddressSanitizer reserves more than the limit
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"}
        with tempfile.TemporaryDirectory() as folder:
            record, errors = pathlib.Path(folder, "record"), pathlib.Path(folder, "errors")
            record.touch()
            with errors.open("wb") as stderr:
                process = subprocess.Popen([program, "--state", record, "--seconds", str(seconds), *memory, *parts], env=environment,
                                           stderr=stderr if self.sanitize else None,
                                           preexec_fn=lambda: signal.alarm(seconds))  # for code that runs before main()
                code = wait_for(process, self.saved)
            printed = errors.read_text(errors="replace")
            report = endings.report(printed, exercise.file)
            if not report:
                print(printed, end="", file=sys.stderr)
            return endings.Ending(record.read_text(), code), report

    def explain(self, exercise, program, ending, report):
        """Prints why the program ended, if it has not said so itself, and the line."""
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


def check(exercise, progress, build, how):
    exercise.begin()
    program = build.program(exercise, "_sanitized" if how.sanitize and not build.sanitized else "", how.saved)
    if program is None:
        progress.note(exercise)
        return EXIT_FINDING
    ending, report = how.run(program, exercise)
    note_stages(exercise, progress, ending)
    if ending.all_passed:
        return 0
    how.explain(exercise, program, ending, report)
    print(f"\n  Your file: {shown(exercise.file)}. The statement: {exercise.page}. For a hint: ./run exercise hint.")
    return ending.code if ending.explained else EXIT_FINDING


def note_stages(exercise, progress, ending):
    before = progress.of(exercise)
    part = (ending.stage or "").rpartition(": ")[0]
    same_hints = exercise.hints_of(part) == exercise.hints_of(before["part"])
    progress.note(exercise, passed=before["passed"] or ending.all_passed, stages=len(ending.passed), of=len(ending.stages),
                  part=part, hints=before["hints"] if same_hints else 0)
    if ending.all_passed:  # a whole exercise passes with all of its sittings
        for sitting in exercise.sittings:
            progress.note(sitting, passed=True)
        progress.note(exercise)  # stays the exercise of the last command


def build_only(exercise, progress, build):
    exercise.begin()
    progress.note(exercise)
    program = build.program(exercise)
    if program is None:
        return EXIT_FINDING
    print(f"  The program: {shown(program)}. It runs the code of {shown(exercise.file)}.")
    return 0


def diagnose(exercise, progress, build):
    exercise.begin()
    progress.note(exercise)
    program = build.program(exercise)
    return EXIT_FINDING if program is None else subprocess.run([program, "--diagnose"]).returncode


def check_and_go_on(exercise, progress, build, how):
    code = check(exercise, progress, build, how)
    if code == 0:
        say_what_next(exercise, progress)
    return code


def say_what_next(exercise, progress):
    print(f"\n  The statement: {exercise.page}. To see our solution: ./run exercise solution {exercise.name}.")
    if exercise.has_cli:
        print(f"  To use your classes in the gradus command: ./run exercise {exercise.name} --cli train --help.")
    left = [other for other in exercises() if state_of(other, progress) != "passed"]
    sittings = [other for other in Exercise(exercise.folder).sittings if not progress.of(other)["passed"]] if exercise.parts else []
    after = sittings or [other for other in left if other.number > exercise.number] or left
    print(f"  Next: ./run exercise {after[0].name}." if after else "  That was the last exercise.")


def watch(exercise, progress, build, how):
    exercise.begin()
    while True:
        seen = exercise.file.stat().st_mtime_ns
        how.saved = lambda: exercise.file.exists() and exercise.file.stat().st_mtime_ns != seen
        try:
            check_and_go_on(exercise, progress, build, how)
            print(f"\n  Watching {shown(exercise.file)}; press Ctrl-C to stop.\n", flush=True)
            while not how.saved():
                time.sleep(POLL)
        except Saved:
            clear_progress()
        print(f"  {shown(exercise.file)} has changed.\n", flush=True)


def hint(exercise, progress):
    reached = progress.of(exercise)
    hints, given = exercise.hints_of(reached["part"]), reached["hints"]
    number = min(given, len(hints) - 1)
    print(f"Hint {number + 1} of {len(hints)} for {exercise.name}\n\n{plain(hints[number])}")
    if given >= len(hints):
        print("\nThere are no more hints.")
    progress.note(exercise, hints=min(given + 1, len(hints)))


def reset(exercise, progress):
    if exercise.file.exists() and exercise.file.read_text() != exercise.stub:
        kept = exercise.file.with_suffix(".hpp.before-reset")
        exercise.file.replace(kept)
        print(f"Your previous file is now {shown(kept)}.")
    exercise.file.unlink(missing_ok=True)
    for one in [exercise, *Exercise(exercise.folder).sittings]:
        progress.note(one, passed=False, stages=0, of=0, part="", hints=0)
    progress.note(exercise)
    exercise.begin()


def solution(exercise, progress, give_up):
    if not (give_up or state_of(exercise, progress) == "passed"):
        stop(f"your solution has not passed yet; to see ours anyway: "
             f"./run exercise solution {exercise.name} --give-up", EXIT_FINDING)
    print((exercise.folder / "solution.hpp").read_text(), end="")


def check_all(progress, build, how):
    begun = [exercise for exercise in exercises() if exercise.file.exists()]
    failed = [exercise.name for exercise in begun if check(exercise, progress, build, how) != 0]
    print(f"\n{len(begun) - len(failed)} of the {len(begun)} exercises that you have started pass; {len(exercises())} in all.")
    return EXIT_FINDING if failed else 0


def command_line(exercise, build, arguments):
    if not exercise.has_cli:
        stop(f"{exercise.name} does not support --cli; available: "
             + ", ".join(other.name for other in exercises() if other.has_cli))
    exercise.begin()
    program = build.program(exercise, "_cli")
    if program is None:
        return EXIT_FINDING
    called = f"./run exercise {exercise.name} --cli"  # the command quotes argv[0] in its messages
    code = subprocess.run([called, *arguments], executable=program).returncode
    if code < 0:
        print(f"  {endings.Ending('', code).cause()[0]} A check names the line: ./run exercise {exercise.name}.", file=sys.stderr)
    return code if code >= 0 else EXIT_FINDING


def options(words, build):
    """Removes the options of a check from `words` and returns them as a Check."""
    sanitize = "--sanitize" in words
    if sanitize:
        words.remove("--sanitize")
    patience = "1"
    if "--patience" in words:
        at = words.index("--patience")
        patience = "".join(words[at + 1:at + 2])
        del words[at:at + 2]
    if not re.fullmatch(r"\d+(\.\d+)?", patience) or round(STAGE_SECONDS * float(patience)) < 1:
        stop(f"--patience takes a number, for example 3; found '{patience}'")
    return Check(float(patience), sanitize or build.sanitized)


def museum(words, progress):
    match words:
        case []:
            return quiz.list_exhibits(progress.named)
        case [number] | [number, _] if not number.isdecimal() or int(number) not in exhibits.EXHIBITS:
            stop(f"unknown exhibit '{number}'; the museum has exhibits 1 to {len(exhibits.EXHIBITS)}")
        case [_, letter] if letter not in tuple(quiz.LETTERS):
            stop(f"unknown answer '{letter}'; answer with one of {', '.join(quiz.LETTERS)}")
    number, letter = int(words[0]), "".join(words[1:])
    if not quiz.visit(number, letter, progress.named):
        return EXIT_FINDING
    progress.note_named(number)
    return 0


COMMANDS = ("watch", "build", "diagnose", "hint", "reset", "solution", "check-all", "museum")


def main():
    sys.stdout.reconfigure(line_buffering=True)  # keeps the order with the programs' output
    build, words, progress = Build(sys.argv[1]), sys.argv[2:], Progress()
    if len(words) >= 2 and words[1] == "--cli":
        return command_line(find(words[0]), build, words[2:])
    how = options(words, build)
    give_up = words[:1] == ["solution"] and words[-1] == "--give-up" and bool(words.pop())
    match words:
        case []:
            return list_exercises(progress)
        case ["-h" | "--help"]:
            return print(USAGE, end="")
        case ["check-all"]:
            return check_all(progress, build, how)
        case ["museum", *which] if len(which) <= 2:
            return museum(which, progress)
        case ["watch", *name] if len(name) <= 1:
            return watch(find_or_last(name, progress), progress, build, how)
        case ["build", *name] if len(name) <= 1:
            return build_only(find_or_last(name, progress), progress, build)
        case ["diagnose", *name] if len(name) <= 1:
            return diagnose(find_or_last(name, progress), progress, build)
        case ["hint", *name] if len(name) <= 1:
            return hint(find_or_last(name, progress), progress)
        case ["solution", *name] if len(name) <= 1:
            return solution(find_or_last(name, progress), progress, give_up)
        case ["reset", name]:
            return reset(find(name), progress)
        case [name] if name != "reset":
            return check_and_go_on(find(name), progress, build, how)
    stop(f"unknown command '{' '.join(words)}'; see ./run exercise --help")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
