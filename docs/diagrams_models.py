"""The pictures of the models, for docs/diagrams.py."""

import math

from diagrams_kit import at, number, picture
from diagrams_parts import COLUMNS, START, annotation, annotations, attention, chain, decoder, encoder, feed, output
from results_kit import load


def sequence_to_sequence(p, equations, context, label):
    """Draws the pictures of tutorials 06 and 07, which differ only in where the context enters. Returns the parts of the steps."""
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


@picture("06_in_use", 274)
def in_use(p):
    """The decoder in use: each step reads the token that the step before wrote.

    No true tokens are given. The decoder should write c b a. Its second step writes a, which is wrong, and the third step reads this a.
    The decoder ends when a step writes <eos>.
    """
    p.header(16, "decoder", "decoder", "s_t = GRU(E y_{t−1}, s_{t−1})", "y_t: the most likely token")
    y, written = 192, ("c", "a", "a", "<eos>")
    start = p.cell(START, y, "s_0", "decoder")
    cells = [p.cell(x, y, f"s_{t}", "decoder") for t, x in enumerate(COLUMNS, 1)]
    chain(p, [start, *cells], "decoder")
    wrong = cells[1]
    for cell, before, text in zip(cells, [None, *cells], ("<bos>", *written)):
        role = "gradient" if before is wrong else "token"
        token = p.token(cell.x - 14, y + 54, text, role=role)
        p.arrow(token.top(), cell.bottom(-14), role=role)
        if before:  # the written token goes down, and is the next input
            side = cell.x - 47
            p.arrow((before.x + (25 if len(text) > 3 else 18), y - 99), (side, y - 99), (side, token.y), token.left(), role=role)
    for cell, text in zip(cells, written):
        output(p, cell, text, role="gradient" if cell is wrong else "token")
    p.text(wrong.x, y - 123, "wrong: not b", "small gradient")


@picture("07_context_at_every_step", 506)
def context_at_every_step(p):
    """The same context at every step.

    The context c is computed once from the encoder's last state. It sets the state s_0, and is an
    input of every later state of the decoder and of every prediction.
    """
    equations = "s_t = GRU([E y_{t−1}; c], s_{t−1})", "p(y_t) = softmax(W_o [s_t; c; E y_{t−1}] + b_o)"
    steps = sequence_to_sequence(p, equations, ["c = tanh(V h_T)", "s_0 = tanh(V′ c)"], "c, at every step")
    p.arrow((COLUMNS[2], 300), (COLUMNS[2], 268), (COLUMNS[3] + 14, 268), role="context", width=2.2, head=False)
    for cell, softmax, token in steps:
        p.dot(cell.x + 14, 268, "context")
        feed(p, cell, softmax, token, (cell.x + 14, 268))


@picture("07_exact_match", 340)
def exact_match(p):
    """Exact match against the length of the source, for three models.

    Lines are means of three seeds, bands reach from the lowest to the highest of the seeds. All lines fall to nearly 0 at length 12.
    The new model is the highest up to length 7. From length 6 on, its band overlaps with that of the wider model of tutorial 06.
    """
    tables = [run["tables"]["exact_match"] for run in load("tutorial_07")["runs"]]
    left, floor, across, up = 52, 282, 43, 250
    lengths = [int(row["name"]) for row in tables[0]["rows"]]

    def place(length, value):
        return left + across * (length - lengths[0]), floor - up * value

    p.text(12, 14, "exact match", "small start quiet")
    for part in range(6):
        y = floor - up * part / 5
        p.path("line token faded", f"M{at(left, y)}H{left + across * (lengths[-1] - lengths[0])}", ' stroke-width="1"')
        p.text(left - 8, y, f"{part / 5:.1f}", "small end quiet")
    for length in lengths:
        p.text(place(length, 0)[0], floor + 16, f"{length}", "small quiet")
    p.text(left + across * (lengths[-1] - lengths[0]) / 2, floor + 40, "length of the source", "small quiet")
    for number, (name, role) in enumerate(zip(tables[0]["columns"], ("encoder", "decoder", "context"))):
        seeds = [[table["rows"][i]["values"][number] for table in tables] for i in range(len(lengths))]
        high = [place(length, max(values)) for length, values in zip(lengths, seeds)]
        low = [place(length, min(values)) for length, values in zip(lengths, seeds)]
        mean = [place(length, sum(values) / len(values)) for length, values in zip(lengths, seeds)]
        p.path(f"fill {role}", "M" + "L".join(at(*point) for point in high + low[::-1]) + "z", ' fill-opacity="0.22"')
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in mean), ' stroke-width="2.2"')
        y = 46 + 22 * number
        p.path(f"line {role}", f"M{at(318, y)}h22", ' stroke-width="2.2"')
        p.text(348, y, name, "small start")


@picture("08_both_directions", 328)
def both_directions(p):
    """Annotations of both directions, and what each half has read.

    The forward state of token j has read the tokens 1 to j, the backward state the tokens j to T. An annotation joins
    both.
    """
    p.header(16, "encoder", "forward", "h→_j = GRU_→(E x_j, h→_{j−1})")
    p.header(42, "backward", "backward", "h←_j = GRU_←(E x_j, h←_{j+1})")
    p.math(468, 29, "h_j = [h→_j; h←_j]", "end")
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


@picture("08_two_reversals", 316)
def two_reversals(p):
    """The backward half, computed with two reversals.

    From the bottom: the tokens x_1, x_2, x_3 are reversed, read in the order x_3, x_2, x_1, and give the states ←h_3, ←h_2, ←h_1. The
    second reversal gives ←h_1, ←h_2, ←h_3. Now each column has the forward and the backward state of one token.
    """
    xs, right, rows = (190, 272, 354), 390, (296, 240, 186, 126, 86)
    x, flipped, as_read, back, ahead = rows
    for y, text in zip(rows, ("x", "flip(x, 0)", "as_read", "flip(as_read, 0)", "ahead")):
        p.text(142, y, text, "code end")
    for j, column in enumerate(xs, 1):
        p.panel("token", column - 32, ahead - 26, 64, back - ahead + 50)
        p.math(column, ahead - 44, f"h_{j}")
    tokens = [p.token(column, x, f"x_{j}", False) for j, column in enumerate(xs, 1)]
    read = [p.token(column, flipped, f"x_{j}", False) for column, j in zip(xs, (3, 2, 1))]
    states = [p.cell(column, as_read, f"h←_{j}", "backward", 40, 30) for column, j in zip(xs, (3, 2, 1))]
    ordered = [p.cell(column, back, f"h←_{j}", "backward", 40, 30) for j, column in enumerate(xs, 1)]
    chain(p, [p.cell(column, ahead, f"h→_{j}", "encoder", 40, 30) for j, column in enumerate(xs, 1)], "encoder")
    chain(p, states, "backward")
    for token, state in zip(read, states):
        p.arrow(token.top(), state.bottom())
    for below, above, role in ((tokens, read[::-1], "token"), (states, ordered[::-1], "backward")):
        for start, end in zip(below, above):
            p.arrow(start.top(), end.bottom(), role=role)
    for y, text in (((x + flipped) / 2, "reverse"), ((as_read + back) / 2, "reverse again")):
        p.text(right, y, text, "small start quiet")
    p.text(right, as_read, "GRU", "small start backward name")
    p.text(right, ahead, "GRU", "small start encoder name")


def padded_row(p, y, xs, reads_padding):
    """Draws both directions over the tokens a and b and two cells of padding, and the annotations above them. States that have read
    padding have another colour. The annotations are at height y."""
    ahead_y, back_y, token_y = y + 92, y + 46, y + 138
    wrong = ["gradient" if reads_padding else ""] * 4
    ahead_roles, back_roles = ["encoder"] * 2 + [wrong[2] or "encoder"] * 2, [wrong[j] or "backward" for j in range(4)]
    start = p.cell(xs[0] - 76, ahead_y, "0", "encoder", 24, 24, css="dash")
    last = 4 if reads_padding else 2
    states = [p.cell(x - 20, ahead_y, f"h→_{j if j <= last else last}", role, 40, 32, "" if j <= last else "dash")
              for j, (x, role) in enumerate(zip(xs, ahead_roles), 1)]
    back = [p.cell(x + 20, back_y, f"h←_{j}", role, 40, 32) for j, (x, role) in enumerate(zip(xs[:last], back_roles), 1)]
    first = p.cell(back[-1].x + 56, back_y, "0", "backward", 24, 24, css="dash")
    for before, after, role in zip([start, *states], states, ahead_roles):
        kept = "dash" if not reads_padding and before in states[1:] else ""
        p.arrow(before.right(), after.left(), role=role, width=1.6 if kept else 2.2, css=kept)
    for before, after, role in zip([first, *back[::-1]], back[::-1], back_roles[::-1]):
        p.arrow(before.left(), after.right(), role=role, width=2.2)
    end = (xs[3] + 58, ahead_y)
    p.arrow(states[3].right(), end, role=ahead_roles[3], width=1.6 if not reads_padding else 2.2, css="" if reads_padding else "dash")
    p.text(end[0] + 6, ahead_y, "h_n", "code start")
    for j, x in enumerate(xs):
        if j < 2:
            token = p.token(x, token_y, "ab"[j])
        else:
            p.rect("part token dash", x - 18, token_y - 12, 36, 24, 12)
        if j < last:
            p.vector(x, y, *[ahead_roles[j]] * 3, *[back_roles[j]] * 3)
            p.arrow((x, token_y - 12), (x, y + 117), (x - 20, y + 117), states[j].bottom())
            p.arrow((x, token_y - 12), (x, y + 117), (x + 20, y + 117), back[j].bottom())
            p.arrow(states[j].top(), (x - 20, y + 6), role=ahead_roles[j])
            p.arrow(back[j].top(), (x + 20, y + 6), role=back_roles[j])
        else:
            p.vector(x, y, *["token"] * 6, css="faded")
        p.math(x, y - 18, f"h_{j + 1}" if j < last else "0", "" if j < last else "small")


@picture("08_padding", 522)
def padding(p):
    """A padded sequence of a batch, read rightly and by mistake.

    The batch has the sequences a b c d and a b, which is padded with two empty cells. Right: the forward state →h_2 is kept to the
    end, the backward network starts at b, and the annotations of padding are 0. Mistaken: both networks read the padding. The
    forward states of the padding and all backward states have then read padding.
    """
    xs = (112, 200, 288, 376)
    p.text(12, 30, "batch", "name start token")
    for y, letters in ((18, "abcd"), (48, "ab  ")):
        for x, letter in zip(xs, letters):
            if letter == " ":
                p.rect("part token dash", x - 18, y - 12, 36, 24, 12)
            else:
                p.token(x, y, letter)
    p.text(420, 48, "padding", "small start quiet")
    p.text(12, 92, "right", "name start context")
    padded_row(p, 126, xs, False)
    p.text(12, 306, "mistaken", "name start gradient")
    p.rect("part gradient", 104, 299, 20, 14, 4)
    p.text(132, 306, "has read padding", "small start")
    padded_row(p, 354, xs, True)


@picture("09_attention", 446)
def additive_attention(p):
    """Attention: query, keys, values, mask, softmax, weighted sum.

    The query q is compared with the key of every position. Padding gets the energy −∞ and so the weight 0. The
    context c is the sum of the annotations, each times its weight. The numbers: q = 1, the annotations (1, 0), (0, 1) and
    (−1, 1), the energies 1.93, 1.52 and −0.76, the weights 0.58, 0.38 and 0.04, the context (0.54, 0.42).
    """
    p.header(16, "attention", "attention", "e_j = v_a^⊤ tanh(W_a q + U_a h_j)", "α_j = exp(e_j) / Σ_k exp(e_k)")
    p.header(64, "context", "context", "c = Σ_j α_j h_j")
    y, xs = 142, (*COLUMNS[:3], 412)
    query = p.vector(38, y + 52, *["decoder"] * 4)
    mapped = p.cell(38, y + 107, "W_a", "attention", 40, 24)
    p.arrow(query.bottom(), mapped.top(), role="decoder")
    total = attention(p, y, xs, [mapped.bottom()], "", (0.58, 0.38, 0.04, None),
                      [("1.93", "0.58"), ("1.52", "0.38"), ("−0.76", "0.04")])
    context = p.vector(total.x, y - 42, *["context"] * 6)
    p.arrow(total.top(), context.bottom(), role="context", width=2.2)
    p.math(context.x + 42, context.y, "c = (0.54, 0.42)", "start")
    p.text(12, y + 14, "query", "small start quiet")
    p.math(12, query.y - 20, "q = 1", "start")
    p.math(462, y + 78, "α_j", "start")
    p.math(462, y + 144, "e_j", "start")
    p.text(12, y + 198, "keys", "small start quiet")
    p.text(12, y + 250, "values", "small start quiet")
    p.arrow((369, y + 14), (369, y + 290), role="token", css="dash faded", width=1.4, head=False)
    for j, (x, values) in enumerate(zip(xs, ("(1, 0)", "(0, 1)", "(−1, 1)", "padding")), 1):
        annotation(p, x, y + 250, j, "" if j < 4 else "faded")
        (p.math if j < 4 else p.text)(x, y + 274, values, "small" if j < 4 else "small quiet")


def decoder_step(p, y, normalised_by="mask, softmax", weights=(0.15, 0.25, 0.6), numbers=None):
    """Draws one step of Bahdanau's decoder. The states are at height y. A larger weight has a thicker arrow. `numbers` are those of
    attention()."""
    xs = COLUMNS[:3]
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
    total = attention(p, y + 135, xs, [mapped.bottom()], weights=weights, numbers=numbers, normalised_by=normalised_by)
    p.arrow(total.top(), vector.bottom(), role="context", width=2.2)
    feed(p, state, softmax, token, vector.top())
    annotations(p, y + 385, xs)


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
    y = 230
    decoder_step(p, y)
    p.header(y + 558, "encoder", "encoder", "h_j = [h→_j; h←_j]")
    for dy, text in ((-57, "p(y_t): (B, V)"), (-28, "[s_t; c_t; E y_{t−1}]: (B, H + D + E)"), (22, "s_t: (B, H)"),
                     (52, "[E y_{t−1}; c_t]: (B, E + D)"), (92, "c_t: (B, D)")):
        p.math(262, y + dy, text, "small start")
    for dy, text in ((212, "α_t: (B, T)"), (279, "e_t: (B, T)"), (320, "U_a h_j: (T, B, A)"), (385, "h_j: (T, B, D)"),
                     (430, "h←_j: (T, B, H)"), (477, "h→_j: (T, B, H)")):
        p.math(372, y + dy, text, "small start")
    p.math(START + 8, y + 110, "(B, H)", "small start")


@picture("readme_step", 668)
def four_things(p):
    """One step of Bahdanau's decoder, in four numbered parts.

    1: the state before the step is compared with every annotation. 2: a softmax turns the energies into weights. 3: the
    weighted mean of the annotations is the context. 4: the context, the previous token and the old state give the new state
    and the next token.
    """
    y = 122
    weights = (0.58, 0.38, 0.04)
    decoder_step(p, y, "softmax", weights, [(f"e_{{t{j}}}", number(weight)) for j, weight in enumerate(weights, 1)])
    p.text(262, y - 57, "decoder", "name start decoder")
    p.text(392, y + 428, "encoder", "name start encoder")
    p.text(378, y + 178, "attention", "name start attention")
    for step, x, dy, text in (("4", 270, -24, "new state, next token"), ("3", 270, 92, "context: weighted mean"),
                              ("2", 386, 242, "weights"), ("1", 386, 279, "energies")):
        p.badge(x, y + dy, step)
        p.text(x + 16, y + dy, text, "start")
    p.text(418, y + 299, "1.93, 1.52, −0.76", "small")
    p.text(388, y + 385, "annotations", "small start quiet")


# Invented probabilities: each key is a text of the tokens so far, and its value holds the probability of each next token.
NEXT = {"": {"a": 0.5, "b": 0.4, "<eos>": 0.1}, "a": {"a": 0.34, "b": 0.33, "<eos>": 0.33},
        "b": {"a": 0.5, "b": 0.45, "<eos>": 0.05}, "ba": {"a": 0.05, "b": 0.05, "<eos>": 0.9},
        "bb": {"a": 0.25, "b": 0.25, "<eos>": 0.5}}


@picture("11_beam", 326)
def beam(p):
    """A beam of two hypotheses, cut at each step.

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
        longer = [(log_p + math.log(probability), tokens + token, parent)
                  for tokens, log_p, parent in alive for token, probability in NEXT[tokens].items()]
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


@picture("12_scores", 410)
def scores(p):
    """Four scores of an annotation against a state.

    Additive: both vectors are mapped, added, put through a tanh and multiplied by v_a. Dot: a dot product. Scaled
    dot: a dot product divided by the root of d. General: a dot product with a matrix between the vectors. For s = (1, 2) and h = (3, −1)
    the energies are 1.76, 1, 0.71 and 5.
    """
    drawn = ((66, "additive", "any d, D", "W_a", "U_a", "+", [(154, "tanh"), (108, "v_a^⊤")], "1.76", "with W_a, U_a, v_a"),
             (182, "dot", "d = D", None, None, "•", [], "1", "no parameters"),
             (298, "scaled dot", "d = D", None, None, "•", [(154, "1 / √d")], "0.71", "no parameters"),
             (414, "general", "any d, D", None, "W_a", "•", [], "5", "with W_a"))
    for x, name, sizes, s_matrix, h_matrix, operation, rest, energy, parameters in drawn:
        p.panel("attention", x - 54, 34, 108, 320)
        p.text(x, 18, name, "name attention")
        p.math(x, 372, sizes, "small")
        p.math(x, 394, parameters, "small")
        s, h = p.cell(x - 27, 308, "s_{t−1}", "decoder", 46), p.vector(x + 27, 308, "encoder", "backward", size=14)
        p.math(x + 27, 326, "h_j", "small")
        p.math(x - 27, 342, "(1, 2)", "small")
        p.math(x + 27, 342, "(3, −1)", "small")
        joined = p.circle(x, 202, operation, "attention")
        for node, role, matrix, side in ((s, "decoder", s_matrix, joined.left()), (h, "encoder", h_matrix, joined.right())):
            if matrix:
                box = p.cell(node.x, 252, matrix, "attention", 40, 26)
                p.arrow(node.top(), box.bottom(), role=role)
                node, role = box, "attention"
            p.arrow(node.top(), (node.x, 202), side, role=role)
        for y, text in [*rest, (60, f"e_{{tj}} = {energy}")]:
            box = p.cell(x, y, text, "attention", 94 if y == 60 else 56, 26)
            p.arrow(joined.top(), box.bottom(), role="attention")
            joined = box


@picture("13_text", 250)
def text(p):
    """A sentence becomes numbers.

    The text is split into tokens. Each token has an id. A word without an id of its own gets 3, the id of <unk>. The id selects a row of
    the embedding.
    """
    for y, name in ((30, "embedding"), (92, "ids"), (156, "tokens"), (222, "text")):
        p.text(12, y, name, "start quiet")
    p.rect("part token", 122, 208, 336, 28, 8)
    p.text(290, 222, "A red house.", "code")
    for x, token, number in ((155, "a", 4), (245, "red", 5), (335, "house", 3), (425, ".", 6)):
        css = "dash" if number == 3 else ""
        word, box = p.token(x, 156, token), p.cell(x, 92, str(number), "encoder", 44, 30, css)
        row = p.vector(x, 30, *["encoder"] * 4, size=14, css=css)
        p.arrow((x, 208), word.bottom())
        p.arrow(word.top(), box.bottom())
        p.arrow(box.top(), row.bottom(), role="encoder")
    p.text(345, 124, "<unk>", "code start")


@picture("exercise_11_luong", 484)
def luong(p):
    """The query of Bahdanau and of Luong: which state, and when it is computed.

    Bahdanau: the query is the state before the step. The context enters the update, and then the token is predicted.
    Luong: the state is updated first, and is then the query. The context and the state give the attentional vector, which
    predicts the token. With input feeding, drawn dashed, the cell also reads the attentional vector of the step before.
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
            fed = p.cell(before.x, 160, "h~_{t−1}", "decoder", css="dash")
            p.arrow(fed.right(), (fed.x + 44, 160), (fed.x + 44, 216), state.left(-10), role="decoder", css="dash")
            p.text(left + 8, 122, "input feeding", "small start quiet")
            steps = [(state.x + 24, state.y - 18), (state.x + 14, 310), (context.x, 350), (joined.x - 24, joined.y - 18), predicted]
        else:
            p.arrow(before.bottom(), (before.x, 369), role="decoder", width=2.2)
            p.arrow(state.top(), softmax.bottom(), role="decoder")
            feed(p, state, softmax, token, context.top())
            steps = [(before.x, 310), (context.x, 350), corner, predicted]
        for step, (x, y) in enumerate(steps, 1):
            p.badge(x, y, f"{step}")
