"""The numbers of how-to/compress-a-model.md: bytes, quality and speed of int8 models, against f32."""

import json
import os
import pathlib
import subprocess
import tempfile

from results_command import AVERAGED, BF16, FRENCH, command_of, evaluate, gradus, train
from results_kit import ROOT, load, markdown_table, where_measured, write

# name of a model → its configuration, its options of `train`, and the name of its score
MODELS = {"reversal": ("reverse", ["--eval-every", "1000"], "exact_match"),
          "French": ("eng-fra", [*FRENCH, *AVERAGED, *BF16], "bleu")}
BATCHES = [1, 64]
# the instruction set → environment variables that limit the libraries to it
INSTRUCTIONS = {"AMX": {}, "AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}}
DECODE = ["bahdanau", "--mode", "decode", "--config", "medium"]
ROUNDS = 3


def kept(run):
    """The bytes and the scores of a run's model, in f32 and in int8."""
    f32, int8 = run.with_suffix(".weights"), run.with_suffix(".int8")
    gradus("convert", "--model", run, "--to", f32, stdout=subprocess.DEVNULL)
    gradus("compress", "--int8", "--model", run, "--out", int8, stdout=subprocess.DEVNULL)
    return {"f32_bytes": f32.stat().st_size, "int8_bytes": (int8 / "best.safetensors").stat().st_size}, evaluate(run), evaluate(int8)


def quality(name, folder):
    config, options, score = MODELS[name]
    run = pathlib.Path(folder, config)
    train(config, 1, run, *options)
    sizes, f32, int8 = kept(run)
    return {"model": name, "score": score, **sizes, "f32": f32[score], "int8": int8[score]}


def speed(instructions, batch):
    """For each precision, the lowest of the medians that the rounds measure. A round measures each precision once, so that
    other load on the machine affects both."""
    row = {"instructions": instructions, "batch": batch}
    for _ in range(ROUNDS):
        for precision in ("f32", "int8"):
            done = subprocess.run([ROOT / "run", "bench", *DECODE, "--batch", str(batch), "--precision", precision, "--json"],
                                  stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **INSTRUCTIONS[instructions]})
            now = json.loads(done.stdout.splitlines()[-1])["ms_per_step"]
            row[precision] = min(now, row.get(precision, now))
    return row


def measure(at, only=None):
    if "GRADUS_DATA" not in os.environ:
        raise SystemExit("results.py: GRADUS_DATA is not set; set it to the folder with fra-eng/fra.txt")
    with tempfile.TemporaryDirectory() as folder:
        rows = [quality(name, folder) for name in MODELS]
    commands = [command_of(config, *options) for config, options, _ in MODELS.values()]
    write("compress_quality", "` and `".join(commands), at, {"seeds": [1], "rows": rows})
    write("compress_speed", " ".join(["./run bench", *DECODE, "--precision int8"]), at,
          {"rows": [speed(instructions, batch) for instructions in INSTRUCTIONS for batch in BATCHES]})


# One function per marker <!-- result NAME -->.

def score_text(row, value):
    return f"{value:.2f}" if row["score"] == "bleu" else f"{100 * value:.1f} %"


def compress_quality():
    results = load("compress_quality")
    rows = [[row["model"], f"{row['f32_bytes'] / 1e6:.2f}", f"{row['int8_bytes'] / 1e6:.2f}",
             f"{row['int8_bytes'] / row['f32_bytes']:.2f}", score_text(row, row["f32"]), score_text(row, row["int8"])]
            for row in results["rows"]]
    return (markdown_table(["model", "f32, MB", "int8, MB", "ratio", "f32", "int8"], rows) + "\n\n" + where_measured(results))


def compress_speed():
    results = load("compress_speed")
    rows = [[row["instructions"], row["batch"], f"{row['f32']:.3g}", f"{row['int8']:.3g}", f"{row['f32'] / row['int8']:.1f}"] for row in results["rows"]]
    return markdown_table(["instructions", "`--batch`", "f32, ms", "int8, ms", "ratio"], rows) + "\n\n" + where_measured(results)


def check_bounds():
    """Checks that int8 loses at most 0.3 BLEU or 0.3 percentage points of exact match. Checks that, with AMX, int8 decodes at
    least 1.8 times as fast as f32 for single sentences, and at least 1.3 times as fast for batches."""
    for row in load("compress_quality")["rows"]:
        scale = 1 if row["score"] == "bleu" else 100
        assert scale * (row["f32"] - row["int8"]) <= 0.3, row
    for row in load("compress_speed")["rows"]:
        assert row["instructions"] == "AVX2" or row["f32"] / row["int8"] >= (1.8 if row["batch"] == 1 else 1.3), row
