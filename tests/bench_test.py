#!/usr/bin/env python3
"""Checks the output and the error messages of bench_bahdanau, peers.py and bench_options. Does not compare times.

bench_test.py BENCH_BAHDANAU PEERS_PY BENCH_OPTIONS
"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FIELDS = ["program", "config", "mode", "threads", "batch", "steps", "warmup", "seed", "dropout", "precision",
          "parameters", "ms_per_step", "ms_min",
          "target_tokens_per_s", "gflops", "sgemm_peak_gflops", "percent_of_sgemm_peak", "peak_rss_mb", "loss_first",
          "loss_final", "tokens_checksum", "buffers_allocated_after_first", "buffers_allocated_after_warmup"]
# The values that must be positive in every run.
MEASURED = ["ms_per_step", "ms_min", "target_tokens_per_s", "gflops", "sgemm_peak_gflops", "percent_of_sgemm_peak",
            "peak_rss_mb"]

program, peers, options = sys.argv[1:]


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


def report(*arguments, config="tiny"):
    done = run(program, "--json", "--config", config, *arguments)
    assert done.returncode == 0 and not done.stderr, done
    assert done.stdout.count("\n") == 1 and done.stdout.endswith("}\n"), done.stdout
    fields = json.loads(done.stdout)
    assert list(fields) == FIELDS, list(fields)
    for name in MEASURED:
        assert math.isfinite(fields[name]) and fields[name] > 0, (name, fields[name])
    assert fields["ms_min"] <= fields["ms_per_step"]
    return fields


def refuses(command, message):
    done = run(*command)
    assert done.returncode == 2, (command, done)
    assert message in done.stderr and not done.stdout, (command, done)


train = report("--threads", "1", "--batch", "16", "--steps", "8", "--warmup", "16")
assert {name: train[name] for name in ("config", "mode", "threads", "batch", "steps", "warmup", "seed")} == {
    "config": "tiny", "mode": "train", "threads": 1, "batch": 16, "steps": 8, "warmup": 16, "seed": 1}
assert abs(train["loss_first"] - math.log(20)) < 0.1, train["loss_first"]  # untrained: nearly uniform over 20 symbols
assert train["loss_final"] < train["loss_first"], train
assert train["tokens_checksum"] is None
assert train["buffers_allocated_after_warmup"] == 0, train

sentences = report("--mode", "decode", "--batch", "1", "--steps", "15", "--warmup", "1")  # sentences of different lengths
assert sentences["buffers_allocated_after_first"] == 0, sentences

decode = report("--mode", "decode", "--batch", "2", "--steps", "1", "--warmup", "1")
assert decode["loss_first"] is None and decode["loss_final"] is None
again = report("--mode", "decode", "--batch", "2", "--steps", "1", "--warmup", "0")
assert decode["tokens_checksum"] == again["tokens_checksum"]
other = report("--mode", "decode", "--batch", "2", "--steps", "1", "--warmup", "0", "--seed", "2")
assert decode["tokens_checksum"] != other["tokens_checksum"]
assert report("--mode", "decode", "--batch", "2", "--steps", "1", "--warmup", "0", "--precision", "int8")["precision"] == "int8"

# The model of d2l-exact has as many parameters as in `gradus train`. Dropout changes its loss.
dropped = report("--batch", "2", "--steps", "1", "--warmup", "0", config="d2l-exact")
whole = report("--batch", "2", "--steps", "1", "--warmup", "0", "--no-dropout", config="d2l-exact")
assert dropped["parameters"] == whole["parameters"] == 49896 and (dropped["dropout"], whole["dropout"]) == (0.1, 0)
assert dropped["loss_first"] != whole["loss_first"] and abs(whole["loss_first"] - math.log(200)) < 0.1, (dropped, whole)

table = run(program, "--config", "tiny", "--steps", "1", "--warmup", "0")
assert table.returncode == 0 and "ms_per_step  " in table.stdout and "tokens_checksum" not in table.stdout, table
assert float(run(program, "--peak", "--config", "tiny").stdout) > 0
text = run(program, "--help").stdout
assert "30000   620  1000  1000" in text and all(name in text for name in MEASURED), text

refuses([program, "--config", "huge"], "--config: huge not in {tiny,d2l,small,medium,paper,d2l-exact,paper-exact}; --help lists the options")
refuses([program, "--mode", "test"], "--mode: test not in {train,decode}")
refuses([program, "--precision", "f16"], "--precision: f16 not in {")
refuses([program, "--precision", "int8"], "int8 is for decoding; add --mode decode")
refuses([program, "--threads", "0"], "--threads")
refuses([program, "--batch", "-1"], "--batch")
refuses([program, "--steps", "0"], "--steps")
refuses([program, "--warmup", "-1"], "--warmup")
refuses([program, "--step", "3"], "--step")

driver = [sys.executable, peers, "--ours", program, "--theirs", program]
refuses([*driver, "--rounds", "0"], "--rounds must be at least 1, got 0")
refuses([*driver, "--batch", "7"], "no case matches; available: tiny train 64")
refuses([*driver, "--config", "huge"], "invalid choice: 'huge'")
refuses([*driver, "--precision", "f16"], "invalid choice: 'f16'")

# The options of every row are valid for `gradus train`. Ratios are relative to the row without options.
done = run(options, "--json", "--rounds", "1", "--threads", "1")
assert done.returncode == 0 and not done.stderr and done.stdout.count("\n") == 1, done
measurement = json.loads(done.stdout)
assert measurement["threads"] == 1 and "--embedding 32 --hidden 64" in measurement["sizes"], measurement
first, *others = measurement["rows"]
assert first["options"] == "" and first["ratio"] == first["weights"] == 1, first
assert {"--dropout 0.3", "--layers 2", "--preset bahdanau", "--preset d2l"} <= {row["options"] for row in others}, others
for row in others:
    assert row["ratio"] == row["target_tokens_per_s"] / first["target_tokens_per_s"] > 0, row
table = run(options, "--rounds", "1")
assert table.returncode == 0 and table.stdout.count("\n") == 1 + len(measurement["rows"]), table
assert re.search(r"^none +[0-9]+ +1\.00 +1\.00$", table.stdout, re.MULTILINE), table
refuses([options, "--rounds", "0"], "--rounds")
refuses([options, "--round", "1"], "--round")

# measured.run() removes the shell's variables for kernels and threads. A program gets only those that its caller gives.
sys.path.insert(0, str(pathlib.Path(peers).parent))
import measured  # noqa: E402

os.environ.update(OPENBLAS_CORETYPE="Prescott", OMP_NUM_THREADS="7")
with tempfile.TemporaryDirectory() as folder:
    shown = pathlib.Path(folder, "shown")
    shown.write_text(f"#!{sys.executable}\nimport json, os\nprint(json.dumps(dict(os.environ)))\n")
    shown.chmod(0o700)
    environment = measured.run(shown, {"OPENBLAS_CORETYPE": "Haswell"})
assert environment["OPENBLAS_CORETYPE"] == "Haswell" and "OMP_NUM_THREADS" not in environment, environment
assert "OPENBLAS_CORETYPE" not in measured.neutral_environment() and "PATH" in measured.neutral_environment()
print("all passed")
