"""The pictures of tutorials 14 to 16, for docs/diagrams.py."""

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
    p.path("line token dash", "M32 152L104 80", ' stroke-width="1.2"')
    p.text(72, 140, "slope 1", "small start quiet")
    p.math(106, top + 66, "w", "small")
    p.math(60, top - 42, "round w", "small end")

    kept = {(0, 0), (0, 3), (1, 1), (2, 4), (3, 1), (3, 3), (4, 2)}
    for i in range(5):
        for j in range(5):
            left, y = size * (j - 2.5), top + size * (i - 2)
            p.vector(182 + left + size / 2, y, "decoder" if (i, j) in kept else "token", size=size,
                     css="" if (i, j) in kept else "dash faded")
            gone = i == 2 or j == 3
            p.vector(298 + left + size / 2, y, "gradient" if gone else "decoder", size=size, css="dash faded" if gone else "")

    teacher, student = p.grid(392, 142, 5, 3, "context", size=12), p.grid(440, 152, 2, 2, "decoder", size=12)
    p.math(392, 184, "teacher", "small")
    p.math(440, 184, "student", "small")
    words = [p.cell(x, 74, text, role, 38, 26) for x, text, role in ((388, "q", "context"), (440, "p", "decoder"))]
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
    boxes = [p.cell(x, y, f"h_{j}", "encoder", 44, 32) for j, x in enumerate(xs)]
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


@picture("16_step", 420)
def speaker_step(p):
    """One step of the decoder that writes frames.

    The step reads the last frame of the step before, through a layer with relu, and the context of attention. The query of attention is
    the last state; attention also reads the location features of its last weights. From the new state and the context come four frames, and
    the probability of stopping. The last of the four frames is the input of the next step.
    """
    p.header(16, "decoder", "decoder", "s_t = GRU([p_t; c_t], s_{t−1})", "Y_t = W_y [s_t; c_t] + b_y,   z_t = w_z^⊤ [s_t; c_t] + b_z")
    state, y = p.cell(214, 180, "s_t", "decoder"), 180
    before = p.cell(70, y, "s_{t−1}", "decoder", css="dash")
    p.arrow(before.right(), state.left(), role="decoder", width=2.2)
    p.arrow(state.right(), (456, y), role="decoder", width=2.2, css="faded")
    # The outputs.
    frames = [p.grid(186 + 18 * i, 92, 4, 1, "token", size=12) for i in range(4)]
    p.math(126, 92, "Y_t", "end")
    p.text(170, 92, "r = 4", "small end quiet")
    p.arrow(state.top(), (214, 120), role="decoder")
    stop = p.cell(330, 92, "σ(z_t)", "gradient", 62, 32)
    p.text(370, 92, "stop?", "small start quiet")
    p.dot(214, 144, "decoder")
    p.arrow((214, 144), (330, 144), stop.bottom(), role="decoder")
    # The input: the last frame of the step before.
    reader = p.cell(384, 250, "p_t = relu(…)", "decoder", 112, 32)
    last = p.grid(384, 338, 4, 1, "token", size=12)
    p.math(398, 338, "y_{t−1}", "start")
    p.arrow(last.top(), reader.bottom())
    p.arrow(reader.left(), (226, 250), state.bottom(12), role="decoder")
    p.arrow((frames[3].x + 8, 92), (270, 92), (270, 62), (456, 62), (456, 212), (476, 212), css="dash", width=1.2)
    p.math(474, 228, "y_t", "small end")
    # Attention.
    context = p.circle(202, 272, "Σ", "context")
    p.math(180, 252, "c_t", "end")
    p.arrow(context.top(), state.bottom(-12), role="context", width=2.2)
    weights = p.cell(110, 272, "α_t", "attention")
    p.arrow(weights.right(), context.left(), role="context")
    p.arrow(before.bottom(), (70, 236), (98, 236), weights.top(-12), role="decoder")
    p.cell(40, 330, "f_t", "attention", 40, 30)
    p.math(40, 364, "from α_{t−1}", "small")
    p.arrow((60, 330), (98, 330), weights.bottom(-12), role="attention")
    xs = [150 + 44 * j for j in range(4)]
    for j, x in enumerate(xs, 1):
        p.vector(x, 382, *["encoder"] * 2, *["backward"] * 2, size=9)
        p.math(x, 402, f"h_{j}", "small")
    p.arrow((xs[0], 376), (xs[0], 350), (202, 350), context.bottom(), role="encoder")
    for x in xs[1:]:
        p.arrow((x, 376), (x, 350), (202, 350), role="encoder", head=False)
    p.arrow((xs[0], 350), (122, 350), weights.bottom(12), role="encoder")
