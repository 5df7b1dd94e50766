#!/usr/bin/env python3
"""Implements ./run exercise: builds and checks the learner's files and records the progress.

exercise.py BUILD [WORDS …]: BUILD is a configured build folder, WORDS the arguments of ./run exercise.

The learner edits copies of the stubs in exercises/mine/ (ignored by git) or in the folder that GRADUS_EXERCISES names.
progress.json in that folder records the stages passed, the hints shown, and the exercise of the last command.
"""

import re
import signal
import subprocess
import sys
import time

import chinese
import endings
from checking import POLL, STAGE_SECONDS, Build, Check, Saved, clear_progress, run
from course import EXIT_FINDING, Exercise, Progress, exercises, find, find_or_last, is_chinese, shown, state_of, stop
from museum import exhibits, quiz
from plain_text import plain

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
       ./run exercise museum [N [LETTER]]  fifteen mistakes: see the symptoms of number N, name the cause
       ./run exercise NAME --cli COMMAND   run the gradus command with your classes (exercises listed with --cli)
NAME is a name, a number, or a file of the exercise; without NAME, the exercise of the last command

options of a check and of watch:
       --patience N                        N times the time for each stage: 20 s, and 60 s for a training
       --sanitize                          find invalid memory accesses: your code is built with AddressSanitizer

environment: GRADUS_EXERCISES              folder of your files; default: exercises/mine
"""


def list_exercises(progress):
    for exercise in exercises():
        cli = "  (--cli)" if exercise.has_cli else ""
        print(f"  {exercise.number}  {exercise.name:<20} {state_of(exercise, progress):<14} {exercise.title}{cli}")
        for sitting in exercise.sittings:
            print(f"        {sitting.name:<18} {state_of(sitting, progress):<14} {', '.join(sitting.parts)}")
    print(f"      {'museum':<20} {f'{len(progress.named)} of {len(exhibits.EXHIBITS)} named':<14} Fifteen mistakes of learners, by their symptoms")


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
    progress.note(exercise, passed=ending.all_passed, stages=len(ending.passed), of=len(ending.stages),
                  part=part, hints=before["hints"] if same_hints else 0)
    for sitting in [] if exercise.parts else exercise.sittings:
        of, passed = ([stage for stage in stages if stage.rpartition(": ")[0] in sitting.parts] for stages in (ending.stages, ending.passed))
        if passed or ending.stage in of:  # otherwise the check stopped before this sitting
            progress.note(sitting, passed=passed == of, stages=len(passed), of=len(of))
    if exercise.parts and not ending.all_passed:
        progress.note(Exercise(exercise.folder), passed=False, stages=0, of=0)
    progress.note(exercise)  # marks it as the exercise of the last command again


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
    return EXIT_FINDING if program is None else run([program, "--diagnose"]).wait()


def check_and_go_on(exercise, progress, build, how):
    code = check(exercise, progress, build, how)
    if code == 0:
        say_what_next(exercise, progress)
    return code


def say_what_next(exercise, progress):
    print(f"\n  The statement: {exercise.page}. To see our solution: ./run exercise solution {exercise.name}.")
    if exercise.has_cli:
        print(f"  To use your classes in the gradus command: ./run exercise {exercise.name} --cli train --help.")
    following = next_after(exercise, progress)
    print(f"  Next: ./run exercise {following.name} (after tutorial {following.tutorial})." if following else "  That was the last exercise.")


def next_after(exercise, progress):
    """If `exercise` is a sitting, returns the first open sitting of the same exercise. If there is none, returns the first open
    exercise of the same tutorial or a later one. If there is none, returns the first open exercise. None if all have passed."""
    open_sittings = [other for other in Exercise(exercise.folder).sittings if not progress.of(other)["passed"]] if exercise.parts else []
    left = sorted((other for other in exercises() if state_of(other, progress) != "passed"), key=lambda other: other.tutorial)
    later = [other for other in left if other.tutorial >= exercise.tutorial]
    return next(iter(open_sittings or later or left), None)


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
    called = f"./run exercise {exercise.name} --cli"  # as argv[0], which the command's messages quote
    code = subprocess.run([called, *arguments], executable=program).returncode
    if code < 0:
        print(f"  {endings.Ending('', code).cause()[0]} A check names the line: ./run exercise {exercise.name}.", file=sys.stderr)
    return code if code >= 0 else EXIT_FINDING


def options(words, build):
    """Removes a check's options from `words`. Returns them as a Check."""
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


def main():
    sys.stdout.reconfigure(line_buffering=True)  # keeps this output in order with the programs' output
    if is_chinese():
        sys.stdout = chinese.Output(sys.stdout)
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
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends quietly in `./run exercise … | head`
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
