"""The numbers of how-to/many-machines.md: training in 1, 2 and 4 processes, training over a slow link, and the predicted times
of larger jobs."""

import json
import pathlib
import subprocess
import sys
import tempfile

from results_kit import ROOT, load, markdown_table, where_measured, write
from results_small import check_sentences

sys.path.insert(0, str(ROOT / "benchmarks"))
import machines as model  # noqa: E402

COMMAND = ["./run", "bench", "machines", "--rounds", "3"]
LINK = ["./run", "bench", "machines", "--link"]
LEAST = {"small": 1.6, "medium": 1.75}  # minimum speed of 2 processes, relative to 1 process
# On a link of 100 Mbit/s, in the best measured case, waiting may take at most this fraction of the time of adding up.
MOST_WAITING = 0.2

# batches() measures the loss after the same number of sentences, for several batch sizes. For each batch size, the best of
# these learning rates counts.
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
    """Measures machines, machines_link and machines_batches, or only the one that `only` names. `machines` also writes
    machines_jobs, the predictions for larger jobs."""
    if only not in (None, "machines", "machines_link", "machines_batches"):
        raise SystemExit(f"results.py: no '{only}' to measure; give machines, machines_link or machines_batches")
    for names, command in ((("machines", "machines_jobs"), COMMAND), (("machines_link", ), LINK)):
        if only in (None, names[0]):
            done = subprocess.run([*command, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            for name in names:
                write(name, " ".join(command), at, json.loads(done.stdout.splitlines()[-1]))
    if only in (None, "machines_batches"):
        write("machines_batches", " ".join([*TRAIN, "--batch 64 --steps", str(SENTENCES // 64)]), at, {"rows": batches()})


# One function per marker <!-- result NAME -->.

def predicted_two(results, row):
    return model.predicted_step(row, 2, (results["alpha"], results["beta"]))


def machines_measured():
    results = load("machines")
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", f"{1e3 * row['one']:.1f}", f"{1e3 * row['two']:.1f}",
             f"{1e3 * predicted_two(results, row):.1f}", f"{row['one'] / row['two']:.2f}", f"{1e3 * row.get('sum', row.get('two_sum')):.1f}"]
            for row in results["rows"]]
    return (markdown_table(["sizes", "parameters, M", "1 process, ms", "2 processes, ms", "predicted, ms", "ratio", "adding up, ms"], rows)
            + "\n\n" + where_measured(results))


def machines_more():
    results = load("machines_jobs")
    kinds = {"plain": "without mpirun, ms", "one": "1 process, ms", "two": "2 processes, ms", "bf16": "2 processes, bf16, ms",
             "one_of_4": "1 process, 4 shards, ms", "four": "4 processes, 4 shards, ms"}
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", *(model.milliseconds(row, kind) for kind in kinds)] for row in results["rows"]]
    return markdown_table(["sizes", "parameters, M", *kinds.values()], rows) + "\n\n" + where_measured(results)


def busy(row, processes, network, overlap):
    """The predicted busy fraction without and with --bf16-gradients."""
    return " / ".join(model.percent(model.efficiency(row, processes, network, size, overlap)) for size in (4, 2))


def machines_predicted_medium():
    medium = next(row for row in load("machines_jobs")["rows"] if row["config"] == "medium")
    rows = [[name, *(busy(medium, P, network, True) for P in model.JOBS)] for name, network in model.NETWORKS.items()]
    return markdown_table(["network", *(f"P = {P}" for P in model.JOBS)], rows)


def machines_predicted():
    rows = [[row["config"], name, "yes" if overlap else "no", *(busy(row, P, network, overlap) for P in model.JOBS)]
            for row in load("machines_jobs")["rows"] for name, network in model.NETWORKS.items() for overlap in (False, True)]
    return markdown_table(["sizes", "network", "overlap", *(f"P = {P}" for P in model.JOBS)], rows, texts=3)


def machines_link():
    """A table of the times over slow links. The predicted time follows from the page's formula and the full rate of the
    link."""
    results = load("machines_link")
    parameters = next(row["parameters"] for row in load("machines")["rows"] if row["config"] == "medium")

    def cells(row):
        number, unit = row["rate"][:-4], row["rate"][-4:]
        bits_a_second = int(number) * {"gbit": 1e9, "mbit": 1e6}[unit]
        predicted = model.cost(2, parameters * (2 if row["bf16"] else 4), 0, 8 / bits_a_second)
        return [f"{number} {unit.capitalize()}/s", row["batch"], "yes" if row["bf16"] else "no", *(f"{s:.2f}" for s in (row["step"], predicted, row["sum"], row["wait"])),
                f"{100 * row['wait'] / row['sum']:.0f} %"]
    rows = [cells(row) for row in results["rows"]]
    heads = ["link", "sentences", "bf16", "step, s", "predicted, s", "adding up, s", "waiting, s", "waiting of adding up"]
    return markdown_table(heads, rows) + "\n\n" + where_measured(results)


def machines_batches():
    results = load("machines_batches")
    rows = [[row["batch"], row["updates"], row["rate"], f"{row['loss']:.2g}"] for row in results["rows"]]
    return markdown_table(["`--batch`", "updates", "learning rate", "dev loss"], rows, texts=0) + "\n\n" + where_measured(results)


def check_bounds():
    """Checks four facts: 2 processes are fast enough, the page's model predicts their time to within a tenth, mpirun does not
    slow down one process, and communication over a slow link is hidden if there is enough work. Checks the sentences with the
    predictions for 64 processes."""
    medium = next(row for row in load("machines_jobs")["rows"] if row["config"] == "medium")
    exact, rounded = busy(medium, 64, model.NETWORKS["1 Gbit/s"], True).split(" / ")
    fast = busy(medium, 64, model.NETWORKS["10 Gbit/s"], True).split(" / ")[0]
    check_sentences("how-to/many-machines.md", [  # in English, and in Chinese
        (f"A process computes for about {fast} of its time. At 1 Gbit/s, it computes for {exact} of its time, and with "
         f"`--bf16-gradients` for {rounded}.",
         f"进程大约 {fast} 的时间在计算。在 1 Gbit/s 下是 {exact}，用 `--bf16-gradients` 时是 {rounded}。")])
    results = load("machines")
    for row in results["rows"]:
        assert row["one"] / row["two"] >= LEAST.get(row["config"], 1), row
        assert abs(predicted_two(results, row) / row["two"] - 1) <= 0.1, row
    assert min(row["one"] / row["plain"] for row in load("machines_jobs")["rows"] if "plain" in row) <= 1.02
    link = load("machines_link")["rows"]
    assert min(row["wait"] / row["sum"] for row in link if row["rate"] == "100mbit") <= MOST_WAITING, link
