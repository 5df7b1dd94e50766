"""The tables of explained/small-devices-reversal.md: one model, made smaller in each way, with bytes, exact match, speed and memory.

results_small.py lists the commands.
"""

import subprocess

from results_command import BF16, gradus
from results_kit import check_sentences, load, markdown_table, over_seeds, where_measured
from results_small import F32, ONE_THREAD, Study, fresh

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
    "tied": lambda runs: [*LARGE, *UPDATES, "--tied", "output"],
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
    "tied embeddings": ("tied", F32, []),
    "8 target symbols": ("teacher", ["--target-words", SYMBOLS], []),
    "student": ("student", F32, []),
    "student, teacher's probabilities": ("student of probabilities", F32, []),
    "student, teacher's attention": ("student of attention", F32, []),
    "student, 1,200 updates": ("student, longer", F32, []),
    "student, 1,200 updates, int8": ("student, longer", ["--int8"], []),
    "smallest student": ("smallest", F32, []),
    "smallest student, int8": ("smallest", ["--int8"], []),
}

SHOWN = ("f32", "int8", "50 % zeros, then trained", "80 % zeros, then trained", "80 % zeros, then trained, int8", "student",
         "student, 1,200 updates, int8", "smallest student, int8")
PARAMETERS = {"f32": 101_518, "smallest student": 7_342}  # of two rows in f32


def test_pairs(runs):
    file = runs / "test" / "pairs.tsv"
    if not file.is_file():
        listed = gradus("info", runs / "teacher", "--pairs", "test", stdout=subprocess.PIPE).stdout.splitlines(keepends=True)
        part = fresh(file.parent)
        (part / file.name).write_text("".join(pair for pair in listed if len(pair.split("\t")[0].split()) == LENGTH))
        part.rename(file.parent)
    return file


STUDY = Study(name="small_reversal", command=" ".join(["./run gradus train", *LARGE, *UPDATES, "--seed N"]), trained_as="out/reversal",
              trainings=TRAININGS, rows=ROWS, test_pairs=test_pairs, tests_file=True, score="exact_match", title="exact match, %",
              difference="exact match − f32", scale=100, unit=("kB", 1e3, "{:.1f}"), shown=SHOWN,
              students={"student": "student of 31 units", "smallest student": "student of 16 units, 4,800 updates"},
              batches={1: 1024, 64: 8192}, memory_format="{:.1f}")
measure, mean_of, small_reversal_quality, small_reversal_speed = STUDY.measure, STUDY.mean_of, STUDY.quality, STUDY.speeds
small_reversal_options = STUDY.options


def beside_f32(other):
    """A table of explained/more-ways-to-save.md: f32 and another model."""
    speeds = {found["row"]: found for found in load("small_reversal_speed")["rows"]}
    rows = [[row, f"{mean_of(row, 'bytes') / 1e3:.1f}", over_seeds([100 * value for value in STUDY.over_runs(row, "exact_match")], "{:.1f}"),
             *(f"{speeds[row][f'batch_{batch}']:.0f}" for batch in STUDY.batches)]
            for row in ("f32", other)]
    return "\n\n".join([markdown_table(["model", "kB", "exact match, %", "sentences/s, 1 at a time", "sentences/s, 64 at a time"], rows),
                        where_measured(STUDY.results()), where_measured(load("small_reversal_speed"))])


def small_reversal_pairs():
    return beside_f32("convolution of the annotations")


def small_reversal_one_matrix():
    return beside_f32("attention with one matrix")


def small_reversal_tied():
    return beside_f32("tied embeddings")


def students_of_program():
    """The mean exact match of the program's students with 100 pairs (without a teacher, with its probabilities, with its
    attention), and of those with all pairs (without a teacher, with its probabilities)."""
    def means(table, row):
        found = [entry["values"] for run in load("tutorial_14")["runs"] for entry in run["tables"][table]["rows"] if entry["name"] == row]
        return [sum(values) / len(values) for values in zip(*found, strict=True)]
    return means("few_pairs", "100"), [means("methods", row)[1] for row in ("student", "student, teacher's probabilities")]


def exact(row, form="{:.0f}"):
    """The lowest and the highest exact match over the seeds, in percent."""
    values = [100 * value for value in STUDY.over_runs(row, "exact_match")]
    return form.format(min(values)), form.format(max(values))


def mean_exact(row):
    return f"{100 * mean_of(row, 'exact_match'):.1f}"


def bytes_of(row):
    return f"{100 * STUDY.against_f32(row, 'bytes'):.1f}"


def kilobytes(row, key="bytes"):
    return f"{mean_of(row, key) / 1e3:.1f}"


def between(english, row, form="{:.0f}", chinese="{}"):
    low, high = exact(row, form)
    return english.format(f"{low} to {high} %"), chinese.format(f"{low} 到 {high} %")


def noise():
    """Sentences that say by how much the speeds of students with the same sizes differ."""
    students = [row for row, (training, form, _) in ROWS.items() if training.startswith("student") and form is F32]
    speeds = [[STUDY.faster(row, batch) for row in students] for batch in STUDY.batches]
    most = f"{max(100 * max(found) / min(found) - 100 for found in speeds):.0f} %"
    return f"differ by up to {most}", f"相差 {most}"


def check_text():
    """Checks that tutorial 14 and explained/more-ways-to-save.md give the numbers of the tables."""
    few, verdict = ([f"{value:.3f}" for value in values] for values in students_of_program())
    taught = " | ".join(f"{mean_of(row, 'exact_match'):.3f}" for row in ("student", "student, teacher's probabilities", "student, teacher's attention"))
    matrix, whole = mean_exact("80 % zeros, then trained"), mean_exact("80 % zeros, global, then trained")
    added, saved = (f"{abs(float(bytes_of(row)) - 100):.0f} %" for row in ("convolution of the annotations", "attention with one matrix"))
    check_sentences("tutorials/14-small-devices.md", [  # in English, and in Chinese
        (f"with 80 % zeros, {matrix} % of the outputs are right, and {whole} % after global pruning",
         f"零占 80 %，逐矩阵剪枝有 {matrix} % 的输出正确，全局只有 {whole} %"),
        between("In the [measurement](../explained/small-devices-reversal.md#size-and-exact-match), {} of the outputs are right.",
                "8 target symbols", "{:.1f}"),
        (f"the exact match is {verdict[1]} with them and {verdict[0]} without a teacher", f"完全匹配率是 {verdict[1]}，没有教师时是 {verdict[0]}"),
        (f"| reversal, 16 units, 100 pairs | exact match | {' | '.join(few)} | – |", f"| 反转，16 个单元，100 对 | 完全匹配率 | {' | '.join(few)} | – |"),
        (f"| reversal, 16 units, 600 updates | exact match | {' | '.join(verdict)} | – | – |",
         f"| 反转，16 个单元，更新 600 次 | 完全匹配率 | {' | '.join(verdict)} | – | – |"),
        (f"| reversal with the command, 31 units, 600 updates | exact match | {taught} | – |",
         f"| 用命令做反转，31 个单元，更新 600 次 | 完全匹配率 | {taught} | – |"),
        (f"at {bytes_of('smallest student, int8')} % of the bytes", f"字节数是大模型的 {bytes_of('smallest student, int8')} %")])
    check_sentences("explained/more-ways-to-save.md", [noise(), (f"add {added} to the file", f"使文件增加 {added}"),
                                                       (f"the file has {saved} fewer bytes", f"文件小 {saved}")])


def check_bounds():
    """Checks the bounds on which the pages rely: for every seed, which models make no error and which fail; what teachers
    add; sizes and speeds."""
    check_text()
    exact, faster = (lambda row: STUDY.over_runs(row, "exact_match")), STUDY.faster
    for row in ("f32", "bf16", "int8", "50 % zeros, then trained", "top-4", "attention to one position", "attention with one matrix",
                "smallest student", "smallest student, int8"):
        assert min(exact(row)) == 1, row
    assert STUDY.against_f32("int8", "bytes") <= 0.27 and 0.24 <= STUDY.against_f32("student", "bytes") <= 0.26
    assert max(exact("90 % zeros, then trained")) == 0
    assert max(exact("80 % zeros, global, then trained")) < min(exact("80 % zeros, then trained"))
    for teacher in ("probabilities", "attention"):
        gains = [taught - untaught for taught, untaught in zip(exact(f"student, teacher's {teacher}"), exact("student"), strict=True)]
        assert min(gains) < 0 < max(gains), (teacher, gains)
    assert faster("int8", 1) < 1.1 and faster("bf16", 1) < 0.9 and faster("bf16", 64) < 0.9
    assert STUDY.against_f32("smallest student, int8", "bytes") <= 1 / 30
    for row, count in PARAMETERS.items():
        assert 3.9e3 < mean_of(row, "bytes") - 4 * count < 4.3e3, row  # settings and vocabularies
    for row in ("student, 1,200 updates", "smallest student"):  # students are slower in int8
        assert all(faster(f"{row}, int8", batch) < 0.8 * faster(row, batch) for batch in STUDY.batches), row
    best = "smallest student, int8"
    assert mean_of(best, "bytes") == min(mean_of(row, "bytes") for row in ROWS)
    assert faster(best, 1) > faster("student, 1,200 updates, int8", 1) and faster("smallest student", 1) == max(faster(row, 1) for row in ROWS)
    # a device with 32 kB for the file, and at least 99 % of the outputs right
    assert [row for row in ROWS if mean_of(row, "bytes") <= 32e3 and min(exact(row)) >= 0.99] == ["student, 1,200 updates, int8", best]
