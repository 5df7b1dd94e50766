#!/usr/bin/env python3
"""Implements ./run exercise: builds and checks the learner's files and records the progress.

exercise.py BUILD [WORDS …]: BUILD is a configured build folder, WORDS the arguments of ./run exercise.

The learner edits copies of the stubs in exercises/mine/ (ignored by git) or in the folder that GRADUS_EXERCISES names.
progress.json in that folder records the stages passed and the hints shown.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MINE = pathlib.Path(os.environ.get("GRADUS_EXERCISES", HERE / "mine")).resolve()
EXIT_FINDING, EXIT_USAGE, EXIT_TO_DO = 1, 2, 3
LONGEST_CHECK = 600  # seconds; stops endless loops
POLL = 0.5  # seconds between two checks of a watched file

USAGE = """\
usage: ./run exercise                      list the exercises and how far you are
       ./run exercise NAME                 build and check your solution; the first call copies the stub to your folder
       ./run exercise watch NAME           the same, at every save
       ./run exercise build NAME           build the program for a debugger, without running it
       ./run exercise hint NAME            show the next hint
       ./run exercise reset NAME           start again from the stub; your old file is renamed
       ./run exercise solution NAME        show our solution, once yours has passed (or with --give-up)
       ./run exercise check-all            check every exercise that you have started
       ./run exercise NAME --cli COMMAND   run the gradus command with your classes (exercises listed with --cli)
NAME is a name, a number, or a file of the exercise

environment: GRADUS_EXERCISES              folder of your files; default: exercises/mine
"""


class Exercise:
    def __init__(self, folder):
        self.folder = folder
        self.number, self.name = folder.name.split("_", 1)
        self.file = MINE / f"{self.name}.hpp"

    @property
    def title(self):
        """The first line of README.md is "# NN · Title"."""
        return (self.folder / "README.md").read_text().split("\n", 1)[0].split("·", 1)[1].strip()

    @property
    def stub(self):
        return (self.folder / "stub.hpp").read_text()

    @property
    def hints(self):
        """In hints.md, each hint follows a heading "## N"."""
        return [part.strip() for part in re.split(r"^## \d+\n", (self.folder / "hints.md").read_text(), flags=re.M)[1:]]

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
            print(f"Your file: {shown(self.file)}. The statement: {shown(self.folder / 'README.md')}.\n")


def exercises():
    return [Exercise(folder) for folder in sorted(HERE.glob("[0-9][0-9]_*"))]


def find(word):
    words = {pathlib.Path(word).stem, pathlib.Path(word).parent.name}  # for example of exercises/11_luong/README.md
    for exercise in exercises():
        if words & {exercise.name, exercise.number, exercise.number.lstrip("0"), exercise.folder.name}:
            return exercise
    stop(f"unknown exercise '{word}'; ./run exercise lists them")


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

    def note(self, exercise, **changes):
        self.known[exercise.name] = {**self.of(exercise), **changes}
        MINE.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.known, indent=1) + "\n")
        new.replace(self.path)


def state_of(exercise, progress):
    reached = progress.of(exercise)
    if reached["passed"]:
        return "passed"
    if not exercise.file.exists():
        return "not started"
    return f"{reached['stages']} of {reached['of']} stages" if reached["of"] else "started"


def list_exercises(progress):
    for exercise in exercises():
        cli = "  (--cli)" if exercise.has_cli else ""
        print(f"  {exercise.number}  {exercise.name:<20} {state_of(exercise, progress):<14} {exercise.title}{cli}")


class Build:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def take(self, exercise):
        """Copies the learner's file into the build folder. #line makes the compiler's messages name the original."""
        taken = self.folder / "exercises" / "learner" / exercise.file.name
        text = f"#line 1 {json.dumps(str(exercise.file))}\n{exercise.file.read_text()}"
        if not taken.exists() or taken.read_text() != text:
            taken.parent.mkdir(exist_ok=True)
            taken.write_text(text)

    def program(self, exercise, kind=""):
        """Builds the learner's program. If it does not compile, prints the first error and returns None."""
        target = f"exercise_{exercise.name}{kind}"
        if not (self.folder / "exercises" / target).exists():
            print(f"Building {target} in {shown(self.folder)}; the first build takes longest.\n", flush=True)
        self.take(exercise)
        in_english = {**os.environ, "LC_ALL": "C.UTF-8"}  # first_error() parses the messages
        done = subprocess.run(["ninja", "-C", self.folder, "--quiet", target], env=in_english, capture_output=True, text=True)
        if done.returncode == 0:
            return self.folder / "exercises" / target
        explain_compile_error(done.stdout + done.stderr, exercise)
        return None


DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?P<kind>(?:fatal )?error|warning|note): ")


def first_error(output):
    """(file, lines) of the first error, with the source lines quoted below it; (None, []) without an error."""
    lines = output.splitlines()
    for i, line in enumerate(lines):
        match = DIAGNOSTIC.match(line)
        if match and "error" in match["kind"]:
            block = [line]
            for following in lines[i + 1:]:
                if DIAGNOSTIC.match(following) or not following.startswith(" "):
                    break
                block.append(following)
            return pathlib.Path(match["file"]), block
    return None, []


def explain_compile_error(output, exercise):
    file, block = first_error(output)
    if file is None:
        print(output)  # an error of the linker or of ninja
        return
    mine = file.resolve() == exercise.file.resolve()
    print("  Your file does not compile yet. The first error:\n" if mine else
          "  Your file compiles, but its declarations do not match the statement. The first error where they are used:\n")
    for line in block:
        print("    " + line.replace(str(file), str(shown(file.resolve()))))
    print(f"\n  Fix it in {shown(exercise.file)}; further errors may disappear with it.")


def check(exercise, progress, build):
    exercise.begin()
    program = build.program(exercise)
    if program is None:
        return EXIT_FINDING
    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder, "state")
        try:
            code = subprocess.run([program, "--state", state], timeout=LONGEST_CHECK).returncode
        except subprocess.TimeoutExpired:
            print(f"\n  Stopped after {LONGEST_CHECK} s: does your code contain an endless loop?")
            code = EXIT_FINDING
        names, _, passed = state.read_text().partition("\n\n") if state.exists() else ("", "", "")
    stages, reached = names.splitlines(), len(passed.splitlines())
    if code < 0:
        stage = f" in the stage \"{stages[reached]}\"" if reached < len(stages) else " outside the stages"
        print(f"\n  Your code crashed ({signal.Signals(-code).name}){stage}: "
              f"likely an out-of-range index or an invalid pointer.\n"
              f"  GRADUS_PRESET=asan-ubsan ./run exercise {exercise.name} shows where.")
        code = EXIT_FINDING
    note_stages(exercise, progress, stages, reached, code == 0)
    if code != 0:
        print(f"\n  Your file: {shown(exercise.file)}. For a hint: ./run exercise hint {exercise.name}.")
    return code


def note_stages(exercise, progress, stages, passed, all_passed):
    before = progress.of(exercise)
    part = stages[passed].rpartition(": ")[0] if passed < len(stages) else ""
    same_hints = exercise.hints_of(part) == exercise.hints_of(before["part"])
    progress.note(exercise, passed=before["passed"] or all_passed, stages=passed, of=len(stages), part=part,
                  hints=before["hints"] if same_hints else 0)


def build_only(exercise, build):
    exercise.begin()
    program = build.program(exercise)
    if program is None:
        return EXIT_FINDING
    print(f"  The program: {shown(program)}. It runs the code of {shown(exercise.file)}.")
    return 0


def check_and_go_on(exercise, progress, build):
    code = check(exercise, progress, build)
    if code == 0:
        say_what_next(exercise, progress)
    return code


def say_what_next(exercise, progress):
    print(f"\n  To see our solution: ./run exercise solution {exercise.name}.")
    if exercise.has_cli:
        print(f"  To use your classes in the gradus command: ./run exercise {exercise.name} --cli train --help.")
    left = [other for other in exercises() if not progress.of(other)["passed"]]
    after = [other for other in left if other.number > exercise.number] or left
    print(f"  Next: ./run exercise {after[0].name}." if after else "  That was the last exercise.")


def watch(exercise, progress, build):
    exercise.begin()
    while True:
        seen = exercise.file.stat().st_mtime_ns
        check_and_go_on(exercise, progress, build)
        print(f"\n  Watching {shown(exercise.file)}; press Ctrl-C to stop.\n", flush=True)
        while not exercise.file.exists() or exercise.file.stat().st_mtime_ns == seen:
            time.sleep(POLL)
        print(f"  {shown(exercise.file)} has changed.\n", flush=True)


def hint(exercise, progress):
    reached = progress.of(exercise)
    hints, given = exercise.hints_of(reached["part"]), reached["hints"]
    number = min(given, len(hints) - 1)
    print(f"Hint {number + 1} of {len(hints)}\n\n{hints[number]}")
    if given >= len(hints):
        print("\nThere are no more hints.")
    progress.note(exercise, hints=min(given + 1, len(hints)))


def reset(exercise, progress):
    if exercise.file.exists() and exercise.file.read_text() != exercise.stub:
        kept = exercise.file.with_suffix(".hpp.before-reset")
        exercise.file.replace(kept)
        print(f"Your previous file is now {shown(kept)}.")
    exercise.file.unlink(missing_ok=True)
    progress.note(exercise, passed=False, stages=0, of=0, part="", hints=0)
    exercise.begin()


def solution(exercise, progress, give_up):
    if not (give_up or progress.of(exercise)["passed"]):
        stop(f"your solution has not passed yet; to see ours anyway: "
             f"./run exercise solution {exercise.name} --give-up", EXIT_FINDING)
    print((exercise.folder / "solution.hpp").read_text(), end="")


def check_all(progress, build):
    begun = [exercise for exercise in exercises() if exercise.file.exists()]
    failed = [exercise.name for exercise in begun if check(exercise, progress, build) != 0]
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
    return subprocess.run([called, *arguments], executable=program).returncode


def main():
    sys.stdout.reconfigure(line_buffering=True)  # keeps the order with the programs' output
    build, words, progress = Build(sys.argv[1]), sys.argv[2:], Progress()
    if not words:
        list_exercises(progress)
        return 0
    if words[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if words[0] == "check-all" and len(words) == 1:
        return check_all(progress, build)
    if len(words) >= 2 and words[1] == "--cli":
        return command_line(find(words[0]), build, words[2:])
    if len(words) == 1:
        return check_and_go_on(find(words[0]), progress, build)
    if words[0] == "watch" and len(words) == 2:
        return watch(find(words[1]), progress, build)
    if words[0] == "build" and len(words) == 2:
        return build_only(find(words[1]), build)
    if words[0] == "hint" and len(words) == 2:
        return hint(find(words[1]), progress)
    if words[0] == "reset" and len(words) == 2:
        return reset(find(words[1]), progress)
    if words[0] == "solution" and (len(words) == 2 or words[2:] == ["--give-up"]):
        return solution(find(words[1]), progress, len(words) == 3)
    stop(f"unknown command '{' '.join(words)}'; see ./run exercise --help")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
