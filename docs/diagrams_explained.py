"""The pictures of the explained pages, and of single ideas in tutorials, for docs/diagrams.py."""

import math

from diagrams_kit import Node, at, number, picture, table
from results_kit import load


@picture("why_self_attention", 330)
def self_attention(p):
    """Self-attention of three positions, with numbers.

    The matrix X has the rows (1, 0), (0, 1) and (1, 1). Each position is a query to all three. The energies are the products of
    the rows, divided by the root of 2. The softmax of a row of energies gives the weights. The result is the mean of the rows of X with
    these weights.
    """
    X = [(1, 0), (0, 1), (1, 1)]
    energies = [[sum(a * b for a, b in zip(q, k)) / math.sqrt(2) for k in X] for q in X]
    weights = [[math.exp(e) / sum(map(math.exp, row)) for e in row] for row in energies]
    results = [[sum(w * x[i] for w, x in zip(row, X)) for i in range(2)] for row in weights]
    p.math(80, 24, "X = Q = K = U")
    table(p, 34, 42, [[f"{x}" for x in row] for row in X], "encoder", 2)
    p.arrow((142, 87), (222, 87), role="attention")
    p.math(182, 66, "Q K^⊤ / √2", "small")
    p.math(305, 24, "energies")
    table(p, 236, 42, energies, "attention", 2)
    p.arrow((305, 140), (305, 196), role="attention")
    p.text(318, 166, "softmax of each row", "small start")
    table(p, 236, 202, weights, "attention", 2, shade=True)
    p.math(305, 310, "weights")
    p.arrow((222, 247), (142, 247), role="context")
    p.math(182, 230, "times U", "small")
    table(p, 34, 202, results, "context", 2)
    p.math(80, 310, "results")
    for j in range(3):
        p.math(16, 57 + 30 * j, str(j + 1), "small quiet")
        p.math(16, 217 + 30 * j, str(j + 1), "small quiet")


@picture("gru_forms", 218)
def gru_forms(p):
    """The new value of a GRU in two forms, with numbers.

    U exchanges the two numbers of a vector; h = (1, 0) and r = (1, 0). The form "on the state" multiplies h by r, which gives
    (1, 0), and then by U, which gives (0, 1). The form "on the product" multiplies h by U, which gives (0, 1), and then by r,
    which gives (0, 0).
    """
    for y, name, steps, between in ((70, "on the state", ("∘ r", "U"), ("(1, 0)", "(0, 1)")),
                                    (170, "on the product", ("U", "∘ r"), ("(0, 1)", "(0, 0)"))):
        p.text(12, y - 50, name, "name start decoder")
        nodes = [p.cell(40, y, "h", "decoder", 40, 32)]
        for x, step in zip((150, 270), steps):
            nodes.append(p.cell(x, y, step, "gate" if "r" in step else "attention", 48, 32))
        nodes.append(p.cell(410, y, "tanh(W x + …)", "context", 120, 32))
        for before, after, value in zip(nodes, nodes[1:], ("(1, 0)", *between)):
            p.arrow(before.right(), after.left(), role="decoder", width=2.2)
            p.text((before.right()[0] + after.left()[0]) / 2, y - 14, value, "small")


@picture("gru_blends", 176)
def gru_blends(p):
    """The meaning of z = 1 in two forms of the GRU.

    The new state is a blend of the old state h and the new value n. On the left, z is the weight of h: with z = 1 the unit keeps h. On the
    right, z is the weight of n: with z = 1 the unit takes n.
    """
    for left, formula, kept, end in ((0, "h′ = (1 − z) ∘ n + z ∘ h", "h", "keeps h"), (244, "h′ = z ∘ n + (1 − z) ∘ h", "n", "takes n")):
        p.math(left + 116, 18, formula)
        plus = p.circle(left + 132, 100, "+", "context")
        for y, name in ((62, "h"), (138, "n")):
            part = p.cell(left + 30, y, name, "decoder" if name == "h" else "encoder", 40, 32)
            on = name == kept
            p.arrow(part.right(), (plus.x, y), plus.top() if y < 100 else plus.bottom(), role="context" if on else "token",
                    css="" if on else "faded dash", width=3 if on else 1.2)
            p.math(left + 88, y - 12 if y < 100 else y + 14, "z = 1" if on else "1 − z = 0", "small")
        result = p.cell(left + 194, 100, f"h′ = {kept}", "decoder", 66, 32)
        p.arrow(plus.right(), result.left(), role="decoder", width=2.2)
        p.text(result.x, 134, end, "small quiet")


@picture("tape_example", 236)
def tape_example(p):
    """The tape of L = tanh(w x) with w = 0.5 and x = 2.

    Forward, w goes through mul, which saves x = 2, and through tanh, which saves its result y = 0.762. Backward, the gradient of L is 1.
    The node tanh multiplies it by 1 − y², which gives 0.42, and the node mul by x, which gives 0.84, the gradient of w.
    """
    y = 76
    p.text(12, 18, "forward", "name start encoder")
    p.arrow((84, 18), (468, 18), role="encoder")
    nodes = [p.cell(50, y, "w = 0.5", "encoder", 76, 36), p.cell(180, y, "mul", "encoder", 64, 36),
             p.cell(310, y, "tanh", "encoder", 64, 36), p.cell(434, y, "L = 0.762", "encoder", 84, 36)]
    for before, after, value in zip(nodes, nodes[1:], ("0.5", "1", "0.762")):
        p.arrow(before.right(), after.left(), role="encoder")
        p.text((before.right()[0] + after.left()[0]) / 2, y - 14, value, "small")
    for node, saved in ((nodes[1], "saves x = 2"), (nodes[2], "saves y = 0.762")):
        p.math(node.x, y + 32, saved, "small quiet")
    y = 160
    gradients = [p.cell(x, y, value, "gradient", 64, 32) for x, value in ((50, "0.84"), (245, "0.42"), (434, "1"))]
    for after, before, slope in zip(gradients, gradients[1:], ("× x", "× (1 − y^2)")):
        p.arrow(before.left(), after.right(), role="gradient", width=2.2)
        p.math((after.right()[0] + before.left()[0]) / 2, y - 16, slope, "small")
    for node, name in zip(gradients, ("gradient of w", "of w x", "of L")):
        p.text(node.x, y + 28, name, "small quiet")
    p.text(12, 218, "backward", "name start gradient")
    p.arrow((468, 218), (104, 218), role="gradient")


@picture("tape_uses", 228)
def tape_uses(p):
    """The backward pass of y = x x + x for x = 3, in three steps.

    Step 1: the node add passes the gradient 1 to mul and to x. Step 2: the node mul passes 3 to x twice, once for each factor. Step 3: the
    gradient of x is complete, 1 + 3 + 3 = 7.
    """
    x = p.cell(60, 140, "x = 3", "encoder", 72, 36)
    mul, add = p.cell(226, 64, "mul", "encoder", 64, 36), p.cell(360, 140, "add", "encoder", 64, 36)
    total = p.cell(60, 202, "1 + 3 + 3 = 7", "gradient", 112, 32)
    p.arrow((466, 140), add.right(), role="gradient", width=2.2)
    p.text(430, 126, "1", "name gradient")
    p.arrow(add.top(), (360, 64), mul.right(), role="gradient", width=2.2)
    p.text(310, 50, "1", "name gradient")
    p.arrow(add.left(), x.right(), role="gradient", width=2.2)
    p.text(226, 126, "1", "name gradient")
    for dy, dx, above in ((-9, -12, -14), (9, 12, 14)):
        p.arrow(mul.left(dy), (x.x + dx, mul.y + dy), x.top(dx), role="gradient", width=2.2)
        p.text(136, mul.y + dy + above, "× 3", "name gradient")
    p.arrow(x.bottom(), total.top(), role="gradient", width=2.2)
    p.math(226, 32, "saves x", "small quiet")
    p.math(12, 18, "y = x x + x = 12", "start")
    for step, (node, dx) in enumerate(((add, 32), (mul, 32), (total, 56)), 1):
        p.badge(node.x + dx, node.y - node.height / 2, f"{step}")


FIVE_ENERGIES = (2, 1.5, 0.5, 0, -1)


def softmax(values):
    total = sum(math.exp(v) for v in values)
    return [math.exp(v) / total for v in values]


def short(v):
    return f"{v:.2f}".rstrip("0").rstrip(".").replace("-", "−")


def energy_bars(p, xs, zero, values, scale, css="part attention", width=34, marked=None):
    """Bars from the line at `zero`, with their values. Bar number `marked` has the colour of a result."""
    p.arrow((xs[0] - 30, zero), (xs[-1] + 30, zero), head=False, width=1)
    for j, (x, e) in enumerate(zip(xs, values)):
        p.rect("part context" if j == marked else css, x - width / 2, min(zero, zero - scale * e), width, abs(scale * e))
        p.text(x, zero - scale * e + (-9 if e >= 0 else 10), short(e), "small")


@picture("sparse_weights", 954)
def sparse_weights(p):
    """The attention weights of nine models that reverse a b c d e f.

    The first part explains the cells: the larger the weight, the darker the cell. Each map has a column for each source token and a row for each target token. An empty cell is
    a weight of exactly 0. Soft has colour in all cells, but it is pale except on the anti-diagonal and in the last row. Sparsemax
    has one weight per row, and three in the last row. Top-1, hard and Gumbel have one weight per row; for top-1, it is in column b in all rows but one. Top-2, top-4
    and local-p have a few weights near the anti-diagonal. Smoothed has weights everywhere.
    """
    width, height, step = 29, 19, 192

    def cell(x, y, weight):
        if weight:
            size = f'x="{x:g}" y="{y:g}" width="{width}" height="{height}"'
            p.add(f'<rect class="fill context" {size} fill-opacity="{0.12 + 0.88 * math.sqrt(weight):.3f}"/>')

    for k, one in enumerate(load("sparse_attention")["runs"][0]["alignments"]):
        left, top = 56 + 236 * ((k + 1) % 2), 42 + step * ((k + 1) // 2)
        p.text(left, top - 29, one["name"], "name start context")
        for j, token in enumerate(one["source"]):
            p.text(left + width * (j + 0.5), top - 9, token, "code")
        for i, (token, row) in enumerate(zip(one["target"], one["weights"], strict=True)):
            p.text(left - 6, top + height * (i + 0.5), token, "code end")
            for j, weight in enumerate(row):
                cell(left + width * j, top + height * i, weight)
        lines = "".join(f"M{left} {top + height * i}h{width * 6}" for i in range(8)) + "".join(
            f"M{left + width * j} {top}v{height * 7}" for j in range(7))
        p.path("line token faded", lines, ' stroke-width="0.8"')
    left, top = 56, 42
    p.text(left, top - 29, "cells", "name start context")
    examples = ((0, "weight exactly 0"), (0.001, "weight 0.001"), (0.1, "weight 0.1"), (1, "weight 1"))
    for i, (weight, words) in enumerate(examples):
        y = top + 26 * i
        cell(left, y, weight)
        p.path("line token faded", f"M{left} {y}h{width}v{height}h-{width}z", ' stroke-width="0.8"')
        p.text(left + width + 10, y + height / 2, words, "small start")
    p.text(left, top + 114, "columns: source tokens", "small start quiet")
    p.text(left, top + 132, "rows: target tokens", "small start quiet")


@picture("sparse_methods", 498)
def sparse_methods(p):
    """The weights that five methods compute from the same five energies 2, 1.5, 0.5, 0 and −1.

    Softmax gives every position a weight above 0. Top-2 keeps the two largest weights. Sparsemax subtracts a threshold and drops what is
    negative: two positions remain, and the parts of their energies above the threshold, 0.75 and 0.25, are the weights. Local-p
    multiplies the softmax inside a window by a Gaussian, here around position 3. Hard
    attention has drawn position 2 and gives it the weight 1; the pale bars and grey numbers are the probabilities of the draw.
    """
    energies = FIVE_ENERGIES
    soft = softmax(energies)
    tau = (energies[0] + energies[1] - 1) / 2
    window = softmax(energies[1:4])  # the positions within w = 1 of position 3
    one, none = [0, 1, 0, 0, 0], [0] * 5
    methods = (("softmax", 216, soft, none), ("top-2", 278, [*softmax(energies[:2]), 0, 0, 0], none),
               ("sparsemax", 340, [max(e - tau, 0) for e in energies], none),
               ("local-p", 402, [0, *[w * math.exp(-2 * (j - 2) ** 2) for j, w in enumerate(window, 1)], 0], none),
               ("hard", 464, one, soft))
    xs, width, scale = [160 + 64 * j for j in range(5)], 34, 30  # one scale: the parts above τ are as high as the weights

    p.text(12, 52, "energies", "name start attention")
    energy_bars(p, xs, 82, energies, scale)
    for x, e in zip(xs, energies):
        if e > tau:
            for css in ("back", "part context"):
                p.rect(css, x - width / 2, 82 - scale * e, width, scale * (e - tau))
    p.arrow((xs[0] - 30, 82 - scale * tau), (xs[-1] + 10, 82 - scale * tau), role="gradient", css="dash", head=False)
    p.math(xs[-1] + 14, 82 - scale * tau, f"τ = {tau:g}", "small start")
    for name, floor, weights, pale in methods:
        p.text(12, floor - 20, name, "name start context")
        p.text(12, floor - 2, f"sum {sum(weights):.2f}", "small start quiet")
        p.arrow((xs[0] - 30, floor), (xs[-1] + 30, floor), head=False, width=1)
        for x, weight, behind in zip(xs, weights, pale):
            if behind:
                p.rect("part token faded", x - width / 2, floor - scale * behind, width, scale * behind)
            if weight:
                p.rect("part context", x - width / 2, floor - scale * weight, width, scale * weight)
            p.text(x, floor - scale * max(weight, behind) - 9, *((short(behind), "small quiet") if behind and not weight else (short(weight), "small")))
            if behind and weight:
                p.text(x + width / 2 + 3, floor - scale * behind, short(behind), "small start quiet")
    for y in (142, 482):
        p.text(12, y, "position", "small start quiet")
        for j, x in enumerate(xs, 1):
            p.text(x, y, str(j), "small quiet")


@picture("sparse_draw", 414)
def sparse_draw(p):
    """A draw from the softmax of the five energies 2, 1.5, 0.5, 0 and −1, by noise.

    The noise −0.19, 1.5, 0.09, 0.67 and 0.37 is added to the energies. The sums are 1.81, 3, 0.59, 0.67 and −0.63. The largest sum is
    at position 2, so position 2 gets the weight 1, and the others get 0. Before the noise, position 1 had the largest energy.
    """
    uniform = (0.3, 0.8, 0.4, 0.6, 0.5)
    noise = [-math.log(-math.log(u)) for u in uniform]
    sums = [e + g for e, g in zip(FIVE_ENERGIES, noise)]
    drawn = sums.index(max(sums))
    xs, scale = [160 + 64 * j for j in range(5)], 26
    p.text(12, 22, "position", "small start quiet")
    p.text(12, 44, "U", "small start quiet")
    for j, (x, u) in enumerate(zip(xs, uniform), 1):
        p.text(x, 22, str(j), "small quiet")
        p.text(x, 44, f"{u:g}", "small quiet")
    for zero, symbol, name, values, role, marked in ((130, "e", "energies", FIVE_ENERGIES, "attention", None),
                                                     (226, "G", "noise", noise, "gradient", None),
                                                     (342, "e + G", "sums", sums, "attention", drawn)):
        p.math(12, zero - 30, symbol, "start")
        p.text(12, zero - 10, name, "small start quiet")
        energy_bars(p, xs, zero, values, scale, f"part {role}", marked=marked)
    p.text(12, 394, "weights", "name start context")
    for j, x in enumerate(xs):
        p.text(x, 394, "1" if j == drawn else "0", "name context" if j == drawn else "small")


@picture("sparse_curve", 286)
def sparse_curve(p):
    """The weight of position 1 against the difference of two energies, for softmax, sparsemax and top-1.

    Softmax is an S-shaped curve: 0.27 at a difference of −1, 0.5 at 0, 0.73 at 1. It never reaches 0 or 1. Sparsemax is a straight line
    between a difference of −1, where it is 0, and a difference of 1, where it is 1. Outside, it stays at 0 or 1. Top-1 is a step
    from 0 to 1 at a difference of 0.
    """
    left, right, floor, up = 46, 474, 226, 196

    def place(difference, weight):
        return (left + right) / 2 + (right - left) / 8 * difference, floor - up * weight

    def of_two(difference):
        return 1 / (1 + math.exp(-difference))

    for weight in (0, 0.25, 0.5, 0.75, 1):
        p.path("line token faded", f"M{at(*place(-4, weight))}H{right}", ' stroke-width="1"')
        p.text(left - 8, place(0, weight)[1], f"{weight:g}", "small end quiet")
    for difference in range(-4, 5):
        p.text(place(difference, 0)[0], floor + 18, number(difference, 0), "small quiet")
    p.path("line gradient dash", "M" + "L".join(at(*place(*corner)) for corner in ((-4, 0), (0, 0), (0, 1), (4, 1))), ' stroke-width="2.2"')
    p.path("line decoder", "M" + "L".join(at(*place(i / 10, of_two(i / 10))) for i in range(-40, 41)), ' stroke-width="2.2"')
    corners = ((-4, 0), (-1, 0), (1, 1), (4, 1))
    p.path("line context", "M" + "L".join(at(*place(*corner)) for corner in corners), ' stroke-width="2.2"')
    for difference in (-1, 1):
        x, y = place(difference, of_two(difference))
        p.disc("fill decoder", x, y, 3.5)
        side = "start" if difference > 0 else "end"
        p.text(x + 8 * difference, y + 12 * difference, number(of_two(difference)), f"small {side}")
        p.disc("fill context", *place(difference, (1 + difference) / 2), 3.5)
    p.text(*place(2, 0.68), "softmax", "name start decoder")
    p.text(*place(1.2, 1.06), "sparsemax", "name start context")
    p.text(*place(-0.15, 0.76), "top-1", "name end gradient")
    p.math(left - 34, 14, "α_1", "start")
    p.math((left + right) / 2, floor + 46, "e_1 − e_2")


@picture("sparse_early", 354)
def sparse_early(p):
    """Held-out sources that are reversed without a mistake after 100 and after 600 updates, for eight methods.

    A bar is the mean of three seeds; a thin line reaches from the lowest to the highest seed. After 100 updates, soft, sparsemax, top-2,
    top-4 and local-p are at 97 to 99 %, Gumbel is at 91 %, hard at 41 % and top-1 at 1 %. After 600 updates, top-1 is at 63 %, and all
    others are at 100 %.
    """
    left, right, top, step, tall = 96, 394, 54, 33, 20
    runs = load("sparse_attention")["runs"]
    methods = ("soft", "sparsemax", "top-1", "top-2", "top-4", "local-p", "hard", "Gumbel")
    early, late = (f"after {runs[0][key]} updates" for key in ("early", "steps"))

    def x_of(percent):
        return left + (right - left) * percent / 100

    def bar(y, low, high, css):
        p.rect(css, x_of(low), y - tall / 2, x_of(high) - x_of(low), tall)

    p.rect("fill context", 12, 5, 18, 18)
    p.text(38, 14, early, "small name start context")
    p.rect("part context faded", 196, 5, 18, 18)
    p.text(222, 14, late, "small start")
    for percent in range(0, 101, 25):
        p.path("line token faded", f"M{at(x_of(percent), top - 18)}V{top + step * 8 - 14}", ' stroke-width="1"')
        p.text(x_of(percent), top + step * 8 + 2, f"{percent}", "small quiet")
    for i, name in enumerate(methods):
        y = top + step * i
        rows = [row for run in runs for row in run["rows"] if row["name"] == name]
        values = {key: [100 * row[key] for row in rows] for key in ("exact_early", "exact")}
        mean = {key: sum(seeds) / len(seeds) for key, seeds in values.items()}
        low, high = min(values["exact_early"]), max(values["exact_early"])
        p.text(12, y, name, "small start")
        bar(y, 0, mean["exact"], "part context faded")
        bar(y, 0, mean["exact_early"], "fill context")
        ends = "".join(f"M{at(x_of(end), y - 5)}v10" for end in (low, high))
        p.path("mark", f"M{at(x_of(low), y)}H{x_of(high):.5g}{ends}", ' stroke-width="1.6"')
        p.text(right + 10, y, f"{mean['exact_early']:.0f}", "small start name context")
        p.text(right + 72, y, f"{mean['exact']:.0f}", "small end")
    p.text((left + right) / 2, top + step * 8 + 24, "% of held-out sources reversed without a mistake", "small quiet")


@picture("sparse_window", 262)
def sparse_window(p):
    """The factor of a window around position 4 that reaches 2 positions to each side.

    A Gaussian is 1 at position 4, 0.61 at positions 3 and 5, and 0.14 at positions 2 and 6. At the edges of the window, 2 and 6, the
    factor jumps from 0.14 to 0. It is 0 at positions 0, 1, 7 and 8. Below, arrows show what changes if p_t moves to the right: the
    weights at 2 and 3 fall, the weights at 5 and 6 rise.
    """
    centre, w, floor, height = 4, 2, 176, 130

    def at_position(u, y):
        return 48 + 48 * u, floor - height * y

    def curve(low, high):
        points = [low + (high - low) * i / 60 for i in range(61)]
        return "M" + "L".join("{:.1f} {:.1f}".format(*at_position(u, math.exp(-2 * (u - centre) ** 2 / w ** 2))) for u in points)

    left, right = at_position(centre - w, 0)[0], at_position(centre + w, 0)[0]
    p.rect("panel token", left, 30, right - left, floor - 30)
    p.arrow(at_position(-0.6, 0), at_position(8.7, 0), head=False, width=1)
    for j in range(9):
        x, y = at_position(j, math.exp(-2 * (j - centre) ** 2 / w ** 2))
        p.text(x, floor + 14, str(j), "small quiet")
        if abs(j - centre) > w:
            p.text(x, floor - 9, "0", "small")
            continue
        p.rect("part context", x - 9, y, 18, floor - y)
        p.text(x + {-2: -20, -1: -24, 0: 0, 1: 24, 2: 20}[j - centre], y - (10 if j == centre else 4 if abs(j - centre) == 1 else 8),
               number(math.exp(-2 * (j - centre) ** 2 / w ** 2)) if j != centre else "1", "small")
    for low, high in ((-0.6, centre - w), (centre + w, 8.7)):
        p.path("line context dash faded", curve(low, high), ' stroke-width="1.6"')
    p.path("line context", curve(centre - w, centre + w), ' stroke-width="2.2"')
    for x in (left, right):
        p.path("line gradient dash", f"M{at(x, 30)}V{floor}", ' stroke-width="1.6"')
    p.text(left - 6, 36, "edge", "name small end gradient")
    p.text(right + 6, 36, "edge", "name small start gradient")
    p.math(at_position(centre, 0)[0], 16, "p_t = 4")
    p.text(12, floor + 36, "position", "small start quiet")
    for x in (left, right):
        end = at_position(centre, 0)[0] + (14 if x == right else -14)
        p.math((end + x) / 2, floor + 42, "w = 2", "small")
        p.arrow((end, floor + 30), (x, floor + 30), width=1.2)
    p.math(12, floor + 70, "p_t", "start")
    p.arrow((36, floor + 70), (76, floor + 70), role="decoder", width=2.2)
    for j, role, start, end in ((2, "gradient", 60, 80), (3, "gradient", 60, 80), (5, "context", 80, 60), (6, "context", 80, 60)):
        x = at_position(j, 0)[0]
        p.arrow((x, floor + start), (x, floor + end), role=role, width=2.2)


@picture("sparse_estimates", 290)
def sparse_estimates(p):
    """Estimates of the gradient of one energy, for two positions with the probability 0.5 and the losses 1 and 3.

    The right gradient is −0.5. Without a baseline, REINFORCE gives 0.5 if position 1 is drawn and −1.5 if position 2 is drawn. With the
    baseline 2, both draws give −0.5. Gumbel's draws lie between −0.5 and 0, as a strip shows; their mean is −0.33, and the example's
    draws give −0.46.
    """
    def place(value):
        return 378 + 130 * value
    bottom = 238
    p.text(place(-0.5), 12, "right −0.5", "small")
    p.path("line token dash", f"M{at(place(-0.5), 24)}V{bottom}", ' stroke-width="1.4"')
    p.path("line token faded", f"M{at(place(0), 24)}V208", ' stroke-width="1"')
    for y, role, name, more, draws in ((50, "gradient", "REINFORCE", "no baseline", ((0.5, "0.5"), (-1.5, "−1.5"))),
                                       (116, "encoder", "REINFORCE", "baseline 2", ((-0.5, "−0.5"), (-0.5, "−0.5"))),
                                       (182, "attention", "Gumbel", "θ = 1", ())):
        p.text(12, y, name, f"name small start {role}")
        p.text(12, y + 18, more, "small start quiet")
        for row, (value, label) in enumerate(draws):
            height = y + 22 * row
            p.arrow((place(0), height), (place(value), height), role=role, width=2.2)
            p.text(place(value) - 13 if value < 0 else place(value) + 6, height, label, f"small {'end' if value < 0 else 'start'}")
            p.text(place(0) + (8 if value < 0 else -8), height, f"draw {row + 1}", f"small quiet {'start' if value < 0 else 'end'}")
    p.rect("part attention", place(-0.5), 180, place(0) - place(-0.5), 20)
    p.path("mark", f"M{at(place(-1 / 3), 174)}v32", ' stroke-width="2.2"')
    p.text(place(-0.46), 218, "mean −0.33", "small start")
    p.disc("fill attention", place(-0.46), 190, 5)
    p.text(place(-0.5) - 8, 190, "example −0.46", "small end")
    p.text(place(0) + 8, 190, "all draws", "small quiet start")
    for tick in (-1.5, -1, -0.5, 0, 0.5):
        p.text(place(tick), bottom + 16, f"{tick:g}".replace("-", "−"), "small quiet")
    p.math(place(-0.5), bottom + 36, "∂L/∂e_1", "small")


@picture("mask", 236)
def mask(p):
    """Two tokens with the energies 1 and 2, and two pads with the energy 0, in three variants.

    Without a mask, the pads get the weights 0.08 each. If weights of pads are set to 0 after the softmax, the other weights sum to 0.83. With
    the energy minus infinity before the softmax, the weights are 0.27, 0.73, 0 and 0.
    """
    exps = [math.exp(e) for e in (1, 2, 0, 0)]
    plain = [e / sum(exps) for e in exps]
    right = [e / sum(exps[:2]) for e in exps[:2]] + [0, 0]
    for k, (name, weights, note) in enumerate((("no mask", plain, "weights on pads"), ("set to 0 after", [*plain[:2], 0, 0], "sum 0.83"),
                                               ("−∞ before", right, "sum 1"))):
        left, floor = 14 + 160 * k, 160
        p.text(left + 64, 18, name, "name context" if k == 2 else "name gradient")
        p.arrow((left, floor), (left + 128, floor), head=False, width=1)
        for j, weight in enumerate(weights):
            x = left + 4 + 32 * j
            if weight:
                p.rect(f"part {'context' if j < 2 else 'gradient'}", x, floor - 130 * weight, 24, 130 * weight)
            p.text(x + 12, floor - 130 * weight - 10, f"{weight:.2f}" if weight else "0", "small")
            p.text(x + 12, floor + 14, ("a", "b", "pad", "pad")[j], "small quiet")
        p.text(left + 64, floor + 44, note, "small")


@picture("general_score", 236)
def general_score(p):
    """The general score of one query and one annotation, with numbers.

    prepare(), once per batch: W with the rows (1, 0, 1) and (0, 1, 0), times h = (3, −1, 1), is the key (4, −1). energies(), at
    each step: the key times the query (1, 2), element by element, is (4, −2), and the sum is the energy 2.
    """
    W, h, q = ((1, 0, 1), (0, 1, 0)), (3, -1, 1), (1, 2)
    key = [sum(w * x for w, x in zip(row, h)) for row in W]
    products = [k * x for k, x in zip(key, q)]

    def column(x, y, values, role):
        table(p, x, y, [[number(v, 0)] for v in values], role, size=(38, 30))
    p.panel("encoder", 6, 40, 280, 128)
    p.panel("attention", 296, 40, 178, 190)
    p.text(16, 22, "prepare()", "code start")
    p.text(100, 22, "once a batch", "small start quiet")
    p.text(306, 22, "energies()", "code start")
    p.text(398, 22, "each step", "small start quiet")
    table(p, 18, 82, [[number(v, 0) for v in row] for row in W], "token", size=(32, 30))
    p.math(66, 64, "W")
    p.math(126, 112, "×")
    column(140, 67, h, "encoder")
    p.math(159, 54, "h_j", "small")
    p.arrow((182, 112), (230, 112), role="encoder")
    column(236, 82, key, "attention")
    p.math(255, 64, "W h_j")
    p.arrow((278, 112), (340, 112), role="attention")
    column(344, 82, products, "attention")
    p.math(363, 64, "q_t ∘ W h_j")
    column(344, 164, q, "decoder")
    p.math(328, 194, "q_t")
    p.arrow((363, 162), (363, 146), role="decoder")
    p.arrow((386, 112), (424, 112), role="attention")
    p.math(405, 96, "Σ")
    p.cell(446, 112, number(sum(products), 0), "attention", 36, 32)
    p.math(446, 78, "e_{tj}")


@picture("same_bits", 318)
def same_bits(p):
    """A sum of four numbers on one thread and on two, with three digits kept after each addition.

    One thread adds 1.00, 0.004, 0.004 and 0.004 in order. Each addition is rounded to 1.00, so the sum is 1.00. Of two threads, the first adds 1.00
    and 0.004, which gives 1.00, and the second 0.004 and 0.004, which gives 0.008. The sum of both is 1.01. The exact sum is 1.012.
    """
    xs, values, middle = [150 + 84 * i for i in range(4)], ("1.00", "0.004", "0.004", "0.004"), 276

    def terms(y, first, end, role):
        for x, value in zip(xs[first:end], values[first:end]):
            p.cell(x, y, value, role, 62, 28)
            if x != xs[first]:
                p.math(x - 42, y, "+", "small")

    p.text(12, 22, "1 thread", "small start name token")
    p.text(433, 22, "exact sum: 1.012", "small end quiet")
    terms(56, 0, 4, "encoder")
    sums = [p.cell(x, 118, "1.00", role, 62, 28) for x, role in zip(xs[1:], ("encoder", "encoder", "context"))]
    p.arrow((xs[0], 74), (xs[0], 118), sums[0].left(), role="encoder")
    for x, before, after in zip(xs[1:], [None, *sums], sums):
        p.arrow((x, 74), after.top(), role="encoder")
        if before:
            p.arrow(before.right(), after.left(), role="encoder")
    p.text(12, 154, "2 threads", "small start name token")
    total = p.cell(middle, 296, "1.01", "context", 60, 28)
    for thread, first, end, partial, role in (("thread 1", 0, 2, "1.00", "encoder"), ("thread 2", 2, 4, "0.008", "attention")):
        terms(188, first, end, role)
        x = (xs[first] + xs[end - 1]) / 2
        p.text(x, 154, thread, f"small name {role}")
        box = p.cell(x, 242, partial, role, 62, 28)
        p.arrow((x, 206), box.top(), role=role)
        p.arrow(box.bottom(), (x, 296), total.left() if x < middle else total.right(), role=role)
    p.math(middle, 242, "+", "small")
    for y in (118, 242, 296):
        p.text(12, y, "rounded:", "small start quiet")


@picture("parallel_sum", 288)
def parallel_sum(p):
    """The tapes of a parallel_sum of two terms, with one thread and with two.

    With one thread, a single tape has the operations mul, sum, mul, sum and add. With two threads, each term has its own tape, with mul and sum.
    The tape of the caller has the single operation parallel_sum.
    """

    def operation(x, y, name, role, width=84):
        p.rect(f"part {role}", x - width / 2, y - 15, width, 30, 8)
        p.text(x, y, name, "code")
        return Node(x, y, width, 30)

    for x, threads, last, width, tapes in (
            (112, "1 thread", "add", 84, [(8, 40, 208, 240, "one tape")]),
            (360, "2 threads", "parallel_sum", 140, [(248, 40, 108, 148, "tape 1"), (364, 40, 108, 148, "tape 2"), (248, 200, 224, 80, "the caller's tape")])):
        p.text(x - 104, 18, threads, "name start token")
        for left, top, wide, high, name in tapes:
            p.panel("token", left, top, wide, high)
            p.text(left + 10, 268 if top > 40 else 56, name, "small start quiet")  # no arrow crosses it
        total = operation(x, 234, last, "context", width)
        for side, role in ((-1, "encoder"), (1, "attention")):
            product, term = (operation(x + 54 * side, y, name, role) for y, name in ((92, "mul"), (158, "sum")))
            p.arrow(product.bottom(), term.top(), role=role)
            if last == "add":
                p.arrow(term.bottom(), (term.x, total.y), total.right() if side > 0 else total.left(), role=role)
            else:
                p.arrow(term.bottom(), total.top(54 * side), role=role)


@picture("03_steps", 258)
def steps(p):
    """Clipping and momentum in numbers.

    On the left, the gradient (3, 4) has the norm 5. Clipped to the norm 1, it becomes (0.6, 0.8), an arrow of the same direction that ends on a
    circle of radius 1. On the right, with a gradient that stays 1 and momentum 0.9, the steps grow from 1 towards 10.
    """
    p.text(12, 18, "clipping", "name start decoder")
    origin, unit = (50, 210), 36
    end, short = (origin[0] + 3 * unit, origin[1] - 4 * unit), (origin[0] + 0.6 * unit, origin[1] - 0.8 * unit)
    p.arrow((20, origin[1]), (200, origin[1]), width=1)
    p.arrow((origin[0], 232), (origin[0], 44), width=1)
    p.disc("line context dash", *origin, unit)
    p.arrow(origin, end, role="gradient", width=1.6)
    p.arrow(origin, short, role="decoder", width=3)
    p.text(end[0] + 8, end[1] + 2, "(3, 4)", "small start")
    p.text(short[0] + 24, short[1] - 2, "(0.6, 0.8)", "small start")
    p.text(256, 18, "momentum 0.9", "name start decoder")
    floor, left, high = 210, 262, 14
    p.arrow((left - 8, floor), (474, floor), head=False, width=1)
    p.path("line token dash", f"M{left - 8} {floor - high * 10}H474", ' stroke-width="1.2"')
    p.text(474, floor - high * 10 - 12, "10", "small end quiet")
    p.math(left - 8, floor - high * 10 - 14, "b", "small start")
    for step in range(1, 21):
        length = (1 - 0.9 ** step) / 0.1
        p.rect("part decoder", left + 10.4 * (step - 1), floor - high * length, 8, high * length)
        if step in (1, 5, 10, 20):
            p.text(left + 10.4 * (step - 1) + 4, floor + 14, f"{step}", "small quiet")
    p.text(364, floor + 32, "steps", "small quiet")
