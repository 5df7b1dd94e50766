"""The numbers of how-to/many-machines.md: training in 1, 2 and 4 processes, over a slow link, and the prediction for larger jobs."""

import json
import pathlib
import subprocess
import sys
import tempfile

from results_kit import ROOT, load, markdown_table, where_measured, write

sys.path.insert(0, str(ROOT / "benchmarks"))
import machines as model  # noqa: E402

COMMAND = ["./run", "bench", "machines", "--rounds", "2"]
LINK = ["./run", "bench", "machines", "--link"]
LEAST = {"small": 1.6, "medium": 1.75}  # speed of 2 processes, relative to 1
MOST_WAITING = 0.2  # of the time of adding up over the slowest link, for the best of the measured cases

# The loss after the same number of sentences, for several batch sizes. For each batch size, the best of these learning rates
# counts.
SENTENCES, BATCHES, RATES = 65536, (16, 64, 256, 1024), ("0.001", "0.003", "0.01")
TRAIN = ["./run", "gradus", "train", "--task", "reverse", "--hidden", "48", "--embedding", "24", "--energy", "24"]


def batches():
    rows = []
    for batch in BATCHES:
        losses = {}
        for rate in RATES:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([*TRAIN, "--batch", str(batch), "--steps", str(SENTENCES // batch), "--learning-rate", rate, "--out", folder],
                               cwd=ROOT, check=True, capture_output=True)
                log = [json.loads(line) for line in pathlib.Path(folder, "log.jsonl").read_text().splitlines()]
                losses[rate] = [entry["dev_loss"] for entry in log if "dev_loss" in entry][-1]
        rate = min(losses, key=losses.get)
        rows.append({"batch": batch, "updates": SENTENCES // batch, "rate": rate, "loss": losses[rate]})
    return rows


def measure(at, only=None):
    """`only`: machines, machines_link or machines_batches."""
    for name, command in (("machines", COMMAND), ("machines_link", LINK)):
        if only in (None, name):
            done = subprocess.run([*command, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            write(name, " ".join(command), at, json.loads(done.stdout.splitlines()[-1]))
    if only in (None, "machines_batches"):
        write("machines_batches", " ".join([*TRAIN, "--batch 64 --steps", str(SENTENCES // 64)]), at, {"rows": batches()})


# The text of each marker <!-- result NAME -->.

def predictions(results, row):
    """(processes, measured seconds, predicted seconds) of a size."""
    network = results["alpha"], results["beta"]
    return [(P, row[kind], model.predicted_step(row, P, network)) for P, kind in ((2, "two"), (4, "four")) if kind in row]


def machines_measured():
    results = load("machines")
    cells = []
    for row in results["rows"]:
        cells.append([row["config"], f"{row['parameters'] / 1e6:.2f}", *(model.milliseconds(row, key) for key in ("plain", "one", "two")),
                      f"{row['one'] / row['two']:.2f}", *(model.milliseconds(row, key) for key in ("two_sum", "two_wait", "bf16"))])
    return (markdown_table(["sizes", "parameters, M", "without mpirun, ms", "1 process, ms", "2 processes, ms", "ratio", "adding up, ms", "waiting, ms", "bf16, ms"], cells)
            + "\n\n" + where_measured(results))


def machines_model():
    results = load("machines")
    rows = [[row["config"], P, f"{1e3 * seconds:.1f}", f"{1e3 * predicted:.1f}", f"{100 * (predicted / seconds - 1):+.0f} %"]
            for row in results["rows"] for P, seconds, predicted in predictions(results, row)]
    return markdown_table(["sizes", "P", "measured, ms", "predicted, ms", "difference"], rows)


def machines_predicted():
    results = load("machines")

    def cell(row, processes, network, overlap):
        return " / ".join(model.percent(model.efficiency(row, processes, network, size, overlap)) for size in (4, 2))
    rows = [[row["config"], name, "yes" if overlap else "no", *(cell(row, P, network, overlap) for P in model.JOBS)]
            for row in results["rows"] for name, network in model.NETWORKS.items() for overlap in (False, True)]
    return markdown_table(["sizes", "network", "overlap", *(f"P = {P}" for P in model.JOBS)], rows, texts=3)


def machines_link():
    results = load("machines_link")
    rows = [[row["rate"], row["batch"], "yes" if row["bf16"] else "no", f"{row['step']:.2f}", f"{row['sum']:.2f}", f"{row['wait']:.2f}",
             f"{100 * row['wait'] / row['sum']:.0f} %"] for row in results["rows"]]
    heads = ["link", "sentences", "bf16", "step, s", "adding up, s", "waiting, s", "waiting of adding up"]
    return markdown_table(heads, rows) + "\n\n" + where_measured(results)


def machines_batches():
    results = load("machines_batches")
    rows = [[row["batch"], row["updates"], row["rate"], f"{row['loss']:.2g}"] for row in results["rows"]]
    return markdown_table(["`--batch`", "updates", "learning rate", "dev loss"], rows, texts=0) + "\n\n" + where_measured(results)


def check_bounds():
    """2 processes are fast enough, MPI costs one process nothing, the model of the page predicts 2 and 4 processes within a tenth, and
    communication over a slow link is hidden if there is enough work."""
    results = load("machines")
    for row in results["rows"]:
        assert row["one"] / row["two"] >= LEAST.get(row["config"], 1), row
        assert row["one"] / row.get("plain", row["one"]) <= 1.02, row
        for P, seconds, predicted in predictions(results, row):
            assert abs(predicted / seconds - 1) <= 0.1, (row["config"], P, seconds, predicted)
    link = load("machines_link")["rows"]
    assert min(row["wait"] / row["sum"] for row in link if row["rate"] == "100mbit") <= MOST_WAITING, link
