"""The tables of tutorial 14 that compare a trained model with the same model made smaller in many ways.

A Study holds what the tables of French (results_small_french.py) and of reversal (results_small_reversal.py) share. For a study
NAME, `small` or `small_reversal`:

results.py measure NAME            every seed, then the speed
results.py measure NAME 1,2        trains and scores these seeds
results.py measure NAME finished   scores the rows whose training has finished for every seed that has a teacher
results.py measure NAME speed      sentences per second and memory of the first seed's models, into NAME_speed.json; run it on an idle
                                   machine

GRADUS_RUNS [out] has a folder NAME with finished trainings and scores, so a stopped run continues where it ended.
"""

import dataclasses
import gzip
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable

from results_command import evaluate, gradus
from results_kit import ROOT, SEEDS, folded, load, markdown_table, named, over_seeds, seeds_of, where_measured, write

ONE_THREAD = ["--threads", "1"]
F32 = []  # the trained weights, without the optimiser's state
ROUNDS = 6


def fresh(folder):
    """Creates the empty folder NAME.part beside `folder`, whose name is NAME. The caller renames NAME.part once it is complete."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def translate(program, lines, batch, *options):
    """Runs `gradus translate` on `batch` lines at a time. Returns sentences per second, and the process's largest memory in
    bytes."""
    process = subprocess.Popen([program, "translate", *map(str, options)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for first in range(0, len(lines), batch):
        part = lines[first:first + batch]
        process.stdin.write("".join(line + "\n" for line in part))
        process.stdin.flush()
        for _ in part:
            process.stdout.readline()
    process.stdin.close()
    speed = float(re.search(r": ([\d.]+) sentences/s", process.stderr.read())[1])
    return speed, os.wait4(process.pid, 0)[2].ru_maxrss * 1024


@dataclasses.dataclass
class Study:
    name: str  # begins the names of the results: NAME_quality.json and NAME_speed.json
    command: str  # the command that trains the large model
    trained_as: str  # the large model's folder in the recorded command of the speeds
    trainings: dict[str, Callable]  # name → a function that returns its options, given the folder of a seed's runs; in this order
    rows: dict[str, tuple]  # row → its training, the options with which `compress` stores it, options of evaluate and translate
    test_pairs: Callable  # a file of test pairs, given the folder of a seed's runs. Writes the file if it is missing.
    score: str  # key of the score in a report of evaluate
    title: str  # the score's name in the table
    difference: str  # title of the column with the difference to f32
    scale: float  # factor from the score in the report to the score in the table
    unit: tuple[str, float, str]  # the unit of file sizes: its name, its bytes, the format of a size
    shown: tuple[str, ...]  # rows of the table that is not folded
    students: dict[str, str]  # the name of a student in the results → its name in the tables, with its size
    batches: dict[int, int]  # batch size → number of sentences to translate; the test sources are repeated if they are fewer
    data: str | None = None  # environment variable that names the folder of the texts
    tests_file: bool = False  # evaluates the file of test pairs, not the test part of the model's corpus
    memory_format: str = "{:.0f}"  # the format of a number of MB
    options_note: str = "Every training also has `--seed N`. `out/teacher` is the run of f32."  # above the table of options

    @property
    def folder(self):
        return pathlib.Path(os.environ.get("GRADUS_RUNS", ROOT / "out")) / self.name

    def data_folder(self):
        return os.environ[self.data] if self.data else ROOT

    def trained(self, runs, name):
        run = runs / name
        if not run.is_dir():
            options = self.trainings[name](runs)  # the options may depend on a text that another model must write first
            part = fresh(run)
            gradus("train", *options, "--seed", runs.name, "--overwrite", "--out", part, cwd=self.data_folder(),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            part.rename(run)
        return run

    def stored(self, runs, name, form):
        """The folder of a trained model stored in this form. One file holds weights, settings and vocabularies."""
        folder = runs / " ".join([name, *(form or ["in f32"])])
        if not folder.is_dir():
            run, part = self.trained(runs, name), fresh(folder)
            if form:
                gradus("compress", *form, "--model", run, "--out", part, stdout=subprocess.DEVNULL)
            else:
                gradus("convert", "--model", run, "--to", part / "weights")
                gradus("convert", "--model", run, "--from", part / "weights", "--out", part / "best.safetensors")
            part.rename(folder)
        return folder

    def scored(self, runs, row):
        """The scores of one row and seed. The first call computes them and writes a file; later calls read the file."""
        kept = runs / f"{row}.json"
        if not kept.is_file():
            name, form, options = self.rows[row]
            model = self.stored(runs, name, form)
            pairs = ["--pairs", self.test_pairs(runs)] if self.tests_file else []
            report = evaluate(model, *pairs, *options, *ONE_THREAD)
            content = (model / "best.safetensors").read_bytes()
            kept.write_text(json.dumps({"row": row, "bytes": len(content), "gzip_bytes": len(gzip.compress(content)),
                                        **{key: report[key] for key in ("pairs", self.score, "perplexity")}}))
        return json.loads(kept.read_text())

    def finished(self):
        """The seeds that have a teacher, and the rows whose trainings are complete for all of these seeds."""
        seeds = [seed for seed in SEEDS if (self.folder / str(seed) / "teacher").is_dir()]
        return seeds, [row for row, (name, *_) in self.rows.items()
                       if all((self.folder / str(seed) / name).is_dir() for seed in seeds)]

    def measure_quality(self, at, seeds, chosen=None):
        runs, chosen = [], tuple(self.rows) if chosen is None else chosen
        for seed in seeds:
            folder = self.folder / str(seed)
            for name in self.trainings:
                if any(self.rows[row][0] == name for row in chosen):
                    self.trained(folder, name)
            runs.append({"seed": seed, "rows": [self.scored(folder, row) for row in chosen]})
        write(f"{self.name}_quality", self.command, at, {"seeds": seeds, "runs": runs})

    def measure_speed(self, at):
        """Keeps each row's highest speed and largest memory over several rounds. A round measures each row once, so that other
        load on the machine affects every row."""
        runs = self.folder / str(SEEDS[0])
        chosen = {row: self.rows[row] for row in self.finished()[1]}
        gradus("--version", stdout=subprocess.DEVNULL)  # builds the command
        program = ROOT / "build" / os.environ.get("GRADUS_PRESET", "release") / "tools" / "gradus"
        lines = [pair.split("\t")[0] for pair in self.test_pairs(runs).read_text().splitlines()]
        rows = {row: {"row": row} for row in chosen}
        for _ in range(ROUNDS):
            for row, (name, form, options) in chosen.items():
                for batch, count in self.batches.items():
                    sentences = list(itertools.islice(itertools.cycle(lines), count))
                    speed, memory = translate(program, sentences, batch, "--model", self.stored(runs, name, form), *options, *ONE_THREAD)
                    kept = rows[row]
                    kept[f"batch_{batch}"] = max(speed, kept.get(f"batch_{batch}", speed))
                    kept[f"memory_{batch}"] = max(memory, kept.get(f"memory_{batch}", memory))
        write(f"{self.name}_speed", f"./run gradus translate --model {self.trained_as} --threads 1", at, {"rows": list(rows.values())})

    def measure(self, at, only=None):
        if self.data and self.data not in os.environ:
            raise SystemExit(f"results.py: {self.data} is not set; set it to the folder with fra-eng/fra.txt")
        if only == "finished":
            self.measure_quality(at, *self.finished())
        elif only != "speed":
            self.measure_quality(at, SEEDS if only is None else [int(seed) for seed in only.split(",")])
        if only in (None, "speed"):
            self.measure_speed(at)

    def results(self):
        return load(f"{self.name}_quality")

    def over_runs(self, row, key):
        """The values of `key` in the rows with the name `row`, one value per seed."""
        return [found[key] for run in self.results()["runs"] for found in run["rows"] if found["row"] == row]

    def mean_of(self, row, key):
        values = self.over_runs(row, key)
        return sum(values) / len(values)

    def against_f32(self, row, key):
        return self.mean_of(row, key) / self.mean_of("f32", key)

    def faster(self, row, batch, name=None):
        """The speed of a row, divided by that of f32."""
        rows = {found["row"]: found for found in load(name or f"{self.name}_speed")["rows"]}
        return rows[row][f"batch_{batch}"] / rows["f32"][f"batch_{batch}"]

    # The text of markers <!-- result NAME -->.

    def quality(self):
        """A table of the rows `shown`. A second table, hidden at first, has all rows and the ranges of the score."""
        unit, size, form = self.unit
        difference = self.scale * self.mean_of("f32", self.score)

        def rows_of(names, score):
            return [[named(row, self.students), form.format(self.mean_of(row, "bytes") / size), form.format(self.mean_of(row, "gzip_bytes") / size),
                     f"{100 * self.against_f32(row, 'bytes'):.1f}", score([self.scale * value for value in self.over_runs(row, self.score)]),
                     f"{self.scale * self.mean_of(row, self.score) - difference:+.1f}".replace("-", "−")] for row in names]

        header = ["model", unit, f"{unit}, gzip", "bytes, %", self.title, self.difference]
        every = rows_of([row["row"] for row in self.results()["runs"][0]["rows"]], lambda values: over_seeds(values, "{:.1f}"))
        return (markdown_table(header, rows_of(self.shown, lambda values: f"{sum(values) / len(values):.1f}")) + "\n\n"
                + folded(f"Means of seeds {seeds_of(self.results())}. Open for all rows, with the lowest and highest values",
                         markdown_table(header, every) + "\n\n" + where_measured(self.results())))

    def options(self):
        """A folded table: for each row, the options of its training, of `compress`, and of `translate` and `evaluate`."""
        runs, rows, first = pathlib.PurePath("out"), [], {}  # first: a training → the name of the first row that uses it

        def code(values):
            return f"`{' '.join(str(value).removeprefix(f'{ROOT}/') for value in values)}`" if values else "–"
        for row, (training, form, decoding) in self.rows.items():
            name = named(row, self.students)
            trained = f"the run of {first[training]}" if training in first else code(self.trainings[training](runs))
            first.setdefault(training, name)
            rows.append([name, trained, code(form), code(decoding)])
        table = markdown_table(["model", "options of train", "of compress", "of translate and evaluate"], rows, texts=4)
        return folded("Open for the options of each row", f"{self.options_note}\n\n{table}")

    def speeds(self, name=None):
        results = load(name or f"{self.name}_speed")
        rows = [[named(now["row"], self.students), *(text for batch in (1, 64) for text in (f"{now[f'batch_{batch}']:.0f}",
                                                                      f"{self.faster(now['row'], batch, name):.1f}")),
                 self.memory_format.format(now["memory_1"] / 1e6)] for now in results["rows"]]
        return (markdown_table(["model", "sentences/s, 1 at a time", "ratio", "sentences/s, 64 at a time", "ratio", "MB of memory"], rows)
                + "\n\n" + where_measured(results))
