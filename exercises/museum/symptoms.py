"""Prints the symptoms of an exhibit: loss, exact match by length, an output, weights, checks."""

import re
import unicodedata

BARS = "▁▂▃▄▅▆▇█"
SHADES = " ░▒▓█"
WIDTH = 40  # characters of a loss curve
TRAINED = 6  # the first six lengths occur in training


def exact_match(own, single):
    """The exact match by the program's own evaluation. If decoding without targets gives another result, appends that result
    in brackets."""
    return f"{own:.2f}" if abs(own - single) < 0.005 else f"{own:.2f} ({single:.2f})"


def curve(losses):
    """A loss curve as one line of bars. The scale runs from 0 to the first value."""
    step = max(1, len(losses) // WIDTH)
    means = [sum(losses[i:i + step]) / len(losses[i:i + step]) for i in range(0, len(losses), step)]
    top = max(means[0], 1e-9)
    return "".join(BARS[min(len(BARS) - 1, int(max(mean, 0) / top * len(BARS)))] for mean in means)


def weights(result):
    """The first line has the source tokens, · for a pad. Then one line per step: the true token, a shade for each weight."""
    head = "".join(f"{'·' if token == '<pad>' else token:<2}" for token in result["source"])
    lines = [f"      {head}"]
    for token, row in zip(result["target"], result["weights"], strict=True):
        cells = "".join(SHADES[min(len(SHADES) - 1, round(weight * (len(SHADES) - 1) + 0.2))] * 2 for weight in row)
        lines.append(f"{token:>5} {cells}".rstrip())
    return "\n".join(lines)


def output(result):
    written = " ".join(result["output"])
    return written if len(written) < 60 else written[:57] + "…"


def checks(result):
    """The verdicts of the usual checks: True if the check finds no mistake."""
    trained = [(own, single) for own, single in zip(result["exact"]["own"][:TRAINED], result["exact"]["single"][:TRAINED], strict=True)]
    return {"gradient check": result["gradcheck"],
            "loss below 0.1": result["losses"][-1] < 0.1,
            "own exact match at 3–8": min(own for own, _ in trained) >= 0.95,
            "the same without targets, one by one": min(single for _, single in trained) >= 0.95,
            "padding changes nothing": result["padding"] < 1e-4}


def labelled(label, content):
    """A label padded to 14 columns, then the content. A Chinese character takes two columns."""
    columns = sum(2 if unicodedata.east_asian_width(letter) == "W" else 1 for letter in label)
    return f"{label}{' ' * (14 - columns)}{content}".rstrip()


def text(result, results, say=lambda words: words):
    """All symptoms as text for the page and for a terminal. `say` translates words."""
    losses = result["losses"]
    exact = [f"{length}: {exact_match(own, single)}" for length, own, single in
             zip(results["lengths"], result["exact"]["own"], result["exact"]["single"], strict=True)]
    fall = say("from {} to {} in {} updates").format(f"{losses[0]:.2f}", f"{losses[-1]:.3f}", results["steps"])
    passed = [f"{'✓' if ok else '✗'} {say(name)}" for name, ok in checks(result).items()]
    lines = [(say("loss"), f"{curve(losses)}  {fall}"),
             (say("exact match"), "  ".join(exact[:TRAINED])),
             (say("untrained"), "  ".join(exact[TRAINED:])),
             (say("source"), " ".join(token for token in result["source"] if token != "<pad>")),
             (say("output"), output(result)),
             (say("checks"), passed[0]), *(("", line) for line in passed[1:]),
             (say("weights"), say("rows: true output; columns: source, · pads"))]
    return "\n".join([*(labelled(label, content) for label, content in lines), weights(result)])


def compact(json_text):
    """Puts each list of numbers or words on one line."""
    return re.sub(r"\[\s*([^\[\]{}]*?)\s*\]", lambda match: "[" + re.sub(r",\s*", ", ", match[1]) + "]", json_text)
