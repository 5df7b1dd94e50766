"""The output of each tutorial and of the programs of the how-to pages, recorded from one run and quoted in pages.

<!-- printed NN 2 4 --> in a page shows the paragraphs 2 and 4 of tutorial NN's output; without numbers, the whole output.
Empty lines separate paragraphs. "…" stands for paragraphs that are left out. <!-- printed PAGE … --> shows the output of the
program of docs/how-to/PAGE.md in the same way.
"""

import re
import subprocess
import tempfile

from results_kit import ROOT, load, numbers, write

TESTS = ROOT / "build" / "release" / "tests"

FROM_RUN = "The page of this tutorial: "  # printed by ./run, not by the program


def quoted(where):
    """The console block for `NN 2 4` or `PAGE 2 4`."""
    name, *chosen = where.split()
    printed = load(f"printed_{name}")
    paragraphs = "\n".join(printed["lines"]).split("\n\n")
    wanted = [int(index) for index in chosen] or list(range(1, len(paragraphs) + 1))
    rest = "…\n"
    shown, last = f"$ {printed['command']}\n" if name.isdigit() else "", 0
    for index in wanted:
        if not last < index <= len(paragraphs):
            raise SystemExit(f"results.py: {name} prints {len(paragraphs)} paragraphs; "
                             f"'printed {where}' must name some of them in ascending order")
        gap = rest if index > last + 1 else "\n" if last else ""
        shown += gap + paragraphs[index - 1] + "\n"
        last = index
    return f"```text\n{shown}{'' if last == len(paragraphs) else rest}```"


def record(number, output, at):
    """Stores what `./run tutorial NN` printed, which is the output of `--seed 1`."""
    lines = [line for line in output.rstrip().split("\n") if not line.startswith(FROM_RUN)]
    write(f"printed_{number}", f"./run tutorial {number}", at, {"lines": lines})


def page_programs():
    """The how-to pages whose program is compiled, with the name of the executable."""
    listed = re.findall(r"^gradus_page_program\((\w+) docs/how-to/([\w-]+)\.md", (ROOT / "tests/CMakeLists.txt").read_text(), re.MULTILINE)
    return {page: TESTS / program for program, page in listed}


def measure_page(at, page):
    program = page_programs()[page]
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", program.name], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    write(f"printed_{page}", f"the program of docs/how-to/{page}.md", at, {"lines": done.stdout.rstrip().split("\n")})


def measure_tutorial(at, number):
    subprocess.run([ROOT / "run", "tutorial", number, "--help"], check=True, stdout=subprocess.DEVNULL)  # builds it
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROOT / "run", "tutorial", number], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    record(number, done.stdout, at)


def measure(at, only=None):
    for name in [only] if only else [*numbers(), *page_programs()]:
        (measure_tutorial if name.isdigit() else measure_page)(at, name)
