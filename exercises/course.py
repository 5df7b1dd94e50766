"""The exercises and the learner's progress."""

import difflib
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
MINE = pathlib.Path(os.environ.get("GRADUS_EXERCISES", HERE / "mine")).resolve()
EXIT_FINDING, EXIT_USAGE = 1, 2
LAST = "last exercise"  # a key of progress.json
COMMANDS = ("watch", "build", "diagnose", "hint", "reset", "solution", "check-all", "museum")  # of ./run exercise


class Exercise:
    """An exercise, or a sitting: some parts of a long exercise. A sitting has its own progress; all sittings of an exercise share
    one file."""

    def __init__(self, folder, sitting="", parts=()):
        self.folder, self.parts = folder, parts
        self.number, self.whole = folder.name.split("_", 1)
        self.name = f"{self.whole}_{sitting}" if sitting else self.whole
        self.target = f"exercise_{self.whole}"
        self.file = MINE / f"{self.whole}.hpp"

    @property
    def sittings(self):
        """Reads sittings.json, which lists the parts of each sitting."""
        file = self.folder / "sittings.json"
        return [Exercise(self.folder, name, parts) for name, parts in json.loads(file.read_text()).items()] if file.exists() else []

    @property
    def title(self):
        """Reads the first line of README.md: "# NN · Title"."""
        return translated(self.folder / "README.md").read_text().split("\n", 1)[0].split("·", 1)[1].strip()

    @property
    def tutorial(self):
        """The number of the tutorial after which to do the exercise, from the list in exercises/README.md."""
        return re.search(rf"\({self.folder.name}/README\.md\).*\| (\d\d)[^|]*\|$", (HERE / "README.md").read_text(), re.MULTILINE)[1]

    @property
    def stub(self):
        return (self.folder / "stub.hpp").read_text()

    @property
    def page(self):
        return shown(translated(self.folder / "README.md"))

    @property
    def hints(self):
        """Reads hints.md, where each hint follows a heading "## N"."""
        return [part.strip() for part in re.split(r"^## \d+\n", translated(self.folder / "hints.md").read_text(), flags=re.M)[1:]]

    def hints_of(self, part):
        """The hints that begin with the part's name, such as "general: …" for the part "general"; if none does, all hints."""
        return [hint for hint in self.hints if hint.startswith(part + ": ")] or self.hints

    @property
    def has_cli(self):
        return (self.folder / "cli.cpp").exists()

    def begin(self):
        if not self.file.exists():
            MINE.mkdir(parents=True, exist_ok=True)
            self.file.write_text(self.stub)
            print(f"Created your file, {shown(self.file)}. The statement: {self.page}.\n")


def is_chinese():
    """True if the reader's locale is Chinese."""
    return next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "").startswith("zh")


def translated(path):
    """In a Chinese locale, the page NAME.zh-CN.md beside NAME.md if it exists; otherwise `path`."""
    chinese = path.with_suffix(".zh-CN.md")
    return chinese if is_chinese() and chinese.exists() else path


def exercises():
    return [Exercise(folder) for folder in sorted(HERE.glob("[0-9][0-9]_*"))]


def find(word):
    words = {pathlib.Path(word).stem, pathlib.Path(word).parent.name}  # accepts paths like exercises/11_luong/README.md
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
    """The exercise that `words` names. Without a name, the exercise of the last command."""
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
    """The progress in each exercise. write() replaces the file atomically."""

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
        """The exhibits of the museum for which the learner has named the cause."""
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
