"""The pictures of tutorial 14, a model made smaller, and of explained/more-ways-to-save.md, for docs/diagrams.py."""

import math

from diagrams_how_to import draw_schedule
from diagrams_kit import at, picture
from results_kit import load


@picture("14_four_ways", 236)
def four_ways(p):
    """Four ways to make a model smaller.

    Fewer bits: the weights W are rounded to a staircase of values. Fewer weights: the smallest ones become 0. Fewer units: the row
    and the column of one unit are removed from a matrix. A student: a smaller model learns to predict the probabilities of a larger one.
    """
    size, top = 15, 108
    for x, name, result in ((66, "fewer bits", "coarser values"), (182, "fewer weights", "most are 0"),
                            (298, "fewer units", "a smaller matrix"), (414, "a student", "another model")):
        p.panel("decoder", x - 54, 34, 108, 160)
        p.text(x, 18, name, "name small decoder")
        p.text(x, 212, result, "small quiet")

    p.arrow((24, top + 52), (110, top + 52), width=1.2)
    p.arrow((66, top + 62), (66, top - 50), width=1.2)
    stairs = "M32 142" + "".join(f"h{8 if step in (0, 4) else 17}v-17" for step in range(4)) + "h9"
    p.path("line decoder", stairs, ' stroke-width="2.2"')
    p.path("line token dash", "M28 145.5L106 67.5", ' stroke-width="1.2"')  # through the middles of the steps
    p.math(106, top + 66, "W", "small")
    p.math(66, top - 60, "Ŵ", "small")

    kept = {(0, 0), (0, 3), (1, 1), (2, 4), (3, 1), (3, 3), (4, 2)}
    for i in range(5):
        for j in range(5):
            left, y = size * (j - 2.5), top + size * (i - 2)
            p.vector(182 + left + size / 2, y, "decoder" if (i, j) in kept else "token", size=size,
                     css="" if (i, j) in kept else "dash faded")
            gone = 2 in (i, j)
            p.vector(298 + left + size / 2, y, "gradient" if gone else "decoder", size=size, css="dash faded" if gone else "")

    teacher, student = p.grid(392, 142, 5, 3, "context", size=12), p.grid(440, 152, 2, 2, "decoder", size=12)
    p.math(392, 184, "teacher", "small")
    p.math(440, 184, "student", "small")
    p.text(414, 48, "probabilities", "small")
    for x, role, bars in ((388, "context", (20, 10, 3)), (440, "decoder", (14, 11, 8))):
        p.path("line token", f"M{at(x - 16, 86)}h32", ' stroke-width="1"')
        for j, bar in enumerate(bars):
            p.rect(f"part {role}", x - 14 + 10 * j, 86 - bar, 8, bar)
    p.arrow(teacher.top(-4), (388, 88), role="context")
    p.arrow(student.top(), (440, 88), role="decoder")
    p.arrow((406, 74), (423, 74), role="context")


@picture("14_sparsity", 340)
def sparsity(p):
    """Exact match against the fraction of zeros, for three ways to prune.

    Dots are means of three seeds, bands reach from the lowest to the highest of the seeds. Without further training, exact match falls
    to almost 0 at 0.5 if all matrices are pruned together, and at 0.6 if each matrix loses the same fraction. With further training, it
    is 1 up to 0.7, 0.89 at 0.8, and 0 at 0.9. The lines without further training begin at 0 zeros, with the model before pruning.
    """
    runs = [run["tables"] for run in load("tutorial_14")["runs"]]
    tables = [run["sparsity"] for run in runs]
    whole = [next(row["values"][1] for row in run["methods"]["rows"] if row["name"] == "f32") for run in runs]
    left, floor, across, up = 52, 282, 426, 250
    zeros = [0, *(float(row["name"]) for row in tables[0]["rows"])]

    def place(fraction, value):
        return left + across * fraction, floor - up * value

    p.text(12, 14, "exact match, length 12", "small start quiet")
    for part in range(6):
        y = floor - up * part / 5
        p.path("line token faded", f"M{at(left, y)}H{place(zeros[-1], 0)[0]:g}", ' stroke-width="1"')
        p.text(left - 8, y, f"{part / 5:.1f}", "small end quiet")
    for tenth in range(10):
        p.text(place(tenth / 10, 0)[0], floor + 16, f"{tenth / 10:.1f}", "small quiet")
    p.text(place(zeros[-1] / 2, 0)[0], floor + 40, "fraction of zeros", "small quiet")
    # for each column: the role that colours it, and the place of its label
    labels = {"global": ("gradient", 0.36, 0.1, "end"), "per matrix": ("context", 0.56, 0.5, "start"), "global, then trained": ("decoder", 0.8, 1.06, "end")}
    for number, name in enumerate(tables[0]["columns"]):
        role, x, y, css = labels[name]
        seeds = [[row["values"][number] for row in rows] for rows in zip(*(table["rows"] for table in tables))]
        seeds = seeds if name.endswith("trained") else [whole, *seeds]
        high, low, mean = ([place(fraction, of(values)) for fraction, values in zip(zeros[-len(seeds):], seeds)]
                           for of in (max, min, lambda values: sum(values) / len(values)))
        p.path(f"fill {role}", "M" + "L".join(at(*point) for point in high + low[::-1]) + "z", ' fill-opacity="0.22"')
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in mean), ' stroke-width="2.2"')
        for point in mean:
            p.disc(f"fill {role}", *point, 4)
        p.text(*place(x, y), name, f"small fill {css} {role}")


@picture("14_pruning", 462)
def pruning(p):
    """Half of the weights of two matrices become 0: of all weights together, or of each matrix.

    A has the rows (0.9, -0.6) and (0.5, -0.8), B the rows (0.4, -0.1) and (0.2, -0.3). Bars show the absolute values, sorted. Weights
    below the dashed line are removed. Global pruning has one line for both matrices and removes all of B. Pruning per matrix has a line
    for each matrix and removes 0.6 and 0.5 from A, and 0.2 and 0.1 from B. Below the bars are the masks M and the matrices after pruning.
    """
    matrices = {"A": ("decoder", ((0.9, -0.6), (0.5, -0.8))), "B": ("encoder", ((0.4, -0.1), (0.2, -0.3)))}

    def grid(x, y, role, rows, kept, shown, size):
        """Draws a matrix. Elements for which `kept` returns False are grey."""
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                is_kept = kept(value)
                p.rect(f"part {role}" if is_kept else "part token dash faded", x + size[0] * j, y + size[1] * i, *size)
                p.text(x + size[0] * (j + 0.5), y + size[1] * (i + 0.5), shown(value, is_kept), "small" if is_kept else "small quiet")

    def signed(value):
        return f"{value:g}".replace("-", "−")
    for (name, (role, rows)), x in zip(matrices.items(), (110, 290)):
        p.math(x, 43, f"{name} =", "end")
        grid(x + 12, 14, role, rows, lambda value: True, lambda value, _: signed(value), (44, 28))
    floor, pitch = 246, 26
    for left, title, groups in ((12, "global", ("AB",)), (244, "per matrix", ("A", "B"))):
        p.text(left + 112, 92, title, "name small token")
        p.panel("token", left, 108, 224, 342)
        x, cuts = left + 12 + pitch / 2, {}
        for group in groups:
            sizes = sorted(((abs(value), name) for name in group for row in matrices[name][1] for value in row), reverse=True)
            cut = (sizes[len(sizes) // 2 - 1][0] + sizes[len(sizes) // 2][0]) / 2
            cuts |= dict.fromkeys(group, cut)
            p.path("line token dash", f"M{at(x - 12, floor - 120 * cut)}H{x + pitch * len(sizes) - 14:g}", ' stroke-width="1.6"')
            for size, name in sizes:
                p.rect(f"part {matrices[name][0]}" if size > cut else "part token dash faded", x - 9, floor - 120 * size, 18, 120 * size)
                p.text(x, floor + 14, f"{size:g}", "small" if size > cut else "small quiet")
                p.math(x, floor + 31, name, "small")
                x += pitch
        for name, x in zip(matrices, (left + 30, left + 118)):
            role, rows = matrices[name]
            grid(x, 314, role, rows, lambda value: abs(value) > cuts[name], lambda value, is_kept: "1" if is_kept else "0", (38, 24))
            grid(x, 384, role, rows, lambda value: abs(value) > cuts[name], lambda value, is_kept: signed(value) if is_kept else "0", (38, 28))
            p.text(x + 38, 302, f"mask of {name}", "small quiet")
            p.math(x + 38, 373, f"M ∘ {name}", "small")


@picture("14_schedule", 210)
def schedule(p):
    """The fraction of zeros while the program prunes.

    The final fraction is 0.8. The fraction of zeros rises steeply to 0.7 at update 37.5, then slowly to 0.8 at update 75. It stays there until
    update 150.
    """
    draw_schedule(p, 0.8, 0, 75, 155, "update")


@picture("14_units", 206)
def units(p):
    """Two matrices, and the unit that is removed from them.

    W_hh has the rows (0.5, 0.1) and (0.2, -0.3), W_o the rows (0.4, 0.1) and (-0.3, 0.2). The row and the columns of unit 2 are
    grey. The rows of W_o are outputs, not units. The squares of unit 1 sum to 0.80, those of unit 2 to 0.28. Without unit 2, W_hh is
    (0.5), and W_o has the column (0.4, -0.3).
    """
    width, height, top = 46, 32, 58

    def matrix(left, name, rows, is_removed):
        p.math(left + width * len(rows[0]) / 2, 14, name)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                grey = is_removed(i, j)
                p.rect("part token dash faded" if grey else "part decoder", left + width * j, top + height * i, width, height)
                p.text(left + width * (j + 0.5), top + height * (i + 0.5), f"{value:g}".replace("-", "−"), "small quiet" if grey else "small")
        return left
    hidden, out = ((0.5, 0.1), (0.2, -0.3)), ((0.4, 0.1), (-0.3, 0.2))
    for left, rows in ((matrix(54, "W_{hh}", hidden, lambda i, j: i == 1 or j == 1), "unit"), (matrix(218, "W_o", out, lambda i, j: j == 1), "output")):
        for j in range(2):
            p.text(left + width * (j + 0.5), top - 14, f"unit {j + 1}", "small quiet")
            p.text(left - 8, top + height * (j + 0.5), f"{rows} {j + 1}", "small end quiet")
    p.arrow((320, top + height), (350, top + height))
    matrix(362, "W_{hh}", ((0.5,),), lambda i, j: False)
    matrix(420, "W_o", ((0.4,), (-0.3,)), lambda i, j: False)
    # the sums of squares: the row of W_hh, its column and the column of W_o
    for unit, y in ((0, 156), (1, 186)):
        parts = [sum(x * x for x in hidden[unit]), sum(row[unit] ** 2 for row in hidden), sum(row[unit] ** 2 for row in out)]
        p.math(66, y, f"‖w_{unit + 1}‖^2 = {' + '.join(f'{part:.2f}' for part in parts)} = {sum(parts):.2f}", "start")
        if unit == 1:
            p.text(312, y, "removed", "small start quiet")


@picture("14_reversal", 380)
def reversal(p):
    """Exact match against the size of the weights, for each way to make the model of reversal smaller.

    int8 keeps the exact match. Without further training, models with 80 % zeros or without half of the units are at 0; arrows lead up to
    the same models after further training, at 0.89 and 0.61. The student has 0.97, and in int8 the fewest bytes. Bars reach from the
    lowest to the highest of three seeds.
    """
    tables = [run["tables"]["methods"] for run in load("tutorial_14")["runs"]]
    left, floor, up, doubling = 52, 316, 270, 64

    def place(name):
        """The point of a row, and the heights of its lowest and highest seed."""
        rows = [next(row["values"] for row in table["rows"] if row["name"] == name) for table in tables]
        exact = [row[1] for row in rows]
        x = left + doubling * math.log2(rows[0][0] / 7)
        return (x, floor - up * sum(exact) / len(exact)), [floor - up * end(exact) for end in (min, max)]
    p.text(12, 14, "exact match", "small start quiet")
    for part in range(6):
        y = floor - up * part / 5
        p.path("line token faded", f"M{at(left, y)}H468", ' stroke-width="1"')
        p.text(left - 8, y, f"{part / 5:.1f}", "small end quiet")
    for size in (8, 16, 32, 64, 128, 256, 512):
        p.text(left + doubling * math.log2(size / 7), floor + 16, str(size), "small quiet")
    p.text(260, floor + 40, "kB, logarithmic scale", "small quiet")
    for role, x in (("gradient", "80 % zeros"), ("context", "half of the units")):
        below, above = place(x)[0], place(x + ", then trained")[1]
        p.arrow(below, (below[0], above[0] + 3), role=role, css="dash")
        p.add(f'<circle class="line {role}" cx="{below[0]:.5g}" cy="{below[1]:.5g}" r="4" stroke-width="1.6"/>')
    p.text(place("half of the units")[0][0] + 12, floor - 14, "not trained further", "small start quiet")
    teacher = "student, teacher's probabilities"
    for role, rows in (("encoder", ("f32", "int8")), ("attention", (teacher, teacher + ", int8"))):
        p.arrow(*[place(row)[0] for row in rows], role=role, head=False, width=1.6)
    # the row of the table, the role that colours it, and the label's offset, css and text
    for row, role, dx, dy, css, text in (
            ("f32", "encoder", 0, -15, "", "f32"), ("int8", "encoder", 0, -15, "", "int8"),
            ("80 % zeros, then trained", "gradient", -10, 6, "end", "80 % zeros"), ("half of the units, then trained", "context", 10, -12, "start", "half of the units"),
            (teacher, "attention", 0, -18, "", "student of 16 units"), (teacher + ", int8", "attention", 0, -18, "", "int8")):
        (x, y), ends = place(row)
        p.path(f"line {role}", f"M{at(x, ends[0])}V{ends[1]:.5g}", ' stroke-width="1.4" stroke-opacity="0.55"')
        p.disc(f"fill {role}", x, y, 4)
        p.text(x + dx, y + dy, text, f"small fill {css} {role}")


@picture("14_rounded_copy", 252)
def rounded_copy(p):
    """The exact weight collects updates, and the rounded weight jumps.

    The steps of the rounding are 0.1 apart. Three updates of 0.02 move the exact weight W from 0.50 to 0.52, 0.54 and 0.56. The rounded
    weight Ŵ is 0.5, 0.5, 0.5 and then 0.6, because W has passed 0.55, the middle between two steps. A third line stays at 0.5: if only
    the rounded weight is kept, each update is rounded away.
    """
    xs, values = [120 + 96 * update for update in range(4)], (0.50, 0.52, 0.54, 0.56)

    def height(value):
        return 140 - 1050 * (value - 0.5)
    for value, css in ((0.5, ""), (0.55, "dash"), (0.6, "")):
        p.path(f"line token faded {css}", f"M{at(82, height(value))}H436", ' stroke-width="1.2"')
        p.text(74, height(value), f"{value:.2g}", "small end quiet")
    p.path("line decoder", f"M{at(xs[0], height(0.5))}H{xs[3]}V{height(0.6):g}H436", ' stroke-width="2.2"')
    p.math(444, height(0.6), "Ŵ", "start")
    p.path("line gradient dash", f"M{at(xs[0], height(0.5) + 6)}H436", ' stroke-width="2.2"')
    p.text(436, height(0.5) + 22, "if only the rounded weight is kept", "small end fill gradient")
    places = [(x, height(value)) for x, value in zip(xs, values)]
    p.arrow(places[0], places[3], role="context", head=False, width=2.2)
    p.math(xs[3] + 12, places[3][1] - 2, "W", "start")
    for update, (x, y) in enumerate(places):
        p.disc("fill context", x, y, 4)
        for below, text in ((190, str(update)), (214, f"{values[update]:.2f}"), (236, f"{values[update]:.1f}")):
            p.text(x, below, text, "small quiet" if below == 190 else "small")
    p.text(12, 190, "updates", "small start quiet")
    p.math(12, 214, "W", "start")
    p.math(12, 236, "Ŵ", "start")


@picture("14_student", 342)
def student_gradient(p):
    """The gradient of a student at the temperatures 1 and 4.

    The teacher's logits are 0.847 and 0, the student's are 0 and 0. The teacher's probabilities q are 0.7 and 0.3 at T = 1, and
    0.553 and 0.447 at T = 4. The student's probabilities p are always 0.5 and 0.5. The arrows T (q - p) are 0.2 and -0.2 at
    T = 1, and 0.21 and -0.21 at T = 4. Without the factor T^2, the arrows at T = 4 would be 0.013 and -0.013. The arrows are the
    negative gradient: training moves each logit this way.
    """
    floor, rows = 150, (222, 284)
    p.math(12, rows[0], "T (q − p)", "start")
    p.text(12, rows[1], "without T²", "small start quiet")
    p.text(470, 330, "arrows: training moves each logit this way", "small end fill gradient")
    for middle, temperature in ((200, 1), (384, 4)):
        p.panel("token", middle - 86, 34, 172, 276)
        p.math(middle, 18, f"T = {temperature}")
        if temperature == 1:
            p.math(middle + 80, 262, "(T^2 = 1)", "small end")
        taught = 1 / (1 + math.exp(-0.847 / temperature))
        for x, name, q in ((middle - 44, "token 1", taught), (middle + 40, "token 2", 1 - taught)):
            p.path("line token", f"M{at(x - 34, floor)}H{x + 34}", ' stroke-width="1"')
            for dx, value, letter, role in ((-17, q, "q", "context"), (17, 0.5, "p", "decoder")):
                p.rect(f"part {role}", x + dx - 13, floor - 120 * value, 26, 120 * value)
                p.text(x + dx, floor - 120 * value - 11, f"{value:.3f}".rstrip("0"), "small")
                p.math(x + dx, floor - 12, letter, "small")
            p.text(x, floor + 16, name, "small quiet")
            for row, pull in zip(rows, (temperature * (q - 0.5), (q - 0.5) / temperature)):
                p.path("line token faded", f"M{at(x - 34, row)}H{x + 34}", ' stroke-width="1"')
                short = abs(pull) < 0.1
                end = (x - 14, row - 110 * pull)
                if short:  # a pale disc shows where the short arrow is
                    p.add(f'<circle class="fill gradient" cx="{end[0]:g}" cy="{row:g}" r="10" fill-opacity="0.25"/>')
                p.arrow((x - 14, row), end, role="gradient", width=2.2, head=not short)
                shown = f"{pull:.3f}" if short else f"{pull:.2f}".rstrip("0")
                p.text(x + 14, row + (13 if pull < 0 else -13), shown.replace("-", "−"), "small")


@picture("14_outlier", 232)
def outlier(p):
    """A row of four weights in int8, with and without an outlier.

    Above, the row is 1.27, 0.017, -0.004 and 0.003. Its steps are 0.01 apart. The outlier 1.27 is far to the right. The weight 0.017 is
    rounded to 0.02, and the other two to 0. Below, the row has no outlier. Its steps are only 0.00013 apart, so no weight moves visibly.
    """
    middle, scale, weights = 220, 8000, (0.017, -0.004, 0.003)

    def place(value):
        return middle + scale * value
    for y, name, step, rounded in ((34, "with the outlier 1.27", "step 0.01", (0.02, 0, 0)), (150, "without it", "step 0.00013", weights)):
        p.text(12, y - 16, name, "small start name gradient" if y < 100 else "small start name encoder")
        p.text(468, y - 16, step, "small end quiet")
        p.path("line token", f"M{at(place(-0.0145), y + 14)}H{place(0.025):g}", ' stroke-width="1"')
        p.path("line token", f"M{at(place(-0.0145), y + 62)}H{place(0.025):g}", ' stroke-width="1"')
        spacing = (1.27 if y < 100 else 0.017) / 127
        ticks = [spacing * k for k in range(-200, 201) if -0.0145 <= spacing * k <= 0.0251]
        p.path("line token" + ("" if y < 100 else " faded"), "".join(f"M{at(place(tick), y + 58)}v8" for tick in ticks),
               f' stroke-width="{1 if y < 100 else 0.4}"')
        p.text(12, y + 14, "weight", "small start quiet")
        p.text(12, y + 62, "rounded", "small start quiet")
        for weight, value in zip(weights, rounded):
            p.arrow((place(weight), y + 14), (place(value), y + 57), role="decoder")
            p.disc("fill decoder", place(weight), y + 14, 4)
            p.text(place(weight), y, f"{weight:g}".replace("-", "−"), "small")
        if y < 100:
            p.arrow((place(0.025), y + 14), (place(0.025) + 22, y + 14), role="gradient")
            p.text(place(0.025) + 26, y + 14, "1.27", "small start fill gradient")
            for tick in ticks:
                p.text(place(tick), y + 77, f"{tick:g}".replace("-", "−"), "small quiet")


@picture("more_ways", 468)
def more_ways(p):
    """Four more ways to save.

    Pairs of annotations: W_c joins the annotations h_0 to h_4, and a 0, in pairs; only three energies are computed. One matrix: the same
    W_a multiplies the state of the decoder and both states of an annotation. Tied embeddings: one row of E is read as the vector of the last token.
    To write, all rows are multiplied by P r, which gives the logits z. A cache: each source is looked up. If it is found, annotations, keys
    and the decoder's first state are read from the cache, and the encoder does not run.
    """
    for x, y, name, result in ((124, 18, "pairs of annotations", "half of the energies"), (356, 18, "one matrix", "a third of these weights"),
                               (124, 250, "tied embeddings", "no separate output matrix"),
                               (356, 250, "a cache", "no encoder for known sources")):
        p.text(x, y, name, "name small token")
        p.panel("token", x - 112, y + 16, 224, 166)
        p.text(x, y + 200, result, "small quiet")

    xs = [34 + 36 * j for j in range(6)]
    below = [p.cell(x, 174, f"h_{j}" if j < 5 else "0", "encoder" if j < 5 else "token", 30, 28, "" if j < 5 else "dash") for j, x in enumerate(xs)]
    for j in range(3):
        x = (xs[2 * j] + xs[2 * j + 1]) / 2
        joined, energy = p.cell(x, 116, f"h'_{j}", "encoder", 40, 28), p.cell(x, 62, f"e_{{t{j}}}", "attention", 40, 28)
        for node in below[2 * j:2 * j + 2]:
            p.arrow(node.top(), (node.x, 150), (x, 146), joined.bottom(), role="encoder")
        p.arrow(joined.top(), energy.bottom(), role="attention")
    for x in (52, 124, 196):
        p.math(x + 13, 136, "W_c", "small start")

    states = [p.cell(x, 176, text, role, 52, 28) for x, text, role in ((288, "s_{t−1}", "decoder"), (356, "h→_j", "encoder"), (424, "h←_j", "encoder"))]
    total, energy = p.circle(356, 94, "+", "attention", 11), p.cell(356, 54, "e_{tj}", "attention", 48, 26)
    for state, dx in zip(states, (-1, 0, 1)):
        matrix = p.cell(state.x, 134, "W_a", "attention", 44, 26)
        p.arrow(state.top(), matrix.bottom(), role="decoder" if dx < 0 else "encoder")
        end = total.bottom() if dx == 0 else (total.x + 11 * dx, total.y)
        p.arrow(matrix.top(), *([(state.x, total.y)] if dx else []), end, role="attention")
    p.arrow(total.top(), energy.bottom(), role="attention")
    p.math(366, 75, "tanh, v_a", "small start")
    p.text(250, 54, "the same", "small start quiet")
    p.text(250, 70, "matrix", "small start quiet")

    table, logits = p.grid(124, 344, 4, 3, "decoder", size=14), p.grid(216, 344, 4, 1, "decoder", size=14)
    p.vector(124, 323, *["context"] * 3, size=14)
    p.math(94, 352, "E")
    p.math(216, 302, "z")
    token, read = p.token(46, 408, "y_{t−1}", literal=False), p.cell(124, 288, "row of y_{t−1}", "context", 92, 26)
    p.arrow(token.top(), (46, 323), (table.left()[0], 323), role="context")
    p.text(72, 311, "reading", "small quiet")
    p.arrow(table.top(), read.bottom(), role="context")
    vector, small = p.cell(206, 408, "r", "decoder", 36, 26), p.cell(124, 408, "P", "decoder", 36, 26)
    p.arrow(vector.left(), small.right(), role="decoder")
    p.arrow(small.top(), table.bottom(), role="decoder")
    p.arrow(table.right(), logits.left(), role="decoder")
    p.text(177, 331, "writing", "small quiet")

    kept, decoder = p.cell(410, 336, "h_j, U_a h_j, s_0", "encoder", 108, 30), p.cell(410, 288, "decoder", "decoder", 72, 28)
    encoder, found = p.cell(290, 336, "encoder", "encoder", 72, 30), p.cell(350, 384, "found?", "token", 66, 26)
    p.text(350, 420, "source", "small")
    p.arrow((350, 411), found.bottom())
    p.arrow(found.left(), (290, 384), encoder.bottom())
    p.arrow(found.right(), (410, 384), kept.bottom())
    p.text(276, 370, "no", "small quiet")
    p.text(428, 370, "yes", "small quiet")
    p.arrow(encoder.right(), kept.left(), role="encoder")
    p.arrow(kept.top(), decoder.bottom(), role="decoder")


@picture("more_ways_pairs", 262)
def more_ways_pairs(p):
    """An alignment, and the same alignment with annotations in pairs.

    Six source symbols are reversed. On the left, each output has its whole weight at one source position, so the weights lie on the rising
    diagonal. On the right, the positions are joined in pairs: each output has half of its weight at each position of a
    pair, so two outputs in a row have the same weights. The darker colour is the weight 1, the lighter one 0.5.
    """
    size, top = 26, 46
    for left, name in ((60, "one position each"), (290, "in pairs")):
        p.text(left + 3 * size, 14, name, "name small token")
        for i in range(6):
            p.math(left + size * (i + 0.5), 33, str(i), "small")
            p.math(left - 12, top + size * (i + 0.5), str(i), "small")
            for j in range(6):
                weight = float(j == 5 - i) if left < 100 else 0.5 * (j // 2 == (5 - i) // 2)
                p.add(f'<rect class="part attention" x="{left + size * j}" y="{top + size * i}" width="{size}" height="{size}" style="fill-opacity:{0.04 + 0.8 * weight:.2f}"/>')
        p.text(left + 3 * size, top + 6 * size + 18, "source", "small quiet")
        weight = 1 if left < 100 else 0.5
        p.add(f'<rect class="part attention" x="{left + 46}" y="{top + 6 * size + 35}" width="14" height="14" style="fill-opacity:{0.04 + 0.8 * weight:.2f}"/>')
        p.text(left + 68, top + 6 * size + 42, f"weight {weight:g}", "small start quiet")
        p.text(left - 48, 30, "target", "small start quiet")


@picture("more_ways_sum", 200)
def more_ways_sum(p):
    """Two annotations with equal sums.

    The annotations (1; 0) and (0; 1) lie on the line whose points have the sum 1. With one matrix, W_a = 1, both have the key 1. With
    two matrices, U_a = (1 -1), they have the keys 1 and -1.
    """
    left, bottom, unit = 72, 156, 84
    p.arrow((left - 34, bottom), (left + 130, bottom), width=1)
    p.arrow((left, bottom + 30), (left, bottom - 124), width=1)
    p.math(left + 132, bottom + 18, "h→_j", "end")
    p.math(left - 14, bottom - 116, "h←_j", "end")
    p.path("line attention dash", f"M{at(left - 0.22 * unit, bottom - 1.22 * unit)}L{at(left + 1.22 * unit, bottom + 0.22 * unit)}", ' stroke-width="1.6"')
    p.text(left + 0.56 * unit, bottom - 0.56 * unit, "sum 1", "small start attention fill")
    p.disc("fill encoder", left + unit, bottom, 5)
    p.disc("fill encoder", left, bottom - unit, 5)
    p.math(left + unit + 8, bottom - 14, "(1; 0)", "small start")
    p.math(left + 12, bottom - unit - 4, "(0; 1)", "small start")
    middle, wide = 352, 60
    for y, name, matrix, keys in ((66, "one matrix", "W_a = 1", {1: "(1; 0), (0; 1)"}), (168, "two matrices", "U_a = (1 −1)", {1: "(1; 0)", -1: "(0; 1)"})):
        p.text(264, y - 48, name, "name small start token")
        p.math(468, y - 48, matrix, "small end")
        p.path("line token", f"M{at(middle - 88, y)}H{middle + 88}", ' stroke-width="1"')
        for key in (-1, 0, 1):
            p.path("line token", f"M{at(middle + wide * key, y - 4)}v8", ' stroke-width="1"')
            p.text(middle + wide * key, y + 18, f"{key}".replace("-", "−"), "small quiet")
        for key, annotations in keys.items():
            p.disc("fill encoder", middle + wide * key, y, 5)
            p.math(middle + wide * key, y - 18, annotations, "small")
        p.text(468, y, "key", "small end quiet")
