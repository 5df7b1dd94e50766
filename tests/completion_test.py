#!/usr/bin/env python3
"""Tests `gradus completion` in the installed shells, and the man page: completion_test.py GRADUS MAN_PAGE

bash and zsh run in a pseudo-terminal; the test types and presses Tab. fish can list completions by itself.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

GRADUS, MAN_PAGE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
PROMPT = "ready> "
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
SETUP = {"bash": "bind 'set bell-style none'; source ./script",
         "zsh": "unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source ./script"}
# Pairs: the text that is typed before Tab, and the arguments after completion.
CASES = [
    ("transl", ["translate"]),
    ("help grad", ["help", "gradcheck"]),
    ("train --cell ls", ["train", "--cell", "lstm"]),
    ("train --cell=ls", ["train", "--cell=lstm"]),
    ("train --cell lstm --bri", ["train", "--cell", "lstm", "--bridge"]),
    ("train --plateau-pat", ["train", "--plateau-patience"]),
    ("train --no-bid", ["train", "--no-bidirectional"]),
    ("train --phrases eng-c", ["train", "--phrases", "eng-cmn"]),
    ("train --pairs my", ["train", "--pairs", "my text.tsv"]),
    ("train --out fol", ["train", "--out", "folder"]),
    ("train --hidden my", ["train", "--hidden", "my"]),
    ("info my", ["info", "my text.tsv"]),
    ("info --sett", ["info", "--settings"]),
    ("completion fi", ["completion", "fish"]),
]


def output(*arguments):
    return subprocess.run([GRADUS, *arguments], check=True, capture_output=True, text=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+) ", output("--help").split("\n\n")[1], re.MULTILINE)


def flags(command):
    """The long options that the help lists."""
    found = re.findall(r"^  (?:-\w,)?--(\[no-\])?([a-z][a-z0-9-]+)", output("help", command), re.MULTILINE)
    return {f"--{name}" for _, name in found} | {f"--no-{name}" for negated, name in found if negated}


class Terminal:
    """An interactive shell. Its command `gradus` writes the arguments that it gets to a file."""

    def __init__(self, shell, folder):
        self.line = folder / "line"
        process, self.terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.environ.update({"TERM": "dumb", "HISTFILE": "", "HOME": str(folder), "INPUTRC": "/dev/null"})
            os.execvp(START[shell][0], START[shell])
        self.type(SETUP[shell] + "\n")
        self.type("gradus() { printf '%s\\n' \"$@\" > line.part; mv line.part line; }\n")
        self.type(f"PS1='{PROMPT[:3]}''{PROMPT[3:]}'\n")
        self.read_until(PROMPT)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, text, seconds=120):
        seen, end = "", time.monotonic() + seconds
        while not seen.endswith(text):
            if time.monotonic() > end:
                raise TimeoutError(f"the shell printed {seen!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                seen += os.read(self.terminal, 65536).decode(errors="replace")

    def completed(self, arguments):
        self.line.unlink(missing_ok=True)
        self.type(f"gradus {arguments}\t\n")
        self.read_until(PROMPT)
        return self.line.read_text().splitlines()


def fish_completed(arguments, folder):
    """The words of `arguments` after completion by fish. If fish lists no completion, the words are unchanged."""
    listed = subprocess.run(["fish", "--no-config", "-c", f"source script; complete -C 'gradus {arguments}'"], check=True,
                            capture_output=True, text=True, cwd=folder).stdout.splitlines()
    words = arguments.split(" ")
    assert len(listed) <= 1, f"several completions: {listed}"
    for line in listed:
        words[-1] = line.split("\t")[0].rstrip("/").replace("\\ ", " ")
    return words


def check_shell(shell):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "my text.tsv").touch()
        (folder / "folder").mkdir()
        (folder / "folio").touch()  # a file, so not a completion where a folder is expected
        (folder / "script").write_text(output("completion", shell))
        subprocess.run([shell, "-n", "script"], check=True, cwd=folder)
        terminal = None if shell == "fish" else Terminal(shell, folder)
        for arguments, expected in CASES:
            found = fish_completed(arguments, folder) if terminal is None else terminal.completed(arguments)
            found = [word.rstrip("/") for word in found]
            assert found == expected, f"{shell}: 'gradus {arguments}' became {found}, expected {expected}"
        if terminal is not None:
            os.close(terminal.terminal)


def check_complete(shell):
    """The script must contain every command and option of the help."""
    script = output("completion", shell)
    for command in commands():
        assert re.search(rf"\b{command}\b", script), f"{shell}: no command {command}"
        for flag in flags(command):
            wanted = rf"-l {flag[2:]}\b" if shell == "fish" else rf"(?<![\w-]){flag}\b"
            lines = [line for line in script.splitlines() if shell != "fish" or f"from {command};" in line]
            assert any(re.search(wanted, line) for line in lines), f"{shell}: no {flag} of {command}"


def check_man_page():
    page = MAN_PAGE.read_text().replace("\\-", "-")
    for command in commands():
        section = page.partition(f"\n.SH GRADUS {command.upper()}\n")[2].partition("\n.SH ")[0]
        named = section.replace("--[no-]", "--no-") + section.replace("--[no-]", "--")
        missing = [flag for flag in flags(command) if flag not in named]
        assert section and not missing, f"the man page lacks {missing or command}"
    if shutil.which("groff"):
        warnings = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-z", MAN_PAGE], check=True, capture_output=True, text=True)
        assert not warnings.stderr, warnings.stderr


def main():
    assert len(commands()) >= 9 and len(flags("train")) > 60
    check_man_page()
    for shell in ("bash", "zsh", "fish"):
        check_complete(shell)
        if shutil.which(shell):
            check_shell(shell)
        else:
            print(f"{shell} is not installed; only the names in its script were checked")
    wrong = subprocess.run([GRADUS, "completion", "tcsh"], capture_output=True, text=True)
    assert wrong.returncode == 2, wrong
    assert wrong.stderr == ("gradus completion: shell: unknown value 'tcsh'; available: bash, zsh, fish; 'gradus completion "
                            "--help' lists the options\n"), wrong.stderr
    print("completion scripts and man page agree with the help")


if __name__ == "__main__":
    main()
