"""The numbers of tutorial 15 with --tried and with --pyramid 3, and of train-on-sound.md: digits that espeak-ng says with a
voice that training lacks."""

import json
import pathlib
import subprocess
import tempfile

import results_printed
import results_tutorials
from results_command import evaluate, gradus
from results_kit import PICTURES, ROOT, SEEDS, check_sentences, load, markdown_table, mean, means_first, over_seeds, where_measured, write

TRIED = "tutorial_15_tried"
PYRAMID = "tutorial_15_pyramid"
DIGITS = "listening_digits"
HEARD = "listening_heard"
LISTS = ["--pairs", "out/speech/train.tsv", "--dev-pairs", "out/speech/dev.tsv", "--test-pairs", "out/speech/test.tsv"]
MODEL = ["--pyramid", "3", "--embedding", "16", "--energy", "64", "--dropout", "0.1", "--batch", "32", "--steps", "2000"]
SHOWN = ("location, as in tutorial 15", "content, as in tutorial 15", "filters of 3 positions", "another speed for each symbol",
         "twice the updates")
FASTER = {"location": "twice the updates", "location, frames left out": "frames left out, twice the updates",
          "content": "content, twice the updates", "content, frames left out": "frames left out, content, twice the updates"}
# question of the page → the answer, and the models that give this answer, as {model: the model with which it is compared}
LOCATION = "location, as in tutorial 15"
QUESTIONS = {
    "1. Filter too wide?": ("at speed 2, yes", {"filters of 7 positions": LOCATION, "filters of 3 positions": LOCATION}),
    "2. Weights too concentrated?": ("at speed 2, probably; for 12 symbols, smoothing and the window do harm", {
        "smoothing": LOCATION, "a window of 6 positions in decoding": LOCATION}),
    "3. Pyramid too coarse?": ("at speed 2, not known; for 12 symbols, finer does not help on its own", {"a pyramid of one level": LOCATION}),
    "4. Training too short?": ("for 12 symbols, probably", {
        "twice the updates": LOCATION, "filters of 7 positions, twice the updates": "filters of 7 positions",
        "content, twice the updates": "content, as in tutorial 15"}),
    "5. Speed of symbols too uniform?": ("for 12 symbols, probably", {"another speed for each symbol": LOCATION}),
    "6. Filters needed?": ("at speed 2, no", {"content, twice the updates": "twice the updates", "monotonic, twice the updates": "twice the updates"}),
    "7. Lengths of sounds too similar?": ("not known", {name: name.removeprefix("long sounds, ") for name in (
        "long sounds, filters of 7 positions, twice the updates", "long sounds, content, twice the updates")}),
    "8. Must training contain faster speech?": ("at speed 2, yes", {name: name.removeprefix("frames left out, ") for name in (
        "frames left out, twice the updates", "frames left out, filters of 7 positions, twice the updates",
        "frames left out, content, twice the updates")}),
}
ATTENTIONS = {"location": [], "location, at random speeds": ["--min-speed", "0.8", "--max-speed", "1.25"],
              "monotonic, one direction": ["--no-bidirectional", "--bridge", "zeros"]}


def measure(at, only=None):
    """`only` is "tried", "pyramid", "digits", "heard", or None for all four."""
    if only in (None, "tried"):
        measure_tried(at)
    if only in (None, "pyramid"):
        measure_pyramid(at)
    if only in (None, "digits"):
        measure_digits(at)
    if only in (None, "heard"):
        measure_heard(at)


def runs_of_tutorial(*options):
    """The results.json of tutorial 15 with these options, for each seed."""
    results_printed.build_tutorial("15")
    runs = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / "run", "tutorial", "15", *options, "--seed", str(seed)], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            runs.append(json.loads(pathlib.Path(folder, "out", "tutorial-15", "results.json").read_text()))
    return runs


def measure_tried(at):
    store_tried(at, runs_of_tutorial("--tried"))


def store_tried(at, runs):
    write(TRIED, "./run tutorial 15 --tried --seed N", at, {"seeds": SEEDS, "runs": runs})


def measure_pyramid(at):
    store_pyramid(at, runs_of_tutorial("--pyramid", "3"))


def store_pyramid(at, runs):
    """Keeps only the tables that tutorial 15 quotes."""
    for run in runs:
        run["tables"] = {name: run["tables"][name] for name in ("speed", "length")}
    write(PYRAMID, "./run tutorial 15 --pyramid 3 --seed N", at, {"seeds": SEEDS, "runs": runs})


def errors(out, *more):
    report = evaluate(out, *more)
    return {key: report[key] for key in ("pairs", "token_error_rate", "exact_match")}


def measure_digits(at):
    """Trains the models of ATTENTIONS on recorded digits, and measures their errors. Needs espeak-ng. The seed determines the
    weights and batches; the files are the same for every seed."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "run", "speech-data", "out/speech"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        speeds = pathlib.Path(folder, "out", "speech", "speeds.tsv")
        lists = [str(pathlib.Path(folder, word)) if word.endswith(".tsv") else word for word in LISTS]
        for seed in SEEDS:
            run = {"seed": seed}
            for name, options in ATTENTIONS.items():
                out = pathlib.Path(folder, f"{seed}-{len(run)}")
                gradus("train", "--frames", *lists, "--attention", name.split(",")[0], *MODEL, *options, "--seed", seed, "--out", out,
                       cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                run[name] = {"voice": errors(out), "speeds": errors(out, "--pairs", speeds)}
            runs.append(run)
    write(DIGITS, " ".join(["./run gradus train --frames", *LISTS, "--attention location", *MODEL, "--seed N"]), at, {"seeds": SEEDS, "runs": runs})


def measure_heard(at):
    """Records the output of the page's commands, and draws the picture of what the model heard."""
    shown = (["evaluate", "--model", "out/digits"],
             ["translate", "--model", "out/digits", "--input", "out/speech/wav/test-00000.wav"])
    train = ["train", "--frames", *LISTS, "--attention", "location", *MODEL]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "run", "speech-data", "out/speech"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        gradus(*train, "--out", "out/digits", cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        printed = ["\n".join([f"$ ./run gradus {' '.join(command)}", gradus(*command, cwd=folder, stdout=subprocess.PIPE).stdout.strip()])
                   for command in shown]
        gradus("align", "--model", "out/digits", "--text", "out/speech/wav/test-00000.wav", "--svg", PICTURES / "heard.svg", cwd=folder)
    write(HEARD, " ".join(["./run gradus", *train]), at, {"printed": printed})


def tried(model, column):
    """The values of one model in one column, one value per seed."""
    return [results_tutorials.values(run, "tried", model)[column] for run in load(TRIED)["runs"]]


# One function per marker <!-- result NAME -->.

def tutorial_15_tried():
    """A table of the models that explained/listening.md discusses in detail."""
    return results_tutorials.table("15_tried", "tried", lambda name: name in SHOWN or name.startswith("frames left out"))


def tutorial_15_faster():
    columns = {"speed 2": "speed 2", "one symbol six times, at speed 2": "six times at 2", "12 symbols": "12 symbols"}
    return markdown_table(["model", *columns], [[name, *(mean(tried(model, column), "{:.1f}") for column in columns.values())]
                                                for name, model in FASTER.items()])


def listening_questions():
    def cell(without, model, column):
        before, after = tried(without, column), tried(model, column)
        signs = {(a > b) - (a < b) for a, b in zip(before, after)}
        is_clear = max(after) < min(before) or max(before) < min(after)
        sure = ", clear" if is_clear else ", probable" if signs in ({1}, {-1}) else ""
        return f"{mean(before, '{:.1f}')} → {mean(after, '{:.1f}')}{sure}"

    rows = []
    for question, (answer, models) in QUESTIONS.items():
        for model, without in models.items():
            twelve = "–" if model.startswith("long sounds") else cell(without, model, "12 symbols")  # tested on longer sounds
            rows.append([question, answer, model, cell(without, model, "speed 2"), twelve])
            question = answer = ""
    return markdown_table(["question", "answer", "model", "speed 2, %", "12 symbols, %"], rows, texts=3)


def listening_heard():
    results = load(HEARD)
    return "\n".join(["```text", *results["printed"], "```", "", where_measured(results)])


def listening_digits():
    results = load(DIGITS)

    def row(name):
        runs = [run[name] for run in results["runs"]]
        return [name, over_seeds([100 * run["voice"]["token_error_rate"] for run in runs], "{:.2f}"),
                over_seeds([100 * run["speeds"]["token_error_rate"] for run in runs], "{:.2f}")]
    table = markdown_table(["attention", "wrong digits: another voice, %", "other speeds, %"], [row(name) for name in ATTENTIONS])
    return means_first(table, results, where_measured(results))


def of_tutorial(table, row, model, results="tutorial_15"):
    """The values of one model in one row of tutorial 15's tables, one value per seed."""
    return [results_tutorials.values(run, table, row)[model] for run in load(results)["runs"]]


def coarser_pyramid():
    """The sentences of Try 1: two levels in comparison with three."""
    def both(table, row, model):
        return of_tutorial(table, row, model), of_tutorial(table, row, model, PYRAMID)

    def words(before, after):
        means = [mean(values, "{:.1f}") for values in (before, after)]
        return "from {} % to {} %".format(*means), "从 {} % 变为 {} %".format(*means)
    seeds = [words([before], [after]) for before, after in zip(*both("length", "12", "location"))]
    faster, content = (both("length", "12", model) for model in ("location, speeds to 2", "content"))
    rest, fast = [words(*faster), words(*content)], []
    for model, fewer in (("location", 2), ("content", 1)):  # the only seed with fewer errors at speed 2
        before, after = both("speed", "2.00", model)
        assert [seed for seed, b, a in zip(SEEDS, before, after) if a < b] == [fewer], model
        fast.append(words(before, after))

    def rises(table, row, model):
        return [after - before for before, after in zip(*both(table, row, model))]
    (strings_faster, strings, strings_content), (speech_faster, speech, speech_content) = (
        [rises(table, row, model) for model in ("location, speeds to 2", "location", "content")]
        for table, row in (("length", "12"), ("speed", "2.00")))
    assert all(a > b > 0 for a, b in zip(strings_faster, speech_faster))
    assert strings[0] > speech[0] > 0 and max(strings[1], speech[1]) < 0 and speech[2] > strings[2] > 0
    assert sum(speech_content) > sum(strings_content) > 0
    return [(f"of *location* change {seeds[0][0]} with seed 1, {seeds[1][0]} with seed 2, and {seeds[2][0]} with seed 3",
             f"种子 1 {seeds[0][1]}，种子 2 {seeds[1][1]}，种子 3 {seeds[2][1]}"),
            (f"as a mean {rest[0][0]}. The errors of *content* hardly change: {rest[1][0]}", f"平均{rest[0][1]}。“按内容”几乎不变：{rest[1][1]}"),
            (f"the mean of three seeds rises {fast[0][0]} for *location*, although the errors fall with seed 2. For *content*, it rises "
             f"{fast[1][0]}, although the errors fall with seed 1",
             f"“位置特征”{fast[0][1]}（种子 2 减少），“按内容”{fast[1][1]}（种子 1 减少）")]


def tried_again():
    """The sentences of Try 2 and Try 3."""
    pairs = []
    for model, verb in (("a pyramid of one level", "升到"), ("twice the updates", "降到")):
        (usual, of), (twelve, of_twelve) = ([mean(tried(name, column), "{:.1f}") for name in (LOCATION, model)]
                                            for column in ("speed 1", "12 symbols"))
        pairs.append((f"over three seeds, {of} % at speed 1 instead of {usual} %, and {of_twelve} % in strings of 12 symbols "
                      f"instead of {twelve} %",
                      f"语速 1 时，错误率从 {usual} % {verb} {of} %；12 个符号时，从 {twelve} % {verb} {of_twelve} %"))
    before, after = (mean(tried(name, "speed 2"), "{:.1f}") for name in (LOCATION, "twice the updates"))
    return [*pairs, (f"{after} % instead of {before} %", f"从 {before} % 降到 {after} %")]


def check_tutorial():
    """Checks the sentences of tutorial 15 that have numbers."""
    fixed, content, location, faster = (
        {speed: of_tutorial("speed", speed, model) for speed in ("0.50", "0.75", "1.00", "1.50", "2.00")}
        for model in ("fixed context", "content", "location", "location, speeds to 2"))
    assert all(a > b for a, b in zip(location["2.00"], fixed["2.00"])) and max(faster["2.00"]) < 2
    assert all(max(values) < 4 for model in (content, location) for speed, values in model.items() if float(speed) <= 1)
    assert all(a > b for speed in ("1.50", "2.00") for a, b in zip(location[speed], content[speed]))
    errors, steps = tried(LOCATION, "speed 2"), tried(LOCATION, "step at 2")
    first, second, third = (f"{step:.1f}" for step in steps)
    assert errors.index(max(errors)) == steps.index(min(steps)) == 1 and steps[0] > 1.4 and max(steps[1:]) < 1.2
    most, without = mean(location["2.00"], "{:.1f}"), mean(fixed["2.00"], "{:.1f}")
    twelve = mean(tried("frames left out, twice the updates", "12 symbols"), "{:.1f}")
    wide, narrow, none = (mean(tried(model, "speed 2"), "{:.1f}") for model in (
        LOCATION, "filters of 3 positions", "content, as in tutorial 15"))
    assert 25 < load("tutorial_times")["seconds"]["15"] < 40  # "about half a minute"
    assert len(load(TRIED)["runs"][0]["tables"]["tried"]["rows"]) == 18
    printed = [line.split() for line in load("printed_15")["lines"]]
    assert "said at speed 2 2 7 1 8".split() in printed and "location 7 1".split() in printed
    check_sentences("tutorials/15-listening.md", [  # in English, and in Chinese
        (f"{most} % of the symbols are wrong, even more than with the fixed context ({without} %)",
         f"{most} % 的符号写错，比固定上下文（{without} %）还多"),
        (f"The three seeds have {first}, {second} and {third}.", f"三个种子分别是 {first}、{second} 和 {third}。"),
        (f"with filters of 3 positions instead of 31, {narrow} % are wrong instead of {wide} % (`--tried`), about as many as with "
         f"*content* ({none} %)", f"错误率从 {wide} % 降到 {narrow} %（`--tried`），与“按内容”（{none} %）差不多"),
        ("*Location* skipped two of the four symbols", "“位置特征”漏掉了四个符号中的两个"),
        ("A run takes about half a minute", "大约要半分钟"), ("compares eighteen models", "比较十八个模型"),
        (f"strings of 12 symbols: {twelve} % are wrong", f"错误率是 {twelve} %"), *coarser_pyramid(), *tried_again()])


def check_bounds():
    """Checks what train-on-sound.md says about the digits, tutorial 15 about silence and the online model, and
    explained/listening.md about the models of --tried."""
    check_tutorial()
    for run in load(DIGITS)["runs"]:
        voice, speeds = ({name: run[name][part]["token_error_rate"] for name in ATTENTIONS} for part in ("voice", "speeds"))
        assert max(voice.values()) <= 0.03, run["seed"]
        assert 0 < voice["monotonic, one direction"] - voice["location"] <= 0.02, run["seed"]
        assert speeds["location, at random speeds"] < speeds["monotonic, one direction"] < speeds["location"], run["seed"]
    for run in load("tutorial_15")["runs"]:
        wrong, back, delay = ({row["name"]: row["values"][column] for row in run["tables"]["delay"]["rows"]} for column in range(3))
        *pauses, quiet = (row["values"] for row in run["tables"]["silence"]["rows"])
        assert all(out < plain / 2 for plain, out in pauses[1:]) and quiet[1] > quiet[0] > 10, run
        assert 1 <= wrong["monotonic"] - wrong["content"] <= 4, run
        assert max(back.values()) < 1 and delay["monotonic"] < 0, run
    wide = ("location, as in tutorial 15", "smoothing", "a window of 6 positions in decoding", "dropout 0.2", "a pyramid of one level",
            "another speed for each symbol", "twice the updates")
    for run in load(TRIED)["runs"]:
        fast, twelve = ({row["name"]: dict(zip(run["tables"]["tried"]["columns"], row["values"]))[column]
                         for row in run["tables"]["tried"]["rows"]} for column in ("speed 2", "12 symbols"))
        content, narrow = "content, as in tutorial 15", "filters of 3 positions"
        assert all((value < 5) == name.startswith("frames left out") for name, value in fast.items()), run["seed"]
        assert min(fast[name] for name in wide) > fast[content], run["seed"]
        assert abs(fast[narrow] - fast[content]) < 5 and abs(twelve[narrow] - twelve[content]) < 5, run["seed"]
        assert twelve["frames left out, twice the updates"] > 3 * twelve["twice the updates"], run["seed"]
        assert fast["filters of 7 positions"] > fast[narrow], run["seed"]
        assert abs(fast["monotonic, twice the updates"] - fast["content, twice the updates"]) < 6, run["seed"]
        assert fast["long sounds, content, twice the updates"] < fast["content, twice the updates"], run["seed"]
        assert (fast["long sounds, filters of 7 positions, twice the updates"]
                < fast["filters of 7 positions, twice the updates"]), run["seed"]
    assert sum(tried(LOCATION, "missing at 2")) > sum(tried(LOCATION, "speed 2")) / 2
    tables = [run["tables"]["tried"]["rows"] for run in load(TRIED)["runs"]]
    twelve = {rows[0]["name"]: sum(row["values"][2] for row in rows) for rows in zip(*tables)}
    assert sorted(twelve, key=twelve.get)[:2] == ["another speed for each symbol", "twice the updates"]
