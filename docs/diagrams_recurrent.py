"""The pictures of tutorial 04, a recurrent network, for docs/diagrams.py."""

import math

from diagrams_kit import at, picture
from diagrams_parts import chain
from results_kit import load


@picture("04_accuracy", 330)
def accuracy_by_delay(p):
    """Accuracy by delay, a disc for each group of models.

    For each delay, the 24 models are in groups of about the same accuracy. The area of a group's disc is proportional to the number
    of its models. The delays are evenly spaced. Near 1 are 24, 24, 16, 22 and 4 models at the delays 1, 5, 10, 15 and 20. Near a
    quarter are 8, 2 and 3 models, from 10 to 20. Near an eighth, the accuracy of guessing, are 17, 24 and 24, from 20 to 40.
    """
    left, right, floor, up = 46, 474, 272, 224
    tables = [run["tables"]["each_model"]["rows"] for run in load("tutorial_04")["runs"]]
    slot = (right - left) / len(tables[0])

    def height(accuracy):
        return floor - up * accuracy

    p.text(12, 18, "accuracy", "small start quiet")
    p.disc("fill encoder", 292, 18, 2.5)
    p.text(302, 18, "one model", "small start")
    p.path("line decoder", "M386 18h30", ' stroke-width="2"')
    p.text(424, 18, "mean", "small start")
    for part in range(5):
        y = height(part / 4)
        p.path("line token faded", f"M{at(left, y)}H{right}", ' stroke-width="1"')
        p.text(left - 8, y, f"{part / 4:.2f}", "small end quiet")
    p.path("line gradient dash", f"M{at(left, height(1 / 8))}H{right}", ' stroke-width="1.8"')
    p.text(left + 8, height(1 / 8) + 14, "guessing: ⅛", "start gradient name")
    delays = [rows[0]["name"] for rows in zip(*tables)]
    models = [sorted(value for row in rows for value in row["values"]) for rows in zip(*tables)]
    means = [(left + slot * (i + 0.5), height(sum(values) / len(values))) for i, values in enumerate(models)]
    for (x, y), delay, values in zip(means, delays, models):
        p.text(x, floor + 18, delay, "small quiet")
        p.path("line decoder", f"M{at(x - 0.38 * slot, y)}h{0.76 * slot:.4g}", ' stroke-width="2"')
        for low, high in ((0, 0.2), (0.2, 0.95), (0.95, 2)):
            group = [value for value in values if low <= value < high]
            if group:
                y, radius, inside = height(sum(group) / len(group)), 2.5 * len(group) ** 0.5, len(group) >= 8
                p.disc("fill encoder", x, y, radius)
                p.text(x if inside else x + radius + 4, y, f"{len(group)}", "small on-ink" if inside else "small encoder name start")
    p.text((left + right) / 2, floor + 42, "delay: tokens after the first", "small quiet")


def learnt(results):
    """The number of models of all seeds that reach an accuracy above 0.95, by delay."""
    tables = [run["tables"]["each_model"]["rows"] for run in load(results)["runs"]]
    return {rows[0]["name"]: sum(value > 0.95 for row in rows for value in row["values"]) for rows in zip(*tables)}


@picture("04_orthogonal", 262)
def orthogonal(p):
    """How many of 24 models learn, by delay, with the usual and with an orthogonal W_hh.

    A model has learnt if its accuracy is above 0.95. With the usual weights, 16, 22, 4, 0 and 0 models learn at the delays 10, 15,
    20, 30 and 40. With an orthogonal W_hh, 24, 24, 23, 20 and 17 do.
    """
    left, right, floor, up = 46, 474, 210, 6.5
    usual, started_orthogonal = learnt("tutorial_04"), learnt("tutorial_04_orthogonal")
    delays = ("10", "15", "20", "30", "40")
    xs = {delay: left + (right - left) * (i + 0.5) / len(delays) for i, delay in enumerate(delays)}
    p.text(12, 18, "models that learn, of 24", "small start quiet")
    p.text(xs["20"] + 22, floor - up * 5, "usual weights", "small name start encoder")
    p.text(xs["20"] + 4, floor - up * 19.3, "orthogonal", "small name context")
    for number_of in (0, 8, 16, 24):
        p.path("line token faded", f"M{at(left, floor - up * number_of)}H{right}", ' stroke-width="1"')
        p.text(left - 8, floor - up * number_of, f"{number_of}", "small end quiet")
    for counts, role, below in ((usual, "encoder", True), (started_orthogonal, "context", False)):
        points = {delay: (xs[delay], floor - up * counts[delay]) for delay in xs}
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in points.values()), ' stroke-width="2.4"')
        for delay, (x, y) in points.items():
            p.disc(f"fill {role}", x, y, 4)
            p.text(x, y + (16 if below and counts[delay] else -13), f"{counts[delay]}", f"small name {role}")
    for delay, x in xs.items():
        p.text(x, floor + 20, delay, "small quiet")
    p.text((left + right) / 2, floor + 42, "delay: tokens after the first", "small quiet")


@picture("04_task", 190)
def task(p):
    """The task: name the first token at the end.

    The tokens are B, d, a, e, g and c. The first is coloured. A brace under the other five says: delay = 5, no information. Each state
    contains some of the first token's colour, less at every step. After the last step, the network must answer B.
    """
    xs, row, line = [40 + 66 * i for i in range(6)], 62, 122
    states = []
    for i, (x, letter) in enumerate(zip(xs, "Bdaegc")):
        state = p.cell(x, row, "", "encoder", 34, 34)
        p.add(f'<rect class="fill attention" x="{x - 11}" y="{row - 11}" width="22" height="22" rx="4" opacity="{0.6 ** i:.2f}"/>')
        p.math(x, row - 30, f"h_{i + 1}", "small")
        token = p.token(x, line, letter, role="attention" if i == 0 else "token")
        p.arrow(token.top(), state.bottom(), role="attention" if i == 0 else "token")
        states.append(state)
    chain(p, states, "encoder")
    answer = p.token(446, row, "B?", role="attention")
    p.arrow(states[-1].right(), answer.left(), role="decoder", width=2.2)
    p.math((states[-1].right()[0] + answer.left()[0]) / 2 - 2, row - 16, "W_o", "small")
    left, right, y, middle = xs[1] - 20, xs[-1] + 20, line + 20, (xs[1] + xs[-1]) / 2
    p.path("line token", f"M{left} {y}q0 8 8 8H{middle - 8}q8 0 8 8q0 -8 8 -8H{right - 8}q8 0 8 -8", ' stroke-width="1.4"')
    p.text(middle, y + 30, "delay = 5, no information", "small")


@picture("04_rnn", 344)
def rnn(p):
    """A recurrent network, unrolled, forward and backward.

    Each state is computed from the token and the state before it, with the same parameters at every step. The gradient of the loss
    goes back from state to state. From h_T, it is multiplied by 1 - h_T², which gives δ_T, and then by the transposed matrix W_hh.
    Solid arrows add the parts of the gradient of W_hh, one for each step.
    """
    y, steps, xs = 246, ("1", "2", "{T−1}", "T"), (106, 184, 264, 412)
    for x, name, role, css in ((12, "forward", "encoder", ""), (122, "backward", "gradient", "dash"),
                               (250, "sum over steps", "context", "")):
        p.path(f"line {role} {css}", f"M{x} 16h24", ' stroke-width="2"')
        p.text(x + 32, 16, name, f"name start {role}")
    states = [p.cell(x, y, f"h_{t}", "encoder", 44) for x, t in zip(xs, steps)]
    start = p.cell(30, y, "h_0", "encoder", 44, css="dash")
    for before, after in ((start, states[0]), (states[0], states[1]), (states[2], states[3])):
        p.arrow(before.right(4), after.left(4), role="encoder", width=2.2)
        p.math((before.x + after.x) / 2, y + 22, "W_{hh}", "small")
    middle = (xs[1] + xs[2]) / 2
    p.math(middle, y, "⋯")
    for state, t in zip(states, steps):
        p.arrow(p.token(state.x, y + 78, f"x_{t}", False).top(), state.bottom())
        p.math(state.x + 6, y + 44, "W_{ih}", "small start")
    back = y - 64
    p.arrow(states[2].top(-8), (states[2].x - 8, back), (middle + 13, back), role="gradient", css="dash", head=False)
    p.math(middle, back, "⋯")
    p.arrow((middle - 13, back), (states[1].x + 8, back), states[1].top(8), role="gradient", css="dash")
    for before, after in ((start, states[0]), (states[0], states[1]), (states[2], states[3])):
        p.arrow(after.top(-8), (after.x - 8, back), (before.x + 8, back), before.top(8), role="gradient", css="dash")
    p.math(xs[3] - 20, back + 26, "× (1 − h_T^2)", "small end")
    p.math(xs[2] + 13, back + 26, "× W_{hh}^⊤", "small start")

    # The sum over the steps, from the last to the first.
    line = back - 62
    last, *others = [(before.x + after.x) / 2 for before, after in ((states[2], states[3]), (states[0], states[1]), (start, states[0]))]
    for x, text in ((last, "δ_T h_{T−1}^⊤"), (others[0], "δ_2 h_1^⊤"), (others[1], "δ_1 h_0^⊤")):
        p.dot(x, back, "context")
        p.math(x - 5, line + 36, text, "small end")
    for x, text in ((last, "δ_T"), (others[0], "δ_2"), (others[1], "δ_1")):
        p.math(x + 6, back - 13, text, "start")
    added = [p.circle(x, line, "+", "context", 11) for x in others]
    for node in added:
        p.arrow((node.x, back), node.bottom(), role="context")
    p.arrow((last, back), (last, line), (middle + 14, line), role="context")
    p.math(middle, line, "⋯")
    p.arrow((middle - 14, line), added[0].right(), role="context")
    p.arrow(added[0].left(), added[1].right(), role="context")
    total = p.cell(others[1], line - 58, "∂L/∂W_{hh}", "context", 92, 30)
    p.arrow(added[1].top(), total.bottom(), role="context")
    p.math(total.right()[0] + 8, total.y, "= Σ_t δ_t h_{t−1}^⊤", "start")

    loss = p.cell(xs[3], line, "L", "decoder", 44, 28)
    p.arrow(states[-1].top(4), loss.bottom(4), role="decoder")
    p.arrow(loss.bottom(16), states[-1].top(16), role="gradient", css="dash")
    p.math(xs[3] + 21, line + 44, "∂L/∂h_T", "small start")


# One unit that reads 1, 0, 0 with W_ih = 1, W_hh = 0.5 and b = 0: its states, and the factor by which a step back multiplies
# the gradient.
STATES = [math.tanh(1), math.tanh(0.5 * math.tanh(1)), math.tanh(0.5 * math.tanh(0.5 * math.tanh(1)))]
BACK = [0.5 * (1 - state ** 2) for state in STATES]
STEPS = (90, 240, 390)


def bars(p, floor, values, role, names):
    """Draws a bar for each step, with its name and value above it."""
    p.path("line token", f"M{STEPS[0] - 50} {floor}H{STEPS[-1] + 50}", ' stroke-width="1"')
    for x, value, name in zip(STEPS, values, names):
        p.rect(f"part {role}", x - 22, floor - 84 * value, 44, 84 * value)
        p.math(x, floor - 84 * value - 14, f"{name} = {value:.3f}")


@picture("04_forward", 176)
def forward_in_numbers(p):
    """The states of three steps, in numbers.

    One unit reads 1, 0 and 0, with W_ih = 1 and W_hh = 0.5. Its state is 0.762 after the first step, then 0.363 and 0.180.
    """
    floor = 116
    bars(p, floor, STATES, "encoder", ("h_1", "h_2", "h_3"))
    for t, (x, value) in enumerate(zip(STEPS, (1, 0, 0)), 1):
        p.arrow(p.cell(x, floor + 44, f"x_{t} = {value}", "token", 74, 24).top(), (x, floor + 2))
    for before, after in zip(STEPS, STEPS[1:]):
        p.arrow((before + 26, floor - 8), (after - 26, floor - 8), role="encoder", width=2.2)
        p.math((before + after) / 2, floor + 14, "× 0.5 (W_{hh})", "small")
        p.math((before + after) / 2, floor + 34, "then tanh", "small")


@picture("04_backward", 162)
def backward_in_numbers(p):
    """The gradient at the states of three steps, in numbers.

    The gradient at the last state is 1. A step back multiplies it by a slope of tanh and by W_hh: first by 0.968 and 0.5, then by 0.868
    and 0.5. At the first state, 0.210 is left.
    """
    floor = 116
    bars(p, floor, [BACK[2] * BACK[1], BACK[2], 1], "gradient", ("∂L/∂h_1", "∂L/∂h_2", "∂L/∂h_3"))
    for state, before, after in ((STATES[2], STEPS[1], STEPS[2]), (STATES[1], STEPS[0], STEPS[1])):
        p.arrow((after - 26, floor - 8), (before + 26, floor - 8), role="gradient", width=2.2, css="dash")
        p.math((before + after) / 2 - 48, floor + 14, f"× {1 - state ** 2:.3f} (tanh)", "small start")
        p.math((before + after) / 2 - 48, floor + 34, "× 0.5 (W_{hh})", "small start")


@picture("04_turn", 128)
def turn(p):
    """A matrix that stretches, turns and shrinks.

    The matrix W with the rows (0, 2) and (0.2, 0) turns the vector (0, 1) into (2, 0), which is twice as long. The next product gives
    (0, 0.4), a fifth as long.
    """
    unit, floor, starts = 64, 92, (54, 196, 424)
    for x, (right, up) in zip(starts, ((0, 1), (2, 0), (0, 0.4))):
        p.path("line token faded", f"M{x - 12} {floor}H{x + 2 * unit * (right > 0) + 26}M{x} {floor + 10}V{floor - unit - 12}", ' stroke-width="1"')
        p.arrow((x, floor), (x + unit * right, floor - unit * up), role="gradient", width=2.4)
        p.math(x + unit * right / 2, floor + 24, f"({right}, {up})")
    for x, text in ((131, "× 2"), (381, "× 0.2")):
        p.arrow((x - 24, floor - 32), (x + 24, floor - 32), role="token")
        p.math(x, floor - 50, "W", "small")
        p.math(x, floor - 14, text, "small")


@picture("04_gradient_norm", 392)
def gradient_norm(p):
    """The norm of the gradient against the number of steps back, for ρ = 0.5, 1 and 1.5.

    The scale is logarithmic. Solid lines are the measured means of three seeds, dashed lines ρ^d, the norm without the tanh. After 50 steps,
    the dashed line of 1.5 is near 10^9, that of 1 at 1, and that of 0.5 at 10^-15. The solid lines are at 19, 3 · 10^-4 and 2 · 10^-17.
    """
    left, right, level, decade, steps = 62, 328, 138, 11.4, (0, 1, 10, 25, 50)
    tables = [run["tables"]["gradient_norm"]["rows"] for run in load("tutorial_04")["runs"]]

    def x_of(d):
        return left + (right - left) * d / 50

    def y_of(exponent):
        return level - decade * exponent

    def line(css, points, width):
        p.path(css, "M" + "L".join(at(x_of(d), y_of(exponent)) for d, exponent in points), f' stroke-width="{width}"')

    p.text(12, 14, "gradient's norm, relative to that at T", "small start quiet")
    for power in range(-18, 10, 3):
        p.path("line token faded", f"M{at(left, y_of(power))}H{right}", ' stroke-width="1"')
        p.math(left - 8, y_of(power), f"10^{{{power}}}".replace("-", "−") if power else "1", "small end quiet")
    for d in range(0, 51, 10):
        p.text(x_of(d), y_of(-18) + 14, f"{d}", "small quiet")
    p.text((left + right) / 2, y_of(-18) + 34, "distance d = T − t", "small quiet")
    for name, role in (("1.5", "context"), ("1.0", "decoder"), ("0.5", "encoder")):
        seeds = [next(row["values"] for row in rows if row["name"] == name) for rows in tables]
        *measured, without = [sum(values) / len(values) for values in zip(*seeds)]
        points = list(zip(steps, (0, *measured)))
        line(f"line {role} dash", ((0, 0), (50, without)), 1.8)
        line(f"line {role}", points, 2.4)
        for point in points:
            p.disc(f"fill {role}", x_of(point[0]), y_of(point[1]), 3)
        p.text(right + 9, y_of(without) + 2 * (name == "1.0"), f"ρ = {float(name):g}, without tanh", f"small start fill {role}")
        p.text(right + 9, y_of(measured[-1]), f"ρ = {float(name):g}, measured", f"small name start {role}")


def after_ten_steps(h):
    """The state after ten steps h ← tanh(2 h), and its derivative with respect to the first state."""
    slope = 1
    for _ in range(10):
        h = math.tanh(2 * h)
        slope *= 2 * (1 - h ** 2)
    return h, slope


@picture("04_cliff", 430)
def cliff(p):
    """A cliff: the state after ten steps, and its derivative, against the first state.

    One unit with W_hh = 2, without bias and inputs. Above: h_10 is near -0.9575 left of h_0 = 0 and near 0.9575 right of it, with a
    steep rise at 0, the cliff. Below, on a logarithmic axis: the derivative is 1024 at 0, and falls to 2e-7 at 0.5 and at -0.5.
    """
    left, wide, level = 76, 376, after_ten_steps(0.5)[0]
    xs = [math.copysign(0.5 * (abs(k) / 150) ** 3, k) for k in range(-150, 151)]
    panels = ((98, lambda h: 98 - 58 * after_ten_steps(h)[0]), (306, lambda h: 306 - 13 * math.log10(after_ten_steps(h)[1])))

    def x_of(h):
        return left + wide * (h + 0.5)

    def level_line(y, css="faded"):
        p.path(f"line token {css}", f"M{at(left, y)}h{wide}", ' stroke-width="1"')

    for h in (-0.5, -0.25, 0, 0.25, 0.5):
        for top, bottom in ((32, 164), (254, 404)):
            p.path("line token faded", f"M{at(x_of(h), top)}V{bottom}", ' stroke-width="1"')
        p.text(x_of(h), 418, f"{h:g}".replace("-", "−"), "small quiet")
    p.math(12, 14, "h_{10}", "start encoder")
    p.math(12, 210, "∂h_{10}/∂h_0", "start gradient")
    p.math(478, 404, "h_0", "small end quiet")
    for value in (-level, 0, level):
        level_line(98 - 58 * value, "dash" if value else "faded")
        p.text(left - 8, 98 - 58 * value, f"{value:.4g}".replace("-", "−"), "small end quiet")
    for power, text in ((3, "1000"), (0, "1"), (-3, "0.001"), (-6, "10^{−6}")):
        level_line(306 - 13 * power)
        p.math(left - 8, 306 - 13 * power, text, "small end quiet")
    for role, (_, y_of) in zip(("encoder", "gradient"), panels):
        p.path(f"line {role}", "M" + "L".join(f"{x_of(h):.2f} {y_of(h):.2f}" for h in xs), ' stroke-width="2.2"')
        for h in (0.0001 if role == "encoder" else 0, 0.5):
            p.disc("ink", x_of(h), y_of(h), 4)
    slope_of = panels[1][1]
    p.math(x_of(0) + 10, 98 - 58 * 0.1 - 6, "at 0.0001: 0.10", "small start")
    p.math(x_of(0.5) - 8, 98 - 58 * level + 18, "at 0.5: 0.96", "small end")
    p.text(x_of(0) - 8, 98 - 58 * 0.1 - 6, "cliff", "name end encoder")
    p.text(x_of(0), slope_of(0) - 36, "peak", "name gradient")
    p.math(x_of(0), slope_of(0) - 15, "at 0: 1024", "small")
    p.math(x_of(0.5) - 6, slope_of(0.5) - 38, "at 0.5: 2 · 10^{−7}", "small end")


@picture("04_one_bit", 326)
def one_bit(p):
    """One bit of memory: the next state against the state, for one unit with W_hh = 2.

    The curve is tanh(2 h), and the dashed line is h. They meet at -0.9575, 0 and 0.9575. At 0, the curve has the slope 2, at the outer
    points 0.17. Stairs between the curve and the line begin at 0.1 and climb to 0.9575.
    """
    unit, middle, level = 124, (196, 162), after_ten_steps(0.5)[0]

    def xy(h, after):
        return middle[0] + unit * h, middle[1] - unit * after

    def line(css, points, width):
        p.path(css, "M" + "L".join(at(*xy(*point)) for point in points), f' stroke-width="{width}"')

    p.arrow(xy(-1.25, 0), xy(1.32, 0), width=1)
    p.arrow(xy(0, -1), xy(0, 1.22), width=1)
    p.text(xy(1.32, 0)[0] + 8, middle[1], "the state", "small start")
    p.text(middle[0] + 8, 12, "the next state", "small start encoder")
    line("line token dash", [(-1.2, -1.2), (1.2, 1.2)], 1.6)
    line("line encoder", [(h / 50, math.tanh(2 * h / 50)) for h in range(-62, 63)], 2.4)
    state, stairs = 0.1, [(0.1, 0)]
    for _ in range(6):
        after = math.tanh(2 * state)
        stairs += [(state, after), (after, after)]
        state = after
    line("line attention", stairs, 1.8)
    for h in (-level, 0, level):
        p.disc("ink", *xy(h, h), 4)
    p.math(xy(1.25, 0)[0] + 8, xy(0, 1.2)[1], "h", "small start")
    p.math(xy(1.25, 0)[0] + 8, xy(0, 0.985)[1], "tanh(2h)", "small start encoder")
    p.text(*xy(level, level - 0.16), "0.9575, slope 0.17", "small start")
    p.text(*xy(-level + 0.04, -level - 0.16), "−0.9575, slope 0.17", "small start")
    p.text(xy(0, 0)[0] - 10, middle[1] - 14, "0, slope 2", "small end")
    p.text(xy(0.1, 0)[0], middle[1] + 14, "start: 0.1", "small start attention")
