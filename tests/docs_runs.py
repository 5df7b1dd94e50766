#!/usr/bin/env python3
"""Runs the commands of the pages with options that shorten them: docs_runs.py BUILD, with everything built.

A shell runs the page's commands in an empty folder. There, `./run` and `gradus` call this file as docs_runs.py BUILD WORDS…. In
that call, it provides the files that the page assumes (text, a trained model), and adds options that shorten the run. It runs only
the gradus command, exercises with --cli and benchmarks; other uses of `./run` have their own tests.
"""

import array
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import wave

from docs_commands import PAGES, ROOT, SHELL, SPAN, commands

PHRASES = ROOT / "data" / "phrases"
TINY = {"--steps": "2", "--eval-every": "1", "--embedding": "8", "--hidden": "8", "--energy": "8", "--overwrite": None}
TASK = {"--examples": "50", "--held-out": "10"}
# The last word of an option that takes a file → the columns of data/phrases that are written to this file.
COLUMNS = {"pairs": (0, 1), "source": (0,), "target": (1,), "hypotheses": (1,)}
EXAMPLES = ["--task", "--phrases", "--pairs", "--source", "--config"]


# ---- One shortened command ----


def with_options(words, options):
    """Adds options to `words`, or replaces their values."""
    words = list(words)
    for option, value in options.items():
        if option in words:
            at = words.index(option)
            del words[at:at + (1 if value is None else 2)]
        words += [option] if value is None else [option, value]
    return words


def provide_text(option, path):
    """Writes phrases from data/phrases, in place of the reader's text."""
    columns = COLUMNS.get(option.rsplit("-", 1)[-1])
    if columns and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pairs = (PHRASES / ("eng-cmn.tsv" if "cmn" in path.name else "eng-fra.tsv")).read_text().splitlines()
        path.write_text("".join("\t".join(pair.split("\t")[i] for i in columns) + "\n" for pair in pairs))


def provide_sound(path):
    """Writes a short WAV file that holds a tone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as sound:
            sound.setparams((1, 2, 16000, 0, "NONE", ""))
            sound.writeframes(array.array("h", [round(9000 * math.sin(0.2 * n)) for n in range(4000)]).tobytes())


def provide_list(path):
    """Writes a list of sound files. Their targets are digits."""
    if not path.exists():
        provide_sound(path.parent / "tone.wav")
        path.write_text("tone.wav\t3 1 4\n" * 3)


def provide_vectors(path):
    """Writes word vectors of the size TINY["--embedding"]."""
    if not path.exists():
        path.write_text("".join(word + " 0.5" * int(TINY["--embedding"]) + "\n" for word in ("i", "the", "book")))


def provide_model(gradus, folder):
    """Trains the model that the page assumes."""
    if not pathlib.Path(folder).exists():
        training = with_options(["train", "--phrases", "eng-fra", "--out", folder], TINY)
        subprocess.run([*gradus, *training], check=True)


def short_training(words):
    if "--help" in words:
        return words
    if "--resume" in words:
        return with_options(words, {"--steps": "3"})
    pruning = {option: value for option, value in {"--prune-from": "0", "--prune-until": "1"}.items() if option in words}
    words = with_options(words, pruning)
    if "--init-from" in words:  # the initial model determines data and sizes
        return with_options(words, {"--steps": "2", "--overwrite": None})
    if not set(EXAMPLES) & set(words):
        words = [*words, "--phrases", "eng-fra"]
    is_task = "--task" in words or "configs/reverse.toml" in words
    options = {**TINY, **(TASK if is_task else {})}
    if "dot" in words:  # --energy has no effect with --attention dot
        del options["--energy"]
    if "--epochs" in words:  # cannot be combined with --steps
        options["--epochs"] = "1"
        del options["--steps"]
    if "--average" in words:  # averaging needs two checkpoints
        options["--save-every"] = "1"
    if "bf16" in words:  # real bf16 needs a processor with bf16
        options["--precision"] = "bf16-emulated"
    return with_options(words, options)


def run_gradus(gradus, words):
    for option, value in zip(words, words[1:]):
        if option in ("--model", "--resume", "--init-from", "--teacher", "info"):
            provide_model(gradus, value)
        elif value.endswith(".wav"):
            provide_sound(pathlib.Path(value))
        elif option.endswith("pairs") and "--frames" in words:
            provide_list(pathlib.Path(value))
        elif option.endswith("-embeddings"):
            provide_vectors(pathlib.Path(value))
        elif option.startswith("--"):
            provide_text(option, pathlib.Path(value))
    if words[:1] == ["compress"] and "--hidden" in words:
        words = with_options(words, {"--hidden": "4"})
    return [*gradus, *(short_training(words) if words[:1] == ["train"] else words)]


def run_benchmark(build, what, words):
    program = build / "benchmarks" / f"bench_{what}"
    match what:
        case "bahdanau":
            return [program, *with_options(words, {"--steps": "1", "--warmup": "0"})]
        case "scaling":
            return [program, *with_options(words, {"--seconds": "0", "--rounds": "1", "--out": "scaling"})]
        case "options":
            return [program, *with_options(words, {"--rounds": "1"})]
        case "sparse":
            return [program, *with_options(words, {"--early": "4", "--steps": "4", "--draws": "2"})]
        case "peers":  # measuring needs libtorch, a large download
            return [sys.executable, ROOT / "benchmarks/peers.py", "--help"]
        case "machines":  # measuring needs MPI
            return [sys.executable, ROOT / "benchmarks/machines.py", "--help"]
        case "serve":  # measuring needs a trained model
            return [sys.executable, ROOT / "benchmarks/serve.py", "--help"]
        case "ops":  # built only if Google Benchmark is installed
            return [program, *words, "--benchmark_list_tests"] if program.exists() else ["true"]
    sys.exit(f"docs_runs.py: no shortened command for the benchmark '{what}'; add a case to run_benchmark()")


def command(build, words):
    """The shortened command for these arguments of `./run`."""
    match words:
        case ["gradus", *rest]:
            return run_gradus([build / "tools" / "gradus"], rest)
        case ["exercise", name, "--cli", *rest]:  # uses the solution as the learner's file
            return run_gradus([build / "exercises" / f"exercise_{name}_cli_solution"], rest)
        case ["bench", what, *rest]:
            return run_benchmark(build, what, rest)
    return ["true"]


# ---- All commands ----


def is_run(words):
    """True if this test runs the command. Two words, as in `gradus train`, only name a command, and it is not run. An exception
    is `gradus gradcheck`."""
    words = [word for word in words if word != "./run"]
    if words[:1] == ["exercise"]:
        return "--cli" in words and "NAME" not in words
    return words[:1] in (["gradus"], ["bench"]) and (len(words) > 2 or words[1:] == ["gradcheck"])


def scripts(text):
    """The shell blocks of a page, followed by the commands in its sentences. In the commands, `--seed N` becomes `--seed 1`."""
    found = [block for block in SHELL.findall(text) if any(map(is_run, commands(f"```sh\n{block}```")))]
    spans = dict.fromkeys(span for span in SPAN.findall(text) if any(map(is_run, commands(f"`{span}`"))))
    return found + [span.removesuffix("…").replace("--seed N", "--seed 1") for span in spans]


def prepare(folder, build):
    this = f'#!/bin/sh\nexec "{sys.executable}" "{pathlib.Path(__file__).resolve()}" "{build}"'
    for name, start in (("run", this), ("bin/gradus", f"{this} gradus")):
        program = folder / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'{start} "$@"\n')
        program.chmod(0o755)
    for name in ("configs", "tiny"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "english.txt").write_text("Where is the red book?\n")  # a page reads standard input from this file


def failures(text, build):
    """Yields the failures of one page's commands."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(pathlib.Path(folder), build)
        path = os.pathsep.join([f"{folder}/bin", os.environ["PATH"]])
        for script in scripts(text):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env={**os.environ, "PATH": path},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                yield f"{script.strip()}\nfailed: {done.stdout}"


def main(build):
    assert list(failures("```sh\n./run gradus train --hiden 3\n```", build)), "an unknown option was not detected"
    unknown = "".join(failures("```sh\n./run bench none --rounds 1\n```", build))
    assert "no shortened command for the benchmark 'none'" in unknown, unknown
    pages = {page: page.read_text() for page in sorted(PAGES)
             if not {"mine", "zh"} & set(page.parts) and not page.name.endswith(".zh-CN.md")}  # Chinese pages repeat the commands
    number = sum(len(list(filter(is_run, commands(text)))) for text in pages.values())
    assert number > 40, f"only {number} commands were found"
    sys.exit("\n".join(f"{page.relative_to(ROOT)}: {failure}"
                       for page, text in pages.items() for failure in failures(text, build)) or None)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    where, *rest = sys.argv[1:]
    if rest:
        sys.exit(subprocess.run(command(pathlib.Path(where), rest)).returncode)
    main(pathlib.Path(where).resolve())
