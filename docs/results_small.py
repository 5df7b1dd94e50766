"""The table of tutorial 14 on text: the French model, made smaller in each way, with bytes, quality, speed and memory.

results.py measure small            every seed, then the speed
results.py measure small 1,2        trains and scores these seeds
results.py measure small finished   scores the trainings that have finished for every seed begun so far
results.py measure small speed      sentences per second and memory of the first seed's models, into small_speed.json; run it on an idle
                                    machine. small_speed_amd.json is the same from another processor.

GRADUS_RUNS [out/small] keeps finished trainings and scores, so a stopped run continues where it ended.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

from results_command import BF16, FRENCH, command_of, evaluate, gradus
from results_kit import ROOT, SEEDS, folded, load, markdown_table, over_seeds, seeds_of, where_measured, write

RUNS = pathlib.Path(os.environ.get("GRADUS_RUNS", ROOT / "out" / "small"))
ONE_THREAD = ["--threads", "1"]
CONFIG = ["--config", ROOT / "configs" / "eng-fra.toml"]
PRECISION = [*BF16, *ONE_THREAD]
SIZES = ["--embedding", "64", "--energy", "64", "--tied", "output", "--dropout", "0.1"]
STUDENT = ["--hidden", "96", *SIZES]
SHORT = ["--steps", "1000"]  # a shorter training, to show what a teacher adds
# In int8, this model has at most 1/20 of the teacher's bytes. Its training is not shortened. If it learns from the teacher's
# translations, its loss on the true translations begins to rise while its BLEU still rises. So the best checkpoint is selected
# by BLEU.
SMALLEST = ["--hidden", "112", *SIZES, "--bpe", "2000", "--min-count", "1", "--learning-rate", "0.003", "--steps", "9600", "--metric", "bleu"]
FINE_TUNING = ["--steps", "400", "--learning-rate", "0.001", "--eval-every", "100"]
WORDS = "2000"


def beams(runs):
    """Options that train on the teacher's translations of the training sources. Writes the translations if they are missing."""
    texts = runs / "beams"
    if not texts.is_dir():
        part = fresh(texts)
        for name in ("train", "dev", "test"):
            listed = gradus("info", runs / "teacher", "--pairs", name, cwd=os.environ["GRADUS_DATA"], stdout=subprocess.PIPE).stdout
            (part / f"{name}.tsv").write_text(listed)
        pairs = (part / "train.tsv").read_text().splitlines()
        (part / "sources.txt").write_text("".join(pair.split("\t")[0] + "\n" for pair in pairs))
        gradus("translate", "--model", runs / "teacher", "--beam", "5", *PRECISION, "--input", part / "sources.txt",
               "--output", part / "targets.txt", stderr=subprocess.DEVNULL)
        part.rename(texts)
    return ["--source", texts / "sources.txt", "--target", texts / "targets.txt",
            "--dev-pairs", texts / "dev.tsv", "--test-pairs", texts / "test.tsv"]


def pruned(runs, zeros):
    return ["--init-from", runs / "teacher", "--prune", zeros, "--per-matrix", *FINE_TUNING, *PRECISION]


# name of a training → a function that returns its options, given the folder of a seed's runs; in the order of training
TRAININGS = {
    "teacher": lambda runs: [*CONFIG, *FRENCH, *PRECISION],
    "student": lambda runs: [*CONFIG, *FRENCH, *STUDENT, *SHORT, *PRECISION],
    "student of words": lambda runs: [*CONFIG, *FRENCH, *STUDENT, *SHORT, *PRECISION, "--teacher", runs / "teacher"],
    "student of beams": lambda runs: [*CONFIG, *beams(runs), *STUDENT, *SHORT, *PRECISION],
    "smallest": lambda runs: [*CONFIG, *FRENCH, *SMALLEST, *PRECISION],
    "smallest of beams": lambda runs: [*CONFIG, *beams(runs), *SMALLEST, *PRECISION],
    "50 % zeros": lambda runs: pruned(runs, "0.5"),
    "80 % zeros": lambda runs: pruned(runs, "0.8"),
    "90 % zeros": lambda runs: pruned(runs, "0.9"),
    "window": lambda runs: [*CONFIG, *FRENCH, *PRECISION, "--attention", "local_p"],
    "one position": lambda runs: [*CONFIG, *FRENCH, *PRECISION, "--attention", "hard"],
}

# row of the table → its training, the options with which `compress` stores it, and options of evaluate and translate
F32 = []  # the trained weights, without the optimiser's state
ROWS = {
    "f32": ("teacher", F32, []),
    "bf16": ("teacher", ["--bf16"], BF16),
    "int8": ("teacher", ["--int8"], []),
    **{f"{zeros} % zeros, then trained": (f"{zeros} % zeros", F32, []) for zeros in (50, 80, 90)},
    "50 % zeros, then trained, int8": ("50 % zeros", ["--int8"], []),
    **{f"top-{k}": ("teacher", F32, ["--attention-top-k", str(k)]) for k in (4, 2, 1)},
    "attention in a window": ("window", F32, []),
    "attention to one position": ("one position", F32, []),
    "2,000 target words": ("teacher", ["--target-words", WORDS], []),
    "2,000 target words, int8": ("teacher", ["--target-words", WORDS, "--int8"], []),
    "student": ("student", F32, []),
    "student, teacher's probabilities": ("student of words", F32, []),
    "student, teacher's translations": ("student of beams", F32, []),
    "student, teacher's translations, int8": ("student of beams", ["--int8"], []),
    "smallest student": ("smallest", F32, []),
    "smallest student, teacher's translations": ("smallest of beams", F32, []),
    "smallest student, teacher's translations, int8": ("smallest of beams", ["--int8"], []),
}


def fresh(folder):
    """Creates the empty folder NAME.part beside `folder`, whose name is NAME. The caller renames NAME.part once it is complete."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def trained(runs, name):
    run = runs / name
    if not run.is_dir():
        options = TRAININGS[name](runs)  # the options may depend on a text that another model must write first
        part = fresh(run)
        gradus("train", *options, "--seed", runs.name, "--overwrite", "--out", part, cwd=os.environ["GRADUS_DATA"],
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        part.rename(run)
    return run


def stored(runs, name, form):
    """The folder of a trained model stored in this form. One file holds weights, settings and vocabularies."""
    folder = runs / " ".join([name, *(form or ["in f32"])])
    if not folder.is_dir():
        run, part = trained(runs, name), fresh(folder)
        if form:
            gradus("compress", *form, "--model", run, "--out", part, stdout=subprocess.DEVNULL)
        else:
            gradus("convert", "--model", run, "--to", part / "weights")
            gradus("convert", "--model", run, "--from", part / "weights", "--out", part / "best.safetensors")
        part.rename(folder)
    return folder


def scored(runs, row):
    """The scores of one row and seed. The first call computes them and writes a file; later calls read the file."""
    kept = runs / f"{row}.json"
    if not kept.is_file():
        name, form, options = ROWS[row]
        model = stored(runs, name, form)
        report = evaluate(model, *options, *ONE_THREAD)
        content = (model / "best.safetensors").read_bytes()
        kept.write_text(json.dumps({"row": row, "bytes": len(content), "gzip_bytes": len(gzip.compress(content)),
                                    **{key: report[key] for key in ("pairs", "bleu", "perplexity")}}))
    return json.loads(kept.read_text())


def finished():
    """The seeds that have a teacher, and the rows whose trainings are complete for all of these seeds."""
    seeds = [seed for seed in SEEDS if (RUNS / str(seed) / "teacher").is_dir()]
    return seeds, [row for row, (name, *_) in ROWS.items() if all((RUNS / str(seed) / name).is_dir() for seed in seeds)]


def measure_quality(at, seeds, chosen=tuple(ROWS)):
    runs = []
    for seed in seeds:
        folder = RUNS / str(seed)
        for name in TRAININGS:
            if any(ROWS[row][0] == name for row in chosen):
                trained(folder, name)
        runs.append({"seed": seed, "rows": [scored(folder, row) for row in chosen]})
    write("small_quality", command_of("eng-fra", *FRENCH, *PRECISION), at, {"seeds": seeds, "runs": runs})


ROUNDS = 6
BATCHES = {1: 128, 64: 512}  # batch size → number of sentences to translate


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


def measure_speed(at):
    """The best of several rounds. A round measures each model once, so that other load on the machine affects every model."""
    runs = RUNS / str(SEEDS[0])
    chosen = {row: ROWS[row] for row in finished()[1]}
    gradus("--version", stdout=subprocess.DEVNULL)  # builds the command
    program = ROOT / "build" / os.environ.get("GRADUS_PRESET", "release") / "tools" / "gradus"
    lines = [pair.split("\t")[0] for pair in (runs / "beams" / "test.tsv").read_text().splitlines()]
    rows = {row: {"row": row} for row in chosen}
    for _ in range(ROUNDS):
        for row, (name, form, options) in chosen.items():
            for batch, count in BATCHES.items():
                speed, memory = translate(program, lines[:count], batch, "--model", stored(runs, name, form), *options, *ONE_THREAD)
                kept = rows[row]
                kept[f"batch_{batch}"] = max(speed, kept.get(f"batch_{batch}", speed))
                kept[f"memory_{batch}"] = max(memory, kept.get(f"memory_{batch}", memory))
    write("small_speed", "./run gradus translate --model out/french --threads 1", at, {"rows": list(rows.values())})


def measure(at, only=None):
    if "GRADUS_DATA" not in os.environ:
        raise SystemExit("results.py: GRADUS_DATA is not set; set it to the folder with fra-eng/fra.txt")
    if only == "finished":
        measure_quality(at, *finished())
    elif only != "speed":
        measure_quality(at, SEEDS if only is None else [int(seed) for seed in only.split(",")])
    if only in (None, "speed"):
        measure_speed(at)


# One function per marker <!-- result NAME -->.

def over_runs(row, key):
    """The values of `key` in the rows with the name `row`, one value per seed."""
    return [found[key] for run in load("small_quality")["runs"] for found in run["rows"] if found["row"] == row]


def rows_measured():
    return [row["row"] for row in load("small_quality")["runs"][0]["rows"]]


def mean_of(row, key):
    values = over_runs(row, key)
    return sum(values) / len(values)


def speed_of(row, results):
    return next(found for found in results["rows"] if found["row"] == row)


SHOWN = ("f32", "int8", "50 % zeros, then trained", "80 % zeros, then trained", "top-2", "2,000 target words, int8", "student, teacher's translations",
         "smallest student, teacher's translations, int8")


def small_quality():
    """A table of the rows SHOWN. A second table, hidden at first, has all rows and the ranges of BLEU."""
    def rows_of(names, bleu):
        return [[row, f"{mean_of(row, 'bytes') / 1e6:.2f}", f"{mean_of(row, 'gzip_bytes') / 1e6:.2f}",
                 f"{100 * mean_of(row, 'bytes') / mean_of('f32', 'bytes'):.1f}", bleu(row),
                 f"{mean_of(row, 'bleu') - mean_of('f32', 'bleu'):+.1f}".replace("-", "−")] for row in names]

    header = ["model", "MB", "MB, gzip", "bytes, %", "BLEU", "BLEU − f32"]
    every = rows_of(rows_measured(), lambda row: over_seeds(over_runs(row, "bleu"), "{:.1f}"))
    return (markdown_table(header, rows_of(SHOWN, lambda row: f"{mean_of(row, 'bleu'):.1f}")) + "\n\n"
            + folded(f"Means of seeds {seeds_of(load('small_quality'))}. Open for all rows, with the lowest and highest values",
                     markdown_table(header, every) + "\n\n" + where_measured(load("small_quality"))))


def speeds(name):
    results = load(name)
    f32 = speed_of("f32", results)
    rows = [[now["row"], f"{now['batch_1']:.0f}", f"{now['batch_1'] / f32['batch_1']:.1f}", f"{now['batch_64']:.0f}",
             f"{now['batch_64'] / f32['batch_64']:.1f}", f"{now['memory_1'] / 1e6:.0f}"] for now in results["rows"]]
    return (markdown_table(["model", "sentences/s, 1 at a time", "ratio", "sentences/s, 64 at a time", "ratio", "MB of memory"], rows)
            + "\n\n" + where_measured(results))


def small_speed():
    return speeds("small_speed")


def small_speed_amd():
    return speeds("small_speed_amd")


def check_text():
    """Checks that the text of tutorial 14 gives the differences of the table."""
    def bleu(row, other):
        return f"{abs(mean_of(row, 'bleu') - mean_of(other, 'bleu')):.1f}"
    zeros, words = bleu("50 % zeros, then trained", "f32"), bleu("student, teacher's probabilities", "student")
    beams = bleu("student, teacher's translations", "student")
    smallest = bleu("smallest student, teacher's translations", "smallest student")
    for page, sentences in (
            ("tutorials", (f"loses {zeros} [BLEU]", f"half of them cost {zeros} BLEU", f"they added {words} BLEU, and the teacher's translations {beams}.",
                           f"the teacher's translations add {beams} BLEU, and the teacher's probabilities {words}.",
                           f"the translations cost {smallest} BLEU")),
            ("zh/tutorials", (f"[BLEU](../terms.md#bleu) 下降 {zeros}。", f"BLEU 下降 {zeros}。", f"教师的概率使 BLEU 增加 {words}，教师的译文使 BLEU 增加 {beams}。"))):
        text = " ".join((ROOT / "docs" / page / "14-small-devices.md").read_text().split())
        for sentence in sentences:
            assert sentence in text, f"docs/{page}/14-small-devices.md does not say '{sentence}', as the results do"


def check_bounds():
    """Checks the bounds on which the page relies, for int8, a shortlist and a teacher's translations."""
    check_text()

    def against_f32(row, key):
        return mean_of(row, key) / mean_of("f32", key)

    def faster(row, batch, name="small_speed"):
        results = load(name)
        return speed_of(row, results)[f"batch_{batch}"] / speed_of("f32", results)[f"batch_{batch}"]
    assert against_f32("int8", "bytes") <= 0.27 and mean_of("int8", "bleu") >= mean_of("f32", "bleu") - 0.3
    assert faster("int8", 1) >= 1.8 and faster("int8", 64) >= 1.3
    assert 1.3 <= faster("int8", 1, "small_speed_amd") < 1.8
    assert faster("2,000 target words, int8", 1) >= 4 and mean_of("2,000 target words, int8", "bleu") >= mean_of("f32", "bleu") - 1.5
    assert mean_of("student, teacher's translations", "bleu") >= mean_of("student", "bleu") + 1
    smallest = "smallest student, teacher's translations, int8"
    assert against_f32(smallest, "bytes") <= 1 / 20 and faster(smallest, 1) >= 4
    assert mean_of(smallest, "bleu") >= mean_of("f32", "bleu") - 1.5
