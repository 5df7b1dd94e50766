#!/usr/bin/env python3
"""Draws the models of the tutorials as circuits.

docs/diagrams.py render   writes docs/pictures/diagram_*.svg
docs/diagrams.py check    fails if a picture is not what `render` would write, or if no page shows it

Data flows upwards: the encoder is at the bottom, the context above it, the decoder at the top. A part has the same place, shape
and colour in all pictures. diagrams_kit.py draws the parts.
"""

import math
import sys

from diagrams_kit import ROOT, Picture

PICTURES = ROOT / "docs" / "pictures"
START, COLUMNS = 40, (115, 210, 305, 400)  # x of the first state and of the steps


# ---- Parts of models ----


def chain(p, nodes, role):
    """State arrows."""
    for before, after in zip(nodes, nodes[1:]):
        ends = (before.right(), after.left()) if before.x < after.x else (before.left(), after.right())
        p.arrow(*ends, role=role, width=2.2)


def encoder(p, y, tokens="abc"):
    """One direction. Returns its cells."""
    cells = [p.cell(x, y, f"h_{j}", "encoder") for j, x in enumerate(COLUMNS[:len(tokens)], 1)]
    start = p.cell(START, y, "h_0", "encoder", css="dash")
    for cell, token in zip(cells, tokens):
        p.arrow(p.token(cell.x, y + 54, token).top(), cell.bottom())
    chain(p, [start, *cells], "encoder")
    return cells


def annotation(p, x, y, j, css=""):
    """h_j: a half of each direction."""
    p.vector(x, y, *["encoder"] * 3, *["backward"] * 3, css=css)
    p.math(x + 38, y, f"h_{j}", "start")


def annotations(p, y, xs, tokens="abcd"):
    """Both directions, and the annotations above them."""
    ahead = [p.cell(x - 20, y + 92, f"h→_{j}", "encoder", 40, 32) for j, x in enumerate(xs, 1)]
    back = [p.cell(x + 20, y + 46, f"h←_{j}", "backward", 40, 32) for j, x in enumerate(xs, 1)]
    chain(p, ahead, "encoder")
    chain(p, back[::-1], "backward")
    for j, (x, a, b) in enumerate(zip(xs, ahead, back), 1):
        annotation(p, x, y, j)
        token = p.token(x, y + 140, tokens[j - 1])
        p.arrow(token.top(), (x, y + 118), (x - 20, y + 118), a.bottom())
        p.arrow(token.top(), (x, y + 118), (x + 20, y + 118), b.bottom())
        p.arrow(a.top(), (x - 20, y + 6), role="encoder")
        p.arrow(b.top(), (x + 20, y + 6), role="backward")


def output(p, state, text, literal=True):
    """The prediction above a state. Returns the softmax."""
    softmax = p.cell(state.x, state.y - 57, "softmax", "decoder", 62, 26)
    p.arrow(state.top(), softmax.bottom(), role="decoder")
    p.arrow(softmax.top(), p.token(state.x, softmax.y - 42, text, literal).bottom(), role="decoder")
    return softmax


def decoder(p, y, inputs=("<bos>", "c", "b", "a"), outputs=("c", "b", "a", "<eos>")):
    """The decoder with teacher forcing. Returns the first state, the cells, the softmaxes and the inputs."""
    start = p.cell(START, y, "s_0", "decoder")
    cells = [p.cell(x, y, f"s_{t}", "decoder") for t, x in enumerate(COLUMNS, 1)]
    chain(p, [start, *cells], "decoder")
    tokens = [p.token(x - 14, y + 54, text) for x, text in zip(COLUMNS, inputs)]
    for cell, token in zip(cells, tokens):
        p.arrow(token.top(), cell.bottom(-14))
    return start, cells, [output(p, cell, text) for cell, text in zip(cells, outputs)], tokens


def feed(p, cell, softmax, token, source):
    """The context and the previous token go into a state and into its prediction. `source` is where the context comes from."""
    x, y = cell.bottom(14)
    p.arrow(source, (x, y), role="context")
    p.dot(x, y + 12, "context")
    p.arrow((x, y + 12), (x + 24, y + 12), (x + 24, softmax.y), softmax.right(), role="context")
    p.arrow(token.left(), (cell.x - 44, token.y), (cell.x - 44, softmax.y), softmax.left())


def attention(p, y, xs, query, symbol="t", weights=(0.15, 0.25, 0.6)):
    """Scores, mask, softmax, and the sum of the annotations with these weights; None is padding. The annotations are at
    y + 250. `query` is the first points of the query's arrow. Returns the sum."""
    total = p.circle((xs[0] + xs[2]) / 2, y, "Σ", "context", 14)
    left, width, bus = xs[0] - 42, xs[-1] - xs[0] + 88, y + 172
    p.panel("attention", left, y + 26, width, 202)
    p.arrow(*query, (query[-1][0], bus), (xs[-1] - 13, bus), (xs[-1] - 13, y + 156), role="attention")
    for x, weight in zip(xs, weights):  # behind the bar
        css = "faded" if weight is None else ""
        p.arrow((x + 29, y + 244), (x + 29, y + 52), (x + 11, y + 52), role="encoder", css=css)
        p.arrow((x, y + 244), (x, y + 210), role="encoder", css=css)
    p.rect("back", left + 8, y + 94, width - 16, 26, 8)
    p.rect("part attention", left + 8, y + 94, width - 16, 26, 8)
    p.math(total.x, y + 107, "mask, softmax")
    for j, (x, weight) in enumerate(zip(xs, weights), 1):
        energy, share, dash, faded = (
            (f"e_{{{symbol}{j}}}", f"α_{{{symbol}{j}}}", "", "") if weight else ("−∞", "0", "dash", "faded"))
        product = p.circle(x, y + 52, "×", "attention", 11)
        score = p.cell(x, y + 144, energy, "attention", 46, 24, dash)
        key = p.cell(x, y + 198, "U_a", "attention", 40, 24, faded)
        p.arrow(key.top(), score.bottom(), role="attention", css=faded)
        if x != xs[-1]:
            p.dot(x - 13, bus, "attention")
            p.arrow((x - 13, bus), score.bottom(-13), role="attention")
        p.arrow(score.top(), (x, y + 120), role="attention")
        p.arrow((x, y + 94), product.bottom(), role="attention")
        p.math(x - 6, y + 77, share, "end")
        if weight:
            end = (total.x, y + 14) if x == total.x else (total.x + math.copysign(13, x - total.x), y + 5)
            p.arrow(product.top(), end, role="context", width=1 + 4 * weight)
    return total


def carry(p, y, *nodes):
    """The thick line of a cell, through the nodes."""
    starts, ends = [(20, y), *(node.right() for node in nodes)], [*(node.left() for node in nodes), (462, y)]
    for start, end in zip(starts, ends):
        p.arrow(start, end, role="encoder", width=3.4)


# ---- Pictures ----

DRAWN = {}  # file → svg


def picture(name, height):
    """Registers a picture. The function's docstring is its title and its description."""

    def drawn(draw):
        title, description = draw.__doc__.split("\n", 1)
        p = Picture(height, title.rstrip("."), " ".join(description.split()))
        draw(p)
        DRAWN[PICTURES / f"diagram_{name}.svg"] = p.svg()
        return draw

    return drawn


@picture("00_tensor", 350)
def tensor(p):
    """Tensors as handles, and broadcasting.

    Above: a of shape (2, 3), a[1] of shape (3) and flat of shape (6) are handles to one block of six numbers. Below: the
    sum of a matrix (2, 3) and a row (3), which is repeated for each row of the matrix.
    """
    size = 30

    def numbers(x, y, rows, role, css=""):
        """A matrix with its numbers; (x, y) is its upper left corner."""
        for i, row in enumerate(rows):
            for j, number in enumerate(row):
                p.rect(f"part {role} {css}", x + size * j, y + size * i, size, size)
                p.text(x + size * (j + 0.5), y + size * (i + 0.5), str(number), f"code {css}")

    p.text(12, 18, "handles", "name start attention")
    p.text(262, 18, "one block of memory", "name start encoder")
    left, bottom = 262, 52 + size
    numbers(left, 52, [range(1, 7)], "encoder")
    for y, text, end in ((67, "a: (2, 3)", (left, 67)), (112, "a[1]: (3)", (left + 3.5 * size, bottom)),
                         (152, "flat: (6)", (left + 0.5 * size, bottom))):
        p.text(12, y, text, "code start")
        p.arrow((100, y), *([(end[0], y)] if y > bottom else []), end, role="attention")

    p.text(12, 200, "broadcasting", "name start decoder")
    top = 250
    for x, rows, role, name in ((12, [[1, 2, 3], [4, 5, 6]], "encoder", "a: (2, 3)"), (146, [[10, 20, 30]], "context", "row: (3)"),
                                (288, [[11, 22, 33], [14, 25, 36]], "decoder", "a + row: (2, 3)")):
        p.text(x, top - 22, name, "code start")
        numbers(x, top, rows, role)
    numbers(146, top + size, [[10, 20, 30]], "context", "dash faded")
    p.math(124, top + size, "+")
    p.math(262, top + size, "=")
    p.text(146, top + 2 * size + 22, "repeated, not copied", "small start quiet")


@picture("02_tape", 530)
def tape(p):
    """Four operations, forward and backward.

    zip: the gradient of an operand is the gradient of the result times the other operand. broadcast: the gradient is
    summed over the repeated axis. reduce: the gradient is repeated over the summed axis. matmul: the gradients are
    products with the other operand, transposed.
    """
    p.text(116, 18, "forward", "name encoder")
    p.text(356, 18, "backward", "name gradient")

    def line(x, y, operation, operands, result):
        """A matrix is its rows, columns and name; a name with a bar is a gradient."""
        for i, (rows, columns, name) in enumerate([*operands, result]):
            if i == len(operands):
                is_unary = len(operands) == 1
                p.arrow((x + 8, y), (x + (64 if is_unary else 36), y))
                if is_unary:
                    p.math(x + 34, y - 12, operation, "small")
                x += 72 if is_unary else 44
            elif i:
                p.math(x + 11, y, operation)
                x += 22
            grid = p.grid(x + 6.5 * columns, y, rows, columns, "gradient" if "¯" in name else "encoder")
            p.math(grid.x, y - grid.height / 2 - 13, name)
            x += grid.width

    def draw(y, name, saved, forward, *backward):
        p.text(12, y, name, "name start token")
        p.math(104, y, saved, "small start quiet")
        height = max(rows for _, operands, _ in (forward, *backward) for rows, *_ in operands)
        line(14, y + 28 + 10 * height, *forward)
        for i, one in enumerate(backward):
            line(262, y + 28 + 10 * height + (36 + 10 * height) * i, *one)

    def matrix(name, rows=2, columns=3):
        return rows, columns, name

    a, b, y, y_bar, Y_bar = matrix("a"), matrix("b"), matrix("y"), matrix("y¯"), matrix("Y¯", 2, 4)
    draw(44, "zip", "keeps a, b", ("·", [a, b], y), ("·", [y_bar, b], matrix("a¯")), ("·", [y_bar, a], matrix("b¯")))
    draw(184, "broadcast", "keeps the shape", ("repeat", [matrix("b", 1)], y), ("Σ_i", [y_bar], matrix("b¯", 1)))
    draw(268, "reduce", "keeps the shape", ("Σ_i", [a], matrix("y", 1)), ("repeat", [matrix("y¯", 1)], matrix("a¯")))
    draw(352, "matmul", "keeps A, B", ("", [matrix("A"), matrix("B", 3, 4)], matrix("Y", 2, 4)),
         ("", [Y_bar, matrix("B^⊤", 4, 3)], matrix("A¯")), ("", [matrix("A^⊤", 3, 2), Y_bar], matrix("B¯", 3, 4)))


@picture("04_rnn", 300)
def rnn(p):
    """A recurrent network, unrolled, forward and backward.

    Each state is computed from the token and the state before it, with the same parameters at every step. The
    gradient of the loss goes back from state to state.
    """
    p.header(16, "encoder", "forward", "h_t = tanh(W_{ih} x_t + W_{hh} h_{t−1} + b)")
    p.header(40, "gradient", "backward", "∂L/∂h_{t−1} = W_{hh}^⊤ ((1 − h_t^2) ∘ ∂L/∂h_t)")
    y = 190
    states = [p.cell(x, y, f"h_{t}", "encoder") for x, t in zip(COLUMNS, ("1", "2", "{T−1}", "T"))]
    start = p.cell(START, y, "h_0", "encoder", css="dash")
    for before, after in ((start, states[0]), (states[0], states[1]), (states[2], states[3])):
        p.arrow(before.right(4), after.left(4), role="encoder", width=2.2)
        p.math((before.x + after.x) / 2, y + 22, "W_{hh}", "small")
    p.math((COLUMNS[1] + COLUMNS[2]) / 2, y, "⋯")
    for state, t in zip(states, ("1", "2", "{T−1}", "T")):
        p.arrow(p.token(state.x, y + 78, f"x_{t}", False).top(), state.bottom())
        p.math(state.x + 6, y + 44, "W_{ih}", "small start")
    for before, after in zip([start, *states], states):
        p.arrow(after.top(-8), (after.x - 8, y - 40), (before.x + 8, y - 40), before.top(8), role="gradient", css="dash")
    loss = p.cell(COLUMNS[3], y - 98, "L", "decoder", 40, 28)
    p.arrow(states[-1].top(4), loss.bottom(4), role="decoder")
    p.arrow(loss.bottom(-8), states[-1].top(-8), role="gradient", css="dash")
    p.math(COLUMNS[3] + 10, y - 50, "W_o", "small start")
    p.math(COLUMNS[3] - 14, y - 62, "∂L/∂h_T", "small end")


@picture("05_gru", 330)
def gru(p):
    """A GRU cell as a circuit.

    The state h passes along the top: it is multiplied by z, then (1 − z) ∘ n is added. The gates r and z are sigmoids
    of x and h; n is a tanh of x and of r ∘ (W_hn h + b_hn).
    """
    top, middle, row, h_line, x_line = 70, 132, 200, 250, 276
    p.panel("encoder", 52, 30, 376, 262)
    r, n, z = (p.cell(x, row, text, role, 50, 30)
               for x, text, role in ((96, "σ", "gate"), (260, "tanh", "encoder"), (344, "σ", "gate")))
    reset = p.circle(190, row, "∘", "gate")
    keep, new = p.circle(362, top, "∘", "gate"), p.circle(326, middle, "∘", "gate")
    plus = p.circle(404, top, "+", "encoder")
    carry(p, top, keep, plus)
    p.dot(36, top, "encoder")
    p.arrow((36, top), (36, h_line), (z.x - 10, h_line), z.bottom(-10), role="encoder")
    p.arrow((24, 310), (24, x_line), (z.x + 10, x_line), z.bottom(10))
    for x in (r.x - 10, reset.x):
        p.dot(x, h_line, "encoder")
        p.arrow((x, h_line), (x, row + (15 if x < 150 else 12)), role="encoder")
    for x in (r.x + 10, n.x):
        p.dot(x, x_line, "token")
        p.arrow((x, x_line), (x, row + 15))
    p.arrow(r.right(), reset.left(), role="gate")
    p.arrow(reset.right(), n.left(), role="encoder")
    p.arrow(n.top(), (n.x, middle), new.left(), role="encoder")
    p.arrow((new.x, row - 15), new.bottom(), role="gate")
    p.arrow((keep.x, row - 15), keep.bottom(), role="gate")
    p.arrow(new.right(), (plus.x, middle), plus.bottom(), role="encoder")
    p.math(20, top - 20, "h", "start")
    p.math(462, top - 20, "h′", "end")
    p.math(40, 312, "x", "start")
    p.math(150, row - 14, "r")
    p.math(n.x + 10, row - 32, "n")
    p.math(new.x - 6, row - 36, "1 − z", "end")
    p.math(keep.x + 9, row - 32, "z", "start")
    p.math(reset.x - 6, h_line - 20, "W_{hn} h + b_{hn}", "small end")


@picture("05_lstm", 330)
def lstm(p):
    """An LSTM cell as a circuit.

    The cell c passes along the top: it is multiplied by f, then i ∘ g is added. The state h' is o ∘ tanh(c'). The
    gates i, f and o are sigmoids of x and h, g is a tanh of them.
    """
    top, middle, row, h_line, x_line = 70, 132, 200, 250, 276
    p.panel("encoder", 52, 30, 376, 262)
    f, i, g, o = (p.cell(x, row, text, role, 50, 30)
                  for x, text, role in ((90, "σ", "gate"), (165, "σ", "gate"), (240, "tanh", "encoder"), (320, "σ", "gate")))
    forget, write = p.circle(f.x, top, "∘", "gate"), p.circle(202, middle, "∘", "gate")
    plus = p.circle(202, top, "+", "encoder")
    squash, show = p.cell(384, 112, "tanh", "encoder", 46, 28), p.circle(384, 160, "∘", "gate")
    carry(p, top, forget, plus)
    p.dot(squash.x, top, "encoder")
    p.arrow((squash.x, top), squash.top(), role="encoder")
    p.arrow(squash.bottom(), show.top(), role="encoder")
    p.arrow(show.right(), (462, 160), role="encoder")
    p.arrow((20, h_line), (o.x - 10, h_line), o.bottom(-10), role="encoder")
    p.arrow((24, 310), (24, x_line), (o.x + 10, x_line), o.bottom(10))
    for gate in (f, i, g):
        for dx, line, role in ((-10, h_line, "encoder"), (10, x_line, "token")):
            p.dot(gate.x + dx, line, role)
            p.arrow((gate.x + dx, line), gate.bottom(dx), role=role)
    p.arrow(f.top(), forget.bottom(), role="gate")
    p.arrow(i.top(), (i.x, middle), write.left(), role="gate")
    p.arrow(g.top(), (g.x, middle), write.right(), role="encoder")
    p.arrow(write.top(), plus.bottom(), role="encoder")
    p.arrow(o.top(), (o.x, 160), show.left(), role="gate")
    for box, text in ((f, "f"), (i, "i"), (g, "g"), (o, "o")):
        p.math(box.x + 8, row - 28, text, "start")
    p.math(20, top - 20, "c", "start")
    p.math(462, top - 20, "c′", "end")
    p.math(20, h_line - 18, "h", "start")
    p.math(462, 142, "h′", "end")
    p.math(40, 312, "x", "start")


def sequence_to_sequence(p, equations, context, label):
    """The pictures of tutorials 06 and 07, which differ only in where the context goes. Returns the parts of the steps."""
    p.header(16, "decoder", "decoder", *equations)
    start, *steps = decoder(p, 176)
    p.math(START, 77, "y_t", "quiet")
    p.math(START, 119, "p(y_t)", "quiet")
    p.header(302, "context", "context", *context)
    vector = p.vector(COLUMNS[2], 330, *["context"] * 6)
    p.arrow(vector.top(), (vector.x, 268), (START, 268), start.bottom(), role="context", width=2.2)
    p.math(vector.x + 42, vector.y, label, "start")
    p.header(368, "encoder", "encoder", "h_j = GRU(E x_j, h_{j−1})")
    p.arrow(encoder(p, 420)[-1].top(), vector.bottom(), role="encoder", width=2.2)
    return zip(*steps)


@picture("06_fixed_context", 506)
def fixed_context(p):
    """A fixed context: encoder, one vector, decoder.

    The encoder's last state h_T is the only vector that reaches the decoder: it sets the state s_0. The decoder reads the
    true previous token at each step and predicts the next one from its state.
    """
    equations = "s_t = GRU(E y_{t−1}, s_{t−1})", "p(y_t) = softmax(W_o s_t + b_o)"
    sequence_to_sequence(p, equations, ["s_0 = tanh(W_s h_T)"], "h_T, once")
    p.math(410, 230, "true y_{t−1}", "small start quiet")


@picture("07_context_at_every_step", 506)
def context_at_every_step(p):
    """The same context at every step.

    The context c is computed once from the encoder's last state. It sets the state s_0, enters every state of the decoder
    and every prediction.
    """
    equations = "s_t = GRU([E y_{t−1}; c], s_{t−1})", "p(y_t) = softmax(W_o [s_t; c; E y_{t−1}] + b_o)"
    steps = sequence_to_sequence(p, equations, ["c = tanh(V h_T)", "s_0 = tanh(V′ c)"], "c, at every step")
    p.arrow((COLUMNS[2], 300), (COLUMNS[2], 268), (COLUMNS[3] + 14, 268), role="context", width=2.2, head=False)
    for cell, softmax, token in steps:
        p.dot(cell.x + 14, 268, "context")
        feed(p, cell, softmax, token, (cell.x + 14, 268))


@picture("08_both_directions", 328)
def both_directions(p):
    """Annotations of both directions, and what each half has read.

    The forward state of token j has read the tokens 1 to j, the backward state the tokens j to T. An annotation joins
    both.
    """
    p.header(16, "encoder", "forward", "h→_j = GRU_→(E x_j, h→_{j−1})")
    p.header(42, "backward", "backward", "h←_j = GRU_←(E x_j, h←_{j+1})")
    p.math(478, 29, "h_j = [h→_j; h←_j]", "end")
    p.text(12, 92, "has", "small start quiet")
    p.text(12, 108, "read", "small start quiet")
    for j, x in enumerate(COLUMNS):
        for role, y, sign in (("encoder", 88, 1), ("backward", 110, -1)):
            for k, letter in enumerate("abcd"):
                distance, left = sign * (j - k), x - 36 + 18 * k
                if distance >= 0:
                    shade = f' opacity="{0.6 ** (distance + 1):.2f}"'
                    p.path(f"fill {role}", f"M{left} {y - 9}h18v18h-18z", shade)
                    p.text(left + 9, y - 1, letter, "code small")
                p.rect(f"line {role}", left, y - 9, 18, 18)
        p.arrow((x, 152), (x, 124))
    annotations(p, 160, COLUMNS)


@picture("09_attention", 420)
def additive_attention(p):
    """Attention: query, keys, values, mask, softmax, weighted sum.

    The query q is compared with the key of every position. Padding gets the energy −∞ and so the weight 0. The
    context c is the sum of the annotations, each times its weight.
    """
    p.header(16, "attention", "attention", "e_j = v_a^⊤ tanh(W_a q + U_a h_j)", "α_j = exp(e_j) / Σ_k exp(e_k)")
    p.header(64, "context", "context", "c = Σ_j α_j h_j")
    y = 142
    query = p.vector(38, y + 52, *["decoder"] * 4)
    mapped = p.cell(38, y + 107, "W_a", "attention", 40, 24)
    p.arrow(query.bottom(), mapped.top(), role="decoder")
    total = attention(p, y, COLUMNS, [mapped.bottom()], "", (0.15, 0.25, 0.6, None))
    context = p.vector(total.x, y - 42, *["context"] * 6)
    p.arrow(total.top(), context.bottom(), role="context", width=2.2)
    p.math(context.x + 42, context.y, "c", "start")
    p.text(12, y + 32, "query", "small start quiet")
    p.math(60, query.y - 20, "q")
    p.text(12, y + 198, "keys", "small start quiet")
    p.text(12, y + 250, "values", "small start quiet")
    for j, x in enumerate(COLUMNS, 1):
        annotation(p, x, y + 250, j, "" if j < 4 else "faded")


@picture("10_bahdanau", 806)
def bahdanau(p):
    """One step of Bahdanau's decoder.

    The state before the step is the query. It is compared with the key of every annotation; the softmax of the scores
    gives the weights, and the weighted sum of the annotations is the context of this step. Then the state is updated
    with the context and the previous token, and the next token is predicted from all three.
    """
    p.header(16, "decoder", "decoder", "s_t = GRU([E y_{t−1}; c_t], s_{t−1})",
             "p(y_t) = softmax(W_o [s_t; c_t; E y_{t−1}] + b_o)")
    p.header(64, "context", "context", "c_t = Σ_j α_{tj} h_j")
    p.header(88, "attention", "attention", "e_{tj} = v_a^⊤ tanh(W_a s_{t−1} + U_a h_j)")
    y, xs = 230, COLUMNS[:3]
    before, state = p.cell(START, y, "s_{t−1}", "decoder"), p.cell(xs[1] - 14, y, "s_t", "decoder")
    token = p.token(state.x - 14, y + 54, "y_{t−1}", False)
    p.arrow(token.top(), state.bottom(-14))
    softmax = output(p, state, "y_t", False)
    chain(p, [before, state], "decoder")
    p.arrow(state.right(), (336, y), role="decoder", width=2.2)
    p.math(350, y, "⋯")
    vector = p.vector(xs[1], y + 92, *["context"] * 6)
    mapped = p.cell(START, y + 240, "W_a", "attention", 40, 24)
    p.arrow(before.bottom(), mapped.top(), role="decoder")
    total = attention(p, y + 135, xs, [mapped.bottom()])
    p.arrow(total.top(), vector.bottom(), role="context", width=2.2)
    feed(p, state, softmax, token, vector.top())
    annotations(p, y + 385, xs)
    p.header(y + 558, "encoder", "encoder", "h_j = [h→_j; h←_j]")
    for dy, text in ((-57, "p(y_t): (B, V)"), (-28, "[s_t; c_t; E y_{t−1}]: (B, H + D + E)"), (22, "s_t: (B, H)"),
                     (52, "[E y_{t−1}; c_t]: (B, E + D)"), (92, "c_t: (B, D)")):
        p.math(262, y + dy, text, "small start")
    for dy, text in ((212, "α_t: (B, T)"), (279, "e_t: (B, T)"), (320, "U_a h_j: (T, B, A)"), (385, "h_j: (T, B, D)")):
        p.math(372, y + dy, text, "small start")
    p.math(START + 8, y + 110, "(B, H)", "small start")


# The probability of each next token after the tokens before it, invented.
NEXT = {"": {"a": 0.5, "b": 0.4, "<eos>": 0.1}, "a": {"a": 0.34, "b": 0.33, "<eos>": 0.33},
        "b": {"a": 0.5, "b": 0.45, "<eos>": 0.05}, "ba": {"a": 0.05, "b": 0.05, "<eos>": 0.9},
        "bb": {"a": 0.25, "b": 0.25, "<eos>": 0.5}}


@picture("11_beam", 326)
def beam(p):
    """A beam of two hypotheses as it is cut at each step.

    Each live hypothesis is continued with every token. The two most likely of all continuations are kept, whichever
    hypothesis they continue; the others are cut. A hypothesis that ends is set aside.
    """
    width = 106
    p.header(18, "decoder", "kept", "the K = 2 largest ln p(y_1 … y_t) of all K V")
    p.header(42, "context", "ended", "kept and set aside")
    root = p.token(33, 100, "<bos>")
    p.text(12, 152, "cut", "name start gradient")
    alive = [("", 0, root)]
    for x in (138, 276, 414):
        longer = [(log_p + math.log(share), tokens + token, parent)
                  for tokens, log_p, parent in alive for token, share in NEXT[tokens].items()]
        alive = []
        for rank, (log_p, tokens, parent) in enumerate(sorted(longer, reverse=True, key=lambda one: one[0])):
            is_kept, is_ended, y = rank < 2, tokens.endswith("<eos>"), 80 + 40 * rank + 24 * (rank > 1)
            role, quiet, faded = ("context" if is_ended else "decoder", "", "") if is_kept else ("token", " quiet", " faded")
            box = p.cell(x, y, "", role, width, 28, "" if is_kept else "dash faded")
            p.text(x - width / 2 + 7, y - 1, tokens, f"code small start{quiet}")
            p.math(x + width / 2 - 6, y - 1, f"{log_p:.2f}".replace("-", "−"), f"small end{quiet}")
            p.curve(parent.right(), box.left(), f"line {role}{faded}", 2 if is_kept else 1.2)
            if is_kept and not is_ended:
                alive.append((tokens, log_p, box))
        p.arrow((x - 62, 152), (x + 62, 152), role="gradient", css="dash", head=False)


@picture("12_scores", 372)
def scores(p):
    """Four scores of an annotation against a state.

    Additive: both vectors are mapped, added, put through a tanh and multiplied by v_a. Dot: a dot product. Scaled
    dot: a dot product divided by the root of d. General: a dot product with a matrix between.
    """
    drawn = ((66, "additive", "any H, D", "W_a", "U_a", "+", [(154, "tanh"), (108, "v_a^⊤")]),
             (182, "dot", "H = D", None, None, "•", []),
             (298, "scaled dot", "H = D = d", None, None, "•", [(154, "1 / √d")]),
             (414, "general", "any H, D", None, "W_a", "•", []))
    for x, name, sizes, s_matrix, h_matrix, operation, rest in drawn:
        p.panel("attention", x - 54, 34, 108, 304)
        p.text(x, 18, name, "name attention")
        p.math(x, 354, sizes, "small")
        s, h = p.cell(x - 27, 308, "s_{t−1}", "decoder", 46), p.vector(x + 27, 308, *["encoder"] * 2, *["backward"] * 2)
        p.math(x + 27, 326, "h_j", "small")
        joined = p.circle(x, 202, operation, "attention")
        for node, role, matrix, side in ((s, "decoder", s_matrix, joined.left()), (h, "encoder", h_matrix, joined.right())):
            if matrix:
                box = p.cell(node.x, 252, matrix, "attention", 40, 26)
                p.arrow(node.top(), box.bottom(), role=role)
                node, role = box, "attention"
            p.arrow(node.top(), (node.x, 202), side, role=role)
        for y, text in [*rest, (60, "e_{tj}")]:
            box = p.cell(x, y, text, "attention", 46 if y == 60 else 56, 26)
            p.arrow(joined.top(), box.bottom(), role="attention")
            joined = box


@picture("exercise_11_luong", 484)
def luong(p):
    """Which state asks, and when: Bahdanau and Luong.

    Bahdanau: the state before the step asks, the context enters the update, then the token is predicted. Luong: the
    state is updated first and asks, then the context and the state make the attentional vector, which predicts the
    token.
    """
    p.text(120, 18, "Bahdanau", "name decoder")
    p.text(360, 18, "Luong", "name decoder")
    p.arrow((240, 10), (240, 474), head=False, css="faded", width=1)
    for left in (0, 240):
        is_luong = left > 0
        before, state = p.cell(left + 34, 226, "s_{t−1}", "decoder"), p.cell(left + 122, 226, "s_t", "decoder")
        token = p.token(state.x - 14, 280, "y_{t−1}", False)
        p.arrow(token.top(), state.bottom(-14))
        chain(p, [before, state], "decoder")
        halves = ["encoder"] * 3 + ["encoder" if is_luong else "backward"] * 3
        vectors = [p.vector(left + x, 448, *halves, size=9) for x in (54, 120, 186)]
        p.cell(left + 120, 386, "attention", "attention", 210, 34)
        for j, h in enumerate(vectors, 1):
            p.arrow(h.top(), (h.x, 403), role="encoder")
            p.math(h.x, 466, f"h_{j}", "small")
        softmax = p.cell(state.x, 98, "softmax", "decoder", 62, 26)
        p.arrow(softmax.top(), p.token(state.x, 56, "y_t", False).bottom(), role="decoder")
        context = p.vector(left + (188 if is_luong else 136), 326, *["context"] * 6, size=9)
        p.math(context.x + 32, context.y, "c_t", "start")
        corner, predicted = (state.x - 24, state.y - 18), (softmax.x - 38, softmax.y - 17)
        p.arrow((context.x, 369), context.bottom(), role="context", width=2.2)
        if is_luong:
            joined = p.cell(state.x, 160, "h~_t", "decoder")
            p.arrow(state.top(), joined.bottom(), role="decoder")
            p.arrow(joined.top(), softmax.bottom(), role="decoder")
            p.arrow(context.top(), (context.x, 160), joined.right(), role="context")
            p.arrow(state.bottom(14), (state.x + 14, 369), role="decoder", width=2.2)
            steps = [corner, (state.x + 14, 310), (context.x, 350), (joined.x - 24, joined.y - 18), predicted]
        else:
            p.arrow(before.bottom(), (before.x, 369), role="decoder", width=2.2)
            p.arrow(state.top(), softmax.bottom(), role="decoder")
            feed(p, state, softmax, token, context.top())
            steps = [(before.x, 310), (context.x, 350), corner, predicted]
        for step, (x, y) in enumerate(steps, 1):
            p.badge(x, y, f"{step}")


def render():
    for path, svg in DRAWN.items():
        path.write_text(svg)


def faults():
    pages = [path.read_text() for pattern in ("docs/**/*.md", "exercises/*/README.md") for path in ROOT.glob(pattern)]
    for path, svg in DRAWN.items():
        if not path.exists() or path.read_text() != svg:
            yield f"{path.relative_to(ROOT)} is out of date; run docs/diagrams.py render"
        if not any(path.name in page for page in pages):
            yield f"{path.relative_to(ROOT)} is on no page; show it or remove its function"
    for path in set(PICTURES.glob("diagram_*.svg")) - set(DRAWN):
        yield f"{path.relative_to(ROOT)} has no function in docs/diagrams.py; remove it"


def main():
    if sys.argv[1:] == ["render"]:
        return render()
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    found = list(faults())
    if found:
        sys.exit("diagrams: " + "\ndiagrams: ".join(found))


if __name__ == "__main__":
    main()
