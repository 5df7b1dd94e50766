"""Parts of models, for the pictures of docs/diagrams.py: encoder, annotations, decoder, attention."""

import math

START, COLUMNS = 40, (115, 210, 305, 400)  # x of the first state, and of the steps


def chain(p, nodes, role):
    """Draws the arrows from state to state."""
    for before, after in zip(nodes, nodes[1:]):
        ends = (before.right(), after.left()) if before.x < after.x else (before.left(), after.right())
        p.arrow(*ends, role=role, width=2.2)


def encoder(p, y, tokens="abc"):
    """Draws one direction of the encoder. Returns its cells."""
    cells = [p.cell(x, y, f"h_{j}", "encoder") for j, x in enumerate(COLUMNS[:len(tokens)], 1)]
    start = p.cell(START, y, "h_0", "encoder", css="dash")
    for cell, token in zip(cells, tokens):
        p.arrow(p.token(cell.x, y + 54, token).top(), cell.bottom())
    chain(p, [start, *cells], "encoder")
    return cells


def annotation(p, x, y, j, css=""):
    """Draws the annotation h_j: one half for each direction."""
    p.vector(x, y, *["encoder"] * 3, *["backward"] * 3, css=css)
    p.math(x + 38, y, f"h_{j}", "start")


def annotations(p, y, xs, tokens="abcd"):
    """Draws both directions of the encoder, and the annotations above them."""
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


def output(p, state, text, literal=True, role="token"):
    """Draws the prediction above a state. Returns its softmax."""
    softmax = p.cell(state.x, state.y - 57, "softmax", "decoder", 62, 26)
    p.arrow(state.top(), softmax.bottom(), role="decoder")
    p.arrow(softmax.top(), p.token(state.x, softmax.y - 42, text, literal, role).bottom(), role="decoder")
    return softmax


def decoder(p, y, inputs=("<bos>", "c", "b", "a"), outputs=("c", "b", "a", "<eos>")):
    """Draws the decoder with teacher forcing. Returns the first state, the cells, the softmaxes and the inputs."""
    start = p.cell(START, y, "s_0", "decoder")
    cells = [p.cell(x, y, f"s_{t}", "decoder") for t, x in enumerate(COLUMNS, 1)]
    chain(p, [start, *cells], "decoder")
    tokens = [p.token(x - 14, y + 54, text) for x, text in zip(COLUMNS, inputs)]
    for cell, token in zip(cells, tokens):
        p.arrow(token.top(), cell.bottom(-14))
    return start, cells, [output(p, cell, text) for cell, text in zip(cells, outputs)], tokens


def feed(p, cell, softmax, token, source):
    """Draws arrows from the context and from the previous token to a state and its prediction. The context's arrow begins at `source`."""
    x, y = cell.bottom(14)
    p.arrow(source, (x, y), role="context")
    p.dot(x, y + 12, "context")
    p.arrow((x, y + 12), (x + 24, y + 12), (x + 24, softmax.y), softmax.right(), role="context")
    p.arrow(token.left(), (cell.x - 44, token.y), (cell.x - 44, softmax.y), softmax.left())


def attention(p, y, xs, query, symbol="t", weights=(0.15, 0.25, 0.6), numbers=None,
              normalised_by="mask, softmax"):
    """Draws scores, mask, softmax and weighted sum of the annotations. Returns the sum. The annotations are at y + 250. A
    weight None marks padding. The query's arrow begins with the points `query`. `numbers` are pairs of texts, an energy and a weight,
    drawn in place of their symbols."""
    total = p.circle((xs[0] + xs[2]) / 2, y, "Σ", "context", 14)
    left, width, bus = xs[0] - 42, xs[-1] - xs[0] + 88, y + 172
    p.panel("attention", left, y + 26, width, 202)
    p.arrow(*query, (query[-1][0], bus), (xs[-1] - 13, bus), (xs[-1] - 13, y + 156), role="attention")
    for x, weight in zip(xs, weights):  # drawn behind the bar
        css = "faded" if weight is None else ""
        p.arrow((x + 29, y + 244), (x + 29, y + 52), (x + 11, y + 52), role="encoder", css=css)
        p.arrow((x, y + 244), (x, y + 210), role="encoder", css=css)
    p.rect("back", left + 8, y + 94, width - 16, 26, 8)
    p.rect("part attention", left + 8, y + 94, width - 16, 26, 8)
    p.math(total.x, y + 107, normalised_by)
    for j, (x, weight) in enumerate(zip(xs, weights), 1):
        energy, alpha, dash, faded = (
            (f"e_{{{symbol}{j}}}", f"α_{{{symbol}{j}}}", "", "") if weight else ("−∞", "0", "dash", "faded"))
        if weight and numbers:
            energy, alpha = numbers[j - 1]
        product = p.circle(x, y + 52, "×", "attention", 11)
        score = p.cell(x, y + 144, energy, "attention", 46, 24, dash)
        key = p.cell(x, y + 198, "U_a", "attention", 40, 24, faded)
        p.arrow(key.top(), score.bottom(), role="attention", css=faded)
        if x != xs[-1]:
            p.dot(x - 13, bus, "attention")
            p.arrow((x - 13, bus), score.bottom(-13), role="attention")
        p.arrow(score.top(), (x, y + 120), role="attention")
        p.arrow((x, y + 94), product.bottom(), role="attention")
        p.math(x - 6, y + 77, alpha, "end")
        if weight:
            end = (total.x, y + 14) if x == total.x else (total.x + math.copysign(13, x - total.x), y + 5)
            p.arrow(product.top(), end, role="context", width=1 + 4 * weight)
    return total
