"""The table of tutorial 14 on text: the French model made small in each way, with bytes, quality, speed and memory.

results.py measure small            every seed, and then the speed
results.py measure small 2          the trainings and scores of seed 2 only
results.py measure small speed      sentences per second and memory of the first seed's models; run it on an idle machine

Finished trainings and scores stay in GRADUS_RUNS [out/small], so a run that was stopped continues with what is missing.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess

from results_command import BF16, FRENCH, command_of, evaluate, gradus
from results_kit import RESULTS, ROOT, SEEDS, load, markdown_table, over_seeds, where_measured, write

RUNS = pathlib.Path(os.environ.get("GRADUS_RUNS", ROOT / "out" / "small"))
ONE_THREAD = ["--threads", "1"]
CONFIG = ["--config", ROOT / "configs" / "eng-fra.toml"]
PRECISION = [*BF16, *ONE_THREAD]
STUDENT = ["--embedding", "64", "--hidden", "96", "--energy", "64", "--maxout", "64", "--tied", "output"]
SMALLEST = ["--bpe", "2000", "--min-count", "1", *STUDENT]
FINE_TUNING = ["--steps", "400", "--learning-rate", "0.001", "--eval-every", "100"]


def beams(runs):
    """The options that train on the teacher's translations of the training sources, which are written if missing."""
    texts = runs / "beams"
    if not texts.is_dir():
        part = fresh(texts)
        for name in ("train", "dev", "test"):
            listed = gradus("info", runs / "teacher", "--pairs", name, cwd=os.environ["GRADUS_DATA"], stdout=subprocess.PIPE).stdout
            (part / f"{name}.tsv").write_text(listed)
        pairs = (part / "train.tsv").read_text().splitlines()
        (part / "sources.txt").write_text("".join(pair.split("\t")[0] + "\n" for pair in pairs))
        gradus("translate", "--model", runs / "teacher", "--beam", "5", *ONE_THREAD, "--input", part / "sources.txt",
               "--output", part / "targets.txt", stderr=subprocess.DEVNULL)
        part.rename(texts)
    return ["--source", texts / "sources.txt", "--target", texts / "targets.txt",
            "--dev-pairs", texts / "dev.tsv", "--test-pairs", texts / "test.tsv"]


def pruned(runs, zeros):
    return ["--init-from", runs / "teacher", "--prune", zeros, *FINE_TUNING, *PRECISION]


# name of a training → its options, given the folder of the seed's runs; in this order
TRAININGS = {
    "teacher": lambda runs: [*CONFIG, *FRENCH, *PRECISION],
    "student": lambda runs: [*CONFIG, *FRENCH, *STUDENT, *PRECISION],
    "student of words": lambda runs: [*CONFIG, *FRENCH, *STUDENT, *PRECISION, "--teacher", runs / "teacher"],
    "student of beams": lambda runs: [*CONFIG, *beams(runs), *STUDENT, *PRECISION],
    "smallest": lambda runs: [*CONFIG, *beams(runs), *SMALLEST, *PRECISION],
    "50 % zeros": lambda runs: pruned(runs, "0.5"),
    "80 % zeros": lambda runs: pruned(runs, "0.8"),
    "90 % zeros": lambda runs: pruned(runs, "0.9"),
}

# row of the table → the training, "int8" for its int8 model, and options of evaluate and translate
ROWS = {
    "f32": ("teacher", "f32", []),
    "bf16 products": ("teacher", "f32", BF16),
    "int8": ("teacher", "int8", []),
    **{f"top-{k}": ("teacher", "f32", ["--attention-top-k", str(k)]) for k in (4, 2, 1)},
    "student": ("student", "f32", []),
    "student, teacher's words": ("student of words", "f32", []),
    "student, teacher's beams": ("student of beams", "f32", []),
    "student, teacher's beams, int8": ("student of beams", "int8", []),
    "smallest student, teacher's beams": ("smallest", "f32", []),
    "smallest student, teacher's beams, int8": ("smallest", "int8", []),
    **{f"{zeros} % zeros, trained on": (f"{zeros} % zeros", "f32", []) for zeros in (80, 90, 50)},
}


def fresh(folder):
    """An empty folder beside this one, to be renamed when it is complete."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def trained(runs, name):
    run = runs / name
    if not run.is_dir():
        options = TRAININGS[name](runs)  # may need a text that another model writes
        part = fresh(run)
        gradus("train", *options, "--seed", runs.name, "--overwrite", "--out", part, cwd=os.environ["GRADUS_DATA"],
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        part.rename(run)
    return run


def model(runs, name, form):
    """The checkpoint of a training in f32 or int8, without an optimiser's state."""
    run = trained(runs, name)
    if form == "f32":
        return run
    small = runs / f"{name} in int8"
    if not small.is_dir():
        part = fresh(small)
        gradus("compress", "--int8", "--model", run, "--out", part, stdout=subprocess.DEVNULL)
        part.rename(small)
    return small


def file_of(runs, name, form):
    """The file whose bytes count: int8 with its vocabularies, f32 only the weights."""
    if form == "int8":
        return model(runs, name, form) / "best.safetensors"
    weights = runs / f"{name}.weights"
    if not weights.is_file():
        gradus("convert", "--model", trained(runs, name), "--to", weights, stdout=subprocess.DEVNULL)
    return weights


def scored(runs, row):
    """One row of one seed; kept as a file."""
    kept = runs / f"{row}.json"
    if not kept.is_file():
        name, form, options = ROWS[row]
        report = evaluate(model(runs, name, form), *options, *ONE_THREAD)
        stored = file_of(runs, name, form).read_bytes()
        kept.write_text(json.dumps({"row": row, "bytes": len(stored), "gzip_bytes": len(gzip.compress(stored)),
                                    "bleu": report["bleu"], "perplexity": report["perplexity"]}))
    return json.loads(kept.read_text())


def measure_seed(at, seed):
    runs = RUNS / str(seed)
    rows = [scored(runs, row) for row in ROWS]
    known = load("small_quality")["runs"] if (RESULTS / "small_quality.json").is_file() else []
    known = sorted([run for run in known if run["seed"] != seed] + [{"seed": seed, "rows": rows}], key=lambda run: run["seed"])
    write("small_quality", command_of("eng-fra", *FRENCH, *PRECISION), at,
          {"seeds": [run["seed"] for run in known], "pairs": evaluate(runs / "teacher", *ONE_THREAD)["pairs"], "runs": known})


def translate(program, lines, batch, *options):
    """Sentences per second of `gradus translate` for `batch` lines at a time, and the most memory of the process, in bytes."""
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
    """The best of rounds in turn, so that other load affects every model."""
    runs = RUNS / str(SEEDS[0])
    gradus("--version", stdout=subprocess.DEVNULL)  # builds it
    program = ROOT / "build" / os.environ.get("GRADUS_PRESET", "release") / "tools" / "gradus"
    lines = [pair.split("\t")[0] for pair in (runs / "beams" / "test.tsv").read_text().splitlines()]
    rows = {row: {"row": row} for row in ROWS}
    for _ in range(ROUNDS):
        for row, (name, form, options) in ROWS.items():
            for batch, count in BATCHES.items():
                speed, memory = translate(program, lines[:count], batch, "--model", model(runs, name, form), *options, *ONE_THREAD)
                kept = rows[row]
                kept[f"batch_{batch}"] = max(speed, kept.get(f"batch_{batch}", speed))
                kept[f"memory_{batch}"] = max(memory, kept.get(f"memory_{batch}", memory))
    write("small_speed", "./run gradus translate --threads 1", at, {"rows": list(rows.values())})


ROUNDS = 3
BATCHES = {1: 256, 64: 1024}  # sentences at a time → sentences


def measure(at, only=None):
    if "GRADUS_DATA" not in os.environ:
        raise SystemExit("results.py: GRADUS_DATA is not set; set it to the folder with fra-eng/fra.txt")
    for seed in SEEDS if only is None else [int(only)] if only != "speed" else []:
        measure_seed(at, seed)
    if only in (None, "speed"):
        measure_speed(at)
