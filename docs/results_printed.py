"""The output of each tutorial, recorded from one run and quoted in pages.

<!-- printed NN 2 4 --> in a page shows the paragraphs 2 and 4 of tutorial NN's output; without numbers, the whole output.
Empty lines separate paragraphs. "…" stands for paragraphs that are left out.
"""

import subprocess
import tempfile

from results_kit import ROOT, load, numbers, write

FROM_RUN = "The page of this tutorial: "  # printed by ./run, not by the program


def quoted(where):
    """The console block for `NN 2 4`."""
    number, *chosen = where.split()
    printed = load(f"printed_{number}")
    paragraphs = "\n".join(printed["lines"]).split("\n\n")
    wanted = [int(index) for index in chosen] or list(range(1, len(paragraphs) + 1))
    rest = "…\n"
    shown, last = f"$ {printed['command']}\n", 0
    for index in wanted:
        if not last < index <= len(paragraphs):
            raise SystemExit(f"results.py: tutorial {number} prints {len(paragraphs)} paragraphs; "
                             f"'printed {where}' must name some of them in ascending order")
        gap = rest if index > last + 1 else "\n" if last else ""
        shown += gap + paragraphs[index - 1] + "\n"
        last = index
    return f"```text\n{shown}{'' if last == len(paragraphs) else rest}```"


def record(number, output, at):
    """Stores what `./run tutorial NN` printed, which is the output of `--seed 1`."""
    lines = [line for line in output.rstrip().split("\n") if not line.startswith(FROM_RUN)]
    write(f"printed_{number}", f"./run tutorial {number}", at, {"lines": lines})


def measure(at, only=None):
    for number in [only] if only else numbers():
        subprocess.run([ROOT / "run", "tutorial", number, "--help"], check=True, stdout=subprocess.DEVNULL)  # builds it
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "run", "tutorial", number], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        record(number, done.stdout, at)
