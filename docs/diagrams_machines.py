"""The pictures of several machines and of the server, for docs/diagrams.py."""

from diagrams_kit import picture


@picture("all_reduce", 270)
def all_reduce(p):
    """All-reduce along a ring of four processes.

    Four processes form a ring; each sends to the next, the last to the first. Each has a vector of four pieces. At the start, each
    process has only its own values. After three rounds each process has one complete sum: process r has piece r + 1. After six rounds all
    processes have all four sums.
    """
    columns, size = [78, 186, 294, 402], 18
    stages = ((62, "at the start: own values", lambda r, i: False),
              (168, "after 3 rounds: one sum in each process", lambda r, i: i == (r + 1) % 4),
              (248, "after 6 rounds: all sums in each process", lambda r, i: True))
    for y, words, is_sum in stages:
        p.text(240, y - 34, words, "name")
        nodes = [p.vector(x, y, *["context" if is_sum(r, i) else "encoder" for i in range(4)], size=size) for r, x in enumerate(columns)]
        for r, x in enumerate(columns):
            for i in range(4):
                p.text(x + size * (i - 1.5), y, str(i), "small")
        if y > 62:
            continue
        for r, x in enumerate(columns):
            p.math(x, y + 26, f"p_{r}")
        for left, right in zip(nodes, nodes[1:]):
            p.arrow(left.right(), right.left(), role="decoder")
        p.arrow(nodes[-1].right(), (466, y), (466, y + 46), (14, y + 46), (14, y), nodes[0].left(), role="decoder")


@picture("buckets", 214)
def buckets(p):
    """Gradients travel during the backward pass.

    Above, the backward pass: output layer, decoder, encoder. The first bucket is ready 0.5 s before its end, the second at
    its end. Below, the network adds up each bucket in 0.4 s. The first sum ends before the backward pass; for the second, the process
    waits 0.4 s.
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
    sums. With four processes, each adds two shards. The additions and their order are the same.
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
    below = [p.cell(x, 250, f"g_{i}", "encoder", 38, 28) for i, x in enumerate(xs)]
    y = 250
    while len(below) > 1:
        y -= 62
        above = [p.circle((a.x + b.x) / 2, y, "+", "context") for a, b in zip(below[::2], below[1::2])]
        for node, a, b in zip(above, below[::2], below[1::2]):
            for part, side in ((a, node.left()), (b, node.right())):
                p.arrow(part.top(), (part.x, y), side, role="context")
        below = above
    p.arrow(below[0].top(), (middle, 26), role="context", width=2.2)
    p.text(middle, 14, "gradient of the batch", "name context")


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
            p.text(left + width * (start + steps / 2), y + height * place + 15, sentence, "code")
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
