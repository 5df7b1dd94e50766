"""The picture of speed.md, from the output of the benchmarks, for docs/diagrams.py."""

from diagrams_kit import picture
from results_kit import load
from results_speed import fastest, fastest_peer

CASES = [case for case in load("speed_peers")["cases"] if case["precision"] == "f32"]
HIGH, LEFT, UNIT = 24, 150, 30  # a bar's height, the x where bars begin, the length of a ratio of 1


@picture("speed_peers", 88 + HIGH * (len(CASES) + 1))
def speed_peers(p):
    """The time of libtorch, divided by that of gradus.

    One bar for each model, for a training step and for greedy decoding. Every bar is longer than 1, the time of gradus: libtorch takes
    more time. The bars of small models are the longest.
    """
    y, mode = 40, None
    p.text(LEFT + UNIT, 18, "1: as fast as gradus", "small start quiet")
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
    p.path("line token dash", f"M{LEFT + UNIT} 28V{y - 6}", ' stroke-width="1.6"')
