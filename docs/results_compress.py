"""The numbers of how-to/compress-a-model.md: bytes, quality and speed of int8 models, against f32."""

import json
import os
import pathlib
import subprocess
import sys

import results_small_french
import results_small_reversal
from results_kit import ROOT, load, markdown_table, where_measured, write

BATCHES = [1, 64]
# the instruction set → environment variables that limit the libraries to it
INSTRUCTIONS = {"AMX": {}, "AVX512-VNNI": {}, "AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}}
# a flag of the processor → the name of the results measured on such a processor, and the instruction sets to measure. If a processor
# has both flags, the first one is used.
TABLES = {"amx_int8": ("compress_speed", ["AMX", "AVX2"]), "avx512_vnni": ("compress_speed_vnni", ["AVX512-VNNI"])}
DECODE = ["bahdanau", "--mode", "decode", "--config", "medium"]
ROUNDS = 3


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
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    name, instructions = next((table for flag, table in TABLES.items() if flag in flags), (None, None))
    if name is None:
        sys.exit(f"results.py: the speed of int8 needs a processor with one of {', '.join(TABLES)}")
    write(name, " ".join(["./run bench", *DECODE, "--precision int8"]), at,
          {"rows": [speed(each, batch) for each in instructions for batch in BATCHES]})


# One function per marker <!-- result NAME -->.

def compress_quality():
    """The rows f32 and int8 of the tables of tutorial 14."""
    rows = []
    for model, study, score in (("reversal, 64 units", results_small_reversal.STUDY, "{:.1f} %"), ("French", results_small_french.STUDY, "{:.2f}")):
        f32, int8 = (study.mean_of(row, "bytes") / 1e6 for row in ("f32", "int8"))
        scores = (score.format(study.scale * study.mean_of(row, study.score)) for row in ("f32", "int8"))
        rows.append([model, f"{f32:.2f}", f"{int8:.2f}", f"{int8 / f32:.2f}", *scores])
    return markdown_table(["model", "f32, MB", "int8, MB", "ratio", "f32", "int8"], rows)


def compress_speed(name="compress_speed"):
    results = load(name)
    rows = [[row["instructions"], row["batch"], f"{row['f32']:.3g}", f"{row['int8']:.3g}", f"{row['f32'] / row['int8']:.1f}"] for row in results["rows"]]
    return markdown_table(["instructions", "`--batch`", "f32, ms", "int8, ms", "ratio"], rows) + "\n\n" + where_measured(results)


def compress_speed_vnni():
    return compress_speed("compress_speed_vnni")


def check_text():
    """Checks the sizes, the memory and the speeds that the page gives for French."""
    study = results_small_french.STUDY
    whole, memory = study.mean_of("f32", "bytes"), {row["row"]: row["memory_1"] for row in load("small_speed")["rows"]}
    cells = [f"{100 * study.mean_of(row, 'bytes') / whole:.0f} ({100 * study.mean_of(row, 'gzip_bytes') / whole:.0f}) | {memory[row] / 1e6:.0f} |"
             for row in ("int8", "bf16", "2,000 target words", "2,000 target words, int8", "50 % zeros, then trained", "smallest student",
                         "smallest student, teacher's translations")]
    int8, words, both, small = ([f"{study.faster(row, 1, name):.1f}" for name in ("small_speed", "small_speed_amd")]
                                for row in ("int8", "2,000 target words", "2,000 target words, int8", "smallest student"))
    assert words[0] == words[1]
    for folder, speeds in (
            ("how-to", (f"int8 is {int8[0]} times as fast as f32 on the Intel processor of tutorial 14, and {int8[1]} times on the AMD processor.",
                        f"2,000 words are {words[0]} times as fast on both, 2,000 words with int8 {both[0]} and {both[1]} times, "
                        f"and the small model {small[0]} and {small[1]} times.")),
            ("zh/how-to", (f"Intel 处理器上是 f32 的 {int8[0]} 倍，在 AMD 处理器上是 {int8[1]} 倍。",
                           f"都是 {words[0]} 倍，再加上 int8 是 {both[0]} 倍和 {both[1]} 倍，小模型是 {small[0]} 倍和 {small[1]} 倍。"))):
        text = " ".join((ROOT / "docs" / folder / "compress-a-model.md").read_text().split())
        for part in (*cells, *speeds):
            part = part if folder == "how-to" else part.replace(" (", "（").replace(")", "）")
            assert part in text, f"docs/{folder}/compress-a-model.md does not say '{part}', as the results do"


def check_bounds():
    """Checks that, with AMX or VNNI, int8 decodes at least 1.8 times as fast as f32 for single sentences, and at least 1.3 times as
    fast for batches. The studies check its quality."""
    check_text()
    for row in load("compress_speed")["rows"] + load("compress_speed_vnni")["rows"]:
        assert row["instructions"] == "AVX2" or row["f32"] / row["int8"] >= (1.8 if row["batch"] == 1 else 1.3), row
