"""Pictures of tutorial 05: what a gate keeps, the cells of the GRU and of the LSTM, and two plots of its results."""

from diagrams_kit import at, picture
from results_kit import load


# ---- Plots of docs/results/tutorial_05.json ----

# the networks in the order of the program's tables: the name in the picture, its colour, the width of its line, and its dashes
GRU, LSTM, START_NEAR_1 = "encoder", "decoder", "gate starts near 1"
NETWORKS = (("RNN", "token", 2.2, ""), ("GRU", GRU, 2.2, ""), ("LSTM", LSTM, 2.2, "dash"),
            (f"GRU, {START_NEAR_1}", GRU, 4, ""), (f"LSTM, {START_NEAR_1}", LSTM, 2.2, "dash"))


def means(name):
    """The rows of a table, each number as its mean over the seeds."""
    tables = [run["tables"][name]["rows"] for run in load("tutorial_05")["runs"]]
    return [[sum(values) / len(values) for values in zip(*(table[i]["values"] for table in tables))]
            for i in range(len(tables[0]))]


def network(p, number, points, name=None):
    """Draws the line of a network, with dots, and its name at its end."""
    own_name, role, width, dash = NETWORKS[number]
    x, y = points[-1]
    p.path(f"line {role} {dash}", "M" + "L".join(at(*point) for point in points), f' stroke-width="{width}"')
    for point in points:
        p.disc(f"fill {role}", *point, 3)
    p.text(x + 9, y, own_name if name is None else name, f"small name start {role}")


def axes(p, left, right, y_of, y_labels, x_of, x_labels, floor):
    """Draws horizontal grid lines, and the labels of both axes."""
    for value, label in y_labels:
        p.path("line token faded", f"M{at(left, y_of(value))}H{right:g}", ' stroke-width="1"')
        p.math(left - 8, y_of(value), label, "small end quiet")
    for value in x_labels:
        p.text(x_of(value), floor + 16, f"{value}", "small quiet")


@picture("05_accuracy", 358)
def accuracy(p):
    """Accuracy against the delay, for five networks.

    A bar is the mean of nine models; a thin vertical line reaches from the lowest to the highest of the three seeds. At a delay of 5
    all bars are at 1. At 10, the RNN, the GRU and the LSTM are between 0.8 and 1. At 20, the RNN is at a half, the GRU and the LSTM are at
    an eighth, as high as guessing. At 40, the RNN is there, too. The GRU and the LSTM whose gate starts near 1 are at 1 up to 20, and at
    0.97 at 40.
    """
    left, right, floor, up, wide = 46, 474, 302, 216, 17
    rows = [run["tables"]["accuracy"]["rows"] for run in load("tutorial_05")["runs"]]
    slot = (right - left) / len(rows[0])

    def y_of(value):
        return floor - up * value

    def bar(number, x, top, bottom):
        css = "part" if number < 3 else "fill"  # a filled bar: the gate starts near 1
        p.rect(f"{css} {NETWORKS[number][1]}", x - wide / 2, top, wide, bottom - top)

    for number, (x, y) in enumerate(((18, 14), (18, 38), (18, 62), (190, 38), (190, 62))):
        bar(number, x, y - 7, y + 7)
        p.text(x + 16, y, NETWORKS[number][0], f"small name start {NETWORKS[number][1]}")
    p.path("mark", "M190 7v14M185 7h10M185 21h10", ' stroke-width="1.6"')
    p.text(206, 14, "lowest to highest of three seeds", "small start quiet")
    for part in range(5):
        y = y_of(part / 4)
        p.path("line token faded", f"M{at(left, y)}H{right}", ' stroke-width="1"')
        p.text(left - 8, y, f"{part / 4:g}", "small end quiet")
    for i, delay in enumerate(row["name"] for row in rows[0]):
        middle = left + slot * (i + 0.5)
        p.text(middle, floor + 16, delay, "small quiet")
        for number in range(len(NETWORKS)):
            values = [run[i]["values"][number] for run in rows]
            x, low, high = middle + 19 * (number - 2), min(values), max(values)
            bar(number, x, y_of(sum(values) / len(values)), floor)
            if y_of(low) - y_of(high) > 3:
                p.path("mark", f"M{at(x, y_of(low))}V{y_of(high):.5g}M{at(x - 5, y_of(low))}h10M{at(x - 5, y_of(high))}h10", ' stroke-width="1.6"')
    p.path("line gradient dash", f"M{at(left, y_of(1 / 8))}H{right}", ' stroke-width="1.6"')
    for line, words in enumerate(("guessing:", "⅛")):
        p.text(left + slot * 3.5 - 22, y_of(1 / 8) - 34 + 18 * line, words, "small fill gradient")
    p.text((left + right) / 2, floor + 40, "delay: tokens after the first; each is twice the one before", "small quiet")


@picture("05_gradient_norm", 338)
def gradient_norm(p):
    """The norm of the gradient against the distance, for five networks before training.

    The scale is logarithmic. After 40 steps, the RNN keeps about 10 to the power −9.5, the GRU and the LSTM 10 to the power −7.7.
    With a gate that starts near 1, the GRU keeps a sixth, and the gradient of the LSTM grows. A dashed line shows one half for
    each step: 10 to the power −12.
    """
    left, right, top, decade, steps = 48, 284, 44, 18.5, (0, 10, 20, 40)
    floor = top + 12.6 * decade

    def x_of(distance):
        return left + (right - left - 4) * distance / 40

    def y_of(exponent):
        return top - decade * exponent

    p.text(12, 14, "gradient's norm, relative to that at T", "small start quiet")
    axes(p, left, right, y_of, [(-k, f"10^{{−{k}}}" if k else "1") for k in range(0, 13, 3)], x_of, (0, 10, 20, 30, 40), floor)
    p.text((left + right) / 2, floor + 40, "distance d = T − t", "small quiet")
    half = -12.04  # 40 log10(1/2)
    p.path("line gate dash", f"M{at(x_of(0), y_of(0))}L{at(x_of(40), y_of(half))}", ' stroke-width="1.6"')
    p.math(right + 4, y_of(half), "(1/2)^d", "start")
    for number, row in enumerate(means("gradient_norm")):
        points = [(x_of(distance), y_of(exponent)) for distance, exponent in zip(steps, (0, *row))]
        network(p, number, points, name={1: "GRU and LSTM", 2: ""}.get(number))


# ---- Circuits ----


def carry(p, y, *nodes):
    """Draws the thick line of a cell's state, through the nodes."""
    starts, ends = [(20, y), *(node.right() for node in nodes)], [*(node.left() for node in nodes), (462, y)]
    for start, end in zip(starts, ends):
        p.arrow(start, end, role="encoder", width=3.4)



@picture("05_keep", 262)
def keep(p):
    """How much of a value a gate keeps.

    A unit has the value 1, and its gate is the same at every step. After 40 steps, almost nothing is left with z = 0.5, an eighth with
    z = 0.95, and everything with z = 1.
    """
    left, step, high = 84, 9.4, 46
    for row, (z, rest) in enumerate(((0.5, "10^{−12}"), (0.95, "0.13"), (1, "1"))):
        floor = 66 + 84 * row
        p.math(12, floor - 16, f"z = {z}", "start")
        p.path("line token", f"M{left - 6} {floor}H474", ' stroke-width="1"')
        for k in range(41):
            height = high * z ** k
            p.rect("part gate", left + step * k, floor - height, step - 2.4, max(height, 0.2))
        p.math(left + 40.5 * step, floor - high * z ** 40 - 12, rest, "small end")
    for k in (0, 10, 20, 30, 40):
        p.text(left + step * k + 3.5, floor + 14, f"{k}", "small quiet")
    p.text(12, floor + 14, "steps", "small quiet start")


def enter(p, y, name, role):
    """Draws the beginning of a line that enters a cell from the left, with its name. Returns its end."""
    p.arrow((22, y), (58, y), role=role)
    if name:
        p.math(14, y, name)
    return 58, y


def gru_cell(p, shown, faded=False):
    """Draws a GRU cell. `shown` maps the name of a value to the text at its line; without x, the input is left out. The lines may be
    faded. Returns the nodes by their names."""
    top, middle, row, h_line, x_line = 66, 130, 200, 278, 306
    p.panel("encoder", 58, 26, 356, 300 if "x" in shown else 290)
    z, r, n = (p.cell(x, row, text, role, 50, 30) for x, text, role in ((104, "σ", "gate"), (198, "σ", "gate"), (350, "tanh", "encoder")))
    reset, product = p.circle(284, row, "∘", "gate"), p.cell(284, 247, "W_{hn}", "attention", 50, 26)
    keep, new, plus = p.circle(z.x, top, "∘", "gate"), p.circle(n.x, middle, "∘", "gate"), p.circle(n.x, top, "+", "encoder")
    rest = p.circle(176, middle, "1−", "gate")
    if faded:
        p.add('<g class="faded">')
    carry(p, top, keep, plus)
    p.dot(34, top, "encoder")
    p.arrow((34, top), (34, h_line), (58, h_line), role="encoder")
    p.arrow((58, h_line), (product.x, h_line), product.bottom(), role="encoder")
    if "x" in shown:
        p.arrow(enter(p, x_line, shown["x"] if shown["x"] == "x" else "", "token"), (n.x, x_line), n.bottom())
    for gate in (z, r):
        for dx, y, role in ((-10, h_line, "encoder"), (10, x_line, "token")):
            if role == "encoder" or "x" in shown:
                p.dot(gate.x + dx, y, role)
                p.arrow((gate.x + dx, y), gate.bottom(dx), role=role)
    p.arrow(product.top(), reset.bottom(), role="encoder")
    p.arrow(r.right(), reset.left(), role="gate")
    p.arrow(reset.right(), n.left(), role="encoder")
    p.arrow(n.top(), new.bottom(), role="encoder")
    p.arrow(z.top(), keep.bottom(), role="gate")
    p.dot(z.x, middle, "gate")
    p.arrow((z.x, middle), rest.left(), role="gate")
    p.arrow(rest.right(), new.left(), role="gate")
    p.arrow(new.top(), plus.bottom(), role="encoder")
    if faded:
        p.add("</g>")
    for name, x, y, css in (("h", 12, top - 20, "start"), ("h′", 474, top - 20, "end"), ("z", keep.x + 7, 104, "start"),
                            ("1 − z", 232, middle - 14, ""), ("r", 247, row - 14, ""), ("n", n.x + 7, 164, "start"),
                            ("z h", 224, top - 17, ""),
                            ("(1 − z) n", n.x - 8, 98, "end"), ("W_{hn} h", 291, 224, "start"), ("r W_{hn} h", 309, row - 14, "")):
        if name in shown:
            p.math(x, y, shown[name], css if name == shown[name] else f"{css} small")
    if shown.get("x", "x") != "x":
        p.math(12, x_line - 14, shown["x"], "small start")
    if not faded:
        p.text(z.x + 8, 156, "update ", "small quiet start")
        p.text(z.x + 8, 172, "gate", "small quiet start")
        p.text(r.x, row - 30, "reset gate", "small quiet")
        p.text(n.x - 8, 166, "new value", "small quiet end")
    return {"z": z, "r": r, "n": n, "reset": reset, "product": product, "keep": keep, "new": new, "plus": plus, "rest": rest}


@picture("05_gru", 340)
def gru(p):
    """A GRU cell as a circuit.

    The state h passes along the top: it is multiplied by z, then (1 − z) ∘ n is added. The gates r and z are sigmoids
    of x and h; n is a tanh of x and of r ∘ (W_hn h + b_hn).
    """
    gru_cell(p, {name: name for name in ("h", "h′", "x", "z", "1 − z", "r", "n")})


@picture("05_gru_numbers", 340)
def gru_numbers(p):
    """One step of a GRU with one unit, with its numbers.

    With h = 0.5 and x = 1: r = 0.5, W_hn h = 1.0, their product 0.5, n = 0.905, z = 0.881, 1 − z = 0.119. So z h = 0.440,
    (1 − z) n = 0.108, and h' = 0.548.
    """
    gru_cell(p, {"h": "h = 0.5", "h′": "h′ = 0.548", "x": "x = 1", "z": "z = 0.881", "1 − z": "1 − z = 0.119", "r": "r = 0.5", "n": "n = 0.905",
                 "z h": "z h = 0.440", "(1 − z) n": "(1 − z) n = 0.108", "W_{hn} h": "1.0", "r W_{hn} h": "0.5"})


@picture("05_gru_back", 372)
def gru_back(p):
    """Three ways of the gradient from h' to h, through the circuit of the GRU, with their values.

    Dashed arrows lead from h' back to h. Directly, along the top, with the factor z: 0.8808. Through the product with n, the tanh,
    and r: 0.0108. Through both products with z, and the sigmoid of z: -0.0851. The sum is 0.8065.
    """
    nodes = gru_cell(p, {name: name for name in ("h", "h′", "z", "1 − z", "r", "n")}, faded=True)
    z, r, n, reset, product, keep, new, plus, rest = nodes.values()

    def back(role, *points, width=1.8, head=True):
        p.arrow(*points, role=role, width=width, css="dash", head=head)

    DIRECT, NEW, GATE = "gradient", "decoder", "backward"  # the colour of each way
    down, left = 9, 9  # the distance of a dashed line from the line of the circuit
    y, z_line, n_line = keep.y + down, 269, 287
    back(DIRECT, (456, y), plus.right(down), width=3)
    back(DIRECT, plus.left(down), keep.right(down), width=3)
    back(DIRECT, keep.left(down), (48, y), width=3)
    back(GATE, keep.bottom(-left), z.top(-left))
    back(GATE, plus.bottom(-left), new.top(-left))
    back(GATE, new.left(down), rest.right(down))
    back(GATE, rest.left(down), (z.x + left, rest.y + down), z.top(left))
    back(GATE, z.bottom(), (z.x, z_line), (46, z_line), (46, y + 10))
    back(NEW, plus.bottom(left), new.top(left))
    back(NEW, new.bottom(-left), n.top(-left))
    back(NEW, n.left(down), reset.right(down))
    back(NEW, reset.left(down), r.right(down))
    back(NEW, reset.bottom(-left), product.top(-left))
    back(NEW, product.bottom(left), (product.x + left, n_line), (22, n_line), (22, y))
    back(NEW, r.bottom(), (r.x, n_line))
    p.text(224, keep.y - 18, "directly: 0.8808", f"small {DIRECT} name")
    p.text(z.x + 20, 164, "through z: −0.0851", f"small {GATE} name start")
    p.text(r.x, n_line + 16, "through n: 0.0108", f"small {NEW} name")
    for x, term, css in ((140, "∂h′/∂h = ", "end"), (146, "0.8808", f"start name {DIRECT}"), (202, "+ 0.0108", f"start name {NEW}"),
                         (274, "− 0.0851", f"start name {GATE}"), (346, "= 0.8065", "start")):
        p.math(x, 346, term, css)


def lstm_cell(p, shown):
    """Draws an LSTM cell. `shown` maps the name of a value to the text at its line."""
    top, middle, row, h_line, x_line = 70, 132, 204, 256, 284
    p.panel("encoder", 58, 30, 370, 276)
    f, i, g, o = (p.cell(x, row, text, role, 50, 30)
                  for x, text, role in ((86, "σ", "gate"), (170, "σ", "gate"), (246, "tanh", "encoder"), (318, "σ", "gate")))
    forget, write = p.circle(f.x, top, "∘", "gate"), p.circle(208, middle, "∘", "gate")
    plus = p.circle(write.x, top, "+", "encoder")
    squash, show = p.cell(388, 116, "tanh", "encoder", 46, 28), p.circle(388, 168, "∘", "gate")
    carry(p, top, forget, plus)
    p.dot(squash.x, top, "encoder")
    p.arrow((squash.x, top), squash.top(), role="encoder")
    p.arrow(squash.bottom(), show.top(), role="encoder")
    p.arrow(show.right(), (462, 168), role="encoder")
    for dx, y, name, role in ((-10, h_line, "h", "encoder"), (10, x_line, "x", "token")):
        p.arrow(enter(p, y, name, role), (o.x + dx, y), o.bottom(dx), role=role)
        for gate in (f, i, g):
            p.dot(gate.x + dx, y, role)
            p.arrow((gate.x + dx, y), gate.bottom(dx), role=role)
    p.arrow(f.top(), forget.bottom(), role="gate")
    p.arrow(i.top(), (i.x, middle), write.left(), role="gate")
    p.arrow(g.top(), (g.x, middle), write.right(), role="encoder")
    p.arrow(write.top(), plus.bottom(), role="encoder")
    p.arrow(o.top(), (o.x, 168), show.left(), role="gate")
    for box, name in ((f, "forget gate"), (i, "input gate"), (g, "new value")):
        p.text(box.x + 6, row - 52, name, "small quiet start")
    p.text(o.right()[0] + 4, row, "output gate", "small quiet start")
    for name, x, y, css in (("f", f.x + 7, row - 26, "start"), ("i", i.x + 7, row - 26, "start"), ("g", g.x + 7, row - 26, "start"),
                            ("o", o.x + 7, row - 26, "start"), ("c", 12, top - 20, "start"), ("c′", 478, top - 20, "end"),
                            ("h′", 478, 150, "end"), ("f c", 147, top - 17, ""), ("i g", write.x + 7, 101, "start"),
                            ("tanh c′", 381, 143, "end")):
        if name in shown:
            p.math(x, y, shown[name], css if name == shown[name] else f"{css} small")


@picture("05_lstm", 330)
def lstm(p):
    """An LSTM cell as a circuit.

    The cell c passes along the top: it is multiplied by f, then i ∘ g is added. The state h' is o ∘ tanh(c'). The
    gates i, f and o are sigmoids of x and h, g is a tanh of them.
    """
    lstm_cell(p, {name: name for name in ("f", "i", "g", "o", "c", "c′", "h′")})


@picture("05_lstm_numbers", 330)
def lstm_numbers(p):
    """One step of an LSTM with one unit, with its numbers.

    With c = 0.8, f = 0.9, i = 0.2, g = 0.5 and o = 0.5: f c = 0.72, i g = 0.10, c' = 0.82, tanh c' = 0.675 and h' = 0.34.
    """
    lstm_cell(p, {"c": "c = 0.8", "f": "f = 0.9", "i": "i = 0.2", "g": "g = 0.5", "o": "o = 0.5", "f c": "f c = 0.72", "i g": "i g = 0.10",
                  "c′": "c′ = 0.82", "tanh c′": "0.675", "h′": "h′ = 0.34"})


@picture("05_lstm_back", 278)
def lstm_back(p):
    """Two ways of the gradient from c' back to c, in the LSTM.

    The last part of the old step is on the left, and the first part of the new step on the right. A thick dashed line leads from
    c' along the top, with the factor f, to c. A thin one leads through the product i ∘ g, the tanh of g and the weights W_hg to
    h, then through the product with the old o and a tanh to c. Its factor is i W_hg o, times the slopes of both tanh.
    """
    top, low, x_c = 74, 222, 110  # x_c: where the old cell is read
    p.panel("encoder", 46, 34, 128, 232)
    p.panel("encoder", 212, 34, 222, 232)
    p.text(110, 18, "old step", "small quiet")
    p.text(323, 18, "new step", "small quiet")
    forget, plus = p.circle(262, top, "∘", "gate"), p.circle(364, top, "+", "encoder")
    squash, show = p.cell(x_c, 132, "tanh", "encoder", 46, 28), p.circle(x_c, low, "∘", "gate")
    write, new = p.circle(364, 132, "∘", "gate"), p.cell(364, 190, "tanh", "encoder", 50, 30)
    p.add('<g class="faded">')
    carry(p, top, forget, plus)
    p.dot(x_c, top, "encoder")
    p.arrow((x_c, top), squash.top(), role="encoder")
    p.arrow(squash.bottom(), show.top(), role="encoder")
    p.arrow(show.right(), (new.x, low), new.bottom(), role="encoder")
    p.arrow(write.top(), plus.bottom(), role="encoder")
    p.arrow(new.top(), write.bottom(), role="encoder")
    p.arrow((74, low), show.left(), role="gate")
    p.arrow((forget.x, 118), forget.bottom(), role="gate")
    p.arrow((312, 132), write.left(), role="gate")
    p.add("</g>")
    for x, y, name, css in ((193, top - 18, "c", ""), (474, top - 18, "c′", "end"), (193, low - 16, "h", ""), (68, low, "o", "end"),
                            (forget.x, 130, "f", ""), (304, 132, "i", "end"), (new.x + 14, 161, "g", "start")):
        p.math(x, y, name, css)

    def back(role, *points, width=1.8):
        p.arrow(*points, role=role, width=width, css="dash")

    direct, indirect, down = "gradient", "backward", 9
    y = top + down
    back(direct, (456, y), plus.right(down), width=3)
    back(direct, plus.left(down), forget.right(down), width=3)
    back(direct, forget.left(down), (x_c + 9, y), width=3)
    back(indirect, plus.bottom(-down), write.top(-down))
    back(indirect, write.bottom(-down), new.top(-down))
    back(indirect, new.bottom(-down), (new.x - down, low + down), show.right(down))
    back(indirect, show.top(down), squash.bottom(down))
    back(indirect, squash.top(down), (x_c + down, y + 4))
    p.math(312, top - 18, "f", f"name {direct}")
    p.math(226, low + 24, "i W_{hg} o", f"name start {indirect}")
    p.text(290, low + 24, "× slopes", f"name start {indirect}")
