"""The pictures of the how-to pages, of why-attention and of check.md, for docs/diagrams.py."""

import math

from diagrams_kit import at, picture


def number(value, digits=2):
    return f"{value:.{digits}f}".replace("-", "−")


def table(p, x, y, rows, role, marked=None, size=(46, 30), shade=None):
    """Draws a matrix with its numbers, whose upper left corner is (x, y). Row `marked` has a thick border."""
    width, height = size
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            more = f' style="fill-opacity:{0.05 + 0.75 * value:.2f}"' if shade else ""
            p.add(f'<rect class="part {role}" x="{x + width * j:g}" y="{y + height * i:g}" width="{width}" height="{height}"{more}/>')
            p.text(x + width * (j + 0.5), y + height * (i + 0.5), value if isinstance(value, str) else number(value), "small")
    if marked is not None:
        left, right, top, bottom = x - 2, x + width * len(rows[0]) + 2, y + height * marked - 2, y + height * (marked + 1) + 2
        p.path("line token", f"M{left:g} {top:g}H{right:g}V{bottom:g}H{left:g}z", ' stroke-width="2.6"')


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


@picture("how_int8", 316)
def int8(p):
    """A row of four weights as int8.

    The largest weight, 0.5, becomes 127. The others are divided by the same factor s = 0.5 / 127 and rounded. Four weights of
    four bytes become one factor of two bytes (bf16) and four integers of one byte.
    """
    W = [0.5, -0.2, 0.03, 0.31]
    s = max(map(abs, W)) / 127
    xs = (150, 235, 320, 405)
    p.text(12, 40, "f32", "name start encoder")
    p.text(12, 58, "16 bytes", "small start quiet")
    p.text(12, 160, "int8", "name start attention")
    p.text(12, 178, "2 + 4 bytes", "small start quiet")
    p.text(12, 262, "used as", "name start context")
    p.math(60, 104, "÷ s, round", "small")
    p.math(60, 124, "s = 0.5 / 127", "small")
    p.math(60, 216, "× s", "small")
    for x, w in zip(xs, W):
        q = round(w / s)
        top = p.cell(x, 40, number(w), "encoder", 70, 30)
        p.vector(x, 66, *["encoder"] * 4, size=9)
        p.math(x + 8, 112, number(w / s), "small start quiet")
        middle = p.cell(x, 160, f"{q}".replace("-", "−"), "attention", 70, 30)
        p.vector(x, 186, "attention", size=9)
        bottom = p.cell(x, 262, number(s * q, 4), "context", 70, 30)
        p.arrow((top.x, 76), middle.top(), role="attention")
        p.arrow((middle.x, 196), bottom.top(), role="context")
        p.text(x, 292, "±0" if abs(s * q - w) < 1e-9 else f"{s * q - w:+.4f}".replace("-", "−"), "small quiet")
    p.text(12, 292, "error", "small start quiet")


@picture("prune_schedule", 210)
def prune_schedule(p):
    """The fraction of zeros during training.

    Until step 300 the fraction is 0. It rises steeply to 0.79 at step 600, then slowly to 0.9 at step 900, and stays there.
    """
    left, bottom, across, up = 60, 170, 0.33, 150

    def at(step, fraction):
        return left + across * step, bottom - up * fraction

    def line(css, *points):
        p.path(css, "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in points)), ' stroke-width="2.2"')

    def zeros(step):
        return 0.9 * (1 - (1 - min(max((step - 300) / 600, 0), 1)) ** 3)

    p.arrow((left, bottom), at(1240, 0), width=1)
    p.arrow((left, bottom), at(0, 1.07), width=1)
    for step, name in ((300, "t_0"), (600, ""), (900, "t_1")):
        line("line token faded dash", (step, 0), (step, zeros(step)))
        p.text(at(step, 0)[0], bottom + 14, f"{step}", "small quiet")
        p.math(at(step, 0)[0], bottom + 31, name, "small")
    line("line token faded dash", (0, 0.9), (900, 0.9))
    line("line attention", *((step, zeros(step)) for step in (0, *range(300, 901, 20), 1200)))
    for fraction in (0, 0.5, 0.9):
        p.text(left - 8, at(0, fraction)[1], f"{fraction:g}", "small end quiet")
    p.dot(*at(600, zeros(600)), "attention")
    p.text(at(600, 0)[0] + 12, at(0, zeros(600))[1] + 12, "0.79", "small start")
    p.text(at(1240, 0)[0], bottom + 14, "step", "small end quiet")
    p.text(left + 8, 12, "fraction of zeros", "small start attention")


@picture("how_layouts", 300)
def layouts(p):
    """The weights of a GRU in two layouts.

    PyTorch and gradus: weight_ih has 3H rows and I columns, with the blocks r, z and n from top to bottom. Keras: the kernel
    has I rows and 3H columns, with the blocks z, r and h from left to right.
    """
    size, H, I = 14, 4, 3
    colours = {"r": "gate", "z": "decoder", "n": "context"}

    p.text(136, 18, "PyTorch, gradus", "name encoder")
    p.text(136, 40, "weight_ih (3H, I)", "code small")
    for k, name in enumerate("rzn"):
        y = 62 + size * H * (k + 0.5) + 6 * k
        p.grid(136, y, H, I, colours[name], size=size)
        p.text(98, y, {"r": "reset gate", "z": "update gate", "n": "new value"}[name], "small end quiet")
        p.math(168, y, name, "start")
    p.text(345, 18, "Keras", "name encoder")
    p.text(345, 40, "kernel (I, 3H)", "code small")
    for k, (name, shown) in enumerate(zip("zrn", "zrh")):
        x = 345 + (k - 1) * (size * H + 6)
        p.grid(x, 62 + size * I / 2, I, H, colours[name], size=size)
        p.math(x, 62 + size * I + 16, shown)
    p.arrow((274, 190), (206, 190), role="token", width=2.2)
    for line, text in enumerate(("1. put r before z", "2. transpose")):
        p.text(284, 182 + 20 * line, text, "start")
    p.text(240, 276, "same numbers, another order: a wrong order has the right shape", "small quiet")


@picture("debug_graph", 150)
def debug_graph(p):
    """The graph of the program: sum(log(linear(x))).

    The parameters weight and bias of the module W lead to the operation linear, whose result is finite. It leads to log, whose result
    contains nan, and log leads to sum, which is nan.
    """
    p.panel("encoder", 6, 26, 204, 118)
    p.text(20, 14, "module W", "small start encoder")
    leaves = [p.cell(54, y, text, "encoder", 78, 32) for y, text in ((56, "weight"), (112, "bias"))]
    linear, log, total = (p.cell(x, 84, text, role, 70, 34) for x, text, role in
                          ((168, "linear", "token"), (298, "log", "gradient"), (418, "sum", "gradient")))
    for leaf, dy in zip(leaves, (-8, 8)):
        p.arrow(leaf.right(), linear.left(dy), role="encoder")
    p.arrow(linear.right(), log.left())
    p.arrow(log.right(), total.left(), role="gradient")
    for node, text, css in ((linear, "finite", "quiet"), (log, "nan at [0, 2]", "gradient"), (total, "nan", "gradient")):
        p.text(node.x, 116, text, f"small {css}")
        p.text(node.x, 54, {"linear": "(2, 3)", "log": "(2, 3)", "sum": "()"}["linear" if node is linear else "log" if node is log else "sum"], "small quiet")


@picture("how_broken_leaf", 190)
def broken_leaf(p):
    """A leaf without a path to the loss.

    From w, arrows lead through the product, the sum and the sigmoid to the loss: w gets a gradient. No arrow leaves b,
    because the program calls detach: b gets no gradient and never changes.
    """
    y = 46
    nodes = [p.cell(x, y, text, role, width, 34) for x, text, role, width in
             ((36, "w", "encoder", 44), (118, "mul, sum", "token", 76), (208, "add", "token", 54), (300, "sigmoid", "token", 74),
              (412, "loss", "decoder", 60))]
    for before, after in zip(nodes, nodes[1:]):
        p.arrow(before.right(), after.left())
    p.text(36, 84, "gets a", "small encoder")
    p.text(36, 100, "gradient", "small encoder")
    leaf = p.cell(36, 146, "b", "gradient", 44, 34, "dash")
    p.arrow(leaf.right(), (112, 146), role="gradient", css="dash", head=False)
    p.path("line gradient", "M120 138l16 16m0-16l-16 16", ' stroke-width="2.6"')
    p.arrow((146, 146), (208, 146), nodes[2].bottom(), css="faded dash")
    p.text(128, 172, "b.detach()", "code small")
    p.text(230, 138, "no path to the loss:", "small start")
    p.text(230, 156, "b never changes", "small start")


@picture("how_operation", 300)
def operation(p):
    """The order in which functions are called.

    Forward: the call of log_cosh computes y without recording, and record puts a node on the tape, with x and the backward
    function. Backward: backward() starts at the loss; when it reaches the node, it calls the backward function, which adds
    to the gradient of x.
    """
    p.header(18, "decoder", "forward")
    p.header(282, "backward", "backward")
    x, y, loss = p.cell(40, 74, "x", "encoder", 44), p.cell(296, 74, "y", "decoder", 44), p.cell(440, 74, "loss", "decoder", 56)
    call = p.cell(168, 74, "", "decoder", 118, 44)
    p.text(168, 74, "log_cosh(x)", "code")
    p.arrow(x.right(), call.left(), role="decoder")
    p.arrow(call.right(), y.left(), role="decoder")
    p.arrow(y.right(), loss.left(), role="decoder")
    p.math(366, 58, "⋯")
    p.panel("attention", 84, 124, 216, 54)
    p.text(96, 142, "node on the tape", "small start name attention")
    p.text(96, 162, "keeps x and your function", "small start")
    p.arrow(call.bottom(), (168, 124), role="attention")
    p.text(180, 110, "record", "code small start")
    gx, gy = p.cell(40, 232, "x¯", "backward", 44), p.cell(296, 232, "y¯", "backward", 44)
    mine = p.cell(168, 232, "x¯ += y¯ tanh x", "backward", 132, 44)
    start = p.cell(440, 232, "1", "backward", 56)
    p.arrow(start.left(), gy.right(), role="backward")
    p.math(366, 216, "⋯")
    p.arrow(gy.left(), mine.right(), role="backward")
    p.arrow(mine.left(), gx.right(), role="backward")
    p.arrow((168, 178), mine.top(), role="attention")
    p.arrow(loss.bottom(), start.top(), role="token", css="dash")
    p.text(424, 142, "backward()", "code small end")
    for number_, (bx, by) in enumerate(((109, 52), (152, 110), (440, 142), (102, 210)), 1):
        p.badge(bx, by, f"{number_}")


@picture("how_gradcheck", 290)
def gradcheck(p):
    """A finite difference and a wrong gradient.

    The line through two points of x², h to the left and right of x = 1, has slope 2, the numeric gradient. A wrong
    backward function returns x, so its line has slope 1. The slopes differ, so the check fails.
    """
    origin, across, up = (60, 250), 170, 72

    def at(x, y):
        return origin[0] + across * x, origin[1] - up * y

    def line(css, *points, width=2.2):
        p.path(css, "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in points)), f' stroke-width="{width}"')

    p.arrow((14, origin[1]), (470, origin[1]), width=1)
    line("line encoder", *((x / 40, (x / 40) ** 2) for x in range(74)))
    line("line attention", (0.32, 0), (1.85, 3.06))
    line("line gradient dash", (0.1, 0.1), (2.1, 2.1))
    for x, name in ((0.4, "x − h"), (1, "x"), (1.6, "x + h")):
        line("line token faded", (x, 0), (x, x * x), width=1)
        p.math(at(x, 0)[0], origin[1] + 14, name, "small")
        p.text(at(x, 0)[0], origin[1] + 31, f"f({x:g}) = {x * x:.3g}", "small quiet")
    for x in (0.4, 1.6):
        p.dot(*at(x, x * x), "attention")
    p.dot(*at(1, 1), "encoder")
    p.math(388, 20, "f(x) = x^2", "start")
    p.text(20, 60, "numeric: slope 2", "name start attention")
    p.text(20, 82, "analytic: slope 1, wrong", "name start gradient")


@picture("how_kink", 230)
def kink(p):
    """A finite difference at the kink of relu.

    f(x) is −1.13 times relu of x: the slope is 0 left of the kink, and −1.13 right of it. The line through the points at −h and h has the
    slope −0.57, which is neither of them. With a smaller step, its slope is the same.
    """
    origin, across, up = (240, 60), 180, 110

    def at(x, y):
        return origin[0] + across * x, origin[1] - up * y

    def line(css, *points, width=2.2):
        p.path(css, "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in points)), f' stroke-width="{width}"')

    line("line token faded", (-1.2, 0), (1.2, 0), width=1)
    line("line encoder", (-1.2, 0), (0, 0), (1.2, -1.356))
    line("line attention dash", (-1, 0), (1, -1.13))
    for x, y in ((-1, 0), (1, -1.13)):
        p.dot(*at(x, y), "attention")
    p.dot(*at(0, 0), "encoder")
    for x, name in ((-1, "−h"), (0, "0"), (1, "h")):
        p.math(at(x, 0)[0], origin[1] - 16, name, "small")
    p.math(22, 20, "f(x) = −1.13 relu(x)", "start")
    p.text(150, 44, "slope 0", "name encoder")
    p.text(350, 116, "slope −1.13", "name start encoder")
    p.text(140, 150, "numeric: slope −0.57", "name attention")


@picture("check_page", 262)
def check_page(p):
    """The steps of a check in the browser.

    The compiler is clang and lld as WebAssembly. It reads your file, and the headers and libraries of gradus, which were downloaded once.
    The linked program runs the checker in a worker. The stages of the check appear one after the other. If a stage fails, its message
    tells you what to change in your file.
    """
    p.panel("context", 8, 34, 464, 196)
    p.text(240, 20, "your browser", "name context")
    yours = p.cell(72, 84, "", "encoder", 96, 44)
    p.text(72, 84, "your C++", "small")
    compiler = p.cell(222, 84, "", "attention", 112, 44)
    p.text(222, 76, "compiler", "small")
    p.text(222, 94, "clang, lld", "small quiet")
    program = p.cell(390, 84, "", "decoder", 120, 44)
    p.text(390, 76, "program", "small")
    p.text(390, 94, "in a worker", "small quiet")
    p.arrow(yours.right(), compiler.left())
    p.arrow(compiler.right(), program.left())
    library = p.cell(222, 166, "", "gate", 128, 44)
    p.text(222, 158, "headers, libraries", "small")
    p.text(222, 176, "downloaded once", "small quiet")
    p.arrow(library.top(), compiler.bottom())
    stages = (("✓", "shape", "context"), ("✓", "value", "context"), ("✗", "gradient", "gradient"))
    for i, (mark, stage, role) in enumerate(stages):
        p.text(356, 142 + 22 * i, mark, f"name start {role}")
        p.text(378, 142 + 22 * i, stage, "small start")
    p.arrow(program.bottom(), (390, 130), role="decoder")
    p.arrow((350, 186), (322, 212), (72, 212), yours.bottom(), role="gradient")
    p.text(86, 198, "message", "small start")
    p.text(240, 248, "nothing is sent to a server", "small quiet")


@picture("gru_forms", 218)
def gru_forms(p):
    """The new value of a GRU in two forms, with numbers.

    U exchanges the two numbers of a vector; h = (1, 0) and r = (1, 0). On the state, h is multiplied by r, which gives (1, 0), and then
    by U, which gives (0, 1). On the product, h is multiplied by U, which gives (0, 1), and then by r, which gives (0, 0).
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


@picture("sparse_methods", 610)
def sparse_methods(p):
    """The weights that six methods compute from the same five energies 2, 1.5, 0.5, 0 and −1.

    Softmax gives every position a weight above 0. Top-2 keeps the two largest weights. Sparsemax subtracts a threshold and drops what is
    negative: two positions remain. Local-p multiplies the softmax inside a window by a Gaussian, here around position 3. Hard
    attention has drawn position 2 and gives it the weight 1; the pale bars and grey numbers are the probabilities of the draw. Gumbel adds noise to the
    energies and gives the weight 1 to the largest sum, also at position 2; the pale bars and grey numbers are the softmax of the sums.
    """
    energies, draws = (2, 1.5, 0.5, 0, -1), (0.3, 0.8, 0.4, 0.6, 0.5)

    def softmax(values):
        total = sum(math.exp(v) for v in values)
        return [math.exp(v) / total for v in values]
    sums = [e - math.log(-math.log(u)) for e, u in zip(energies, draws)]
    soft, perturbed = softmax(energies), softmax(sums)
    tau = (energies[0] + energies[1] - 1) / 2
    window = softmax(energies[1:4])  # the positions within w = 1 of position 3
    one, none = [0, 1, 0, 0, 0], [0] * 5
    methods = (("softmax", 186, soft, none), ("top-2", 248, [*softmax(energies[:2]), 0, 0, 0], none),
               ("sparsemax", 310, [max(e - tau, 0) for e in energies], none),
               ("local-p", 372, [0, *[w * math.exp(-2 * (j - 2) ** 2) for j, w in enumerate(window, 1)], 0], none),
               ("hard", 434, one, soft), ("Gumbel", 582, one, perturbed))
    xs, width = [160 + 64 * j for j in range(5)], 34

    def value(v):
        return f"{v:.2f}".rstrip("0").rstrip(".").replace("-", "−")

    def bars(zero, values, scale, css="part attention"):
        p.arrow((xs[0] - 30, zero), (xs[-1] + 30, zero), head=False, width=1)
        for x, e in zip(xs, values):
            p.rect(css, x - width / 2, min(zero, zero - scale * e), width, abs(scale * e))
            p.text(x, zero - scale * e + (-9 if e >= 0 else 10), value(e), "small")
    p.text(12, 52, "energies", "name start attention")
    bars(82, energies, 27)
    p.arrow((xs[0] - 30, 82 - 27 * tau), (xs[-1] + 10, 82 - 27 * tau), role="gradient", css="dash", head=False)
    p.math(xs[-1] + 14, 82 - 27 * tau, f"τ = {tau:g}", "small start")
    p.math(12, 488, "e + G", "start")
    p.text(12, 506, "energies + noise", "small start quiet")
    bars(508, sums, 14)
    for name, floor, weights, pale in methods:
        p.text(12, floor - 20, name, "name start context")
        p.text(12, floor - 2, f"sum {sum(weights):.2f}", "small start quiet")
        p.arrow((xs[0] - 30, floor), (xs[-1] + 30, floor), head=False, width=1)
        for x, weight, behind in zip(xs, weights, pale):
            if behind:
                p.rect("part token faded", x - width / 2, floor - 36 * behind, width, 36 * behind)
            if weight:
                p.rect("part context", x - width / 2, floor - 36 * weight, width, 36 * weight)
            p.text(x, floor - 36 * max(weight, behind) - 9, *((value(behind), "small quiet") if behind and not weight else (value(weight), "small")))
            if behind and weight:
                p.text(x + width / 2 + 3, floor - 36 * behind, value(behind), "small start quiet")
    p.text(12, 598, "position", "small start quiet")
    for j, x in enumerate(xs, 1):
        p.text(x, 598, str(j), "small quiet")


@picture("sparse_estimates", 290)
def sparse_estimates(p):
    """Estimates of the gradient of one energy, for two positions with the probability 0.5 and the losses 1 and 3.

    The right gradient is −0.5. Without a baseline, REINFORCE gives 0.5 if position 1 is drawn and −1.5 if position 2 is drawn. With the
    baseline 2, both draws give −0.5. Gumbel gives −0.46 for both of the example's draws; its mean over all draws is −0.33.
    """
    def place(value):
        return 378 + 130 * value
    bottom = 238
    p.text(place(-0.5), 12, "right −0.5", "small")
    p.path("line token dash", f"M{at(place(-0.5), 24)}V{bottom}", ' stroke-width="1.4"')
    p.path("line token faded", f"M{at(place(0), 24)}V208", ' stroke-width="1"')
    for y, role, name, more, draws in ((50, "gradient", "REINFORCE", "no baseline", ((0.5, "0.5"), (-1.5, "−1.5"))),
                                       (116, "encoder", "REINFORCE", "baseline 2", ((-0.5, ""), (-0.5, ""))),
                                       (182, "attention", "Gumbel", "θ = 1", ((-0.46, "−0.46"), (-0.46, "−0.46")))):
        p.text(12, y, name, f"name small start {role}")
        p.text(12, y + 18, more, "small start quiet")
        for row, (value, label) in enumerate(draws):
            height = y + 22 * row
            p.arrow((place(0), height), (place(value), height), role=role, width=2.2)
            p.text(place(value) - 13 if value < 0 else place(value) + 6, height, label, f"small {'end' if value < 0 else 'start'}")
            p.text(place(0) + (8 if value < 0 else -8), height, f"draw {row + 1}", f"small quiet {'start' if value < 0 else 'end'}")
    p.path("line attention", f"M{at(place(-1 / 3), 216)}v14", ' stroke-width="2.2"')
    p.text(place(-1 / 3) + 8, 223, "mean −0.33", "small start")
    for tick in (-1.5, -1, -0.5, 0, 0.5):
        p.text(place(tick), bottom + 16, f"{tick:g}".replace("-", "−"), "small quiet")
    p.math(place(-0.5), bottom + 36, "∂L/∂e_1", "small")


@picture("weight_faults", 262)
def weight_faults(p):
    """Attention weights with four faults.

    The source is a b c d e f, and the model should write it backwards. The rows of f, c and a are right. The row of e is broad: four weights
    of 0.25. The row of d has its weight at b, a wrong position. The row of b repeats the row of c. Column e has no weight in any row.
    """
    size, left, top = 32, 76, 40
    rows = (("f", {5: 0.95, 4: 0}, ""), ("e", {0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}, "broad row"), ("d", {1: 0.95}, "wrong position"),
            ("c", {2: 0.95}, ""), ("b", {2: 0.95}, "repeated row"), ("a", {0: 0.95}, ""))
    p.text(left + 3 * size, 10, "source", "small quiet")
    for j, token in enumerate("abcdef"):
        p.text(left + size * (j + 0.5), top - 12, token, "code")
    for t, (token, weights, fault) in enumerate(rows):
        y = top + size * t
        p.text(left - 14, y + size / 2, token, "code")
        for j in range(6):
            p.rect("panel token", left + size * j, y, size, size)
            if weights.get(j):
                p.add(f'<rect class="fill attention" x="{left + size * j}" y="{y}" width="{size}" height="{size}" fill-opacity="{weights[j]}"/>')
        if fault:
            p.rect("line gradient", left, y + 1, 6 * size, size - 2, 4)
            p.text(left + 6 * size + 14, y + size / 2, fault, "small start gradient name")
    p.rect("line gradient dash", left + 4 * size + 1, top - 2, size - 2, 6 * size + 4, 4)
    p.text(left + 4.5 * size, top + 6 * size + 16, "no weight in any row", "small gradient name")
    p.text(10, top + 3 * size, "written", "small start quiet")


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


@picture("run_folder", 326)
def run_folder(p):
    """The files that train writes into a run folder, and the command that reads each.

    translate, evaluate, align and score read best.safetensors. train --resume reads last.safetensors. train --config reads settings.toml.
    log.jsonl, curves.svg, alignments.svg and index.html are for people. average.safetensors is written only with --average, and read if --model
    names it.
    """
    p.panel("encoder", 130, 24, 180, 290)
    p.text(220, 46, "a run folder", "small")
    train = p.cell(54, 160, "train", "decoder", 74, 36)
    p.arrow(train.right(), (130, 160), role="decoder", width=2.2)
    for y, name, readers in ((80, "best.safetensors", ("translate, align,", "evaluate, score")), (116, "last.safetensors", ("train --resume",)),
                            (146, "settings.toml", ("train --config",)), (176, "log.jsonl", ()), (198, "curves.svg", ()),
                            (220, "alignments.svg", ()), (246, "index.html", ("browser",)),
                            (280, "average.safetensors", ("--model FILE",))):
        quiet = " quiet" if name == "average.safetensors" else ""
        p.text(220, y, name, "small code" + quiet)
        if readers:
            p.arrow((302, y), (372, y), role="context")
        for i, reader in enumerate(readers):
            p.text(378, y + 16 * i - 8 * (len(readers) - 1), reader, "small start" + quiet)
    p.text(220, 298, "with --average", "small quiet")


@picture("general_score", 236)
def general_score(p):
    """The general score of one query and one annotation, with numbers.

    prepare, once a batch: W with the rows (1, 0, 1) and (0, 1, 0) times h = (3, −1, 1) is the key (4, −1). energies, at each step: the key times
    the query (1, 2), element by element, is (4, −2), and the sum is the energy 2.
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


@picture("attention_class", 330)
def attention_class(p):
    """The parts of an attention that you write.

    The base class calls prepare once per batch: it makes the keys from the annotations. At each step it calls energies, with query and
    keys. Mask, softmax, dropout and context are the base class's.
    """
    p.panel("attention", 100, 46, 280, 226)
    p.text(240, 28, "nn::ScoredAttention", "code")
    prepare = p.cell(180, 226, "prepare()", "decoder", 96, 36)
    energies = p.cell(180, 150, "energies()", "decoder", 96, 36)
    rest = [p.cell(x, 84, name, "token", width, 30) for x, name, width in ((138, "mask", 56), (212, "softmax", 70), (296, "dropout", 72))]
    context = p.circle(354, 84, "Σ", "token")
    p.text(180, 306, "annotations h: (T, B, D)", "small")
    p.arrow((180, 294), prepare.bottom(), role="encoder")
    p.arrow(prepare.top(), energies.bottom(), role="attention")
    p.text(190, 188, "keys", "small start")
    p.text(12, 150, "query", "small start")
    p.arrow((54, 150), energies.left(), role="decoder")
    p.arrow(energies.top(), (180, 118), (138, 118), rest[0].bottom(), role="attention")
    p.text(190, 122, "e: (B, T)", "small start")
    for before, after in zip((*rest, ), (*rest[1:], context)):
        p.arrow(before.right(), after.left())
    p.dot(180, 284, "encoder")
    p.arrow((180, 284), (354, 284), context.bottom(), role="encoder")
    p.arrow(context.right(), (470, 84), role="context")
    p.text(418, 70, "c: (B, D)", "small")
    p.text(236, 226, "once a batch", "small start quiet")
    p.text(236, 150, "each step", "small start quiet")


@picture("same_bits", 318)
def same_bits(p):
    """A sum of four numbers on one thread and on two, with three digits kept after each addition.

    One thread adds 1.00, 0.004, 0.004 and 0.004 in order. Each addition is rounded to 1.00, so the sum is 1.00. Of two threads, the first adds 1.00
    and 0.004, which gives 1.00, and the second 0.004 and 0.004, which gives 0.008. The sum of both is 1.01.
    """
    xs, values, middle = [150 + 84 * i for i in range(4)], ("1.00", "0.004", "0.004", "0.004"), 276

    def terms(y, first, end, role):
        for x, value in zip(xs[first:end], values[first:end]):
            p.cell(x, y, value, role, 62, 28)
            if x != xs[first]:
                p.math(x - 42, y, "+", "small")

    p.text(12, 22, "1 thread", "small start name token")
    terms(56, 0, 4, "encoder")
    total = p.cell(middle, 118, "1.00", "context", 60, 28)
    p.arrow((middle, 74), total.top(), role="encoder")
    p.text(12, 154, "2 threads", "small start name token")
    total = p.cell(middle, 296, "1.01", "context", 60, 28)
    for first, end, partial, role in ((0, 2, "1.00", "encoder"), (2, 4, "0.008", "attention")):
        terms(188, first, end, role)
        x = (xs[first] + xs[end - 1]) / 2
        box = p.cell(x, 242, partial, role, 62, 28)
        p.arrow((x, 206), box.top(), role=role)
        p.arrow(box.bottom(), (x, 296), total.left() if x < middle else total.right(), role=role)
    p.math(middle, 242, "+", "small")
    for y in (118, 242, 296):
        p.text(12, y, "rounded:", "small start quiet")


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
    for step in range(1, 21):
        length = (1 - 0.9 ** step) / 0.1
        p.rect("part decoder", left + 10.4 * (step - 1), floor - high * length, 8, high * length)
        if step in (1, 5, 10, 20):
            p.text(left + 10.4 * (step - 1) + 4, floor + 14, f"{step}", "small quiet")
    p.text(364, floor + 32, "steps", "small quiet")
