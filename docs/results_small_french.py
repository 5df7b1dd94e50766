"""The tables of tutorial 14 on text: the French model, made smaller in each way, with bytes, BLEU, speed and memory.

results_small.py lists the commands. small_speed_amd.json is the speed on another processor: `measure small speed`, with the result renamed.
"""

import os
import pathlib
import subprocess

from results_command import BF16, FRENCH, command_of, gradus
from results_kit import ROOT, check_sentences, load
from results_small import F32, ONE_THREAD, Study, fresh

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


def texts(runs):
    """The folder with the pairs of every part, and with the teacher's translations of the training sources. Writes it if it is
    missing, unless `runs` is a PurePath, which only names it."""
    folder = runs / "beams"
    if isinstance(folder, pathlib.Path) and not folder.is_dir():
        part = fresh(folder)
        for name in ("train", "dev", "test"):
            listed = gradus("info", runs / "teacher", "--pairs", name, cwd=os.environ["GRADUS_DATA"], stdout=subprocess.PIPE).stdout
            (part / f"{name}.tsv").write_text(listed)
        pairs = (part / "train.tsv").read_text().splitlines()
        (part / "sources.txt").write_text("".join(pair.split("\t")[0] + "\n" for pair in pairs))
        gradus("translate", "--model", runs / "teacher", "--beam", "5", *PRECISION, "--input", part / "sources.txt",
               "--output", part / "targets.txt", stderr=subprocess.DEVNULL)
        part.rename(folder)
    return folder


def beams(runs):
    """Options that train on the teacher's translations of the training sources."""
    folder = texts(runs)
    return ["--source", folder / "sources.txt", "--target", folder / "targets.txt",
            "--dev-pairs", folder / "dev.tsv", "--test-pairs", folder / "test.tsv"]


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

SHOWN = ("f32", "int8", "50 % zeros, then trained", "80 % zeros, then trained", "2,000 target words, int8",
         "smallest student, teacher's translations, int8")

STUDY = Study(name="small", command=command_of("eng-fra", *FRENCH, *PRECISION), trained_as="out/french", trainings=TRAININGS, rows=ROWS,
              test_pairs=lambda runs: texts(runs) / "test.tsv", score="bleu", title="BLEU", difference="BLEU − f32", scale=1,
              unit=("MB", 1e6, "{:.2f}"), shown=SHOWN,
              students={"student": "student of 96 units", "smallest student": "smallest student (112 units)"}, batches={1: 128, 64: 512}, data="GRADUS_DATA",
              options_note=f"{Study.options_note} `out/beams` has its translations of the training sources, and the dev and test pairs.")
measure, mean_of, small_quality, small_speed, small_options = STUDY.measure, STUDY.mean_of, STUDY.quality, STUDY.speeds, STUDY.options


def small_speed_amd():
    return STUDY.speeds("small_speed_amd")


ALIKE = (("f32", *(f"{zeros} % zeros, then trained" for zeros in (50, 80, 90)), "top-4", "top-2", "top-1", "attention to one position"),
         ("student", "student, teacher's probabilities", "student, teacher's translations"),
         ("smallest student", "smallest student, teacher's translations"))  # models of the same or nearly the same sizes


def spread_of_speeds(name):
    """Yields one number for each batch size and each group of models of nearly the same size: by how many percent the group's
    fastest model is faster than its slowest."""
    rows = {found["row"]: found for found in load(name)["rows"]}
    for group in ALIKE:
        for batch in STUDY.batches:
            speeds = [rows[row][f"batch_{batch}"] for row in group if row in rows]
            yield 100 * max(speeds) / min(speeds) - 100


def check_text():
    """Checks that the text of tutorial 14 gives the numbers of the tables."""
    def bleu(row, other):
        return f"{abs(mean_of(row, 'bleu') - mean_of(other, 'bleu')):.1f}"
    zeros, words = bleu("50 % zeros, then trained", "f32"), bleu("student, teacher's probabilities", "student")
    beams = bleu("student, teacher's translations", "student")
    students = [f"{mean_of(row, 'bleu'):.1f}" for row in ("student", "student, teacher's probabilities", "student, teacher's translations")]
    students.insert(2, "–")  # the teacher's attention was not measured
    lost = f"{100 - 100 * STUDY.against_f32('90 % zeros, then trained', 'bleu'):.0f} %"
    times = {name: f"{STUDY.faster('int8', 1, name):.1f}" for name in ("small_speed", "small_speed_amd")}
    cut = "2,000 target words, int8"
    pruned, rounded, both, short = (f"{mean_of(row, 'gzip_bytes') / 1e6:.2f}" for row in (
        "80 % zeros, then trained", "int8", "50 % zeros, then trained, int8", cut))
    large, untaught, taught, stored = (f"{mean_of(row, 'bleu'):.1f}" for row in (
        "f32", "smallest student", "smallest student, teacher's translations", "smallest student, teacher's translations, int8"))
    smallest_students = [f"{end(mean_of(row, 'bleu') for row in ROWS if row.startswith('smallest')):.1f}" for end in (min, max)]
    nothing, half, most, lost_nine = (bleu(row, "f32") for row in ("int8", "50 % zeros, then trained, int8", "80 % zeros, then trained", "90 % zeros, then trained"))
    whole, nine = f"{mean_of('int8', 'bytes') / 1e6:.2f} MB", f"{mean_of('90 % zeros, then trained', 'gzip_bytes') / 1e6:.2f} MB"
    bytes_left, words_lost = f"{100 * STUDY.against_f32(cut, 'bytes'):.0f} %", bleu(cut, "f32")
    slow, fast = (f"{STUDY.faster(cut, 1, name):.1f}" for name in ("small_speed_amd", "small_speed"))
    noise = {name: f"{max(spread_of_speeds(name)):.0f} %" for name in times}
    spread = [[f"{end(STUDY.over_runs(row, 'bleu')):.1f}" for end in (min, max)] for row in ("f32", "attention in a window")]
    best = "smallest student, teacher's translations, int8"
    many_intel, many_amd, one_intel, one_amd = (f"{STUDY.faster(best, batch, name):.1f}" for batch in (64, 1) for name in ("small_speed", "small_speed_amd"))
    in_int8, in_int8_intel = (f"{STUDY.faster(best, 1, name) / STUDY.faster(best.removesuffix(', int8'), 1, name):.1f}"
                              for name in ("small_speed_amd", "small_speed"))
    own, shared = (f"{mean_of(row, 'bytes') / 1e6:.2f} MB" for row in ("student, teacher's translations", "student"))
    check_sentences("tutorials/14-small-devices.md", [  # in English, and in Chinese
        (f"is {many_intel} times as fast as the large model in f32 on the Intel processor, and {many_amd} times on the AMD processor. "
         f"One sentence at a time, it is {one_intel} and {one_amd} times as fast.",
         f"的速度在 Intel 处理器上是 f32 大模型的 {many_intel} 倍，在 AMD 处理器上是 {many_amd} 倍。每次一句时是 {one_intel} 倍和 {one_amd} 倍。"),
        (f"the student of 96 units is smaller: {own} in place of {shared}.", f"文件也小一些：{own}，而不是 {shared}。"),
        (f"half of them cost {zeros} BLEU", f"BLEU 下降 {zeros}。"),
        (f"| French, 96 units, 1,000 updates | BLEU | {' | '.join(students)} |", f"| 法语，96 个单元，更新 1,000 次 | BLEU | {' | '.join(students)} |"),
        (f"| French, smallest student, 9,600 updates | BLEU | {untaught} | – | – | {taught} |",
         f"| 法语，最小的学生，更新 9,600 次 | BLEU | {untaught} | – | – | {taught} |"),
        (f"the teacher's translations add {beams} BLEU, and the teacher's probabilities {words}.", f"教师的译文使 BLEU 增加 {beams}，教师的概率使 BLEU 增加 {words}。"),
        (f"differ in speed by up to {noise['small_speed']} on the first processor", f"在第一种处理器上速度也会相差 {noise['small_speed']}"),
        (f"up to {noise['small_speed_amd']} on the second", f"在第二种上相差 {noise['small_speed_amd']}"),
        (f"on the true targets ({untaught} against {large}, both greedy). On the teacher's translations it has {taught}.",
         f"教师好（{untaught}，教师是 {large}，都用贪心解码），用教师的译文时是 {taught}。"),
        (f"almost half of the BLEU is lost, and with 90 % zeros, {lost} of it.", f"损失将近一半；有 90 % 的零时，损失 {lost}。"),
        (f"{times['small_speed_amd']} times as fast as f32 on the AMD processor, and {times['small_speed']} times on the Intel processor",
         f"在 AMD 处理器上是 f32 的 {times['small_speed_amd']} 倍，在 Intel 处理器上是 {times['small_speed']} 倍"),
        (f"large model is {' to '.join(spread[0])}, and that of the model with a window {' to '.join(spread[1])}.",
         f"大模型的 BLEU 是 {' 到 '.join(spread[0])}，有窗口的模型是 {' 到 '.join(spread[1])}。"),
        (f"the smallest student has {' to '.join(smallest_students)} BLEU, and the large model {large}.",
         f"最小的学生的 BLEU 是 {' 到 '.join(smallest_students)}，大模型是 {large}。"),
        (f"about the same BLEU ({stored} against {large}).", f"BLEU 差不多（{stored}，大模型是 {large}）。"),
        (f"with {untaught} BLEU; that model was not measured in int8.", f"BLEU 是 {untaught}；这个模型没有测量 int8。"),
        (f"| int8 | {rounded} | {nothing} | no | | 80 % zeros | {pruned} | {most} | yes | | 50 % zeros, int8 | {both} | {half} | yes | "
         f"| 2,000 target words, int8 | {short} | {words_lost} | no |",
         f"| int8 | {rounded} | {nothing} | 否 | | 80 % 的零 | {pruned} | {most} | 是 | | 50 % 的零，int8 | {both} | {half} | 是 | "
         f"| 2,000 个目标词，int8 | {short} | {words_lost} | 否 |"),
        (f"No: it has [{whole}]", f"不能：它有 [{whole}]"),
        (f"with 90 % zeros, the f32 file has {nine} after gzip, and the model loses {lost_nine} BLEU.", f"用 gzip 压缩后是 {nine}，BLEU 损失 {lost_nine}。"),
        (f"the smallest student is {in_int8} times as fast in int8 as in f32 on the AMD processor. "
         f"On the Intel processor, with an earlier version of gradus, it is slower: {in_int8_intel} times as fast.",
         f"在 AMD 处理器上用 int8 的速度是 f32 的 {in_int8} 倍。在 Intel 处理器上（gradus 较早的版本）则更慢，只有 {in_int8_intel} 倍。"),
        (f"It has {bytes_left} of the bytes, {slow} to {fast} times the speed, and {words_lost} BLEU less.",
         f"字节数是 {bytes_left}，速度是 {slow} 到 {fast} 倍，BLEU 下降 {words_lost}。")])


def check_bounds():
    """Checks the bounds on which the page relies, for int8, a shortlist, 80 % zeros and a teacher's translations."""
    check_text()
    faster, bytes_of = STUDY.faster, lambda row: STUDY.against_f32(row, "bytes")
    assert bytes_of("int8") <= 0.27 and mean_of("int8", "bleu") >= mean_of("f32", "bleu") - 0.3
    assert faster("int8", 1) >= 1.8 and faster("int8", 64) >= 1.3
    assert faster("int8", 1, "small_speed_amd") >= 1.8 and faster("int8", 64, "small_speed_amd") >= 1.3
    assert faster("2,000 target words, int8", 1) >= 4 and mean_of("2,000 target words, int8", "bleu") >= mean_of("f32", "bleu") - 1.5
    assert 0.5 < STUDY.against_f32("80 % zeros, then trained", "bleu") < 0.6  # almost half is lost
    assert mean_of("student, teacher's translations", "bleu") >= mean_of("student", "bleu") + 1
    smallest = "smallest student, teacher's translations, int8"
    assert bytes_of(smallest) <= 1 / 20 and all(faster(smallest, 1, name) >= 4 for name in ("small_speed", "small_speed_amd"))
    assert mean_of(smallest, "bleu") >= mean_of("f32", "bleu") - 1.5
