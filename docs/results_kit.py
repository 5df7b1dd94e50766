"""Code shared by the results_*.py: stores measured numbers, and formats them."""

import json
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
PICTURES = ROOT / "docs" / "pictures"
SEEDS = [1, 2, 3]


def load(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def numbers():
    """The tutorials' numbers: "00", "01", …."""
    return sorted(path.name[:2] for path in (ROOT / "tutorials").glob("[0-9][0-9]_*.cpp"))


def number(value, form):
    return form.format(value).replace("-", "−")


def mean(values, form="{:.3f}"):
    return number(sum(values) / len(values), form)


def over_seeds(values, form="{:.3f}"):
    """The mean of the values. The lowest and the highest value follow in brackets, unless these two are printed alike."""
    low, high = number(min(values), form), number(max(values), form)
    between = " to " if low.startswith("−") else "–"
    return mean(values, form) if low == high else f"{mean(values, form)} ({low}{between}{high})"


def named(row, students):
    """The name of a row in the tables. `students` maps a model's name, which begins the name of the row, to a clearer name."""
    model, *options = row.split(", ", 1)
    return ", ".join([students.get(model, model), *options])


def folded(summary, text):
    """A text that is hidden until the reader clicks the summary above it."""
    return f"<details markdown>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def seeds_of(results):
    """The seeds in words: "1, 2 and 3"."""
    seeds = [str(seed) for seed in results["seeds"]]
    return " and ".join([", ".join(seeds[:-1]), seeds[-1]])


def where_measured(results, seeds_differ=True):
    seeds = results.get("seeds", [])
    over = f" for N = {', '.join(map(str, seeds))}" if seeds else ""
    over += ": each number is a mean, with the lowest and highest value in brackets." if len(seeds) > 1 and seeds_differ else ";"
    return f"`{results['command']}`{over} {results['machine']}; revision {results['revision']}."


def means_first(table, results, *below):
    """A table without the lowest and highest values in brackets. A second table, hidden at first, has them. The texts `below`
    follow the second table."""
    means = re.sub(r" \(−?[\d.]+(?: to |–)−?[\d.]+\)", "", table)
    return f"{means}\n\n" + folded(f"Means of seeds {seeds_of(results)}. Open for the lowest and highest values", "\n\n".join([table, *below]))


def with_formulas(cell):
    """Converts the symbols in a program's output, such as →h_{j−1} and ρ^50, to formulas."""
    cell = re.sub(r"ρ\^(\d+)", r"$ρ^{\1}$", str(cell))
    arrows = {"": "{}", "→": "\\overrightarrow{{{}}}", "←": "\\overleftarrow{{{}}}"}
    cell = re.sub(r"([→←]?)\b([A-Za-zα])_(\{[^}]+\}|\w)(?!\w)",
                  lambda match: f"${arrows[match[1]].format(match[2])}_{match[3].replace('−', '-')}$", cell)
    return re.sub(r"([→←])([a-z])\b", lambda match: f"${arrows[match[1]].format(match[2])}$", cell)  # without an index


def markdown_table(header, rows, texts=1):
    """A Markdown table. The first `texts` columns are left-aligned, the others right-aligned."""
    lines = [header, ["---"] * texts + ["--:"] * (len(header) - texts), *rows]
    return "\n".join("| " + " | ".join(map(with_formulas, line)) + " |" for line in lines)


def machine():
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{models[0] if models else platform.processor()}, {len(models)} cores"


def revision():
    git = ["git", "-C", str(ROOT)]
    if subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        sys.exit("results.py: uncommitted changes; commit first, so that the results can name a revision")
    return subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def write(name, command, at, results):
    results = {"command": command, "machine": machine(), "revision": at, **results}
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")


def check_sentences(page, sentences):
    """Checks that a page of docs and its translation have these sentences, each given in English and in Chinese."""
    for path, said in zip((f"docs/{page}", f"docs/zh/{page}"), zip(*sentences, strict=True), strict=True):
        text = " ".join((ROOT / path).read_text().split())
        for sentence in said:
            assert sentence in text, f"{path} does not say '{sentence}', as the results do"
