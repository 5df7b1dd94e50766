"""The pictures of several machines and of the server, for docs/diagrams.py."""

import results_machines
from diagrams_kit import picture


def exchanges(p, stages):
    """Draws the pieces of four processes, a row for each stage. A stage is (line of words, second line, counts, received).
    counts[r][i] is the number of gradients that piece i of process r contains, or 0 if process r does not hold this piece.
    `received` lists the (process, piece) received in this stage."""
    columns, size = [140, 236, 332, 428], 19
    for r, x in enumerate(columns):
        p.math(x, 14, f"p_{r}")
        for i in range(4):
            p.text(x + size * (i - 1.5), 34, str(i), "small quiet")
    for k, (words, more, counts, received) in enumerate(stages):
        y = 58 + 36 * k
        p.text(10, y - (8 if more else 0), words, "small start quiet")
        p.text(10, y + 8, more, "small start quiet")
        for r, x in enumerate(columns):
            for i, count in enumerate(counts[r]):
                role = "context" if count == 4 else "attention" if count > 1 else "encoder"
                centre = x + size * (i - 1.5)
                p.rect(f"part {role}" if count else f"part {role} faded dash", centre - size / 2, y - size / 2, size, size)
                if count:
                    p.text(centre, y, str(count), "small")
        for r, i in received:
            p.rect("mark", columns[r] + size * (i - 2), y - size / 2, size, size)


@picture("all_reduce", 300)
def all_reduce(p):
    """All-reduce along a ring of four processes, round by round.

    Each process has a vector of four pieces. The number in a piece says how many gradients it contains. At the start, each is
    1. In the rounds 0, 1 and 2, each process receives one piece and adds it: the sums contain 2, 3 and 4 gradients. Process r
    then has the complete sum of piece r + 1. In the rounds 3, 4 and 5, each process receives one complete piece, until all
    pieces are complete.
    """
    counts = [[1] * 4 for _ in range(4)]
    stages = [("start", "", [row[:] for row in counts], [])]
    for t in range(6):
        sent = [(r, (r - t) % 4, counts[r][(r - t) % 4]) for r in range(4)]
        for r, i, count in sent:
            counts[(r + 1) % 4][i] = count + (counts[(r + 1) % 4][i] if t < 3 else 0)
        stages.append((f"round {t}", "", [row[:] for row in counts], [((r + 1) % 4, i) for r, i, _ in sent]))
    exchanges(p, stages)


@picture("halving", 230)
def halving(p):
    """Recursive halving and doubling with four processes, round by round.

    The processes 0 and 1 exchange halves, and so do 2 and 3: each process keeps two pieces, which contain 2 gradients. Then 0 and 2, and 1
    and 3, exchange one piece: each process has one piece with all 4 gradients. In the next two rounds, the same pairs in reverse order
    exchange the complete pieces, until all processes have all pieces.
    """
    counts, held = [[1] * 4 for _ in range(4)], [range(4)] * 4
    stages = [("start", "", [row[:] for row in counts], [])]
    kept = []
    for distance in (1, 2):
        kept.append(held)
        held = [half[len(half) // 2:] if r & distance else half[:len(half) // 2] for r, half in enumerate(held)]
        counts = [[2 * counts[r][i] if i in held[r] else 0 for i in range(4)] for r in range(4)]
        stages.append((f"round {distance - 1}", f"0–{distance}, {3 - distance}–3", counts, [(r, i) for r in range(4) for i in held[r]]))
    for distance in (2, 1):
        wider = kept.pop()
        received = [(r, i) for r in range(4) for i in wider[r] if i not in held[r]]
        held = wider
        counts = [[4 if i in held[r] else 0 for i in range(4)] for r in range(4)]
        stages.append((f"round {4 - distance}", f"0–{distance}, {3 - distance}–3", counts, received))
    exchanges(p, stages)


@picture("buckets", 214)
def buckets(p):
    """Gradients are sent during the backward pass.

    The upper row is the backward pass through the output layer, the decoder and the encoder. The first bucket is ready 0.5 s before
    the backward pass ends. The second bucket is ready when it ends. In the lower row, the network adds up each bucket in 0.4 s. The
    first sum ends before the backward pass. The process waits 0.4 s for the second sum.
    """
    zero, unit = 300, 260  # the x of the end of the backward pass, and the length of a second

    def x_of(seconds):
        return zero + unit * seconds
    for y, name in ((56, "backward"), (120, "network")):
        p.text(12, y, name, "small start quiet")
    parts = ((-0.8, -0.5, "output"), (-0.5, -0.25, "decoder"), (-0.25, 0, "encoder"))
    for begin, end, name in parts:
        p.rect("part encoder", x_of(begin), 40, unit * (end - begin), 32)
        p.text((x_of(begin) + x_of(end)) / 2, 56, name, "small")
    for k, ready, begin in ((1, -0.5, -0.5), (2, 0, 0)):
        p.rect("part context" if k == 1 else "part gradient", x_of(begin), 104, unit * 0.4, 32)
        p.math(x_of(begin + 0.2), 120, f"c_{k} = 0.4", "small")
        p.arrow((x_of(ready), 72), (x_of(ready), 103), role="context")
        p.math(x_of(ready) + 8, 88, f"r_{k}", "small start")
    p.arrow((x_of(-0.85), 160), (x_of(0.6), 160), width=1)
    for seconds in (-0.5, -0.1, 0, 0.4):
        p.path("line token", f"M{x_of(seconds)} 156V164", ' stroke-width="1"')
        p.text(x_of(seconds), 178, f"{seconds:g}".replace("-", "−"), "small quiet")
    p.text(x_of(0.6), 146, "seconds", "small end quiet")
    p.path("line gradient", f"M{x_of(0)} 192H{x_of(0.4)}", ' stroke-width="2.2"')
    p.text(x_of(0.2), 204, "waits w = 0.4 s", "small gradient")


@picture("shards", 330)
def shards(p):
    """Eight shards of a batch, added along a tree, with two and with four processes.

    The batch is cut into eight shards, whose gradients are g_0 to g_7. Neighbours are added in pairs, then these sums in pairs, and so on,
    until one sum remains: the gradient of the batch. With two processes, each adds four shards, and one more addition combines their
    sums. With four processes, each adds two shards. The additions and their order are the same. With four processes, the four lowest
    additions happen inside a process, and the other three between processes.
    """
    xs = [124 + 46 * i for i in range(8)]
    middle = (xs[0] + xs[-1]) / 2
    p.text(12, 250, "shards", "small start quiet")
    for y, processes in ((290, 2), (314, 4)):
        p.text(12, y, f"{processes} processes", "small start quiet")
        each = 8 // processes
        for process in range(processes):
            left, right = xs[process * each] - 18, xs[process * each + each - 1] + 18
            p.rect("part decoder", left, y - 9, right - left, 18, 9)
            p.math((left + right) / 2, y - 2, f"p_{process}", "small")
    p.text(12, 64, "with 4 processes:", "small start quiet")
    p.text(12, 94, "between processes", "small start name decoder")
    p.text(12, 188, "in a process", "small start name encoder")
    below = [p.cell(x, 250, f"g_{i}", "encoder", 38, 28) for i, x in enumerate(xs)]
    y = 250
    while len(below) > 1:
        y -= 62
        role = "encoder" if len(below) == 8 else "decoder"  # of an addition in one of four processes, or between them
        above = [p.circle((a.x + b.x) / 2, y, "+", role) for a, b in zip(below[::2], below[1::2])]
        for node, a, b in zip(above, below[::2], below[1::2]):
            for part, side in ((a, node.left()), (b, node.right())):
                p.arrow(part.top(), (part.x, y), side, role=role)
        below = above
    p.arrow(below[0].top(), (middle, 26), role="context", width=2.2)
    p.text(middle, 14, "gradient of the batch", "name context")


@picture("busy", 300)
def busy(p):
    """The percentage of the time that a process computes, in 64 processes of the size medium.

    For networks of 1, 10 and 100 Gbit/s, two bars: with gradients in f32 and in bf16. A whole bar is the prediction for a network at its
    full rate. Its dark part is the prediction for a network whose messages take longer by the largest factor measured on the simulated
    link of 1 Gbit/s.
    """
    left, whole, high = 130, 298, 24
    p.text(12, 14, "64 processes, medium: % of the time spent computing", "small start name token")
    y = 36
    for network in results_machines.model.NETWORKS:
        p.text(12, y + high + 2, network, "small start quiet")
        for bf16 in (False, True):
            full, slow = (results_machines.busy_medium(network, bf16, slowdown) for slowdown in (1, results_machines.slowdowns(bf16)[-1]))
            p.text(left - 8, y + high / 2, "bf16" if bf16 else "f32", "small end quiet")
            p.rect("part context", left, y, whole * full, high)
            p.add(f'<rect class="fill context" x="{left}" y="{y}" width="{whole * slow:.5g}" height="{high}" fill-opacity="0.35"/>')
            percents = [results_machines.model.percent(fraction) for fraction in (full, slow)]
            p.text(left + whole * full + 6, y + high / 2, percents[0], "small start")
            if percents[1] != percents[0]:
                p.text(left + whole * slow - 6, y + high / 2, percents[1], "small end")
            y += high + 4
        y += 14
    for words, dark in (("network at its full rate", False), ("as slow as the simulated link", True)):
        p.rect("part context", left, y, 22, 16)
        if dark:
            p.add(f'<rect class="fill context" x="{left}" y="{y}" width="22" height="16" fill-opacity="0.35"/>')
        p.text(left + 30, y + 8, words, "small start")
        y += 22


# Sentences as (name, role, number of steps), in their order of arrival.
SENTENCES = (("a", "encoder", 3), ("b", "decoder", 6), ("c", "gate", 2), ("d", "backward", 4), ("e", "attention", 3))


@picture("running_batch", 282)
def running_batch(p):
    """Two places of a batch over the steps of the decoder: fixed batches, and a running batch.

    Five sentences need 3, 6, 2, 4 and 3 steps. In fixed batches, the next two sentences wait until both before them have ended: 13
    steps. In a running batch, a sentence takes a place as soon as one is free: 9 steps.
    """
    width, height, left = 29, 30, 66

    def draw(y, name, times):
        p.text(12, y - 24, name, "name start context")
        end = max(start + steps for _, start, (_, _, steps) in times)
        for place in range(2):
            p.text(12, y + height * place + 15, f"place {place + 1}", "small start quiet")
            for step in range(end):
                p.rect("part token faded dash", left + width * step, y + height * place, width, height)
        for place, start, (sentence, role, steps) in times:
            p.rect("back", left + width * start, y + height * place, width * steps, height)
            p.rect(f"part {role}", left + width * start, y + height * place, width * steps, height)
            p.text(left + width * (start + steps / 2), y + height * place + 15, f"{sentence} {steps}", "code")
        p.text(left + width * end / 2, y + 2 * height + 14, f"{end} steps", "small quiet")

    fixed, begin = [], 0
    for pair in (SENTENCES[:2], SENTENCES[2:4], SENTENCES[4:]):
        fixed += [(place, begin, sentence) for place, sentence in enumerate(pair)]
        begin += max(steps for _, _, steps in pair)
    draw(40, "fixed batches", fixed)
    running, free = [], [0, 0]
    for sentence in SENTENCES:
        place = free.index(min(free))
        running.append((place, free[place], sentence))
        free[place] += sentence[2]
    draw(186, "a running batch", running)
