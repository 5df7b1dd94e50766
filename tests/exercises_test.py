#!/usr/bin/env python3
"""Checks that every exercise is complete, and runs ./run exercise like a learner: exercises_test.py BUILD.

exercise.py builds in BUILD, this test's build folder. The learner's files are in a temporary folder.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
sys.path.append(str(EXERCISES))
import course  # noqa: E402
import endings  # noqa: E402
import exercise  # noqa: E402

FILES = {"README.md", "answer.hpp", "bank.cpp", "checker.cpp", "hints.md", "learner.cpp", "solution.hpp", "stub.hpp"}
NAME, NUMBER = "scalar_tanh", "01"  # compiles fastest
FOLDER = EXERCISES / f"{NUMBER}_{NAME}"

RIGHT = (FOLDER / "solution.hpp").read_text()
WRONG = RIGHT.replace("(1 - y * y)", "(1 - y)")
BROKEN = RIGHT.replace("std::tanh", "std::tangens").replace("record", "recoil")
UNFIT = RIGHT.replace("Value tanh(Value x)", "Value tangens(Value x)")
CRASHING_AT_ONCE = RIGHT.replace("<cmath>", "<cstdlib>\n#include <cmath>") + "\ninline const int nothing = (std::abort(), 0);\n"


def parts_of(hints):
    """The number of each hint, and the part that it is for, such as "general"."""
    return re.findall(r"^## (\d+)\n(?:([a-z][a-z -]*): )?", hints, flags=re.M)


def complete(folder):
    number, name = folder.name.split("_", 1)
    missing = FILES - {path.name for path in folder.iterdir()}
    assert not missing, f"{folder.name} lacks {missing}"
    readme, hints = (folder / "README.md").read_text(), (folder / "hints.md").read_text()
    if (chinese := folder / "hints.zh-CN.md").exists():
        assert parts_of(chinese.read_text()) == parts_of(hints), f"{folder.name}: the Chinese hints are for other parts"
    assert re.match(rf"# {number} · \S.*\n\n", readme), f"{folder.name}/README.md begins with {readme[:40]!r}"
    assert f"`{name}.hpp`" in readme, f"{folder.name}/README.md does not name the learner's file"
    numbers = [int(n) for n in re.findall(r"^## (\d+)$", hints, flags=re.M)]
    assert len(numbers) >= 3 and numbers == list(range(1, len(numbers) + 1)), f"{folder.name}/hints.md has hints {numbers}"
    assert all(part.strip() for part in re.split(r"^## \d+$", hints, flags=re.M)[1:]), f"{folder.name}: an empty hint"
    assert "TODO" in (folder / "stub.hpp").read_text(), f"{folder.name}/stub.hpp has no TODO"
    assert "TODO" not in (folder / "solution.hpp").read_text(), f"{folder.name}/solution.hpp contains a TODO"
    assert f"({folder.name}/README.md)" in (EXERCISES / "README.md").read_text(), f"exercises/README.md has no {folder.name}"


class Coach:
    def __init__(self, build, mine):
        self.command = [sys.executable, EXERCISES / "exercise.py", build]
        self.environment = {**os.environ, "GRADUS_EXERCISES": str(mine), "LC_ALL": "C.UTF-8"}
        self.mine = mine
        self.file = mine / f"{NAME}.hpp"

    def run(self, *words, **environment):
        return subprocess.run([*self.command, *words], env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def expect(self, code, words, *texts, never=(), **environment):
        done = self.run(*words, **environment)
        assert done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}"
        for text in texts:
            assert text in done.stdout, f"{words} did not print {text!r}:\n{done.stdout}"
        for text in never:
            assert text not in done.stdout, f"{words} printed {text!r}:\n{done.stdout}"
        return done.stdout

    def state(self):
        line = next(line for line in self.run().stdout.splitlines() if f" {NAME} " in line)
        return line.split(NAME)[1].strip()

    def watch(self, *words):
        return subprocess.Popen([*self.command, "watch", *words], env=self.environment, stdout=subprocess.PIPE, text=True)


def first_check(coach):
    assert coach.state().startswith("not started")
    coach.expect(2, ["hint"], "you have begun no exercise yet")
    coach.expect(3, [NAME], "Created your file", "Your file: ", "exercises/01_scalar_tanh/README.md", "to do   value", "Write tanh(x)")
    assert coach.file.read_text() == (FOLDER / "stub.hpp").read_text()
    assert coach.state().startswith("0 of 6 stages")
    for word in (NUMBER, str(coach.file), f"exercises/{FOLDER.name}/README.md"):  # ways to name the exercise; its file exists already
        coach.expect(3, [word], "Write tanh(x)", never=["Created "])


def build_for_a_debugger(coach):
    coach.expect(0, ["build", NAME], f"exercises/exercise_{NAME}", never=["to do", "Write tanh(x)"])


def hints(coach):
    coach.expect(0, ["hint"], "Hint 1 of 3", "Look at `operator*`")  # without a name: the exercise of the last command
    coach.expect(0, ["hint", NAME], "Hint 2 of 3", "derivative of the quotient is 1 - ((e^x - e^(-x)) / (e^x + e^(-x)))²", never=["no more hints", "$"])
    coach.expect(0, ["hint", NAME], "Hint 3 of 3", never=["no more hints"])
    coach.expect(0, ["hint", NAME], "Hint 3 of 3", "There are no more hints.")


def what_does_not_compile(coach):
    coach.file.write_text(BROKEN)
    line = BROKEN[:BROKEN.index("std::tangens")].count("\n") + 1
    coach.expect(1, [NAME], "Your file does not compile yet", f"{NAME}.hpp:{line}:", "tangens", "Fix it in",
                 never=["recoil(*x", "learner/", "ninja", "FAILED"])
    coach.file.write_text(UNFIT)
    coach.expect(1, [NAME], "declarations do not match the statement", "learner.cpp")
    coach.expect(1, ["build", NAME], "declarations do not match the statement")


def what_is_wrong(coach):
    coach.file.write_text(WRONG)
    coach.expect(1, [NAME], "passed  value", "not yet gradient", "x = ", "got ", "expected ", "looks like  The slope is 1 − y",
                 "hint ", "The statement: exercises/01_scalar_tanh/README.md")
    page = (ROOT / "docs/how-to/debug.md").read_text()
    coach.expect(1, [NAME], re.search(r"^```text\n(  not yet .*?)^```", page, re.MULTILINE | re.DOTALL)[1])
    assert coach.state().startswith("1 of 6 stages")
    coach.expect(1, ["solution", NAME], "has not passed yet", never=["1 - y * y"])
    assert coach.expect(0, ["solution", NAME, "--give-up"]) == RIGHT
    coach.file.write_text(CRASHING_AT_ONCE)
    coach.expect(1, [NAME], "not yet code outside the stages", "Your code aborted (SIGABRT)", never=["Traceback"])


def what_is_right(coach):
    coach.file.write_text(RIGHT)
    coach.expect(0, [NAME], "Every stage passed", "The statement: exercises/01_scalar_tanh/README.md", f"./run exercise solution {NAME}",
                 "Next: ./run exercise topological_order (after tutorial 01).")
    assert coach.state().startswith("passed")
    assert coach.expect(0, ["solution", NAME]) == RIGHT
    coach.expect(0, ["check-all"], "1 of the 1 exercises that you have started pass")


def reset(coach):
    coach.expect(0, ["reset", NAME], "before-reset")
    assert coach.file.with_suffix(".hpp.before-reset").read_text() == RIGHT
    assert coach.file.read_text() == (FOLDER / "stub.hpp").read_text()
    assert coach.state().startswith("started")
    coach.expect(0, ["reset", NAME], never=["before-reset"])  # an unchanged stub needs no copy
    assert coach.file.with_suffix(".hpp.before-reset").read_text() == RIGHT
    coach.expect(0, ["hint", NAME], "Hint 1 of 3")
    coach.expect(0, ["hint", NAME], "scalar_tanh 的提示 2 / 3", "这个商的导数", LC_ALL="zh_CN.UTF-8")
    coach.expect(1, ["check-all"], "0 of the 1 exercises that you have started pass")


def hints_by_part(coach):
    progress = coach.mine / "progress.json"
    for part, first in [("", "Hint 1 of"), ("general", "general: The product W_a h_j")]:
        kept = {**json.loads(progress.read_text()), "luong": {"part": part}}
        progress.write_text(json.dumps(kept))
        coach.expect(0, ["hint", "luong"], first)
    coach.expect(0, ["hint", NAME], never=["$"])
    coach.expect(0, ["hint"], f"for {NAME}")


def sittings(coach):
    """A long exercise is divided into sittings. Each sitting has its own parts and its own progress."""
    progress = coach.mine / "progress.json"
    before = progress.read_text()
    names = ["luong_scores", "luong_decoder", "luong_local"]
    progress.write_text(json.dumps({**json.loads(before), **{name: {"passed": True} for name in names[:2]}}))
    coach.expect(0, [], "11  luong                not started", "luong_decoder      passed", "luong_local        not started")
    progress.write_text(json.dumps({**json.loads(before), **{name: {"passed": True} for name in names}}))
    coach.expect(0, [], "11  luong                passed")
    progress.write_text(before)
    coach.expect(2, ["luong_score"], "did you mean luong_scores?")
    coach.expect(0, ["hint", "luong_local"], "for luong_local")
    parts = json.loads((EXERCISES / "11_luong" / "sittings.json").read_text())
    program = pathlib.Path(coach.command[2], "exercises", "exercise_luong_solution")
    for name, some in parts.items():
        with tempfile.NamedTemporaryFile() as record:
            subprocess.run([program, "--no-training", "--state", record.name, "--parts", ",".join(some)], check=True, stdout=subprocess.DEVNULL)
            stages = re.findall(r"^stage \d+ ([^:\n]*):", pathlib.Path(record.name).read_text(), re.MULTILINE)
        assert sorted(set(stages)) == sorted(some), (name, stages)
    coach.expect(0, ["hint", NAME], f"for {NAME}")  # makes this the exercise of the last command


def checks_of_sittings(coach):
    """A check of a sitting changes the progress of this sitting and of the whole exercise, but not the progress of other
    sittings."""
    progress = course.Progress()
    luong = course.find("luong")
    parts = [part for sitting in luong.sittings for part in sitting.parts]

    def check(name, passing):
        """Records a check in which only the first parts pass; `passing` is their number. Returns the states of the exercise and
        of its sittings."""
        of = course.find(name).parts or parts
        lines = [f"stage 20 {part}: values" for part in of] + [f"passed {part}: values" for part in of[:passing]]
        every = passing == len(of)
        record = "\n".join([*lines, "verdict passed" if every else "verdict finding"])
        exercise.note_stages(course.find(name), progress, endings.Ending(record, 0 if every else 1))
        return [course.state_of(one, progress) for one in [luong, *luong.sittings]]

    luong.file.write_text(luong.stub)
    assert check("luong_scores", 3) == ["started", "passed", "started", "started"]
    coach.expect(0, ["solution", "luong_scores"])
    coach.expect(1, ["solution", "luong_decoder"], "has not passed yet")
    assert check("luong_decoder", 1) == ["started", "passed", "1 of 2 stages", "started"]
    assert check("luong", 6) == ["6 of 7 stages", "passed", "passed", "1 of 2 stages"]
    assert check("luong", 1) == ["1 of 7 stages", "1 of 3 stages", "passed", "1 of 2 stages"]
    assert check("luong", 7) == ["passed"] * 4
    assert check("luong_local", 0) == ["started", "passed", "passed", "0 of 2 stages"]
    assert check("luong_local", 2) == ["passed"] * 4
    luong.file.unlink()
    coach.expect(0, ["hint", NAME], f"for {NAME}")  # makes this the exercise of the last command


def what_is_next(coach):
    """After a pass, the coach proposes an exercise of the same tutorial or of a later one."""
    def next_after(passed):
        progress = course.Progress()
        progress.known = {name: {"passed": True} for name in passed}
        return exercise.next_after(course.find(passed[-1]), progress)

    order = ["scalar_tanh"]
    while following := next_after(order):
        order.append(following.name)
    tutorials = [course.find(name).tutorial for name in order]
    assert tutorials == sorted(tutorials) and len(order) == len(course.exercises()), order
    for passed, following in [(["log_add_exp"], "softmax_backward"), (["adam", "global_clipping"], "cho_gru"),
                              (["adam", "global_clipping", "cho_gru"], "masked_loss"), (["luong_scores"], "luong_decoder"),
                              ([one.name for one in course.exercises()][1:], "scalar_tanh")]:
        assert next_after(passed).name == following, passed


def read_until(watching, text):
    for line in watching.stdout:
        if text in line:
            return
    raise AssertionError(f"watch ended without printing {text!r}")


def watch(coach):
    watching = coach.watch()  # without a name: watches the exercise of the last command
    try:
        for source, verdict in [(None, "to do   value"), (WRONG, "not yet gradient"), (RIGHT, "Every stage passed")]:
            if source:
                time.sleep(0.01)  # so that the modification time changes, even if it counts milliseconds
                coach.file.write_text(source)
                read_until(watching, "has changed")
            read_until(watching, verdict)
            read_until(watching, "Watching ")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(10) == 130
    finally:
        watching.kill()


def what_it_refuses(coach):
    coach.expect(2, ["sofmax_backward"], "unknown exercise 'sofmax_backward'; did you mean softmax_backward?")
    coach.expect(2, ["wach"], "did you mean watch?")
    coach.expect(2, [NAME, "--patience", "long"], "--patience takes a number")
    coach.expect(2, ["tangens"], "unknown exercise 'tangens'; ./run exercise lists them")
    coach.expect(2, ["hint", "tangens"], "unknown exercise 'tangens'")
    coach.expect(2, ["solve", NAME], f"unknown command 'solve {NAME}'; see ./run exercise --help")
    coach.expect(2, [NAME, "--cli", "train"], f"{NAME} does not support --cli")
    coach.expect(0, ["--help"], "usage: ./run exercise", "GRADUS_EXERCISES")
    progress = coach.mine / "progress.json"
    assert json.loads(progress.read_text())[NAME]["passed"] is True
    progress.write_text("{")
    coach.expect(2, [], "progress.json is not valid JSON")


def main():
    folders = sorted(EXERCISES.glob("[0-9][0-9]_*"))
    assert folders
    for folder in folders:
        complete(folder)
    with tempfile.TemporaryDirectory() as scratch:
        coach = Coach(sys.argv[1], pathlib.Path(scratch, "mine").resolve())
        course.MINE = coach.mine
        for step in (first_check, build_for_a_debugger, hints, what_does_not_compile, what_is_wrong, what_is_right, reset, hints_by_part, sittings,
                     checks_of_sittings, what_is_next, watch, what_it_refuses):
            step(coach)
    print("all passed")


if __name__ == "__main__":
    main()
