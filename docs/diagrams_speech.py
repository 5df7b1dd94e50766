"""The pictures of tutorials 15 and 16, listening and speaking, for docs/diagrams.py."""

import math
import re

from diagrams_kit import at, picture
from diagrams_parts import chain
from results_kit import load


@picture("15_pyramid", 300)
def pyramid(p):
    """A pyramid encoder of two levels.

    Eight frames x_1 to x_8 are at the bottom. The first level joins neighbours in pairs: four states. The second level joins pairs of
    these states: two annotations. Each annotation covers four frames.
    """
    p.header(18, "encoder", "encoder", "h_j^p = GRU([h_{2j−1}^{p−1}; h_{2j}^{p−1}], h_{j−1}^p)")
    xs = [104 + 46 * j for j in range(8)]
    frames = [p.grid(x, 252, 4, 1, "token", size=12) for x in xs]
    for j, x in enumerate(xs, 1):
        p.math(x, 288, f"x_{j}", "small")
    below, y = frames, 174
    for level, height in ((1, 174), (2, 90)):
        y = height
        middles = [(a.x + b.x) / 2 for a, b in zip(below[::2], below[1::2])]
        cells = [p.cell(x, y, f"h_{j}^{level}", "encoder", 54, 32) for j, x in enumerate(middles, 1)]
        for cell, left, right in zip(cells, below[::2], below[1::2]):
            for node, side in ((left, -12), (right, 12)):
                bend = y + 32
                p.arrow(node.top(), (node.x, bend), (cell.x + side, bend), cell.bottom(side), role="token" if level == 1 else "encoder")
        chain(p, cells, "encoder")
        below = cells
    for text, height in (("frames", 252), ("level 1", 174), ("level 2", 90)):
        p.text(12, height, text, "small start quiet")
    for j, cell in enumerate(below):
        p.arrow(cell.top(), (cell.x, 56), role="encoder")
    p.text(240, 62, "annotations", "small quiet")


@picture("15_monotonic", 268)
def monotonic(p):
    """Monotonic attention in numbers.

    Four annotations. The walk begins at the second, because the last step stopped there. It stops at an annotation with the
    probability p, and otherwise moves to the next. The bars show the probabilities of stopping: 0, 0.5, 0.4 and 0.01. With the
    probability 0.09, the walk passes the end.
    """
    p.header(18, "attention", "attention", "q_{tj} = (1 − p_{t,j−1}) q_{t,j−1} + α_{t−1,j}")
    xs, floor, y = [70 + 100 * j for j in range(4)], 112, 156
    p.math(12, floor - 24, "α_t", "start")
    p.arrow((xs[0] - 30, floor), (xs[-1] + 30, floor), head=False, width=1)
    boxes = [p.cell(x, y, f"h_{j}", "encoder", 44, 32) for j, x in enumerate(xs, 1)]
    for box, stops, reached, weight in zip(boxes, (0.9, 0.5, 0.8, 0.1), (0, 1, 0.5, 0.1), (0, 0.5, 0.4, 0.01)):
        if weight:
            p.rect("part context", box.x - 14, floor - 100 * weight, 28, 100 * weight)
        p.text(box.x, floor - 100 * weight - 10, f"{weight:g}", "small")
        p.math(box.x, y + 32, f"p = {stops:g}", "small")
        p.math(box.x, y + 52, f"q = {reached:g}", "small")
    for box, moves in zip(boxes, (0.1, 0.5, 0.2, 0.9)):
        start, end = box.right(), (box.x + 78, y)
        p.arrow(start, end, role="attention", width=2.2, css="faded" if box is boxes[0] else "")
        p.text((start[0] + end[0]) / 2, y - 12, f"{moves:g}", "small quiet")
    p.text(xs[-1] + 22, y + 72, "0.09 passes the end", "small quiet")
    p.arrow((xs[1], y + 92), (xs[1], y + 64), role="decoder", width=2.2)
    p.text(xs[1], y + 102, "the walk begins here", "small decoder")


@picture("15_speed", 128)
def half_of_the_frames(p):
    """Six frames played twice as fast: every second one is left out.

    Of the frames 0 to 5, the frames 1, 3 and 5 are kept. They become the frames 0, 1 and 2.
    """
    xs = [150 + 56 * i for i in range(6)]
    for i, x in enumerate(xs):
        frame = p.cell(x, 28, str(i), "token", 40, 28, "" if i % 2 else "dash faded")
        if i % 2:
            p.arrow(frame.bottom(), p.cell(xs[i // 2 + 1], 98, str(i // 2), "encoder", 40, 28).top(), role="encoder")
    p.text(12, 28, "original frame", "small start quiet")
    p.text(12, 98, "heard frame", "small start quiet")


@picture("15_errors_by_speed", 336)
def errors_by_speed(p):
    """Wrong symbols in percent by speed, a line for each of four models.

    A point is the mean of three seeds, and its bar reaches from the lowest to the highest seed. The speeds from 0.5 to 1, which all
    models heard in training, are shaded. There, the fixed context is at about 20 percent, and the others are below 7. Above 1, the
    lines of the fixed context, of content and of location rise. Location rises most: from 1 to 45 percent. The model that heard
    speeds to 2 stays below 2 percent.
    """
    left, right, floor, unit = 42, 372, 286, 4.1
    tables = [run["tables"]["speed"] for run in load("tutorial_15")["runs"]]
    speeds = [row["name"] for row in tables[0]["rows"]]

    def x_of(speed):
        return left + 14 + (right - left - 28) * (float(speed) - 0.5) / 1.5

    def y_of(percent):
        return floor - unit * percent

    p.text(12, 14, "wrong symbols, %", "small start quiet")
    p.rect("panel token", x_of(0.5), y_of(60), x_of(1) - x_of(0.5), 60 * unit)
    for line, words in enumerate(("heard by all", "in training")):
        p.text((x_of(0.5) + x_of(1)) / 2, y_of(54) + 18 * line, words, "small")
    for percent in range(0, 61, 10):
        p.path("line token faded", f"M{at(left, y_of(percent))}H{right}", ' stroke-width="1"')
        p.text(left - 8, y_of(percent), str(percent), "small end quiet")
    for speed in speeds:
        p.path("line token", f"M{at(x_of(speed), floor)}v4", ' stroke-width="1"')
        p.text(x_of(speed), floor + 16, f"{float(speed):g}", "small quiet")
    p.text((left + right) / 2, floor + 40, "speed", "small quiet")
    roles = {"fixed context": "token", "content": "context", "location": "encoder", "location, speeds to 2": "attention"}
    for column, name in enumerate(tables[0]["columns"]):
        role, points = roles[name], []
        for i, speed in enumerate(speeds):
            percents = [table["rows"][i]["values"][column] for table in tables]
            x, high, low = x_of(speed), y_of(max(percents)), y_of(min(percents))
            points.append((x, y_of(sum(percents) / len(percents))))
            if low - high > 10:
                p.path(f"line {role}", f"M{at(x, low)}V{high:.5g}M{at(x - 4, low)}h8M{at(x - 4, high)}h8", ' stroke-width="1.4" stroke-opacity="0.7"')
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in points), ' stroke-width="2"')
        for point in points:
            p.disc(f"fill {role}", *point, 3.5)
        x, y = points[-1]
        first, *more = name.split(", ")
        p.text(x + 12, y - 16 * len(more), first + "," * len(more), f"small fill start {role}")
        for words in more:
            p.text(x + 12, y, words, f"small fill start {role}")


@picture("15_online", 168)
def online(p):
    """When a model with monotonic attention writes, on an axis of frames.

    Boxes show when the symbols 3, 1 and 4 are said, in the run that the page quotes. An arrow from each box leads down to the frame after which
    the model has written the symbol. Each symbol is written before it ends.
    """
    said, written = (line for line in load("printed_15")["lines"] if re.match(r"(said +\d+ \(frames|written )", line))
    spoken = [tuple(map(int, found)) for found in re.findall(r"(\d+) \(frames (\d+) to (\d+)\)", said)]
    after = [int(frame) for frame in re.findall(r"after frame (\d+)", written)]
    left, unit = 76, 3.7

    def place(frame):
        return left + unit * frame
    p.text(12, 36, "said", "small start name encoder")
    p.text(12, 104, "written", "small start name decoder")
    for (symbol, begin, end), frame in zip(spoken, after):
        p.rect("part encoder", place(begin), 22, unit * (end + 1 - begin) - 2, 28, 6)
        p.text(place((begin + end + 1) / 2), 36, str(symbol), "code")
        p.arrow((place(frame + 0.5), 50), (place(frame + 0.5), 90), role="decoder", width=2.2)
        p.token(place(frame + 0.5), 104, str(symbol))
    p.arrow((left, 132), (474, 132), width=1)
    for frame in range(0, 101, 20):
        p.path("line token", f"M{at(place(frame), 132)}v5", ' stroke-width="1"')
        p.text(place(frame), 150, str(frame), "small quiet")
    p.text(12, 150, "frame", "small start quiet")


@picture("15_silence", 262)
def silence(p):
    """Annotations of silence move behind the others.

    The powers of five annotations are 0.1, 2, 1.5, 0.15 and 1.8. The threshold is 0.2. The annotations 1 and 4 are below it, so they
    are silent. The new order is 2, 3, 5, 1, 4. The length does not count silent annotations. It is now 3, so attention treats the
    last two as padding.
    """
    powers, threshold, order = (0.1, 2, 1.5, 0.15, 1.8), 0.2, (2, 3, 5, 1, 4)
    xs, floor, scale = [112 + 74 * j for j in range(5)], 110, 40
    p.text(12, 60, "power", "small start quiet")
    p.arrow((xs[0] - 34, floor), (xs[-1] + 34, floor), head=False, width=1)
    p.path("line gradient dash", f"M{at(xs[0] - 34, floor - scale * threshold)}H{xs[-1] + 34}", ' stroke-width="1.6"')
    p.text(xs[-1] + 38, floor - scale * threshold - 2, "0.2", "small start")
    for j, (x, power) in enumerate(zip(xs, powers), 1):
        p.rect(f"part {'encoder' if power >= threshold else 'token'}", x - 15, floor - scale * power, 30, scale * power)
        p.text(x, floor - scale * max(power, threshold) - 10, f"{power:g}", "small")
        css, line = ("", "encoder") if power >= threshold else ("dash faded", "token faded")
        before, after = (p.cell(*place, f"h_{j}", "encoder", 44, 30, css) for place in ((x, 136), (xs[order.index(j)], 206)))
        p.arrow(before.bottom(), after.top(), role=line)
    p.text(xs[1], 244, "length 3", "small")
    p.text((xs[3] + xs[4]) / 2, 244, "as padding", "small quiet")


@picture("15_tried", 344)
def tried(p):
    """Errors in strings of 12 symbols against errors at speed 2, for eight models of tutorial 15 --tried.

    A point is the mean of three seeds, and its bars reach from the lowest to the highest seed. The three models that learnt from
    utterances with frames left out, and with twice the updates, are far to the left: at most 3 % of the symbols are wrong at
    speed 2. The models with only twice the updates, or with another speed for each symbol, are at the bottom. No model is in the
    corner at the bottom left.
    """
    tables = [run["tables"]["tried"] for run in load("tutorial_15_tried")["runs"]]
    columns, left, floor, scale_x, scale_y = tables[0]["columns"], 52, 292, 5.7, 3.8
    for percent in range(0, 71, 10):
        x, y = left + scale_x * percent, floor - scale_y * percent
        p.path("line token faded", f"M{at(left, y)}H{left + 70 * scale_x:g}", ' stroke-width="1"')
        p.text(left - 8, y, str(percent), "small end quiet")
        p.text(x, floor + 16, str(percent), "small quiet")
    p.text(12, 8, "wrong in strings of 12 symbols, %", "small start quiet")
    p.text(left + 35 * scale_x, floor + 40, "wrong at speed 2, %", "small quiet")
    for name, role, dx, dy, css, label in (
            ("location, as in tutorial 15", "encoder", 9, -12, "start", "location"), ("content, as in tutorial 15", "context", 22, -4, "start", "content"),
            ("filters of 3 positions", "encoder", 28, 12, "start", "filters of 3 positions"),
            ("another speed for each symbol", "gate", 9, -40, "start", "another speed for"), ("twice the updates", "decoder", -9, 14, "end", "twice the updates"),
            ("frames left out, twice the updates", "attention", 12, 0, "start", "frames left out"),
            ("frames left out, filters of 7 positions, twice the updates", "attention", 12, -20, "start", "frames left out, filters of 7 positions"),
            ("frames left out, content, twice the updates", "attention", 12, 52, "start", "frames left out, content")):
        rows = [next(row for row in table["rows"] if row["name"] == name) for table in tables]
        fast, twelve = ([row["values"][columns.index(column)] for row in rows] for column in ("speed 2", "12 symbols"))
        x, y = left + scale_x * sum(fast) / len(fast), floor - scale_y * sum(twelve) / len(twelve)
        west, east = (left + scale_x * of(fast) for of in (min, max))
        low, high = (floor - scale_y * of(twelve) for of in (min, max))
        dash, ink = " dash" if role == "gate" else "", ' stroke-width="1.4" stroke-opacity="0.7"'
        p.path(f"line {role}{dash}", f"M{at(west, y)}H{east:.5g}M{at(x, low)}V{high:.5g}", ink)
        caps = [f"M{at(end, y - 4)}V{y + 4:.5g}" for end in (west, east) if east - west > 40]
        caps += [f"M{at(x - 4, end)}H{x + 4:.5g}" for end in (low, high) if low - high > 20]
        if caps:
            p.path(f"line {role}", "".join(caps), ink)
        p.disc(f"fill {role}", x, y, 4.5)
        p.text(x + dx, y + dy, label, f"small fill {css} {role}")
        if dy > 20:  # far from its point
            p.path(f"line {role}", f"M{at(x + 2, y + 7)}L{at(x + dx - 2, y + dy - 7)}", ' stroke-width="1"')
        if label.endswith("for"):
            p.text(x + dx, y + dy + 17, "each symbol", f"small fill {css} {role}")


@picture("15_location", 366)
def location(p):
    """Location features in numbers.

    The last weights are 0, 0.8, 0.2, 0 and 0. A filter of width three, (1, 0, 0), gives each position the weight to its left: the
    features are 0, 0, 0.8, 0.2 and 0. The energy of a position depends on the state, the annotation and this feature.
    """
    p.header(18, "attention", "attention", "e_{tj} = v_a^⊤ tanh(W_a s_{t−1} + U_a h_j + U_f f_{tj})")
    xs, floor = [150 + 66 * j for j in range(5)], 344
    weights, features = (0, 0.8, 0.2, 0, 0), (0, 0, 0.8, 0.2, 0)
    for y, values, role, name in ((floor, weights, "context", "α_{t−1}"), (150, features, "attention", "f_t")):
        p.math(12, y - 22, name, "start")
        p.arrow((xs[0] - 30, y), (xs[-1] + 30, y), head=False, width=1)
        for x, value in zip(xs, values):
            if value:
                p.rect(f"part {role}", x - 14, y - 60 * value, 28, 60 * value)
            p.text(x, y + 11, f"{value:g}", "small quiet")
    # The filter, drawn above positions 2 to 4, computes the feature of position 3.
    y = 250
    p.math(12, y, "F", "start")
    for x, value in zip(xs[1:4], (1, 0, 0)):
        p.cell(x, y, str(value), "attention", 54, 26)
    p.arrow((xs[1], floor - 52), (xs[1], y + 13), role="context", width=2.2)
    p.arrow((xs[2], floor - 16), (xs[2], y + 13), role="context", css="faded")
    p.arrow((xs[3], floor - 4), (xs[3], y + 13), role="context", css="faded")
    total = p.circle(xs[2], 194, "+", "attention")
    for x, end in zip(xs[1:4], (total.left(), total.bottom(), total.right())):
        p.arrow((x, y - 13), *[(x, 194)] * (x != xs[2]), end, role="attention", width=2.2 if x == xs[1] else 1.6, css="" if x == xs[1] else "faded")
    p.arrow(total.top(), (xs[2], 168), role="attention", width=2.2)
    energy = p.cell(xs[2], 60, "e_{t3}", "attention", 54, 26)
    p.arrow((xs[2], 150 - 50), energy.bottom(), role="attention", width=2.2)
    for x, text, role in ((xs[0], "W_a s_{t−1}", "decoder"), (xs[4], "U_a h_3", "encoder")):
        box = p.cell(x, 60, text, role, 84, 26)
        p.arrow(box.right() if x < xs[2] else box.left(), energy.left() if x < xs[2] else energy.right(), role=role)
    p.math(xs[2] + 10, 86, "U_f", "small start")


@picture("16_step", 440)
def speaker_step(p):
    """One step of the decoder that writes frames.

    The step has two inputs. One is the fourth frame of the previous step, which passes through a layer with relu. The other is the
    context of attention. The query of attention is the previous state. Attention also reads the location features of its previous
    weights. From the new state and the context come four frames, and the probability of stopping. The fourth frame is an input of
    the next step.
    """
    p.header(16, "decoder", "decoder", "s_t = GRU([m_t; c_t], s_{t−1})", "Y_t = W_y [s_t; c_t] + b_y,   z_t = w_z^⊤ [s_t; c_t] + b_z")
    state, y = p.cell(214, 200, "s_t", "decoder"), 200
    before = p.cell(70, y, "s_{t−1}", "decoder", css="dash")
    p.arrow(before.right(), state.left(), role="decoder", width=2.2)
    p.arrow(state.right(), (476, y), role="decoder", width=2.2, css="faded")
    # The outputs.
    frames = [p.grid(186 + 18 * i, 92, 4, 1, "token", size=12) for i in range(4)]
    p.math(126, 92, "Y_t", "end")
    p.text(170, 92, "r = 4", "small end quiet")
    both = p.cell(214, 150, "[s_t; c_t]", "decoder", 72, 26)
    p.arrow(state.top(), both.bottom(), role="decoder")
    p.arrow(both.top(), (214, 119), role="decoder")
    stop = p.cell(330, 92, "σ(z_t)", "gradient", 62, 32)
    p.text(370, 92, "stop?", "small start quiet")
    p.arrow(both.right(), (330, 150), stop.bottom(), role="decoder")
    # The input: the last frame of the step before.
    reader = p.cell(384, 270, "m_t = relu(…)", "decoder", 112, 32)
    last = p.grid(384, 358, 4, 1, "token", size=12)
    p.math(398, 358, "y_{t−1}", "start")
    p.arrow(last.top(), reader.bottom())
    p.arrow(reader.left(), (226, 270), state.bottom(12), role="decoder")
    p.arrow((frames[3].x + 8, 92), (270, 92), (270, 62), (456, 62), (456, 232), (476, 232), css="dash", width=1.2)
    p.math(474, 248, "y_t", "small end")
    # Attention.
    context = p.circle(202, 292, "Σ", "context")
    p.math(180, 272, "c_t", "end")
    p.arrow(context.top(), state.bottom(-12), role="context", width=2.2)
    p.dot(202, 246, "context")
    p.arrow((202, 246), (154, 246), (154, 150), both.left(), role="context")
    weights = p.cell(110, 292, "α_t", "attention")
    p.arrow(weights.right(), context.left(), role="context")
    p.arrow(before.bottom(), (70, 256), (98, 256), weights.top(-12), role="decoder")
    p.cell(40, 350, "f_t", "attention", 40, 30)
    p.math(40, 384, "from α_{t−1}", "small")
    p.arrow((60, 350), (98, 350), weights.bottom(-12), role="attention")
    xs = [150 + 44 * j for j in range(4)]
    for j, x in enumerate(xs, 1):
        p.vector(x, 402, *["encoder"] * 2, *["backward"] * 2, size=9)
        p.math(x, 422, f"h_{j}", "small")
    # A line joins all annotations. Attention and the sum read it.
    bus = 376
    p.arrow((xs[-1], 396), (xs[-1], bus), (122, bus), weights.bottom(12), role="encoder")
    for x in xs[:-1]:
        p.arrow((x, 396), (x, bus), role="encoder", head=False)
    p.arrow((202, bus), context.bottom(), role="encoder")
    p.dot(202, bus, "encoder")


@picture("16_phases", 236)
def phases(p):
    """Griffin and Lim's two steps.

    On the left, two windows overlap at a sample, with the weights 0.6 and 0.8. They ask for 0.5 and 0.4, and the sample becomes
    0.436. On the right, the iteration moves back and forth between a curve and a line. The curve stands for the spectra with
    the wanted magnitudes A, the line for the spectra of sounds. No distance is longer than the one before, but the two do not
    meet.
    """
    floor, height, half, sample = 150, 100, 84, 126

    def distance(weight):
        """How far from its middle a Hann window has this weight. The window extends `half` to each side."""
        return half * 2 / math.pi * math.acos(math.sqrt(weight))
    p.arrow((12, floor), (246, floor), head=False, width=1)
    for middle, weight, role in ((sample - distance(0.6), 0.6, "encoder"), (sample + distance(0.8), 0.8, "attention")):
        points = [(middle + half * d / 20, floor - height * math.cos(math.pi * d / 40) ** 2) for d in range(-20, 21)]
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in points), ' stroke-width="2.2"')
        p.disc(f"fill {role}", sample, floor - height * weight, 4)
        p.text(sample + 12, floor - height * weight + (4 if weight > 0.7 else 2), f"{weight:g}", "small start")
    p.path("line token dash", f"M{at(sample, floor)}V40", ' stroke-width="1.2"')
    p.math(sample, 20, "x_n = 0.436")
    for y, role, asked in ((178, "encoder", "0.3 / 0.6 = 0.5"), (200, "attention", "0.32 / 0.8 = 0.4")):
        p.disc(f"fill {role}", 70, y, 4)
        p.math(84, y, asked, "small start")
    # The two sets as a curve and a line, which do not meet. Each arrow leads to the nearest point of the other set.
    sounds, first, last = 196, 286, 461

    def magnitudes(x):
        return sounds - 30 - 0.0044 * (x - last) ** 2

    def nearest(x):
        """The x of the point of the curve that is nearest to (x, sounds)."""
        return min((math.hypot(u - x, sounds - magnitudes(u)), u) for u in (first + step / 10 for step in range(10 * (last - first))))[1]
    points = [(x, magnitudes(x)) for x in range(first, last + 1, 5)]
    p.path("line context", "M" + "L".join(at(*point) for point in points), ' stroke-width="2.2"')
    p.path("line decoder", f"M{at(first, sounds)}H{last}", ' stroke-width="2.2"')
    x = first + 12
    for name in ("", "′", "″"):
        u = nearest(x)
        p.arrow((x, sounds), (u, magnitudes(u)), role="context")
        p.arrow((u, magnitudes(u)), (u, sounds), role="decoder")
        p.math(x, sounds + 16, "X" + name, "small")
        p.math(u + 4, magnitudes(u) - 14, "Y" + name, "small")
        x = u
    p.math(first + 16, magnitudes(first), "magnitudes A", "small start")
    p.math(472, sounds + 16, "sounds", "small end")
