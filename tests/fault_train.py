#!/usr/bin/env python3
"""Checks that faults during training give a one-line message, keep the last checkpoint and leave no temporary files.

fault_train.py GRADUS: GRADUS is the command. The faults are a full disk, a limit on file sizes, a full standard output, a
missing, read-only or moved folder, Ctrl-C, SIGTERM, SIGHUP, a closed pipe, a kill before and at the first checkpoint, a second
run in the same folder, and files left by a killed run.
"""

import argparse
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from kill_train import tensors

SIZES = ["--hidden", "12", "--embedding", "8", "--energy", "8", "--batch", "8", "--max-length", "6", "--dropout", "0.1"]
COURSE = ["--task", "reverse", "--examples", "500", "--held-out", "20", "--eval-every", "0", "--threads", "1"]
NOBODY = 65534


class Command:
    """Runs `gradus train` and returns its exit code, stdout and stderr."""

    def __init__(self, gradus, **how):
        self.gradus, self.how = gradus, how

    def start(self, *arguments, **how):
        return subprocess.Popen([self.gradus, "train", *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **self.how, **how)

    def run(self, *arguments, **how):
        process = self.start(*arguments, **how)
        out, err = process.communicate()
        return process.returncode, out, err

    def new_run(self, folder, *more):
        """Trains ten steps and returns the last checkpoint."""
        code, _, err = self.run(*COURSE, *SIZES, "--steps", 10, "--out", folder, *more)
        assert code == 0, err
        return tensors(folder / "last.safetensors")


def check_refused(result, *parts):
    code, _, err = result
    assert code == 1, f"exit code {code}: {err}"
    assert err.count("\n") == 1 and err.startswith("gradus train: "), f"not one line: {err!r}"
    for part in parts:
        assert part in err, f"no {part!r} in {err!r}"


def check_only_results(folder):
    """Checks that the run has left no temporary files and no lock."""
    left = [file.name for file in folder.iterdir() if file.name.startswith(".")]
    assert not left, f"left behind: {left}"


def wait_for(path, process):
    for _ in range(3000):
        if path.exists():
            return
        assert process.poll() is None, f"the process ended before it wrote {path.name}: {process.communicate()}"
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def limited_file_size(gradus, scratch):
    """A limit on the size of files, which also holds for root: writing the checkpoint fails halfway."""
    run, command = scratch / "run", Command(gradus)
    before = command.new_run(run)
    limit = (run / "last.safetensors").stat().st_size // 2
    result = command.run("--resume", run, "--steps", 20,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    check_refused(result, "last.safetensors': File too large; raise the limit", f"gradus train --resume {run}")
    assert tensors(run / "last.safetensors") == before
    check_only_results(run)
    assert command.run("--resume", run, "--steps", 20)[0] == 0


def full_disk(gradus, scratch):
    """The disk has room for one checkpoint, but not for two."""
    size = sum(-(-file.stat().st_size // 4096) * 4096 for file in (scratch / "run").iterdir()) + 8192
    script = (f'mount -t tmpfs -o size={size} none "$2" && cd "$2" || exit 77\n'
              '"$1" train "${@:3}" --steps 10 --out run >/dev/null || exit 78\n'
              '"$1" train --resume run --steps 20 >/dev/null 2>error; echo $?; cat error; ls -A run | grep "^[.]"\n'
              '"$1" info run/last.safetensors')
    disk = scratch / "disk"
    disk.mkdir()
    done = subprocess.run(["unshare", "--map-root-user", "--mount", "bash", "-c", script, "bash", gradus, disk, *COURSE, *SIZES],
                          capture_output=True, text=True)
    if done.returncode in (1, 77, 127) and not done.stdout:
        print(f"skipped: could not mount a small file system: {done.stderr.strip()}")
        return
    code, error, *info = done.stdout.splitlines()
    assert code == "1" and "No space left on device; free some space" in error, done.stdout + done.stderr
    assert done.returncode == 0 and info[0].strip()[:1] != ".", f"left behind, or no checkpoint: {done.stdout} {done.stderr}"


def standard_output(gradus, scratch):
    with open("/dev/full", "w") as full:
        process = subprocess.run([gradus, "train", *COURSE, *SIZES, "--steps", "3", "--out", scratch / "silent"],
                                 stdout=full, stderr=subprocess.PIPE, text=True)
    check_refused((process.returncode, "", process.stderr), "cannot write to standard output")
    assert tensors(scratch / "silent" / "last.safetensors")


def no_folder(gradus, scratch):
    (scratch / "file").touch()
    check_refused(Command(gradus).run(*COURSE, "--out", scratch / "file" / "run"), "part of the path is a file")
    (scratch / "link").symlink_to(scratch / "missing" / "folder")
    check_refused(Command(gradus).run(*COURSE, "--out", scratch / "link"), "a broken link")
    check_refused(Command(gradus).run("--resume", scratch / "nowhere"), "nowhere")


def read_only(gradus, scratch):
    """A folder is read-only from the start, or becomes read-only during a run."""
    command = Command(gradus)
    if os.geteuid() == 0:  # root can write everywhere
        shutil.copy(gradus, scratch / "gradus")
        command = Command(scratch / "gradus", user=NOBODY, group=NOBODY, extra_groups=[])
    forbidden, run = scratch / "forbidden", scratch / "guarded"
    for folder in (forbidden, run):
        folder.mkdir()
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
    forbidden.chmod(0o555)
    check_refused(command.run(*COURSE, *SIZES, "--out", forbidden), "Permission denied; choose a folder that you can write to")

    process = command.start(*COURSE, *SIZES, "--steps", 100000, "--save-every", 1, "--out", run)
    wait_for(run / "last.safetensors", process)
    run.chmod(0o555)
    out, err = process.communicate()
    check_refused((process.returncode, out, err), "Permission denied", f"gradus train --resume {run}")
    check_refused(command.run("--resume", run), "Permission denied")
    assert tensors(run / "last.safetensors")
    run.chmod(0o755)


def vanished_folder(gradus, scratch):
    command, run, moved = Command(gradus), scratch / "before", scratch / "after"
    process = command.start(*COURSE, *SIZES, "--steps", 100000, "--save-every", 1, "--out", run)
    wait_for(run / "last.safetensors", process)
    run.rename(moved)
    out, err = process.communicate()
    check_refused((process.returncode, out, err), "No such file or directory; the folder does not exist")
    assert "--resume" not in err, err
    assert not run.exists()
    check_only_results(moved)
    steps = int.from_bytes(tensors(moved / "last.safetensors")["trainer.steps"][2], "little")
    code, _, err = command.run("--resume", moved, "--steps", steps + 1, "--save-every", 1000)
    assert code == 0, err


def signals(gradus, scratch):
    """On a signal, the run finishes the current step and saves. After it is resumed, the run ends with the weights of an
    uninterrupted run."""
    command, whole = Command(gradus), scratch / "whole"
    course = [*COURSE, *SIZES, "--steps", 1500, "--save-every", 100000]
    assert command.run(*course, "--out", whole)[0] == 0
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        run = scratch / number.name
        process = command.start(*course, "--out", run)
        while not process.stdout.readline().startswith("steps"):
            assert process.poll() is None, process.communicate()
        time.sleep(0.1)
        process.send_signal(number)
        out, err = process.communicate()
        assert process.returncode == 1 and err == "", f"{number.name}: exit code {process.returncode}: {err}"
        assert "stopped after step " in out and f"resume with: {gradus} train --resume {run}\n" in out, out
        check_only_results(run)
        assert command.run("--resume", run)[0] == 0
        assert tensors(run / "last.safetensors") == tensors(whole / "last.safetensors"), f"{number.name} changed the weights"


def closed_pipe(gradus, scratch):
    """When nobody reads the output any more, the run saves and ends."""
    command, run = Command(gradus), scratch / "unread"
    course = [*COURSE, *SIZES]
    course[course.index("--eval-every") + 1] = "1"  # to write a line at each step
    reader, writer = os.pipe()
    process = subprocess.Popen([gradus, "train", *course, "--steps", "100000", "--out", run], stdout=writer, stderr=writer)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    assert process.wait(60) == 1, f"exit code {process.returncode}"
    check_only_results(run)
    steps = int.from_bytes(tensors(run / "last.safetensors")["trainer.steps"][2], "little")
    assert steps < 100000
    code, _, err = command.run("--resume", run, "--steps", steps + 1)
    assert code == 0, err


def killed_replacement(gradus, scratch):
    """--overwrite keeps the previous run's files until the new run has a checkpoint."""
    command, run = Command(gradus), scratch / "replaced"
    command.new_run(run)
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    process = command.start(*COURSE, *SIZES, "--steps", 100000, "--save-every", 100000, "--overwrite", "--out", run)
    while not process.stdout.readline().startswith("steps"):
        assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()
    (run / ".gradus.lock").unlink()
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before, "a killed training changed the previous run"


def is_unchanged(run, last):
    """True if the folder still holds the previous run, whose last checkpoint is `last`."""
    try:
        return not (run / "next.safetensors").exists() and (run / "last.safetensors").read_bytes() == last
    except FileNotFoundError:
        return False


def killed_while_replacing(gradus, scratch):
    """A kill during the replacement of a run leaves one of the two runs complete: the previous one or the new one."""
    command, old, moments = Command(gradus), scratch / "old", random.Random(1)
    command.new_run(old, "--average", 3, "--save-every", 3)
    before = {file.name: file.read_bytes() for file in old.iterdir()}
    replaced = 0
    for number in range(25):
        run = scratch / f"replaced{number}"
        shutil.copytree(old, run)
        process = command.start(*COURSE, *SIZES, "--steps", 100000, "--save-every", 1, "--overwrite", "--out", run)
        while is_unchanged(run, before["last.safetensors"]):
            assert process.poll() is None, process.communicate()
        time.sleep(moments.uniform(0, 0.004))
        process.kill()
        process.communicate()
        files = {file.name: file.read_bytes() for file in run.iterdir() if not file.name.startswith(".")}
        if files == before:
            continue
        replaced += 1
        # Resumes up to step 60: on a busy machine, the killed run may already have made several steps.
        code, _, err = command.run("--resume", run, "--steps", 60, "--save-every", 60)
        assert code == 0, err
        steps = [file.name for file in run.glob("step-*")] + [file.name for file in run.glob("next*")]
        assert not steps, f"files of the previous run are left: {steps}"
        shutil.rmtree(run)
    assert replaced, "no kill hit the replacement"


def another_training(gradus, scratch):
    command, run = Command(gradus), scratch / "shared"
    first = command.start(*COURSE, *SIZES, "--steps", 100000, "--save-every", 1, "--out", run)
    wait_for(run / "last.safetensors", first)
    message = f"'{run}' is in use by process {first.pid}; wait until it ends"
    check_refused(command.run("--resume", run), message)
    check_refused(command.run(*COURSE, *SIZES, "--overwrite", "--out", run), message)
    first.kill()
    first.communicate()
    (run / ".gradus-1-0.tmp").write_text("left by a killed writer")
    code, _, err = command.run(*COURSE, *SIZES, "--overwrite", "--steps", 3, "--out", run)
    assert code == 0, err
    check_only_results(run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gradus", type=pathlib.Path)
    gradus = parser.parse_args().gradus.resolve()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        scratch.chmod(0o755)
        for fault in (limited_file_size, full_disk, standard_output, no_folder, read_only, vanished_folder, signals, closed_pipe,
                      killed_replacement, killed_while_replacing, another_training):
            start = time.monotonic()
            fault(gradus, scratch)
            print(f"{fault.__name__.replace('_', ' ')}: {time.monotonic() - start:.1f} s")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
