#!/usr/bin/env python3
"""Checks that every command quoted on a page exists: docs_commands.py BUILD, with the tutorials and the command built.

Checks subcommands of `./run`, names of tutorials and exercises, and files. Checks options against the program's --help. Words in
capitals and … are placeholders.
"""

import functools
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exercises/**/*.md")]
SHELL = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`((?:\./run|gradus)\b[^`\n]*)`(?!`)")
VERBS = {"watch", "build", "diagnose", "hint", "solution", "reset"}
GRADUS = {"train", "translate", "evaluate", "score", "align", "info", "convert", "gradcheck", "compress", "export", "features", "serve", "completion"}


def commands(text):
    """Yields the words of each `./run` and `gradus` command, as a shell would split them. Omits assignments before the
    command, and redirections."""
    blocks = "\n".join(SHELL.findall(text)).replace("\\\n", " ")
    lines = [command for line in blocks.splitlines() for command in re.split(r"[|;&]+ ", line)]
    for line in lines + SPAN.findall(text):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # the line has a comment with an apostrophe
            words = shlex.split(line.split(" # ")[0])
        while words and "=" in words[0]:
            words = words[1:]  # NAME=value before a command
        words = words[:next((i for i, word in enumerate(words) if word in ("<", ">")), len(words))]
        if words and words[0] in ("./run", "gradus"):
            yield words


def is_open(word):
    return word == "…" or re.fullmatch(r"[A-Z]+", word)


class Checker:
    def __init__(self, build):
        self.build = build
        exercises = [path.parent.name for path in ROOT.glob("exercises/*/stub.hpp")]
        self.exercises = {name for exercise in exercises
                          for name in (exercise, exercise[3:], exercise[:2], str(int(exercise[:2])))}
        for file in ROOT.glob("exercises/*/sittings.json"):
            self.exercises |= {f"{file.parent.name[3:]}_{sitting}" for sitting in json.loads(file.read_text())}

    @functools.lru_cache(maxsize=None)
    def options(self, *program):
        command = [self.build / program[0], *program[1:], "--help"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        text = re.sub(r"--\[no-\]([\w-]+)", r"--\1 --no-\1", done.stdout)
        return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text)) | {"--help"}

    def known(self, words, *program):
        """Checks the options and files among `words`. Returns an error message or None."""
        for word in words:
            option = word.split("=")[0]
            if word.startswith("-") and not re.fullmatch(r"-[\d.]+", word) and option not in self.options(*program):
                return f"unknown option {option} of {' '.join(program)}"
            if re.match(r"(configs|data|docs)/\S+\.\w+$", word) and not (ROOT / word).exists():
                return f"no file {word}"
        return None

    def gradus(self, words):
        if not words or is_open(words[0]) or words[0].startswith("--"):
            return self.known(words, "tools/gradus")
        if words[0] == "help":
            words = words[1:]
        if words[0] not in GRADUS:
            return f"unknown command gradus {words[0]}"
        return self.known(words[1:], "tools/gradus", words[0])

    def exercise(self, words):
        names = words[1:2] if words and words[0] in VERBS else words[:1]
        for name in names:
            if name not in self.exercises | {"check-all", "museum", "--help"} and not is_open(name):
                return f"unknown exercise {name}"
        ours = words[:words.index("--cli")] if "--cli" in words else words
        for option in (word for word in ours if word.startswith("--")):
            if option not in subprocess.run([sys.executable, ROOT / "exercises/exercise.py", self.build, "--help"],
                                            capture_output=True, text=True, check=True).stdout + "--help":
                return f"unknown option {option} of ./run exercise"
        return self.gradus(words[words.index("--cli") + 1:]) if "--cli" in words else None

    def tutorial(self, words):
        if not words or is_open(words[0]):
            return None
        if not list(ROOT.glob(f"tutorials/{words[0].zfill(2)}_*.cpp")):
            return f"unknown tutorial {words[0]}"
        number = words[0].zfill(2)
        return self.known(words[1:], f"tutorials/tutorial_{number}")

    def listed(self, verb, words, *more):
        """Checks the argument of `bench` or `fuzz`. Without an argument, `./run VERB` lists the possible arguments."""
        done = subprocess.run([ROOT / "run", verb], capture_output=True, text=True, check=True)
        names = [*more, *re.findall(r"^  (\w+)  ", done.stdout, re.MULTILINE)]
        return None if not words or words[0] in names or is_open(words[0]) else f"unknown argument {words[0]} of ./run {verb}"

    def wrong(self, words):
        """Checks a command; returns an error message or None."""
        if words[0] == "gradus":
            return self.gradus(words[1:])
        rest = words[2:]
        match words[1] if len(words) > 1 else "":
            case "" | "test" | "coverage" | "--help" | "…":
                return None
            case "packages":
                return None if rest in ([], ["mpi"]) else f"unknown argument {rest} of ./run packages"
            case "docs":
                return None if rest in ([], ["--serve"], ["--pdf"]) or rest[:1] == ["--audit"] else f"unknown argument {rest} of ./run docs"
            case "speech-data":
                unknown = {word for word in rest if word.startswith("--")} - {"--files", "--seed", "--voice", "--phrases"}
                return None if not unknown or is_open(rest[0]) else f"unknown argument {unknown} of ./run speech-data"
            case "web":
                return None if rest in ([], ["--serve"]) else f"unknown argument {rest} of ./run web"
            case "check":
                parts = {"--fast", *re.findall(r"'\w+: \./run check (\w+)'", (ROOT / ".ci" / "run").read_text()), "units", "web", "debian", "tiny"}
                return None if not rest or rest[0] in parts or is_open(rest[0]) else f"unknown argument {rest[0]} of ./run check"
            case "tutorial" | "exercise" | "gradus" as part:
                return getattr(self, part)(rest)
            case "bench":
                return self.listed("bench", rest)
            case "fuzz":
                return self.listed("fuzz", rest, "all", "--seconds")
            case option if option.startswith("--"):
                return self.known(words[1:], "tutorials/tutorial_10")
            case other:
                return f"unknown command ./run {other}"


def main(build):
    checker = Checker(pathlib.Path(build))
    assert checker.wrong(["./run", "gradus", "train", "--hiden", "3"]), "an unknown option was not detected"
    assert checker.wrong(["./run", "exercise", "hint", "tangent"]), "an unknown exercise was not detected"
    assert checker.wrong(["./run", "exercise", "luong", "--sanitise"]), "an unknown option of an exercise was not detected"
    quoted = [(page, words) for page in PAGES if "mine" not in page.parts for words in commands(page.read_text())]
    assert len(quoted) > 50, f"only {len(quoted)} commands were found in the pages"
    wrong = [f"{page.relative_to(ROOT)}: {' '.join(words)}: {what}"
             for page, words in quoted if (what := checker.wrong(words))]
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
