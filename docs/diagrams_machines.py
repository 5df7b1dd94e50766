"""The picture of several machines, for docs/diagrams.py."""

from diagrams_kit import picture


@picture("all_reduce", 270)
def all_reduce(p):
    """All-reduce along a ring of four processes.

    Four processes form a ring; each sends to the next, the last to the first. Each has a vector of four pieces. At the start all
    pieces are its own. After three rounds each process has one complete sum: process r has piece r + 1. After six rounds all
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
