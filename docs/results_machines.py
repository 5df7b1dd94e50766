"""The numbers of how-to/many-machines.md: training in 1, 2 and 4 processes, training over a slow link, and the predicted times
of larger jobs."""

import json
import pathlib
import subprocess
import sys
import tempfile

from results_kit import ROOT, check_sentences, load, markdown_table, where_measured, write

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


def rate(row):
    """The number and the unit of a link's rate: ("1", "gbit")."""
    return row["rate"][:-4], row["rate"][-4:]


def predicted_sum(row):
    """The predicted time for adding up in two processes, by the page's formula and the full rate of the link."""
    number, unit = rate(row)
    bits_a_second = int(number) * {"gbit": 1e9, "mbit": 1e6}[unit]
    parameters = next(row["parameters"] for row in load("machines")["rows"] if row["config"] == "medium")
    return model.cost(2, parameters * (2 if row["bf16"] else 4), 0, 8 / bits_a_second)


def slowdowns(bf16):
    """How many times as long as predicted adding up took over the link of 1 Gbit/s, in increasing order."""
    return sorted(row["sum"] / predicted_sum(row) for row in load("machines_link")["rows"] if row["rate"] == "1gbit" and row["bf16"] == bf16)


def busy_medium(network, bf16, slowdown=1):
    """The predicted busy fraction of 64 processes of `medium`, if each byte takes `slowdown` times as long as at the full
    rate of the network."""
    medium = next(row for row in load("machines_jobs")["rows"] if row["config"] == "medium")
    alpha, beta = model.NETWORKS[network]
    return model.efficiency(medium, 64, (alpha, slowdown * beta), 2 if bf16 else 4)


def machines_link():
    """A table of the times over slow links. The predicted time follows from the page's formula and the full rate of the
    link."""
    results = load("machines_link")

    def cells(row):
        number, unit = rate(row)
        return [f"{number} {unit.capitalize()}/s", row["batch"], "yes" if row["bf16"] else "no",
                *(f"{s:.2f}" for s in (row["step"], predicted_sum(row), row["sum"], row["wait"])), f"{100 * row['wait'] / row['sum']:.0f} %"]
    rows = [cells(row) for row in results["rows"]]
    heads = ["link", "sentences", "bf16", "step, s", "predicted, s", "adding up, s", "waiting, s", "waiting of adding up"]
    return markdown_table(heads, rows) + "\n\n" + where_measured(results)


def machines_batches():
    results = load("machines_batches")
    rows = [[row["batch"], row["updates"], row["rate"], f"{row['loss']:.2g}"] for row in results["rows"]]
    return markdown_table(["`--batch`", "updates", "learning rate", "dev loss"], rows, texts=0) + "\n\n" + where_measured(results)


# Sentences of the page, as (English, Chinese).

def sentences_about_busy():
    """The busy fractions of 64 processes of `medium`, at the full rate and as slow as the simulated link of 1 Gbit/s."""
    def busy_at(network, bf16, slowdown=1):
        return model.percent(busy_medium(network, bf16, slowdown))
    slow, [slow_bf16] = slowdowns(False), slowdowns(True)
    low, high = (f"{factor:.1f}" for factor in (slow[0], slow[-1]))
    exact, rounded, fast = busy_at("1 Gbit/s", False), busy_at("1 Gbit/s", True), busy_at("10 Gbit/s", False)
    # The longer adding up takes, the smaller is the busy fraction.
    worst, best, worst_fast, best_fast = (busy_at(network, False, factor) for network in ("1 Gbit/s", "10 Gbit/s") for factor in (slow[-1], slow[0]))
    worst_bf16 = busy_at("1 Gbit/s", True, slow_bf16)
    [fast_bf16] = {busy_at("10 Gbit/s", True, factor) for factor in (1, slow_bf16)}
    [fastest] = {busy_at("100 Gbit/s", bf16, factor) for bf16, slowest in ((False, slow[-1]), (True, slow_bf16)) for factor in (1, slowest)}
    range_slow, range_fast = f"{worst[:-2]} to {best}", f"{worst_fast[:-2]} to {best_fast}"
    chinese_slow, chinese_fast = (text.replace(" to ", " % 到 ") for text in (range_slow, range_fast))
    return [
        (f"At 10 Gbit/s, the network costs almost nothing. A process computes for about {fast} of its time.",
         f"在 10 Gbit/s 下，网络几乎没有代价，进程大约 {fast} 的时间在计算。"),
        (f"At 1 Gbit/s, it computes for {exact} of its time, and with `--bf16-gradients` for {rounded}.",
         f"在 1 Gbit/s 下，进程 {exact} 的时间在计算，用 `--bf16-gradients` 时是 {rounded}。"),
        (f"adding up took {low} to {high} times as long as predicted, and {slow_bf16:.1f} times with `--bf16-gradients`",
         f"求和的时间是预测的 {low} 到 {high} 倍，用 `--bf16-gradients` 时是 {slow_bf16:.1f} 倍"),
        (f"a process computes for only {range_slow} of its time at 1 Gbit/s, or {worst_bf16} with `--bf16-gradients`. At 10 Gbit/s, it "
         f"still computes for {range_fast}.",
         f"在 1 Gbit/s 下就只有 {chinese_slow} 的时间在计算，用 `--bf16-gradients` 时是 {worst_bf16}；在 10 Gbit/s 下仍有 {chinese_fast}。"),
        (f"If $\\beta$ is {low} to {high} times as large, the {exact} for 64 processes at 1 Gbit/s become {range_slow}.",
         f"如果 $\\beta$ 是原来的 {low} 到 {high} 倍，64 个进程在 1 Gbit/s 下的 {exact} 就变成 {chinese_slow}。"),
        (f"At 1 Gbit/s, {exact} at the full rate and {worst} on a slower network; with bf16 gradients, {rounded} and {worst_bf16}. At 10 "
         f"Gbit/s, {fast} and {worst_fast}; with bf16 gradients, {fast_bf16} for both. At 100 Gbit/s, {fastest} for all.",
         f"1 Gbit/s：全速率 {exact}，较慢的网络 {worst}；用 bf16 梯度时 {rounded} 和 {worst_bf16}。10 Gbit/s：{fast} 和 {worst_fast}；"
         f"用 bf16 梯度时都是 {fast_bf16}。100 Gbit/s：都是 {fastest}。"),
        (f"64 processes of *medium* are busy for {exact} of the time at 1 Gbit/s, and for {fast} at 10 Gbit/s",
         f"64 个训练 *medium* 的进程，在 1 Gbit/s 下 {exact} 的时间忙碌，在 10 Gbit/s 下是 {fast}")]


def sentences_about_links():
    """The times over the simulated links."""
    rows = load("machines_link")["rows"]
    factors = sorted(row["sum"] / predicted_sum(row) for row in rows)
    few, many, rounded = (next(row for row in rows if (row["rate"], row["batch"], row["bf16"]) == ("1gbit", batch, bf16))
                          for batch, bf16 in ((128, False), (1024, False), (1024, True)))
    waits = [f"{100 * row['wait'] / row['sum']:.0f} %" for row in (few, many)]
    # Differences of the table's rounded numbers, as a reader computes them.
    step, wait = (round(many[key], 2) - round(rounded[key], 2) for key in ("step", "wait"))
    sums = sorted(f"{row['sum']:.1f}" for row in (few, many))
    return [
        (f"Adding up took {factors[0]:.1f} to {factors[-1]:.1f} times the predicted time",
         f"求和的时间是预测的 {factors[0]:.1f} 到 {factors[-1]:.1f} 倍"),
        (f"at 1 Gbit/s, the last column falls from {waits[0]} to {waits[1]}", f"在 1 Gbit/s 下，这个比例从 {waits[0]} 降到 {waits[1]}"),
        (f"`--bf16-gradients` shortens the step by {step:.2f} s, but the wait by only {wait:.2f} s. The cause of the other {step - wait:.2f} s",
         f"`--bf16-gradients` 使每步缩短 {step:.2f} 秒，但等待只缩短 {wait:.2f} 秒；其余 {step - wait:.2f} 秒"),
        (f"(The simulated link took {sums[0]} to {sums[1]} seconds with two processes.)",
         f"（在模拟的链路上，两个进程用了 {sums[0]} 到 {sums[1]} 秒。）")]


def sentences_about_one_host():
    """The gain by a second process, and by a second thread of one process."""
    processes = {row["config"]: row["one"] / row["two"] for row in load("machines")["rows"]}
    assert len({f"{gain:.1f}" for gain in processes.values()}) == 1, processes
    cases = {case["config"]: case for case in load("speed_peers")["cases"] if case["mode"] == "train" and case["config"] in processes}
    threads = {config: case["gradus"]["1"]["ms_per_step"] / case["gradus"]["2"]["ms_per_step"] for config, case in cases.items()}
    sentences = [cases[config]["batch"] for config in processes]
    gain = f"{processes['small']:.1f}"
    small, medium, paper = (f"{threads[config]:.1f}" for config in ("small", "medium", "paper"))
    return [
        ("with batches of {}, {} and {} sentences".format(*sentences), "批次分别有 {}、{} 和 {} 个句子".format(*sentences)),
        (f"two processes are about {gain} times as fast as one", f"两个进程的速度约为一个进程的 {gain} 倍"),
        (f"a second thread makes *small* {small} times as fast, *medium* {medium} times and *paper* {paper} times",
         f"第二个线程使 *small* 的速度变为 {small} 倍，*medium* 为 {medium} 倍，*paper* 为 {paper} 倍")]


def check_bounds():
    """Checks four facts: 2 processes are fast enough, the page's model predicts their time to within a tenth, mpirun does not
    slow down one process, and communication over a slow link is hidden if there is enough work. Checks the page's sentences."""
    check_sentences("how-to/many-machines.md", [*sentences_about_busy(), *sentences_about_links(), *sentences_about_one_host()])
    results = load("machines")
    for row in results["rows"]:
        assert row["one"] / row["two"] >= LEAST.get(row["config"], 1), row
        assert abs(predicted_two(results, row) / row["two"] - 1) <= 0.1, row
    assert min(row["one"] / row["plain"] for row in load("machines_jobs")["rows"] if "plain" in row) <= 1.02
    link = load("machines_link")["rows"]
    assert min(row["wait"] / row["sum"] for row in link if row["rate"] == "100mbit") <= MOST_WAITING, link
