"""The numbers of command.md: `gradus train` and `gradus evaluate` on the configurations in configs/."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

from results_kit import PICTURES, RESULTS, ROOT, SEEDS, check_sentences, load, markdown_table, means_first, over_seeds, where_measured, write

FRENCH = ["--pairs", "fra-eng/fra.txt"]
BF16 = ["--precision", "bf16"]  # needs a processor with AVX512-BF16 or AMX
SHORT = ["--pairs", "eng-fra-5k/eng-fra-attrib.txt"]
# The four sentences of Dive into Deep Learning, with their reference translations.
FOUR = [("Go.", "Va !"), ("I lost.", "J'ai perdu."), ("He's calm.", "Il est calme."), ("I'm home.", "Je suis chez moi.")]
CHINESE = ["--pairs", "cmn-eng/cmn.txt"]
REVERSED = "10 0 18 26 2 2 15 28 18 41 29 24"  # a held-out string of the task; two numbers occur twice
SEARCHES = {"greedy": [], "beam": ["--beam", "5"]}
PHONEMES = [word for part, prefix in (("train", ""), ("dev", "dev-"), ("test", "test-"))
            for side, end in (("source", "src"), ("target", "tgt"))
            for word in (f"--{prefix}{side}", f"cmudict/g2p.{part}.{end}")]


def gradus(*arguments, **options):
    return subprocess.run([ROOT / "run", "gradus", *map(str, arguments)], check=True, text=True, **options)


def train(config, seed, out, *more):
    """Runs `gradus train` in GRADUS_DATA, or in the repository if that is unset. Returns its time in seconds."""
    start = time.monotonic()
    gradus("train", "--config", ROOT / "configs" / f"{config}.toml", "--seed", seed, "--out", out, *more,
           cwd=os.environ.get("GRADUS_DATA", ROOT), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def evaluate(out, *more):
    done = gradus("evaluate", "--model", out, "--json", *more, cwd=os.environ.get("GRADUS_DATA", ROOT),
                  stdout=subprocess.PIPE)
    report = json.loads(done.stdout[done.stdout.index("{"):])  # ./run may print build messages before the JSON
    return {"pairs": report["pairs"], **{key: value for key, value in report["models"][0].items() if key != "model"}}


def command_of(config, *more):
    return " ".join(["./run gradus train --config", f"configs/{config}.toml", *more, "--seed N"])


PANEL, CELL = re.compile(r'<g transform="translate\((\d+) 0\)">'), re.compile(r'<rect class="gp-q\d+" x="\d+" y="(\d+)" width="\d+" height="31">')


def two_rows(svg):
    """Moves the third of three heatmaps below the others, so that labels stay legible in a narrow window."""
    start, panels = svg[:PANEL.search(svg).start()], re.split(r"(?=<g transform=\"translate\(\d+ 0\)\">)", svg)[1:]
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    first_row = max(int(y) for panel in panels[:2] for y in CELL.findall(panel)) + 44
    second_row = max(int(y) for y in CELL.findall(panels[2])) + 44
    edge = int(PANEL.match(panels[2])[1])
    panels[2] = PANEL.sub(f'<g transform="translate(0 {first_row})">', panels[2])
    old, new = (f'width="{width}" height="{height}"', f'width="{max(edge, width - edge)}" height="{first_row + second_row}"')
    view = f'viewBox="0 0 {max(edge, width - edge)} {first_row + second_row}"'
    return start.replace(old, new).replace(f'viewBox="0 0 {width} {height}"', view) + "".join(panels)


def measure_config(at, name, config, seeds, data=(), evaluations=None, pictures=(), aligned=None):
    """Measures one configuration on each seed. `evaluations` maps the name of a result to options of evaluate. For the first
    seed, copies `pictures` and draws the attention weights of the sentence `aligned`."""
    runs = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "run")
            run = {"seed": seed, "train_seconds": round(train(config, seed, out, *data), 1)}
            for key, options in (evaluations or {"test": []}).items():
                run[key] = evaluate(out, *options)
            runs.append(run)
            if seed == seeds[0]:
                for picture in pictures:
                    (PICTURES / f"{name}_{picture}.svg").write_text(two_rows((out / f"{picture}.svg").read_text()))
                if aligned:
                    gradus("align", "--model", out, "--text", aligned, "--svg", PICTURES / f"{name}_alignment.svg")
    write(f"command_{name}", command_of(config, *data), at, {"seeds": seeds, "runs": runs})


def measure_four(at):
    """Trains a model of short sentences. Records its translations and attention weights for the four sentences."""
    with tempfile.TemporaryDirectory() as folder:
        out, data = pathlib.Path(folder, "run"), os.environ["GRADUS_DATA"]
        seconds_taken = round(train("eng-fra-short", SEEDS[0], out, *SHORT), 1)
        test = evaluate(out)
        trained = gradus("info", out, "--pairs", "train", cwd=data, stdout=subprocess.PIPE).stdout
        seen = {line.split("\t")[0] for line in trained.splitlines()}
        texts = [word for source, _ in FOUR for word in ("--text", source)]
        gradus("align", "--model", out, *texts, "--json", pathlib.Path(folder, "four.json"), "--svg",
               PICTURES / "four.svg")
        rows = []
        for alignment, (source, reference) in zip(json.loads(pathlib.Path(folder, "four.json").read_text()), FOUR):
            pair = pathlib.Path(folder, "pair.tsv")
            pair.write_text(f"{source}\t{reference}\n")
            rows.append({"source": source, "reference": reference, "output": alignment["target"],
                         "in_training": source in seen,
                         "d2l_bleu": evaluate(out, "--pairs", pair)["d2l_bleu"]})
    write("command_four", command_of("eng-fra-short", *SHORT), at,
          {"seeds": SEEDS[:1], "train_seconds": seconds_taken, "test": test, "rows": rows})


def draw_by_length():
    """Draws the BLEU by source length of two models of the first seed: one with attention, one without."""
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for name, options in (("fixed context", ["--decoder", "fixed"]), ("Bahdanau", [])):
            models += ["--model", pathlib.Path(folder, name)]
            train("eng-fra", SEEDS[0], models[-1], *FRENCH, *options)
        evaluate_all = ["evaluate", *models, "--by-length", "--bucket", "1", "--svg", PICTURES / "eng_fra_by_length.svg"]
        gradus(*evaluate_all, cwd=os.environ["GRADUS_DATA"], stdout=subprocess.DEVNULL)
        picture = PICTURES / "eng_fra_by_length.svg"
        picture.write_text(picture.read_text().replace(f"{folder}/", ""))  # the legend names the models by their paths


def measure_bf16(at):
    """Trains and evaluates the models of eng-fra and reverse again, with mixed precision."""
    measure_config(at, "eng_fra_bf16", "eng-fra", SEEDS, [*FRENCH, *BF16],
                   {name: [*search, *BF16] for name, search in SEARCHES.items()})
    measure_config(at, "reverse_bf16", "reverse", SEEDS, BF16, {"test": ["--part", "test", "--bucket", "1", *BF16]})


AVERAGED = ["--schedule", "constant", "--average", "5", "--save-every", "100"]


def measure_ensemble(at):
    """Measures the French model's last checkpoint and the average of its last five checkpoints. Measures two ensembles of three
    seeds: of the last checkpoints, and of the averages."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [pathlib.Path(folder, str(seed)) for seed in SEEDS]
        for seed, out in zip(SEEDS, runs):
            train("eng-fra", seed, out, *FRENCH, *AVERAGED)
        bleu = {kind: [evaluate(out / f"{kind}.safetensors")["bleu"] for out in runs]
                for kind in ("last", "average")}
        together = {kind: evaluate(runs[0] / f"{kind}.safetensors", "--ensemble",
                                   *(word for out in runs[1:] for word in ("--model", out / f"{kind}.safetensors")))["bleu"]
                    for kind in ("last", "average")}
    write("command_ensemble", command_of("eng-fra", *FRENCH, *AVERAGED), at,
          {"seeds": SEEDS, "bleu": bleu, "ensemble": together})


THREADS, LINES, ROUNDS = (1, 2), 1000, 5


def measure_threads(at):
    """Measures the speed of greedy decoding with one thread and with two, in turn. For each, the fastest round counts."""
    rates = dict.fromkeys(map(str, THREADS), 0.0)
    with tempfile.TemporaryDirectory() as folder:
        out, sources = pathlib.Path(folder, "run"), pathlib.Path(folder, "sources.txt")
        train("eng-fra", SEEDS[0], out, *FRENCH)
        pairs = gradus("info", out, "--pairs", "test", cwd=os.environ["GRADUS_DATA"], stdout=subprocess.PIPE).stdout.splitlines()
        sources.write_text("".join(pair.split("\t")[0] + "\n" for pair in pairs[:LINES]))
        for _ in range(ROUNDS):
            for threads in rates:
                report = gradus("translate", "--model", out, "--input", sources, "--threads", threads, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE).stderr
                rates[threads] = max(rates[threads], float(re.search(r": ([\d.]+) sentences/s", report)[1]))
    write("command_threads", "./run gradus translate --model out/french --threads 2", at,
          {"sentences": LINES, "rounds": ROUNDS, "rates": rates})


def measure_french(at):
    for model, options in (("bahdanau", []), ("fixed", ["--decoder", "fixed"])):
        measure_config(at, f"eng_fra_{model}", "eng-fra", SEEDS, [*FRENCH, *options], SEARCHES)
    draw_by_length()


# All measurements except `reverse` need real text (GRADUS_DATA).
MEASURES = {
    "reverse": lambda at: measure_config(at, "reverse", "reverse", SEEDS, aligned=REVERSED,
                                         evaluations={"test": ["--part", "test", "--bucket", "1"]}),
    "french": measure_french,
    "bf16": measure_bf16,
    "ensemble": measure_ensemble,
    "threads": measure_threads,
    "g2p": lambda at: measure_config(at, "g2p", "g2p", SEEDS, PHONEMES, {"test": ["--any-reference"]},
                                     pictures=["alignments"]),
    "four": measure_four,
    "chinese": lambda at: measure_config(at, "cmn_eng", "cmn-eng", SEEDS, CHINESE, SEARCHES, pictures=["alignments"]),
}


def measure(at, only=None):
    if only not in (None, *MEASURES):
        sys.exit(f"results.py: unknown training run '{only}'; available: {', '.join(MEASURES)}")
    for name in [only] if only else MEASURES:
        if name != "reverse" and "GRADUS_DATA" not in os.environ:
            sys.exit("results.py: GRADUS_DATA is not set; set it to the folder with the texts for the other training runs")
        MEASURES[name](at)


# One function per marker <!-- result NAME -->.

def figures(name, key="test"):
    results = load(f"command_{name}")
    return results, [run[key] for run in results["runs"]]


def percent(values):
    return over_seeds([100 * value for value in values], "{:.1f} %")


def up_to(report, longest):
    """Exact match over the sources of at most this length."""
    rows = [row for row in report["by_length"] if row["to"] <= longest]
    return sum(row["exact_match"] * row["pairs"] for row in rows) / sum(row["pairs"] for row in rows)


def seconds(results):
    return over_seeds([run["train_seconds"] for run in results["runs"]], "{:.0f}")


def command_reverse():
    results, reports = figures("reverse")
    rows = [["test BLEU", over_seeds([report["bleu"] for report in reports], "{:.2f}")],
            ["exact match, lengths 1 to 25", over_seeds([up_to(report, 25) for report in reports])],
            ["exact match, lengths 1 to 30", over_seeds([report["exact_match"] for report in reports])],
            ["training, s", seconds(results)]]
    return means_first(markdown_table(["", "gradus"], rows), results, where_measured(results))


def command_eng_fra():
    rows = []
    for name, title in (("fixed", "fixed context"), ("bahdanau", "Bahdanau")):
        results, greedy = figures(f"eng_fra_{name}", "greedy")
        beam = figures(f"eng_fra_{name}", "beam")[1]
        rows.append([title, *(over_seeds([report["bleu"] for report in reports], "{:.1f}") for reports in (greedy, beam)),
                     over_seeds([report["perplexity"] for report in greedy], "{:.2f}"), seconds(results)])
    results = load("command_eng_fra_bahdanau")
    return means_first(markdown_table(["", "BLEU, greedy", "BLEU, beam 5", "perplexity", "training, s"], rows), results, where_measured(results))


def command_bf16():
    """The quality of models trained and evaluated with --precision bf16."""
    french, greedy = figures("eng_fra_bf16", "greedy")
    beam = figures("eng_fra_bf16", "beam")[1]
    reverse, reversal = figures("reverse_bf16")
    rows = [["French, BLEU, greedy", over_seeds([report["bleu"] for report in greedy], "{:.1f}")],
            ["French, BLEU, beam 5", over_seeds([report["bleu"] for report in beam], "{:.1f}")],
            ["reversal, exact match, lengths 1 to 25", over_seeds([up_to(report, 25) for report in reversal])],
            ["reversal, exact match, lengths 1 to 30", over_seeds([report["exact_match"] for report in reversal])],
            ["reversal, BLEU", over_seeds([report["bleu"] for report in reversal], "{:.2f}")]]
    return means_first(markdown_table(["", "Bahdanau, bf16"], rows), french, where_measured(french), where_measured(reverse, seeds_differ=False))


def command_ensemble():
    results = load("command_ensemble")
    names = {"last": "last checkpoint", "average": "average of the last five"}
    rows = [[name, over_seeds(results["bleu"][kind], "{:.1f}"), f"{results['ensemble'][kind]:.1f}"]
            for kind, name in names.items()]
    table = markdown_table(["", "greedy BLEU, each model", "greedy BLEU, ensemble of three"], rows)
    return means_first(table, results, where_measured(results))


def command_threads():
    results = load("command_threads")
    rates = results["rates"]
    rows = [[threads, f"{rate:.0f}", f"{rate / rates['1']:.2f}"] for threads, rate in rates.items()]
    return markdown_table(["threads", "sentences/s", "ratio"], rows) + "\n\n" + where_measured(results)


def command_eng_fra_by_length():
    tables = [figures(f"eng_fra_{name}", "greedy")[1] for name in ("fixed", "bahdanau")]
    rows = []
    for i, row in enumerate(tables[0][0]["by_length"]):
        rows.append([f"{row['from']}–{row['to']}", row["pairs"],
                     *(over_seeds([report["by_length"][i]["bleu"] for report in reports], "{:.1f}") for reports in tables)])
    return means_first(markdown_table(["source tokens", "sentence pairs", "fixed context", "Bahdanau"], rows), load("command_eng_fra_bahdanau"))


def command_cmn_eng():
    results, greedy = figures("cmn_eng", "greedy")
    beam = figures("cmn_eng", "beam")[1]
    rows = [["BLEU, greedy", over_seeds([report["bleu"] for report in greedy], "{:.1f}")],
            ["BLEU, beam 5", over_seeds([report["bleu"] for report in beam], "{:.1f}")],
            ["training, s", seconds(results)]]
    return means_first(markdown_table(["", "Bahdanau"], rows), results, where_measured(results))


def command_g2p():
    results, reports = figures("g2p")
    rows = [["word error rate", percent([report["word_error_rate"] for report in reports])],
            ["training, s", seconds(results)]]
    return means_first(markdown_table(["", "Bahdanau"], rows), results, where_measured(results))


def command_four():
    results = load("command_four")
    rows = [[row["source"], row["output"], row["reference"], f"{row['d2l_bleu']:.2f}",
             "yes" if row["in_training"] else "no"] for row in results["rows"]]
    return (markdown_table(["sentence", "output", "reference", "d2l's BLEU", "in training set"], rows, texts=3)
            + f"\n\nThe BLEU on all held-out sentences is {results['test']['bleu']:.1f}. " + where_measured(results))


def command_sizes():
    """The sizes, time and greedy BLEU of three models of English and French, from the fewest pairs to the most."""
    printed = "\n".join(load("printed_command")["lines"])
    french, greedy = figures("eng_fra_bahdanau", "greedy")
    four = load("command_four")
    mean = statistics.mean
    measured = {"phrases": (sum(map(int, re.findall(r"(\d+) (?:train|dev|test)", printed.split("\n")[0]))), float(re.search(r" in (\d+) s;", printed)[1]),
                            float(re.search(r"BLEU +([\d.]+)", printed)[1])),
                "eng-fra-short": (5000, four["train_seconds"], four["test"]["bleu"]),
                "eng-fra": (30000, mean(run["train_seconds"] for run in french["runs"]), mean(report["bleu"] for report in greedy))}
    rows = []
    for name, (pairs, taken, bleu) in measured.items():
        settings = tomllib.loads((ROOT / "configs" / f"{name}.toml").read_text())
        rows.append([f"`configs/{name}.toml`", f"{pairs:,}", settings["embedding"], settings["hidden"], settings["dropout"], f"{taken:.0f}", f"{bleu:.0f}"])
    return markdown_table(["configuration", "sentence pairs", "`--embedding`", "`--hidden`", "`--dropout`", "training, s", "BLEU"], rows)


def of_averaging():
    """The sentence of train-on-your-text.md about --average, in English and in Chinese."""
    bleu = load("command_ensemble")["bleu"]
    last, average = (f"{statistics.mean(bleu[kind]):.1f}" for kind in ("last", "average"))
    return [(f"averaging gave {average} BLEU instead of {last}", f"平均权重的 BLEU 是 {average}，最后一个检查点是 {last}")]


def of_first_run():
    """The sentences of train-on-your-text.md about the fractions in BLEU's signature, for outputs of two words each."""
    lines = "\n".join(load("printed_train-on-your-text")["lines"])
    (fractions, words), = re.findall(r" = [\d.]+ (\S+) .* hyp_len = (\d+) ", lines)
    first, second = (float(percent) / 100 for percent in fractions.split("/")[:2])
    words, pairs = int(words), int(words) // 2
    right, runs = round(first * words), round(second * pairs)
    return [(f"`{fractions}` are four fractions", f"`{fractions}` 是四个比例"),
            (f"these are {right} of the {words} words, and {runs} of the {pairs} runs of two words",
             f"{words} 个词对了 {right} 个，两个词的片段 {pairs} 个对了 {runs} 个")]


def check_bounds():
    """Checks the bounds of the results. Most must hold for every seed."""
    for report in figures("reverse")[1]:
        assert report["bleu"] >= 99 and up_to(report, 25) >= 0.97, report
    assert all(run["train_seconds"] <= 300 for run in load("command_reverse")["runs"])
    for report in figures("reverse_bf16")[1]:
        assert up_to(report, 25) >= 0.99, report
    bahdanau, fixed = ([report["bleu"] for report in figures(f"eng_fra_{name}", "greedy")[1]]
                       for name in ("bahdanau", "fixed"))
    spread = max(max(scores) - min(scores) for scores in (bahdanau, fixed))
    assert min(bahdanau) - max(fixed) > spread, (bahdanau, fixed)
    for greedy, beam in zip(figures("eng_fra_bahdanau", "greedy")[1], figures("eng_fra_bahdanau", "beam")[1]):
        assert beam["bleu"] >= greedy["bleu"], (beam["bleu"], greedy["bleu"])
    ensemble = load("command_ensemble")
    last, average = ensemble["bleu"]["last"], ensemble["bleu"]["average"]
    assert all(mean >= one + 0.5 for mean, one in zip(average, last)), (average, last)
    assert ensemble["ensemble"]["last"] >= sum(last) / len(last) + 1.5, (ensemble["ensemble"]["last"], last)
    for run in load("command_g2p")["runs"]:
        assert run["test"]["word_error_rate"] <= 0.35 and run["train_seconds"] <= 1200, run
    check_sentences("how-to/train-on-your-text.md", [*of_averaging(), *of_first_run()])
