"""The pictures of the how-to pages, of check.md and of command.md, for docs/diagrams.py."""

from diagrams_kit import number, picture


@picture("how_smaller", 504)
def smaller(p):
    """The choice of a method that makes a model smaller.

    First compress the model with --int8. If its score is lower than in f32, train further with --int8, or use --bf16; an arrow leads from
    there to the next question. If it is small and fast enough, it is finished. If not, and training from the start is possible, train a
    small model, and compress it if bytes matter. If not, and rare words do not matter, compress with --target-words and --int8. If rare
    words matter, only the size after gzip counts, and training further is possible, train further with --prune and --per-matrix; then
    compress and gzip. Otherwise, stay with int8.
    """
    x, wide, out, out_wide = 112, 208, 372, 208
    first = p.cell(x, 28, "", "attention", wide, 38)
    p.text(x, 28, "compress --int8", "code")
    questions = (("Is the score lower than", "that of the f32 model?", "yes", "Train further", "train --int8", "or, without training, --bf16"),
                 ("Is it small and", "fast enough?", "yes", "Use it"),
                 ("Can you train a model", "from the start?", "yes", "A small model", "train --hidden …", "then int8 if bytes matter"),
                 ("Do rare words of the", "target matter?", "no", "Fewer words, and int8", "--target-words N --int8"),
                 ("Does only gzip size count,", "and can you train further?", "yes", "Zeros, int8, then gzip", "train --init-from RUN", "--prune 0.5 --per-matrix"))
    above = first
    for i, (one, two, answer, name, *lines) in enumerate(questions):
        y = 104 + 78 * i
        p.rect("part token", x - wide / 2, y - 24, wide, 48, 22)
        p.text(x, y - 9, one, "small")
        p.text(x, y + 9, two, "small")
        p.arrow(above.bottom() if i == 0 else (x, y - 54), (x, y - 24), role="token")
        if i:
            p.text(x - 10, y - 40, "yes" if questions[i - 1][2] == "no" else "no", "small end quiet")
        p.arrow((x + wide / 2, y), (out - out_wide / 2, y), role="token")
        p.text((x + wide / 2 + out - out_wide / 2) / 2 - 2, y - 12, answer, "small quiet")
        more = 18 * max(0, len(lines) - 1)  # the height of a third line
        p.rect("part context", out - out_wide / 2, y - 24 - more, out_wide, 48 + more, 8)
        p.text(out, y - (9 if lines else 0) - more, name, "small name context")
        for line, words in enumerate(reversed(lines)):
            p.text(out, y + 10 - 18 * line, words, "code small" if words.startswith(("train", "--")) else "small")
    p.arrow((out, 128), (out, 143), (x + 2, 143), role="token")
    p.arrow((x, 440), (x, 462), role="token")
    p.text(x - 10, 454, "no", "small end quiet")
    p.rect("part context", x - wide / 2, 462, wide, 30, 8)
    p.text(x, 477, "Stay with int8", "small name context")


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


def draw_schedule(p, final, begin, until, last, unit):
    """Draws the fraction of zeros, which rises to `final` from step `begin` to step `until`. The axis ends at the step `last`."""
    left, bottom, across, up = 60, 170, 409.2 / last, 150
    middle = (begin + until) / 2

    def at(step, fraction):
        return left + across * step, bottom - up * fraction

    def line(css, *points):
        p.path(css, "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in points)), ' stroke-width="2.2"')

    def zeros(step):
        return final * (1 - (1 - min(max((step - begin) / (until - begin), 0), 1)) ** 3)

    p.arrow((left, bottom), at(last, 0), width=1)
    p.arrow((left, bottom), at(0, 1.07), width=1)
    for step, name in ((begin, "t_0"), (middle, ""), (until, "t_1")):
        line("line token faded dash", (step, 0), (step, zeros(step)))
        p.text(at(step, 0)[0], bottom + 14, f"{step:g}", "small quiet")
        p.math(at(step, 0)[0], bottom + 31, name, "small")
    line("line token faded dash", (0, final), (until, final))
    line("line attention", *((step, zeros(step)) for step in (0, *(begin + (until - begin) * i / 30 for i in range(31)), last * 30 / 31)))
    for fraction in (0, 0.5, final):
        p.text(left - 8, at(0, fraction)[1], f"{fraction:g}", "small end quiet")
    p.dot(*at(middle, zeros(middle)), "attention")
    p.text(at(middle, 0)[0] + 12, at(0, zeros(middle))[1] + 12, f"{zeros(middle):.2g}", "small start")
    p.text(at(last, 0)[0], bottom + 14, unit, "small end quiet")
    p.text(left + 8, 12, "fraction of zeros", "small start attention")


@picture("prune_schedule", 210)
def prune_schedule(p):
    """The fraction of zeros during training.

    Until step 300 the fraction is 0. It rises steeply to 0.79 at step 600, then slowly to 0.9 at step 900, and stays there.
    """
    draw_schedule(p, 0.9, 300, 900, 1240, "step")


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


@picture("run_folder", 344)
def run_folder(p):
    """The files that train writes into a run folder, and the command that reads each.

    translate, evaluate, align and score read best.safetensors. train --resume reads last.safetensors. train --config reads settings.toml.
    log.jsonl, curves.svg, alignments.svg and index.html are for people. step-STEP.safetensors and average.safetensors are written only with
    --average. average.safetensors is read if --model names it.
    """
    p.panel("encoder", 118, 24, 180, 308)
    p.text(208, 46, "a run folder", "small")
    train = p.cell(50, 160, "train", "decoder", 74, 36)
    p.arrow(train.right(), (118, 160), role="decoder", width=2.2)
    for y, name, readers in ((80, "best.safetensors", ("translate, align,", "evaluate, score")), (116, "last.safetensors", ("train --resume",)),
                            (146, "settings.toml", ("train --config",)), (176, "log.jsonl", ()), (198, "curves.svg", ()),
                            (220, "alignments.svg", ()), (246, "index.html", ("browser",)),
                            (280, "step-STEP.safetensors", ()),
                            (298, "average.safetensors", ("--model FILE",))):
        quiet = " quiet" if y >= 280 else ""
        p.text(208, y, name, "small code" + quiet)
        if readers:
            p.arrow((290, y), (360, y), role="context")
        for i, reader in enumerate(readers):
            p.text(366, y + 16 * i - 8 * (len(readers) - 1), reader, "small start" + quiet)
    p.text(208, 316, "with --average", "small quiet")


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
