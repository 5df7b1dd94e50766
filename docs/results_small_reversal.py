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
              trainings=TRAININGS, rows=ROWS, test_pairs=test_pairs, tests_file=True, score="exact_match", title="exact match, %",
              difference="exact match − f32", scale=100, unit=("kB", 1e3, "{:.1f}"), shown=SHOWN, batches={1: 1024, 64: 8192}, memory_format="{:.1f}")
measure, mean_of, small_reversal_quality, small_reversal_speed = STUDY.measure, STUDY.mean_of, STUDY.quality, STUDY.speeds


def check_text():
    """Checks that the text of tutorial 14 gives the numbers of the tables."""
    def percent(row, form="{:.0f}"):
        """The lowest and the highest exact match over the seeds, in percent."""
        values = [100 * value for value in STUDY.over_runs(row, "exact_match")]
        return form.format(min(values)), form.format(max(values))

    def bytes_of(row):
        return f"{100 * STUDY.against_f32(row, 'bytes'):.1f}"
    low, high = percent("80 % zeros, then trained")
    lost = f"{100 - float(percent('80 % zeros, then trained', '{:.3f}')[0]):.0f}"
    overall, longer = percent("80 % zeros, global, then trained"), percent("90 % zeros, then trained longer")
    one, two = percent("top-1", "{:.1f}")[1], percent("top-2", "{:.1f}")[0]
    pairs, few = percent("convolution of the annotations"), percent("8 target symbols", "{:.1f}")
    untaught, words, attention = (percent(row) for row in ("student", "student, teacher's probabilities", "student, teacher's attention"))
    trained = percent("student, 1,200 updates", "{:.1f}")[0]
    slower = f"{STUDY.faster('student, 1,200 updates', 1) / STUDY.faster('student, 1,200 updates, int8', 1):.1f}"
    kilobytes = [f"{STUDY.mean_of(row, 'gzip_bytes') / 1e3:.0f} kB" for row in ("80 % zeros, then trained, int8", "student, 1,200 updates, int8")]
    more = f"{float(bytes_of('convolution of the annotations')) - 100:.0f}"
    check_sentences({
        "tutorials": (f"at most {lost} % of the outputs are wrong at 80 %", f"int8 has {bytes_of('int8')} % of the bytes", f"is {slower} times as slow in int8",
                      f"With 80 % zeros, {low} to {high} % of the outputs are right", f"keeps only {overall[0]} to {overall[1]} %",
                      f"After 1,200, {longer[0]} to {longer[1]} % are right",
                      f"80 % zeros has {kilobytes[0]}", f"in int8 has {kilobytes[1]}", f"top-1 is right for at most {one} %, and top-2 for at least {two} %",
                      f"adds {more} % to the file, and is right for {pairs[0]} to {pairs[1]} %", f"{few[0]} to {few[1]} % of the outputs are right",
                      f"has {bytes_of('8 target symbols')} % of the bytes", f"on its own, the student is right for {untaught[0]} to {untaught[1]} %", f"for {words[0]} to {words[1]} %",
                      f"for {attention[0]} to {attention[1]} %", f"without a teacher has at least {trained} %", f"{bytes_of('smallest student, int8')} % of the bytes"),
        "zh/tutorials": (f"最多有 {lost} % 出错", f"int8 的字节数是 {bytes_of('int8')} %", f"f32 的 {slower} 倍", f"{low} 到 {high} %", f"{overall[0]} 到 {overall[1]} %",
                         f"{longer[0]} 到 {longer[1]} %", *kilobytes, f"top-1 最多 {one} %", f"top-2 至少 {two} %", f"增加 {more} %", f"{pairs[0]} 到 {pairs[1]} %",
                         f"{few[0]} 到 {few[1]} %", f"{bytes_of('8 target symbols')} %", f"{untaught[0]} 到 {untaught[1]} %", f"{words[0]} 到 {words[1]} %",
                         f"{attention[0]} 到 {attention[1]} %", f"至少 {trained} %", f"{bytes_of('smallest student, int8')} %")})


def check_bounds():
    """Checks the bounds on which the page relies, for every seed: which models make no error, which fail, and which are faster."""
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
