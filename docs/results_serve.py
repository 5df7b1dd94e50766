"""The numbers of how-to/serve.md: gradus serve with one client, with many clients, and under faults for an hour."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from results_kit import ROOT, check_sentences, load, markdown_table, where_measured, write

FRENCH = "fra-eng/fra.txt"
BENCH = f"./run bench serve --model out/eng-fra --file {FRENCH}"
DISTINCT = ["--distinct", "500"]
CACHES = ["0", "64"]  # MB
LOAD = "checks/serve_load.py build/release/tools/gradus"


def measure(at):
    """Needs GRADUS_DATA, a folder with fra-eng/fra.txt."""
    data = pathlib.Path(os.environ["GRADUS_DATA"])
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/eng-fra"
        # One epoch suffices: only the sizes of the model matter here, not its quality.
        subprocess.run([ROOT / "run", "gradus", "train", "--config", ROOT / "configs/eng-fra.toml", "--pairs", FRENCH, "--epochs", "1", "--out", out],
                       cwd=data, check=True, capture_output=True)

        def bench(*options):
            done = subprocess.run([ROOT / "run", "bench", "serve", "--model", out, "--file", FRENCH, *options, "--json"], cwd=data,
                                  stdout=subprocess.PIPE, text=True, check=True)
            return json.loads(done.stdout.splitlines()[-1])
        store(at, bench())
        store_cache(at, [bench(*DISTINCT, "--cache", cache) for cache in CACHES])
    done = subprocess.run([*LOAD.split(), "--minutes", "60"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    store_load(at, json.loads(done.stdout), "--minutes 60")


def store(at, report):
    write("serve", BENCH, at, report)


def store_cache(at, reports):
    write("serve_cache", f"{BENCH} {' '.join(DISTINCT)} --cache {CACHES[-1]}", at,
          {"rows": [{"cache": int(cache), "one": report["one"], "many": report["many"]} for cache, report in zip(CACHES, reports)]})


def store_load(at, report, options):
    report["resident_kb"] = [kb for _, kb in report["resident_kb"]]
    write("serve_load", f"{LOAD} {options}", at, report)


# One function per marker <!-- result NAME -->.

def serve_measured():
    results = load("serve")
    one = results["one"]

    def row(name, part):
        times = [f"{1e3 * part[key]:.1f}" if key in part else "–" for key in ("p50", "p99")]
        clients = f"{100 * part['client_cpu']:.0f}" if "client_cpu" in part else "–"
        return [name, f"{part['rate']:.0f}", f"{part['rate'] / one['rate']:.1f}", *times, clients]
    rows = [row("1 client", one), row(f"{results['clients']} clients", results["many"]), row("a file, `gradus translate`", results["file"])]
    return markdown_table(["sent by", "lines per second", "ratio", "median, ms", "99th percentile, ms", "clients, % of the cores"], rows) + "\n\n" + where_measured(results)


def serve_cache():
    results = load("serve_cache")
    rows = []
    for row in results["rows"]:
        name = f"with `--cache {row['cache']}`" if row["cache"] else "without a cache"
        rows.append([name, f"{row['one']['rate']:.0f}", f"{1e3 * row['one']['p50']:.1f}", f"{row['many']['rate']:.0f}", f"{1e3 * row['many']['p50']:.1f}"])
    return markdown_table(["server", "1 client: lines per second", "median, ms", "64 clients: lines per second", "median, ms"], rows) + "\n\n" + where_measured(results)


def quarters(kb):
    bounds = [len(kb) * i // 4 for i in range(5)]
    return [f"{statistics.median(kb[a:b]) / 1024:.0f}" for a, b in zip(bounds, bounds[1:])]


def serve_faults():
    results = load("serve_load")
    counts = results["counts"]
    rows = [["minutes", f"{results['minutes']:.0f}"], ["translations", counts["translations"]],
            ["texts compared with `gradus translate`", counts["texts compared"]],
            ["wrong requests and clients that misbehave", sum(counts.get(kind, 0) for kind in FAULTS)], ["wrong answers", len(results["wrong"])],
            ["requests without an answer", results.get("unanswered", 0)], ["reloads of the models", counts["reloads"]],
            ["resident memory, MiB: median of each quarter of the time", " / ".join(quarters(results["resident_kb"]))]]
    return markdown_table(["what", "measured"], rows) + "\n\n" + where_measured(results)


FAULTS = ["wrong bodies", "half bodies", "half bodies, closed", "trickled requests", "resets", "clients that left", "slow readers", "garbage",
          "compressed bodies", "endless bodies"]


def check_bounds():
    """Checks that many clients get several times as many lines per second as one client, and that under faults the server answers
    correctly and its memory does not grow. Checks the sentences about the cache in more-ways-to-save.md."""
    for clients in ("one", "many"):
        rates = [row[clients]["rate"] for row in load("serve_cache")["rows"]]
        without, cached = (f"{rate:.0f}" for rate in rates)
        gain = f"{100 * rates[1] / rates[0] - 100:.0f} %"
        check_sentences("explained/more-ways-to-save.md", [(f"translates {cached} lines per second in place of {without}, {gain} more",
                                                            f"每秒翻译 {cached} 行，没有缓存时是 {without} 行，快 {gain}")])
    results = load("serve")
    assert results["many"]["rate"] >= 6 * results["one"]["rate"], results
    assert results["many"]["rate"] >= 0.6 * results["file"]["rate"], results
    faults = load("serve_load")
    assert not faults["wrong"] and faults["minutes"] >= 60
    kb = faults["resident_kb"]
    assert statistics.median(kb[len(kb) // 2:]) < 1.1 * statistics.median(kb[:len(kb) // 2])
