"""The pictures of speed.md, from the output of the benchmarks, for docs/diagrams.py."""

import math

from diagrams_kit import at, picture
from results_kit import load
from results_speed import fastest, fastest_peer

CASES = [case for case in load("speed_peers")["cases"] if case["precision"] == "f32"]
SWEEPS = {sweep["name"]: sweep for sweep in load("speed_scaling")["sweeps"]}
HIGH, LEFT, UNIT = 24, 150, 30  # the height of a row, the x where bars begin, the length of a ratio of 1


@picture("speed_peers", 110 + HIGH * (len(CASES) + 1))
def speed_peers(p):
    """The time of libtorch, divided by that of gradus.

    One bar for each model, for a training step and for greedy decoding. Every bar is longer than 1, the time of gradus: libtorch takes
    more time. The bars of small models are the longest.
    """
    y, mode = 62, None
    p.text(LEFT, 16, "time of libtorch ÷ time of gradus", "name start")
    p.text(LEFT + UNIT, 40, "1: as fast as gradus", "small start quiet")
    for case in CASES:
        if case["mode"] != mode:
            y, mode = y + (HIGH if mode else 0), case["mode"]
            p.text(12, y, {"train": "training", "decode": "decoding"}[mode], f"name start {'decoder' if mode == 'train' else 'encoder'}")
            y += HIGH
        ours, theirs = fastest(case["gradus"])["ms_per_step"], fastest_peer(case)
        name = case["config"] if mode == "train" else f"{case['config']}, batch {case['batch']}"
        p.text(LEFT - 8, y, name, "small end")
        p.rect(f"part {'decoder' if mode == 'train' else 'encoder'}", LEFT, y - 8, UNIT * theirs / ours, 16, 3)
        p.text(LEFT + UNIT * theirs / ours + 8, y, f"{theirs / ours:.1f}", "small start")
        y += HIGH
    p.path("line token dash", f"M{LEFT + UNIT} 50V{y - 6}", ' stroke-width="1.6"')


@picture("speed_cost", 340)
def speed_cost(p):
    """How the time grows with the sizes, each relative to its smallest value, on logarithmic axes.

    A grey line shows a time proportional to the size. A training step grows faster than its H, about as fast as its T, and more slowly than B and
    V. The encoder grows about as fast as T, and attention more slowly than the product of both lengths.
    """
    left, floor, across, up = 50, 288, 58, 52

    def place(size, time):
        return left + across * math.log2(size), floor - up * math.log2(time)
    for power in range(6):
        p.path("line token faded", f"M{at(*place(1, 2 ** power))}H{left + 6.2 * across:g}", ' stroke-width="1"')
        p.text(left - 8, floor - up * power, f"{2 ** power}×", "small end quiet")
    for power in range(7):
        p.text(left + across * power, floor + 16, f"{2 ** power}×", "small quiet")
    p.text(12, 14, "time", "small start quiet")
    p.text(left + 3 * across, floor + 38, "size", "small quiet")
    p.path("line token dash", f"M{at(*place(1, 1))}L{at(*place(32, 32))}", ' stroke-width="2"')
    p.text(place(32, 32)[0] + 8, place(32, 32)[1] - 4, "slope 1", "small start quiet")
    rows = (("training step, H", "decoder", "step, H"), ("training step, T", "gradient", "step, T"), ("encoder, T", "encoder", "encoder, T"),
            ("training step, B", "gate", "step, B"), ("attention, Tx Ty", "attention", "attention, Tx Ty"), ("training step, V", "context", "step, V"))
    p.rect("back", 290, 178, 172, 108)
    for line, (name, role, shown) in enumerate(rows):
        sweep = SWEEPS[name]
        points = [place(size / sweep["sizes"][0], time / sweep["ms"][0]) for size, time in zip(sweep["sizes"], sweep["ms"])]
        p.path(f"line {role}", "M" + "L".join(at(*point) for point in points), ' stroke-width="2.2"')
        for x, y in points:
            p.disc(f"fill {role}", x, y, 3)
        y = 186 + 18 * line
        p.path(f"line {role}", f"M{at(300, y)}h18", ' stroke-width="2.2"')
        p.text(326, y, f"{shown}: {sweep['exponent']:.2f}", "small start")
