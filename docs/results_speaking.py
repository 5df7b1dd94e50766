"""The numbers of tutorial 16 for recorded digits, which espeak-ng says."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import results_printed
import results_tutorials
from results_kit import PICTURES, ROOT, SEEDS, load, write

NAME = "tutorial_16_recorded"
OPTIONS = ["--recorded", "out/one/train.tsv", "--at-once", "10", "--steps", "400"]


def measure(at):
    results_printed.build_tutorial("16")
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "run", "speech-data", "out/one", "--voice", "en-us", "--files", "300"], cwd=folder, check=True)
        for seed in SEEDS:
            subprocess.run([ROOT / "run", "tutorial", "16", *OPTIONS, "--seed", str(seed)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            out = pathlib.Path(folder, "out", "tutorial-16")
            runs.append(json.loads((out / "results.json").read_text()))
            if seed == SEEDS[0]:
                for picture in out.glob("digits.svg"):
                    shutil.copy(picture, PICTURES / f"tutorial_16_{picture.name}")
    write(NAME, f"./run tutorial 16 {' '.join(OPTIONS)} --seed N", at, {"seeds": SEEDS, "runs": runs})


# Each function returns the text of the marker <!-- result NAME --> with its name.

def tutorial_16_speakers():
    """The table of speakers, in which percentages have one digit after the point."""
    return results_tutorials.table("16", "speakers", form_of=lambda column, values: None if column == "squared error" else "{:.1f}")


def speaking_digits():
    return results_tutorials.table("16_recorded", "digits")


def speaking_measures():
    """The table of other measurements without the time. Numbers above 1 have one digit after the point."""
    def without_time(tables, name):
        kept = tables[name]
        return {**kept, "rows": [row for row in kept["rows"] if row["name"] != "seconds of training"]}
    return results_tutorials.table("16_recorded", "speaking", form_of=lambda column, values: None if max(values) < 1 else "{:.1f}", of=without_time)


def check_bounds():
    """Checks facts on which the pages rely. For example, the speaker with one frame per step has a lower squared error than the
    speaker of the tutorial, but more than 30 % of its symbols are misheard."""
    for run in load("tutorial_16")["runs"]:
        one, additive, location = (list(results_tutorials.values(run, "speakers", name).values())
                                   for name in ("location, 1 frame a step", "additive", "location"))
        assert one[0] < location[0] and one[1] > 30, run["seed"]
        assert max(additive[1], location[1]) <= 3, run["seed"]
        assert location[1] == location[4] == 0 and 45 < additive[4] < 60, run["seed"]
        distances = [row["values"][0] for row in run["tables"]["distance"]["rows"]]
        assert distances == sorted(distances, reverse=True), run["seed"]
