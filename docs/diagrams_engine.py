"""The pictures of the engine, for docs/diagrams.py."""

import functools
import math

from diagrams_kit import number, picture


def plotted(p, origin, unit, css, function, low, high):
    """Draws the graph of a function for low ≤ x ≤ high. `unit` is the length of 1 on both axes."""
    steps = [low + (high - low) * i / 80 for i in range(81)]
    p.path(css, "M" + "L".join(f"{origin[0] + unit * x:.1f} {origin[1] - unit * function(x):.1f}" for x in steps), ' stroke-width="2.2"')


@picture("00_tensor", 350)
def tensor(p):
    """Tensors as handles, and broadcasting.

    Above: a of shape (2, 3), a[1] of shape (3) and flat of shape (6) are handles to one block of six numbers, at places 0
    to 5. Below: the sum of a matrix (2, 3) and a row (3), which is repeated for each row of the matrix.
    """
    size = 30

    def numbers(x, y, rows, role, css=""):
        """Draws a matrix with its numbers. Its upper left corner is (x, y)."""
        for i, row in enumerate(rows):
            for j, number in enumerate(row):
                p.rect(f"part {role} {css}", x + size * j, y + size * i, size, size)
                p.text(x + size * (j + 0.5), y + size * (i + 0.5), str(number), f"code {css}")

    p.text(12, 18, "handles", "name start attention")
    p.text(262, 18, "one block of memory", "name start encoder")
    left, bottom = 262, 52 + size
    numbers(left, 52, [range(1, 7)], "encoder")
    p.text(left - 8, 41, "place", "small quiet end")
    for place in range(6):
        p.text(left + size * (place + 0.5), 41, str(place), "small quiet")
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


@picture("01_tanh", 176)
def hyperbolic_tangent(p):
    """The function tanh.

    The curve of tanh is an S. It passes through 0 with slope 1, and flattens towards -1 on the left and 1 on the right. The
    line of slope 1 through 0 is dashed.
    """
    unit, origin = 54, (240, 88)
    curve = functools.partial(plotted, p, origin, unit)
    p.arrow((14, origin[1]), (468, origin[1]), width=1)
    p.arrow((origin[0], 170), (origin[0], 8), width=1)
    for x in (-4, -3, -2, -1, 1, 2, 3, 4):
        p.text(origin[0] + unit * x, origin[1] + 14, number(x, 0), "small quiet")
    for y in (-1, 1):
        curve("line token dash", lambda x, y=y: y, -4.1, 4.1)
        p.text(origin[0] + 8 * y, origin[1] - unit * y - 12 * y, number(y, 0), f"small quiet {'start' if y > 0 else 'end'}")
    curve("line decoder dash", lambda x: x, -1.4, 1.4)
    curve("line encoder", math.tanh, -4.1, 4.1)
    p.math(460, origin[1] - 14, "x", "small")
    p.math(400, origin[1] - unit + 22, "tanh x")
    p.text(origin[0] + 1.4 * unit + 8, origin[1] - 1.4 * unit + 2, "slope 1", "start quiet")


@picture("01_tape", 322)
def scalar_tape(p):
    """The tape of d = a b and L = d c, with values and gradients.

    Five nodes in the order of computation: a = 2, b = 3, c = -4, d = 6 and L = -24. Backward, each gradient is multiplied
    by a slope. The gradient 1 of L, times -4, gives -4 for d; times 6, it gives 6 for c. The gradient -4 of d, times 3, gives
    -12 for a; times 2, it gives -8 for b.
    """
    a, b, c = 2, 3, -4
    d = a * b
    names, values = ("a", "b", "c", "d = a b", "L = d c"), (a, b, c, d, d * c)
    uses = ((4, 3, c, 22), (4, 2, d, 74), (3, 1, a, 22), (3, 0, b, 48))  # result, input, slope, height of its arrow
    gradients = [0, 0, 0, 0, 1]
    for result, read, slope, _ in uses:
        gradients[read] += gradients[result] * slope
    xs, top, size = [108 + 82 * i for i in range(5)], 134, 70

    def show(number):
        return str(number).replace("-", "−")

    p.text(12, 18, "forward", "name start encoder")
    p.arrow((84, 18), (468, 18), role="encoder")
    for y, text in ((top + 22, "node"), (top + 50, "value"), (top + 82, "index"), (top + 116, "gradient")):
        p.text(4, y, text, "small start quiet")
    for i, (x, name) in enumerate(zip(xs, names)):
        p.rect("part encoder", x - size / 2, top, size, 66, 8)
        p.math(x, top + 22, name)
        p.text(x, top + 48, show(values[i]), "name encoder")
        p.text(x, top + 82, str(i), "small quiet")
        p.rect("part gradient", x - size / 2, top + 100, size, 32, 8)
        p.text(x, top + 116, show(gradients[i]), "name gradient")
    for result, read, slope, height in uses:
        start = xs[result] + (-12 if height == 22 else 8)
        end = xs[read] + (24 if read == 3 else 0)
        p.arrow((start, top), (start, top - height), (end, top - height), (end, top), role="gradient")
        middle = (xs[1] + xs[2]) / 2 if read == 1 else (start + end) / 2
        is_short = read == 3
        if not is_short:
            p.rect("back", middle - 19, top - height - 9, 38, 18)
        p.text(middle, top - height - 14 * is_short, f"× {show(slope)}", "name gradient")
    p.text(12, top + 164, "backward", "name start gradient")
    p.arrow((468, top + 164), (98, top + 164), role="gradient")


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
        """Draws matrices, each given by its rows, columns and name. A name with a bar is a gradient."""
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
    draw(44, "zip", "saves a, b", ("∘", [a, b], y), ("∘", [y_bar, b], matrix("a¯")), ("∘", [y_bar, a], matrix("b¯")))
    draw(184, "broadcast", "saves the shape of b", ("repeat", [matrix("b", 1)], y), ("Σ_i", [y_bar], matrix("b¯", 1)))
    draw(268, "reduce", "saves the shape of a", ("Σ_i", [a], matrix("y", 1)), ("repeat", [matrix("y¯", 1)], matrix("a¯")))
    draw(352, "matmul", "saves A, B", ("", [matrix("A"), matrix("B", 3, 4)], matrix("Y", 2, 4)),
         ("", [Y_bar, matrix("B^⊤", 4, 3)], matrix("A¯")), ("", [matrix("A^⊤", 3, 2), Y_bar], matrix("B¯", 3, 4)))


@picture("02_differences", 286)
def differences(p):
    """A forward and a central difference of a curve.

    The forward difference is the slope of a line through the curve at x and x + h: 1.46. The central difference is
    the slope of a line through x - h and x + h: 1.03. The tangent at x has the slope 0.90.
    """
    rate = 0.9

    def curve(u):  # in these units, x is at 0 and h is 1
        return math.exp(rate * u)

    def at(u, y):
        return 250 + 130 * u, 248 - 78 * y

    def points(pairs):
        return "M" + "L".join("{:.1f} {:.1f}".format(*at(*pair)) for pair in pairs)

    for u, label in ((-1, "x − h"), (0, "x"), (1, "x + h")):
        p.path("line token dash faded", points(((u, 0), (u, curve(u)))))
        p.math(*at(u, -0.18), label)
    p.arrow(at(-1.85, 0), at(1.7, 0), width=1)
    p.path("line token", points([(u / 20, curve(u / 20)) for u in range(-36, 24)]), ' stroke-width="2.2"')
    p.math(*at(1.2, curve(1.2)), "L", "start")
    lines = (("tangent", "gradient", 0, rate, (-1, 1.5)), ("forward difference", "encoder", 0, curve(1) - 1, (-0.62, 1.15)),
             ("central difference", "decoder", 1, (curve(1) - curve(-1)) / 2, (-1.3, 1.15)))
    for i, (name, role, through, slope, ends) in enumerate(lines):
        line = [(u, curve(through) + slope * (u - through)) for u in ends]
        p.path(f"line {role}", points(line), ' stroke-width="2.2"')
        p.text(16, 20 + 24 * i, name, f"name start {role}")
        p.text(180, 20 + 24 * i, f"{slope:.2f}", f"name start {role}")
    for u in (-1, 0, 1):
        p.disc("ink", *at(u, curve(u)), 4)


@picture("log_cosh", 300)
def log_cosh(p):
    """The function log cosh and its gradient.

    The function log cosh x is a bowl: near 0 it is close to x²/2, far from 0 to |x| − log 2. Its gradient tanh x rises
    from −1 to 1.
    """
    unit, origin = 54, (240, 222)

    curve = functools.partial(plotted, p, origin, unit)
    p.arrow((14, origin[1]), (468, origin[1]), width=1)
    p.arrow((origin[0], 290), (origin[0], 12), width=1)
    for x in (-4, -3, -2, -1, 1, 2, 3, 4):
        p.text(origin[0] + unit * x, origin[1] + 14, str(x).replace("-", "−"), "small quiet")
    for y in (-1, 1, 2, 3):
        p.text(origin[0] - 8, origin[1] - unit * y, str(y).replace("-", "−"), "small quiet end")
    p.math(460, origin[1] - 14, "x", "small")
    curve("line context dash", lambda x: x * x / 2, -2.7, 2.7)
    curve("line decoder dash", lambda x: abs(x) - math.log(2), 0, 4)
    curve("line decoder dash", lambda x: abs(x) - math.log(2), -4, 0)
    curve("line gradient", math.tanh, -4, 4)
    curve("line encoder", lambda x: math.log(math.cosh(x)), -4, 4)
    p.math(112, 34, "x^2 / 2", "start")
    p.math(272, 262, "|x| − log 2", "start")
    p.math(16, 142, "log cosh x", "start")
    p.math(400, origin[1] - unit - 12, "tanh x")


# Each folder of autograd → its words in the picture, from the top of the picture to the bottom. docs/architecture.py compares
# them with the includes.
AUTOGRAD = {"inspect": "gradient check", "fused": "many in one", "ops": "operations, gradients", "products": "matrix products",
            "tensor": "a value", "tape": "its history", "kernels": "loops over rows", "threads": "a team of threads",
            "memory": "a pool of buffers", "runtime": "thread settings"}
# The calls that lead up: (calling folder, called folder) → the called function or type.
UPWARD = {("tape", "ops"): "add", ("kernels", "tape"): "Gradients", ("memory", "tensor"): "Tensor"}


@picture("autograd_folders", 414)
def autograd_folders(p):
    """The folders of autograd, from fused at the top to runtime at the bottom, and what they call.

    An arrow leads from a folder to the next folder that it calls: fused, ops, products, tensor and tape, kernels, threads, memory, runtime.
    inspect calls products. Three dashed arrows lead up: tape calls add in ops, kernels calls Gradients in tape, memory calls Tensor.
    """
    left, right, boxes = 126, 338, {}
    middle = (left + right) / 2

    def box(name, x, end, y, height):
        p.rect(f"part {'encoder' if name in ('ops', 'tensor', 'tape') else 'token'}", x, y - height / 2, end - x, height, 8)
        if height > 40:
            p.text((x + end) / 2, y - 10, name, "code")
            p.text((x + end) / 2, y + 10, AUTOGRAD[name], "small")
        else:
            p.text(x + 10, y, name, "code start")
            p.text(end - 10, y, AUTOGRAD[name], "small end")
        boxes[name] = y

    rows = [("fused",), ("ops",), ("products",), ("tensor", "tape"), ("kernels",), ("threads",), ("memory",), ("runtime",)]
    y = 4
    for names in rows:
        height = 44 if len(names) == 2 else 32
        if names != rows[0]:
            p.arrow((middle, y - 18), (middle, y), width=1.8)
        if len(names) == 2:
            y += 6
            p.panel("encoder", left - 6, y - 6, right - left + 12, height + 12)
        for i, name in enumerate(names):
            share = (right - left + 6) / len(names)
            box(name, left + share * i, left + share * (i + 1) - 6 if len(names) == 2 else right, y + height / 2, height)
        y += height + 18 + (6 if len(names) == 2 else 0)
    box("inspect", 6, 112, boxes["fused"] + 10, 48)
    p.arrow((59, boxes["inspect"] + 24), (59, boxes["products"]), (left, boxes["products"]), width=1.8)
    tape = boxes["tape"]
    for (start, _), name, points in zip(UPWARD, UPWARD.values(), (
            ((right + 6, tape - 16), (362, tape - 16), (362, boxes["ops"]), (right, boxes["ops"])),
            ((right, boxes["kernels"]), (362, boxes["kernels"]), (362, tape + 14), (right + 6, tape + 14)),
            ((right, boxes["memory"]), (462, boxes["memory"]), (462, tape - 2), (right + 6, tape - 2)))):
        p.arrow(*points, role="attention", css="dash")
        if start == "memory":
            p.text(456, points[0][1] - 14, name, "code end")
        else:
            p.text(368, (points[1][1] + points[2][1]) / 2, name, "code start")


@picture("calls", 438)
def calls(p):
    """The calls of c = a b, and of its backward pass, each in the row of its file.

    Forward: operator* in ops.hpp calls mul in arithmetic.cpp. mul calls binary, and then record in tape.hpp. record calls append
    in tape.cpp, which makes the node.
    Backward: Tensor::backward in backward.cpp calls run and step; step calls the lambda of mul in arithmetic.cpp, which calls
    add_gradient in gradient.hpp. add_gradient calls accumulate in tape.hpp, which calls a lambda in gradient.hpp and
    Gradients::add in backward.cpp, the file of the first row again.
    """
    for role, name, code, top, steps in (  # (row, call, x, place of the caller)
            ("encoder", "forward", "c = a * b", 18, (("ops.hpp", "operator*", 166, None), ("arithmetic.cpp", "mul", 220, 0),
                                                     ("arithmetic.cpp", "binary", 330, 1), ("tape.hpp", "record", 270, 1),
                                                     ("tape.cpp", "append", 350, 3))),
            ("gradient", "backward", "c.backward()", 216, (("backward.cpp", "backward", 154, None), ("backward.cpp", "run", 227, 0),
                                                           ("backward.cpp", "step", 284, 1), ("arithmetic.cpp", "lambda of mul", 276, 2),
                                                           ("gradient.hpp", "add_gradient", 312, 3), ("tape.hpp", "accumulate", 358, 4),
                                                           ("gradient.hpp", "lambda", 442, 5), ("backward.cpp ", "Gradients::add", 410, 5)))):
        p.text(12, top, name, f"name start {role}")
        p.text(118, top, code, "small code start")
        rows = {file: top + 36 + 40 * k for k, file in enumerate(dict.fromkeys(file for file, *_ in steps))}
        for file, y in rows.items():
            p.panel("token", 2, y - 18, 476, 36)
            p.text(10, y, file.strip(), "small code start")
            if file.endswith(" "):  # the second row of a file
                p.text(110, y, "(again)", "small quiet start")
        nodes = []
        for file, call, x, caller in steps:
            after = p.cell(x, rows[file], "", role, 16 + 8 * len(call), 26)
            p.text(x, rows[file], call, "small code")
            nodes.append(after)
            if caller is None:
                continue
            before = nodes[caller]
            if before.y == after.y:
                p.arrow(before.right(), after.left(), role=role)
            else:
                x = max(after.x, before.right()[0] + 20)
                end = after.top if before.y < after.y else after.bottom
                p.arrow(before.right(), (x, before.y), end(x - after.x), role=role)


@picture("tensor_objects", 332)
def tensor_objects(p):
    """The objects that a tensor and its node point to, for c = a b.

    The tensor c points to a TensorImpl, which holds a shape, a dtype, a storage and a node. The storage holds the values of c and
    their version. The node of c holds the name of the operation; the inputs, which are the nodes of a and b; the saved values, which
    are in the storages of a and b; and the backward function, the lambda of mul.
    """
    left, right = 112, 330

    def box(x, y, width, role, name, *fields):
        """Returns a point at the end of each field."""
        p.rect(f"part {role}", x, y, width, 30 + 24 * len(fields), 8)
        p.text(x + width / 2, y + 15, name, "small code")
        for k, field in enumerate(fields):
            p.text(x + 14, y + 38 + 24 * k, field, "small start")
        return [(x + width - 14, y + 38 + 24 * k) for k in range(len(fields))]

    def pointer(start, *corners):
        p.dot(*start, "token")
        p.arrow(start, *corners)

    box(6, 8, 78, "encoder", "Tensor c")
    p.arrow((84, 23), (left, 23))
    _, storage, node = box(left, 8, 140, "encoder", "TensorImpl", "shape, dtype", "storage", "node")
    box(right, 8, 144, "token", "Storage of c", "values", "version")
    pointer(storage, (right, storage[1]))
    _, inputs, saved, backward = box(left, 152, 140, "gradient", "Node of c", "operation", "inputs", "saved values", "backward")
    pointer(node, (270, node[1]), (270, 167), (252, 167))
    for y, name in ((110, "Node of a"), (146, "Node of b")):
        box(right, y, 144, "gradient", name)
        pointer(inputs, (292, inputs[1]), (292, y + 15), (right, y + 15))
    for y, name in ((saved[1] - 15, "Storage of a"), (saved[1] + 21, "Storage of b")):
        box(right, y, 144, "token", name)
        pointer(saved, *(() if y < saved[1] - 10 else ((306, saved[1]), (306, y + 15))), (right, y + 15))
    box(right, 296, 144, "gradient", "lambda of mul")
    pointer(backward, (276, backward[1]), (276, 311), (right, 311))


# The stages of a training step: (name, what it does, files of models, files of nn, files of autograd). docs/architecture.py
# compares the files with the table of the page.
STAGES = (("batch", "the pairs", ("trainer.cpp", "batch_loss.cpp"), (), ("parallel_sum.cpp",)),
          ("encoder", "annotations", ("seq2seq.cpp", "encoder.cpp"), ("recurrent.cpp",), ("recurrent_sequence.cpp",)),
          ("start", "state, keys", ("bahdanau_decoder.cpp",), ("additive_attention.cpp",), ()),
          ("decoder", "all its steps", ("recurrent_decoder.cpp",), (), ("attention_sequence.cpp",)),
          ("loss", "cross-entropy", (), (), ("loss.cpp",)),
          ("backward", "the tape", (), (), ("backward.cpp",)),
          ("clip", "the gradients", (), ("clip.cpp",), ()),
          ("Adam", "the weights", (), ("optimiser.cpp", "adam.cpp"), ()))


@picture("training_step", 672)
def training_step(p):
    """The stages of a training step, and their files.

    Eight stages from the top to the bottom, in three columns for the libraries models, nn and autograd. Batch: trainer.cpp calls
    batch_loss.cpp, which calls parallel_sum.cpp and the stages 2 to 5. Encoder: seq2seq.cpp calls encoder.cpp, then recurrent.cpp
    and recurrent_sequence.cpp follow. Start: bahdanau_decoder.cpp calls additive_attention.cpp. Decoder:
    recurrent_decoder.cpp calls attention_sequence.cpp. Loss: loss.cpp. Backward: backward.cpp, which calls the backward functions
    of the stages 5, 4, 3 and 2. Clip: clip.cpp. Adam: optimiser.cpp calls adam.cpp. trainer.cpp calls the stages 6, 7 and 8.
    """
    lanes, width, gap = (176, 297, 418), 110, 14
    for x, name, role in zip(lanes, ("models", "nn", "autograd"), ("context", "context", "encoder")):
        p.text(x, 16, name, f"name {role}")

    def height_of(file):
        return 40 if len(file) > 13 else 26

    y, before = 36, None
    for number, (name, does, *columns) in enumerate(STAGES, start=1):
        # The files in the order of the calls, as (column, row, file). The first file of a column is in the row of its caller.
        placed, row = [], 0
        for column, files in enumerate(columns):
            row -= bool(placed and files)
            for file in files:
                placed.append((column, row, file))
                row += 1
        rows = [max(height_of(file) for _, at, file in placed if at == k) for k in range(row)]
        total = sum(rows) + gap * (row - 1)
        height = max(44, total)
        middle = y + height / 2
        p.panel("token", 2, y - 6, 476, height + 12)
        p.badge(15, middle, str(number))
        p.text(28, middle - 9, name, "start")
        p.text(28, middle + 10, does, "small quiet start")
        if before is not None:
            p.arrow((15, before + 10), (15, middle - 11))
        before, caller = middle, None
        centres = [middle - total / 2 + sum(rows[:k]) + gap * k + rows[k] / 2 for k in range(row)]
        for column, at, file in placed:
            box = p.cell(lanes[column], centres[at], "", "encoder" if column == 2 else "context", width, height_of(file))
            if box.height == 26:
                p.text(box.x, box.y, file, "small code")
            else:
                first, second = file.split("_")
                p.text(box.x, box.y - 8, first + "_", "small code")
                p.text(box.x, box.y + 8, second, "small code")
            if caller is not None:
                p.arrow(*((caller.bottom(), box.top()) if caller.x == box.x else (caller.right(), box.left())))
            caller = box
        if name == "batch":
            p.text(lanes[0] + 64, centres[0], "calls stages 6, 7 and 8", "small quiet start")
            p.text(lanes[0] + 64, centres[1] - 20, "calls stages 2 to 5", "small quiet start")
        if name == "backward":
            for dy, text in ((-9, "calls the backward functions"), (10, "of stages 5, 4, 3 and 2")):
                p.text((lanes[0] + lanes[1]) / 2, middle + dy, text, "small quiet")
        y += height + 20
