"""The pictures of tutorials 14 and 15, for docs/diagrams.py."""

from diagrams_kit import picture
from diagrams_parts import chain


@picture("14_four_ways", 236)
def four_ways(p):
    """Four ways to make a model smaller.

    Fewer bits: the weights w are rounded to a staircase of values. Fewer weights: the smallest ones become 0. Fewer units: a row and
    a column of a matrix are removed. A student: a smaller model learns to predict the probabilities of a larger one.
    """
    size, top = 15, 108
    for x, name, result in ((66, "fewer bits", "coarser values"), (182, "fewer weights", "most are 0"),
                            (298, "fewer units", "a smaller matrix"), (414, "a student", "another model")):
        p.panel("decoder", x - 54, 34, 108, 160)
        p.text(x, 18, name, "name decoder")
        p.text(x, 212, result, "small quiet")

    p.arrow((24, top + 52), (110, top + 52), width=1.2)
    p.arrow((66, top + 62), (66, top - 50), width=1.2)
    stairs = "M32 142" + "".join(f"h{8 if step in (0, 4) else 17}v-17" for step in range(4)) + "h9"
    p.path("line decoder", stairs, ' stroke-width="2.2"')
    p.math(106, top + 66, "w", "small")
    p.math(60, top - 42, "round w", "small end")

    zeros = {(0, 1), (0, 2), (1, 0), (1, 3), (1, 4), (2, 1), (2, 2), (3, 0), (3, 2), (3, 4), (4, 0), (4, 1), (4, 3)}
    for i in range(5):
        for j in range(5):
            left, y = size * (j - 2.5), top + size * (i - 2)
            p.vector(182 + left + size / 2, y, "token" if (i, j) in zeros else "decoder", size=size,
                     css="dash faded" if (i, j) in zeros else "")
            gone = i == 2 or j == 3
            p.vector(298 + left + size / 2, y, "gradient" if gone else "decoder", size=size, css="dash faded" if gone else "")

    teacher, student = p.grid(392, 142, 5, 3, "context", size=12), p.grid(440, 152, 2, 2, "decoder", size=12)
    p.math(392, 184, "teacher", "small")
    p.math(440, 184, "student", "small")
    words = [p.cell(x, 74, text, role, 38, 26) for x, text, role in ((388, "p_T", "context"), (440, "p_S", "decoder"))]
    p.arrow(teacher.top(-4), words[0].bottom(), role="context")
    p.arrow(student.top(), words[1].bottom(), role="decoder")
    p.arrow((390, 48), (390, 44), (438, 44), (438, 60), role="context", head=True)
    p.arrow(words[0].top(2), (390, 46), role="context", head=False)


@picture("15_pyramid", 300)
def pyramid(p):
    """A pyramid encoder of two levels.

    Eight frames x_0 to x_7 are at the bottom. The first level joins neighbours in pairs: four states. The second level joins pairs of
    these states: two annotations. Each annotation covers four frames.
    """
    p.header(18, "encoder", "encoder", "h_j^p = GRU([h_{2j}^{p−1}; h_{2j+1}^{p−1}], h_{j−1}^p)")
    xs = [104 + 46 * j for j in range(8)]
    frames = [p.grid(x, 252, 4, 1, "token", size=12) for x in xs]
    for j, x in enumerate(xs):
        p.math(x, 288, f"x_{j}", "small")
    below, y = frames, 174
    for level, height in ((1, 174), (2, 90)):
        y = height
        middles = [(a.x + b.x) / 2 for a, b in zip(below[::2], below[1::2])]
        cells = [p.cell(x, y, f"h_{j}^{level}", "encoder", 54, 32) for j, x in enumerate(middles)]
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
    # The filter, drawn above positions 1 to 3, computes the feature of position 2.
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
    energy = p.cell(xs[2], 60, "e_{t2}", "attention", 54, 26)
    p.arrow((xs[2], 150 - 50), energy.bottom(), role="attention", width=2.2)
    for x, text, role in ((xs[0], "W_a s_{t−1}", "decoder"), (xs[4], "U_a h_2", "encoder")):
        box = p.cell(x, 60, text, role, 84, 26)
        p.arrow(box.right() if x < xs[2] else box.left(), energy.left() if x < xs[2] else energy.right(), role=role)
    p.math(xs[2] + 10, 86, "U_f", "small start")
