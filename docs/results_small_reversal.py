"""The tables of tutorial 14 on reversal: one model, made smaller in each way, with bytes, exact match, speed and memory.

results_small.py lists the commands.
"""

import subprocess

from results_command import BF16, gradus
from results_small import F32, ONE_THREAD, Study, check_sentences, fresh

LENGTH = 12  # of the test sources, the longest of training
# Of 5,000 test sources of 3 to 12 symbols, about 500 have 12.
TASK = ["--task", "reverse", "--held-out", "5000", "--learning-rate", "0.003", *ONE_THREAD]
LARGE = [*TASK, "--embedding", "32", "--hidden", "64", "--energy", "64"]
UPDATES = ["--steps", "1200"]
STUDENT = [*TASK, "--embedding", "16", "--hidden", "31", "--energy", "31"]  # 24.9 % of the large model's parameters
SHORT = ["--steps", "600"]  # a shorter training, to show what a teacher adds
SMALLEST = [*TASK, "--embedding", "8", "--hidden", "16", "--energy", "16", "--steps", "4800"]  # trained to the end
SYMBOLS = "8"  # of ten


def pruned(runs, zeros, *options, steps="300"):
    return ["--init-from", runs / "teacher", "--prune", zeros, *options, "--steps", steps, "--learning-rate", "0.001", "--eval-every", "100",
            *ONE_THREAD]


# name of a training → a function that returns its options, given the folder of a seed's runs; in the order of training
TRAININGS = {
    "teacher": lambda runs: [*LARGE, *UPDATES],
    "student": lambda runs: [*STUDENT, *SHORT],
    "student of probabilities": lambda runs: [*STUDENT, *SHORT, "--teacher", runs / "teacher"],
    "student of attention": lambda runs: [*STUDENT, *SHORT, "--teacher", runs / "teacher", "--teacher-weight", "0", "--teacher-attention", "1"],
    "student, longer": lambda runs: [*STUDENT, *UPDATES],
    "smallest": lambda runs: SMALLEST,
    "50 % zeros": lambda runs: pruned(runs, "0.5", "--per-matrix"),
    "80 % zeros": lambda runs: pruned(runs, "0.8", "--per-matrix"),
    "80 % zeros, global": lambda runs: pruned(runs, "0.8"),
    "90 % zeros": lambda runs: pruned(runs, "0.9", "--per-matrix"),
    "90 % zeros, longer": lambda runs: pruned(runs, "0.9", "--per-matrix", steps="1200"),
    "window": lambda runs: [*LARGE, *UPDATES, "--attention", "local_p"],
    "one position": lambda runs: [*LARGE, "--steps", "2400", "--attention", "hard"],  # a noisy gradient needs more updates
    "shared matrix": lambda runs: [*LARGE, *UPDATES, "--attention", "shared_additive"],
    "convolution": lambda runs: [*LARGE, *UPDATES, "--convolution"],
}

# row of the table → its training, the options with which `compress` stores it, and options of evaluate and translate
ROWS = {
    "f32": ("teacher", F32, []),
    "bf16": ("teacher", ["--bf16"], BF16),
    "int8": ("teacher", ["--int8"], []),
    **{f"{zeros} % zeros, then trained": (f"{zeros} % zeros", F32, []) for zeros in (50, 80, 90)},
    "80 % zeros, global, then trained": ("80 % zeros, global", F32, []),
    "90 % zeros, then trained longer": ("90 % zeros, longer", F32, []),
    "80 % zeros, then trained, int8": ("80 % zeros", ["--int8"], []),
    **{f"top-{k}": ("teacher", F32, ["--attention-top-k", str(k)]) for k in (4, 2, 1)},
    "attention in a window": ("window", F32, []),
    "attention to one position": ("one position", F32, []),
    "attention with one matrix": ("shared matrix", F32, []),
    "convolution of the annotations": ("convolution", F32, []),
    "8 target symbols": ("teacher", ["--target-words", SYMBOLS], []),
    "student": ("student", F32, []),
    "student, teacher's probabilities": ("student of probabilities", F32, []),
    "student, teacher's attention": ("student of attention", F32, []),
    "student, 1,200 updates": ("student, longer", F32, []),
    "student, 1,200 updates, int8": ("student, longer", ["--int8"], []),
    "smallest student": ("smallest", F32, []),
    "smallest student, int8": ("smallest", ["--int8"], []),
}

SHOWN = ("f32", "int8", "50 % zeros, then trained", "80 % zeros, then trained", "top-2", "student", "student, teacher's attention", "smallest student, int8")


def test_pairs(runs):
    file = runs / "test" / "pairs.tsv"
    if not file.is_file():
        listed = gradus("info", runs / "teacher", "--pairs", "test", stdout=subprocess.PIPE).stdout.splitlines(keepends=True)
        part = fresh(file.parent)
        (part / file.name).write_text("".join(pair for pair in listed if len(pair.split("\t")[0].split()) == LENGTH))
        part.rename(file.parent)
    return file


STUDY = Study(name="small_reversal", command=" ".join(["./run gradus train", *LARGE, *UPDATES, "--seed N"]), trained_as="out/reversal",
              trainings=TRAININGS, rows=ROWS, test_pairs=test_pairs, tests_file=True, score="exact_match", title="exact match, %", scale=100,
              unit=("kB", 1e3, "{:.1f}"), shown=SHOWN, batches={1: 1024, 64: 8192}, memory_format="{:.1f}")
measure, mean_of, small_reversal_quality, small_reversal_speed = STUDY.measure, STUDY.mean_of, STUDY.quality, STUDY.speeds
