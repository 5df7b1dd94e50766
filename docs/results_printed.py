"""The output of each tutorial, and of the programs and commands of other pages, recorded from one run and quoted in pages.

<!-- printed NN 2 4 --> in a page shows the paragraphs 2 and 4 of tutorial NN's output. Without numbers, it shows the whole output.
Empty lines separate paragraphs. "…" stands for paragraphs that are left out. <!-- printed PAGE … --> does the same for a page,
docs/how-to/PAGE.md, docs/explained/PAGE.md or docs/PAGE.md. The output is that of the page's program. If the page has no program,
the output is that of its shell commands. PAGE may also be the name of a program, docs/PAGE.cpp.
"""

import re
import subprocess
import tempfile

from results_kit import PICTURES, ROOT, load, numbers, write

BUILD = ROOT / "build" / "release"
COMMANDS = ("train-on-your-text", "compress-a-model", "command")  # no program on these pages: their first shell block is run
# page → a picture that the commands of this page draw, and the name of this picture in docs/pictures
PICTURED = {"train-on-your-text": ("looks.svg", "seven_books.svg"), "command": ("out/phrases/curves.svg", "phrases_curves.svg")}
PYTORCH = "load-pytorch-weights"  # the page whose program reads a file written by PyTorch

FROM_RUN = "The page of this tutorial: "  # ./run prints this line, not the program


def quoted(where):
    """The code block for a marker that names `NN 2 4` or `PAGE 2 4`."""
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
    """Stores the output of `./run tutorial NN`, whose default is `--seed 1`."""
    lines = [line for line in output.rstrip().split("\n") if not line.startswith(FROM_RUN)]
    write(f"printed_{number}", f"./run tutorial {number}", at, {"lines": lines})


def page_of(name):
    paths = [ROOT / "docs" / folder / f"{name}.md" for folder in ("how-to", "explained", "")]
    return next(path for path in [*paths, ROOT / "docs" / f"{name}.cpp"] if path.exists())


def source_of(name):
    return page_of(name).relative_to(ROOT)


def page_programs():
    """Each page whose program is compiled and whose output is quoted → the name of the executable."""
    listed = re.findall(r"^gradus_page_program\((\w+) docs/(?:how-to/|explained/)?([\w-]+)\.md", (ROOT / "tests/CMakeLists.txt").read_text(), re.MULTILINE)
    return {page: program for program, page in listed} | {name: name for name in ("mechanisms", "mistakes")}  # docs/NAME.cpp


def built(target):
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", target], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def output_in_empty_folder(*command):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip().split("\n")


def measure_program(at, page):
    program = page_programs()[page]
    built(program)
    write(f"printed_{page}", f"the program of {source_of(page)}", at, {"lines": output_in_empty_folder(BUILD / "tests" / program)})


def measure_commands(at, page):
    built("gradus_command")
    program = str(BUILD / "tools" / "gradus")
    block = re.search(r"^```sh\n(.*?)^```", page_of(page).read_text(), re.MULTILINE | re.DOTALL)[1]
    script = f'gradus() {{ {program} "$@"; }}\n' + block.replace("./run gradus", "gradus").replace(" configs/", f" {ROOT}/configs/")
    if page in PICTURED:
        drawn, kept = PICTURED[page]
        script += f"\ncp {drawn} {PICTURES / kept}"
    lines = output_in_empty_folder("bash", "-euo", "pipefail", "-c", script)
    write(f"printed_{page}", f"the commands of {source_of(page)}", at, {"lines": [line for line in lines if program not in line]})


def measure_pytorch(at, page):
    """Runs the page's first Python block, then the C++ program, then the second Python block. The first block writes its file
    by tests/golden/safetensors_io.py, because Debian lacks the package safetensors."""
    built("pytorch_program")
    save, compute, *_ = re.findall(r"^```python\n(.*?)^```", (ROOT / f"docs/how-to/{page}.md").read_text(), re.MULTILINE | re.DOTALL)
    save = save.replace("from safetensors.torch import save_file", f"""
import pathlib, subprocess, sys
sys.path.append({str(ROOT / "tests" / "golden")!r})
import safetensors_io
def save_file(state, path): safetensors_io.save(pathlib.Path(path), state)""")
    between = f"print(subprocess.run([{str(BUILD / 'tests' / 'pytorch_program')!r}], check=True, stdout=subprocess.PIPE, text=True).stdout)\n"
    lines = output_in_empty_folder("/usr/bin/python3", "-c", save + between + compute)
    write(f"printed_{page}", f"the programs of docs/how-to/{page}.md", at, {"lines": lines})


def build_tutorial(number):
    """Builds the tutorial, so that a later run prints no build messages."""
    subprocess.run([ROOT / "run", "tutorial", number, "--help"], check=True, stdout=subprocess.DEVNULL)


def measure_tutorial(at, number):
    build_tutorial(number)
    record(number, "\n".join(output_in_empty_folder(ROOT / "run", "tutorial", number)), at)


def measure(at, only=None):
    of = {**dict.fromkeys(COMMANDS, measure_commands), PYTORCH: measure_pytorch}
    for name in [only] if only else [*numbers(), *page_programs(), *of]:
        (measure_tutorial if name.isdigit() else of.get(name, measure_program))(at, name)
