"""The numbers of how-to/compress-a-model.md: bytes, quality and speed of smaller models, against f32."""

import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import results_small_french
from results_kit import ROOT, load, markdown_table, where_measured, write

BATCHES = [1, 64]
# the instruction set → environment variables that limit the libraries to it
INSTRUCTIONS = {"AMX": {}, "AVX512-VNNI": {}, "AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}}
# a flag of the processor → the name of the results measured on such a processor, and the instruction sets to measure. If a processor
# has both flags, the first one is used.
TABLES = {"amx_int8": ("compress_speed", ["AMX", "AVX2"]), "avx512_vnni": ("compress_speed_vnni", ["AVX512-VNNI"])}
DECODE = ["bahdanau", "--mode", "decode", "--config", "medium"]
ROUNDS = 3
GRADUS = [ROOT / "run", "gradus"]
# the models of the page's commands whose results the page shows
MODELS = ["reversal", "small", "student", "reversal-pruned", "reversal-tuned", "reversal-sparse", "reversal-narrow",
          "reversal-narrow-tuned"]


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


def measure_commands(at):
    """Runs the page's commands that make MODELS. Records each model's exact match in f32 and in int8, and the bytes of its int8
    file before and after gzip."""
    page = (ROOT / "docs/how-to/compress-a-model.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    commands = [line.split()[2:] for block in blocks for line in block.splitlines() if line.startswith("./run gradus")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        def gradus(*arguments):
            return subprocess.run([*GRADUS, *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout

        for command in commands:
            if command[-1].removeprefix("out/") in MODELS:
                gradus(*command)
        for name in MODELS:
            gradus("compress", "--int8", "--model", f"out/{name}", "--out", f"int8/{name}")
            scores = gradus("evaluate", "--model", f"out/{name}", "--model", f"int8/{name}")
            f32, int8 = map(float, re.search(r"^exact match +([\d.]+) % +([\d.]+) %$", scores, re.MULTILINE).groups())
            stored = (pathlib.Path(folder) / "int8" / name / "best.safetensors").read_bytes()
            rows.append({"model": name, "exact_match": f32, "exact_match_int8": int8, "bytes": len(stored),
                         "gzip_bytes": len(gzip.compress(stored, 6))})
    write("compress_commands", "./run gradus train, compress and evaluate", at, {"seeds": [1], "rows": rows})


def measure(at, only=None):
    """`only` is "commands", "speed", or None for both."""
    if only in (None, "commands"):
        measure_commands(at)
    if only in (None, "speed"):
        measure_speed(at)


def measure_speed(at):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    name, instructions = next((table for flag, table in TABLES.items() if flag in flags), (None, None))
    if name is None:
        sys.exit(f"results.py: the speed of int8 needs a processor with one of {', '.join(TABLES)}")
    write(name, " ".join(["./run bench", *DECODE, "--precision int8"]), at,
          {"rows": [speed(each, batch) for each in instructions for batch in BATCHES]})


# One function per marker <!-- result NAME -->.

METHODS = {"f32": "f32", "`--int8`": "int8", "`--bf16`": "bf16", "2,000 words": "2,000 target words", "2,000 words, `--int8`": "2,000 target words, int8",
           "50 % zeros": "50 % zeros, then trained", "50 % zeros, `--int8`": "50 % zeros, then trained, int8", "small model": "smallest student",
           "small model, teacher": "smallest student, teacher's translations",
           "small model, teacher, `--int8`": "smallest student, teacher's translations, int8"}  # row of the table → row of the study


def compress_methods():
    """Size, speed of single sentences and BLEU on French, by method."""
    study, rows = results_small_french.STUDY, []
    for name, row in METHODS.items():
        speeds = sorted({f"{study.faster(row, 1, results):.1f}" for results in ("small_speed_amd", "small_speed")})
        rows.append([name, *(f"{study.mean_of(row, key) / 1e6:.2f}" for key in ("bytes", "gzip_bytes")), "–".join(speeds),
                     f"{study.mean_of(row, 'bleu'):.1f}"])
    return markdown_table(["method", "MB", "after gzip", "speed, f32 = 1", "BLEU"], rows)


def compress_commands():
    """The exact match and the bytes of the models that the page's commands make."""
    results = load("compress_commands")
    rows = [[f"`out/{row['model']}`", f"{row['exact_match']:.1f} %", f"{row['bytes'] / 1e6:.2f}",
             f"{row['gzip_bytes'] / 1e6:.2f}"] for row in results["rows"]]
    return (markdown_table(["model", "exact match", "int8, MB", "after gzip, MB"], rows)
            + f"\n\nEach model was made once, with seed 1, by the commands of this page. {results['machine']}; revision {results['revision']}.")


def compress_speed(name="compress_speed"):
    results = load(name)
    rows = [[row["instructions"], row["batch"], f"{row['f32']:.3g}", f"{row['int8']:.3g}", f"{row['f32'] / row['int8']:.1f}"] for row in results["rows"]]
    return markdown_table(["instructions", "`--batch`", "f32, ms", "int8, ms", "ratio"], rows) + "\n\n" + where_measured(results)


def compress_speed_vnni():
    return compress_speed("compress_speed_vnni")


def check_text():
    """Checks the memory, the times and the BLEU that the text gives for French, and the conclusions that it draws from the
    table."""
    def bleu(row):
        return results_small_french.STUDY.mean_of(row, "bleu")

    memory = {row["row"]: f"{row['memory_1'] / 1e6:.0f}" for row in load("small_speed")["rows"]}
    taught = "smallest student, teacher's translations"
    faster = results_small_french.STUDY.faster
    slower, gain = (faster(taught, 1, name) / faster(f"{taught}, int8", 1, name) for name in ("small_speed", "small_speed_amd"))
    lost = {percent: f"{bleu('f32') - bleu(f'{percent} % zeros, then trained'):.1f}" for percent in (50, 80)}
    student, student_taught, small, small_taught = (f"{bleu(row):.1f}" for row in ("student", "student, teacher's translations", "smallest student", taught))
    for folder, parts in (
            ("how-to", (f"needs {memory['f32']} MB in f32 and {memory['int8']} MB in int8",
                        f"is {1 / gain:.1f} times as fast in int8 on the AMD processor. On the Intel processor, int8 took {100 * slower - 100:.0f} % more time",
                        f"50 % zeros cost {lost[50]} BLEU, and 80 % cost {lost[80]} (",
                        f"which needs {memory['smallest student']} MB", f"`translate` needs {memory['bf16']} MB.",
                        f"from {student} to {student_taught} BLEU, and lower another from {small} to {small_taught}.")),
            ("zh/how-to", (f"f32 占 {memory['f32']} MB，int8 占 {memory['int8']} MB",
                           f"在 AMD 处理器上用 int8 的速度是 {1 / gain:.1f} 倍。在 Intel 处理器上，int8 用的时间多 {100 * slower - 100:.0f} %",
                           f"50 % 的零损失 {lost[50]} BLEU，80 % 的零损失 {lost[80]}", f"只占 {memory['smallest student']} MB",
                           f"进程占 {memory['bf16']} MB 内存", f"从 {student} 升到 {student_taught}，使另一个从 {small} 降到 {small_taught}。"))):
        text = " ".join((ROOT / "docs" / folder / "compress-a-model.md").read_text().split())
        for part in parts:
            assert part in text, f"docs/{folder}/compress-a-model.md does not say '{part}', as the results do"
    for other in ("2,000 target words", "50 % zeros, then trained", taught, "f32"):  # int8 loses nothing
        int8 = "int8" if other == "f32" else f"{other}, int8"
        assert abs(bleu(int8) - bleu(other)) < 0.1, int8
    assert bleu("smallest student") > max(bleu(row) for row in METHODS.values() if row != "smallest student"), "the small model is not the best"


def check_bounds():
    """Checks that, with AMX or VNNI, int8 decodes at least 1.8 times as fast as f32 for single sentences, and at least 1.3 times as
    fast for batches. The studies check its quality."""
    check_text()
    for row in load("compress_commands")["rows"]:  # the page says that the rounding changes no exact match
        assert row["exact_match_int8"] == row["exact_match"], row
    for row in load("compress_speed")["rows"] + load("compress_speed_vnni")["rows"]:
        assert row["instructions"] == "AVX2" or row["f32"] / row["int8"] >= (1.8 if row["batch"] == 1 else 1.3), row
