#!/usr/bin/env python3
"""Checks `gradus train` in several processes: equal weights for any number of processes, kills, hangs and refusals.

mpi_train.py GRADUS MPIRUN [--exchange PROGRAM] [--kills N] [--seed N]: exits with 77 if MPIRUN cannot start processes on this
machine.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from kill_train import finish, tensors

COURSE = ["--task", "reverse", "--examples", "400", "--held-out", "20", "--max-length", "6", "--hidden", "12", "--embedding", "8",
          "--energy", "8", "--dropout", "0.2", "--sampling", "0.5", "--batch", "16", "--steps", "600", "--save-every", "4",
          "--eval-every", "30", "--average", "2", "--threads", "1", "--shards", "4"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_hwloc_base_binding_policy": "none"}
LONGEST = 30  # seconds within which a job must end after it has lost a process


class Jobs:
    def __init__(self, gradus, mpirun):
        self.gradus, self.mpirun = gradus, mpirun

    def start(self, count, *options, folders=None, **environment):
        """Starts `count` processes with these options. If the options are lists, starts one process with each list. Process r
        starts in folder r of `folders`."""
        each = options if isinstance(options[0], list) else [list(options)] * count
        apps = [["-n", "1", "-wdir", folder, self.gradus, "train", *map(str, some)]
                for folder, some in zip(folders or ["."] * count, each)]
        command = [self.mpirun, *apps[0]] + [word for app in apps[1:] for word in (":", *app)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**ENVIRONMENT, **environment})

    def run(self, count, *options, folders=None):
        process = self.start(count, *options, folders=folders)
        error = process.communicate(timeout=900)[1].decode()
        return process.returncode, error


def children(process):
    """The process ids of the job's gradus processes, by rank."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            status = (path / "stat").read_text().rsplit(")", 1)[1].split()
            if int(status[1]) != process.pid:
                continue
            variables = (path / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.partition(b"=")[2])] = int(path.name)
    return found


def same_run(folder, whole, what):
    for name in ("last.safetensors", "best.safetensors", "average.safetensors"):
        assert tensors(folder / name) == tensors(whole / name), f"{what}: {name} differs from that of one process"


def any_number(jobs, scratch, whole):
    for count in (2, 4):
        folder = scratch / f"by_{count}"
        code, error = jobs.run(count, *COURSE, "--out", folder)
        assert code == 0, f"{count} processes: exit code {code}: {error}"
        assert error.count("step 30 ") == 1, f"not exactly one process reports: {error}"
        same_run(folder, whole, f"{count} processes")
        assert dev_scores(folder) == dev_scores(whole), f"{count} processes: other dev scores"


def taught(jobs, scratch, whole):
    """Trains on the translations of a teacher. Each process translates its part of the pairs."""
    course = [word for pair in zip(COURSE[::2], COURSE[1::2]) if pair[0] not in ("--steps", "--average") for word in pair]
    options = [*course, "--steps", "40", "--teacher", whole, "--teacher-weight", "0", "--teacher-beam", "2"]
    for count, pairs in ((1, 400), (2, 200), (4, 100)):
        folder = scratch / f"taught_by_{count}"
        code, error = jobs.run(count, *options, "--out", folder)
        assert code == 0, f"a teacher and {count} processes: exit code {code}: {error}"
        assert f"decoded {pairs} sentences in " in error, f"expected {pairs} translations by process 0 of {count}: {error}"
        assert tensors(folder / "last.safetensors") == tensors(scratch / "taught_by_1" / "last.safetensors"), \
            f"a teacher and {count} processes: the weights differ from those of one process"


def dev_scores(folder):
    entries = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    scores = [(entry["dev_loss"], entry.get("dev_bleu"), entry.get("dev_exact")) for entry in entries if "dev_loss" in entry]
    assert len(scores) == 20, scores
    return scores


def logged_steps(folder):
    """The last step in the log, which is at most 30 steps old."""
    log = folder / "log.jsonl"
    return max((json.loads(line)["step"] for line in log.read_text().splitlines()), default=0) if log.exists() else 0


def lose_a_process(jobs, folder, count, how, moments, kills):
    """Starts or resumes the run. Then kills or stops one process. Returns False if the run had ended before that."""
    resumes = (folder / "last.safetensors").exists()
    options = ["--resume", folder] if resumes else [*COURSE, "--out", folder, "--overwrite"]
    process = jobs.start(count, *options, GRADUS_JOB_TIMEOUT="3")
    checkpoint = folder / "last.safetensors"
    before = checkpoint.stat().st_mtime_ns if resumes else 0

    def has_saved():  # a new checkpoint: MPI has started, and training is under way
        return checkpoint.exists() and checkpoint.stat().st_mtime_ns > before

    deadline = time.monotonic() + 60
    while not has_saved() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(moments.uniform(0, 0.3))
    victim = moments.randrange(count)
    pid = children(process).get(victim)
    if pid is None or process.poll() is not None:
        process.communicate()
        return False
    trained, steps = (folder / "last.safetensors").exists(), logged_steps(folder)
    os.kill(pid, how)
    start = time.monotonic()
    error = process.communicate(timeout=LONGEST)[1].decode()
    if process.returncode == 0:
        assert steps > 550, f"the job of {count} processes continued without process {victim}, which was lost after step {steps}"
        return False  # the process had ended
    lines = [line for line in error.splitlines() if line.startswith("gradus: ")]
    kills.append((count, victim, time.monotonic() - start))
    if trained:
        assert len(lines) == 1, f"expected one line about process {victim} of {count}, found {lines} in: {error}"
        expected = rf"process (\d) of {count} \(host .*, pid \d+\) (was killed or has crashed|has given no sign of life for 3 s)"
        named = re.search(expected, lines[0])
        assert named, lines[0]
        if how == signal.SIGKILL:
            assert int(named.group(1)) == victim, lines[0]
        assert f"resume with: mpirun -n {count} " in lines[0] and f"train --resume {folder}" in lines[0], lines[0]
    return True


def killed(jobs, scratch, whole, options):
    moments, folder, kills = random.Random(options.seed), scratch / "killed", []
    for _ in range(20 * options.kills):
        if len(kills) >= options.kills:
            break
        how = signal.SIGSTOP if len(kills) % 3 == 1 else signal.SIGKILL
        if not lose_a_process(jobs, folder, moments.choice((2, 4)), how, moments, kills):
            for file in folder.iterdir():  # the run has finished: start a new one
                file.unlink()
    assert len(kills) >= options.kills, f"only {kills}"
    options_left = ["--resume", folder] if (folder / "last.safetensors").exists() else [*COURSE, "--out", folder, "--overwrite"]
    code, error = jobs.run(2, *options_left)
    assert code == 0, f"the last resumption: exit code {code}: {error}"
    same_run(folder, whole, f"{kills} (processes, lost process, seconds)")
    return kills


def refused(jobs, scratch):
    folder = scratch / "refused"
    for other, message in (
            (["--seed", "2"], "train: process 1 differs from process 0 in --seed: 2 instead of 1; start all processes with the same "),
            (["--threads", "2"], "train: process 1 differs from process 0 in the number of threads: 2 instead of 1; "),
            (["--pairs", "missing.tsv"], "process 1: gradus train: ")):
        own = COURSE if other[0] != "--pairs" else COURSE[6:]
        options = [word for pair in zip(own[::2], own[1::2]) if pair[0] != other[0] for word in pair]
        code, error = jobs.run(2, [*COURSE, "--seed", "1", "--out", folder], [*options, *other, "--out", folder])
        assert code != 0 and message in error, f"expected '{message}' in: {error}"
        assert not (folder / "last.safetensors").exists()
    pairs = "".join(f"a {'b ' * n}c\tc a\n" for n in range(10))
    folders = scratch / "first", scratch / "second"  # two hosts that have other files under the same paths
    for changed, old, new, message in (("train.tsv", "a b c", "a c b", "the training pairs: "),
                                       ("train.tsv", "c\t", "d\t", "the source vocabulary: "),
                                       ("dev.tsv", "a b c", "a c b", "the dev pairs: ")):
        for host in folders:
            host.mkdir(exist_ok=True)
            for file in ("train.tsv", "dev.tsv"):
                (host / file).write_text(pairs.replace(old, new, 1) if (host, file) == (folders[1], changed) else pairs)
        code, error = jobs.run(2, "--pairs", "train.tsv", "--dev-pairs", "dev.tsv", "--test-percent", "0", "--steps", "4",
                               "--shards", "2", "--out", folder, folders=folders)
        assert code != 0 and f"process 1 differs from process 0 in {message}" in error, f"expected '{message}' in: {error}"
    code, error = jobs.run(3, *COURSE, "--out", folder)
    assert code != 0 and error.count("--shards 4 cannot be divided evenly among 3 processes") == 1, error


def wrong_sizes(options):
    """Messages that have the right size, or are too short or too long. MPI sends small and large messages in different ways."""
    for sent, expected in ((4, 4), (4, 8), (8, 4), (2 ** 20, 2 ** 21), (2 ** 21, 2 ** 20)):
        job = subprocess.run([options.mpirun, "-n", "2", options.exchange, str(sent), str(expected)], env=ENVIRONMENT,
                             capture_output=True, text=True, timeout=60)
        lines = [line for line in job.stderr.splitlines() if line.startswith(("Error: ", "gradus: "))]
        what = f"process 0 expects {expected} bytes of process 1, which sends {sent}; all processes must make the same calls"
        right = ([] if sent == expected else [f"Error: Communicator: {what}"] if sent < expected else
                 [f"gradus: {what}, so the job ends"])
        assert lines == right, f"{sent} bytes in place of {expected}: {job.stderr}"
        assert (job.returncode == 0) == (sent <= expected), f"{sent} bytes in place of {expected}: exit code {job.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gradus")
    parser.add_argument("mpirun")
    parser.add_argument("--exchange", help="the program of mpi_exchange.cpp")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if subprocess.run([options.mpirun, "-n", "2", "true"], env=ENVIRONMENT, capture_output=True).returncode != 0:
        print(f"skipped: {options.mpirun} cannot start two processes here")
        sys.exit(77)
    if options.exchange:
        wrong_sizes(options)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        jobs, whole = Jobs(os.path.abspath(options.gradus), options.mpirun), scratch / "whole"
        finish(subprocess.Popen([options.gradus, "train", *COURSE, "--out", whole], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE), "one process")
        any_number(jobs, scratch, whole)
        taught(jobs, scratch, whole)
        refused(jobs, scratch)
        kills = killed(jobs, scratch, whole, options)
        print(f"1, 2 and 4 processes: equal weights; {len(kills)} processes lost, at most {max(k[2] for k in kills):.0f} s until the "
              f"end of the job; the final weights are equal")


if __name__ == "__main__":
    main()
