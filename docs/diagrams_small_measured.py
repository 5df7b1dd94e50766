"""The pictures of tutorial 14 and of explained/small-devices-reversal.md that show models made smaller with the command, for
docs/diagrams.py."""

import dataclasses
import math

import results_small_reversal
from diagrams_kit import at, picture
from results_kit import load
from results_small_french import STUDY, mean_of

REVERSAL = results_small_reversal.STUDY


@dataclasses.dataclass
class BrokenAxis:
    """A vertical axis of scores in two parts. The upper part is stretched, because most models are there."""
    title: str
    top: float  # the score at height 26
    breaks: tuple[float, float]  # the end of the upper part, and of the lower part. No model is between them.
    scales: tuple[float, float]  # units of the picture for a score of 1, in the upper and in the lower part
    ticks: tuple[float, ...]

    def height(self, score):
        (upper, lower), (stretched, usual) = self.breaks, self.scales
        if score >= upper:
            return 26 + stretched * (self.top - score)
        return 60 + stretched * (self.top - upper) + usual * (lower - score)

    def edges(self):
        return self.height(self.breaks[0]) + 12, self.height(self.breaks[1]) - 12

    def parts(self, start, end):
        """The line from `start` to `end`, as two lines if the break of the axis interrupts it."""
        edges = self.edges()
        if (start[1] < edges[0]) == (end[1] < edges[0]):
            return [(start, end)]
        upper, lower = sorted((start, end), key=lambda point: point[1])
        cuts = [(upper[0] + (y - upper[1]) / (lower[1] - upper[1]) * (lower[0] - upper[0]), y) for y in edges]
        return [(upper, cuts[0]), (cuts[1], lower)]

    def draw(self, p, left):
        for score in self.ticks:
            p.path("line token faded", f"M{at(left, self.height(score))}H468", ' stroke-width="1"')
            p.text(left - 8, self.height(score), str(score), "small end quiet")
        for y in self.edges():
            p.path("line token", f"M{at(left - 30, y + 3)}l16-6", ' stroke-width="1.2"')  # the axis is broken here
        p.text(12, 14, self.title, "small start quiet")


def draw_method(p, axis, role, models):
    """Draws the models of one method, joined by a line. `models` has a model's point, and its label's offset, css and text."""
    places = [point for point, *_ in models]
    for start, end in zip(places, places[1:]):
        for part in axis.parts(start, end):
            p.arrow(*part, role=role, head=False, width=1.6)
    for (x, y), dx, dy, css, text in models:
        p.disc(f"fill {role}", x, y, 4)
        if text:
            p.text(x + dx, y + dy, text, f"small fill {css} {role}")


BLEU = BrokenAxis("BLEU", top=31, breaks=(28, 20), scales=(52, 8), ticks=(0, 10, 20, 28, 29, 30))


@picture("14_french", 426)
def french(p):
    """BLEU against the size of the file after gzip, for each way to make the model smaller.

    Fewer bits, and fewer words, keep the BLEU. With more and more zeros, it falls from 30 to 4. The student has 12 to 16 BLEU after 1,000
    updates, and the smallest student 29 to 30 after 9,600 updates, at the fewest bytes. The axis of BLEU is broken between 20 and 28, and
    stretched above.
    """
    left, floor = 52, BLEU.height(0)

    def place(row):
        return left + 80 * math.log2(mean_of(row, "gzip_bytes") / 0.5e6), BLEU.height(mean_of(row, "bleu"))
    BLEU.draw(p, left)
    for size in (0.5, 1, 2, 4, 8, 16):
        p.text(left + 80 * math.log2(size / 0.5), floor + 16, f"{size:g}", "small quiet")
    p.text(260, floor + 38, "MB after gzip, logarithmic scale", "small quiet")
    # For each method, the role that colours its line, and its models: a row of the table, and the label's offset, css and text.
    for role, models in (
            ("gradient", (("f32", 0, 0, "", ""), ("50 % zeros, then trained", -10, -4, "end", "50 % zeros"),
                          ("80 % zeros, then trained", 12, 4, "start", "80 % zeros"), ("90 % zeros, then trained", 12, 0, "start", "90 % zeros"))),
            ("context", (("f32", 0, 0, "", ""), ("2,000 target words", 10, 14, "", "2,000 words"), ("2,000 target words, int8", 0, 15, "", "int8"))),
            ("encoder", (("f32", 0, 0, "", ""), ("bf16", 0, -23, "", "bf16"), ("int8", 0, -23, "", "int8"))),
            ("attention", (("student", 12, 4, "start", "true targets"), ("student, teacher's probabilities", 12, 0, "start", "probabilities"),
                           ("student, teacher's translations", 0, -14, "end", "translations"),
                           ("student, teacher's translations, int8", 0, 15, "", "int8"))),
            ("decoder", (("smallest student", 10, -4, "start", "true targets"), ("smallest student, teacher's translations", 2, 13, "end", "translations"),
                         ("smallest student, teacher's translations, int8", 0, 15, "", "int8")))):
        draw_method(p, BLEU, role, [(place(row), *label) for row, *label in models])
    x, y = place("f32")
    p.text(x + 10, y, "f32", "small start")
    for row, dx, up, role, name in (("smallest student, teacher's translations, int8", 4, 18, "decoder", "smallest student"),
                                    ("student, teacher's translations, int8", 60, -32, "attention", "student of 96 units")):
        x, y = place(row)
        p.text(x - dx, y - up, name, f"small start name {role}")


@picture("14_faster", 444)
def faster(p):
    """BLEU against speed, one sentence at a time, on two processors.

    The speed is a multiple of the speed of f32. For each model, a line joins a disc for the Intel processor and a ring for
    the AMD processor. Zeros leave the speed at 1. int8 makes the large model 2.2 to 2.4 times as fast, and 2,000 target
    words with int8 3.2 to 4.2 times. The smallest student is 3.9 to 9 times as fast, and 5.6 to 7.4 times in int8. The axis
    of BLEU is broken between 20 and 28, and stretched above.
    """
    left, floor, doubling = 52, BLEU.height(0), 104

    def place(times):
        return left + doubling * math.log2(times / 0.7)
    BLEU.draw(p, left)
    for times in (1, 2, 4, 8):
        p.text(place(times), floor + 16, str(times), "small quiet")
    p.text(260, floor + 38, "times as fast as f32, logarithmic scale", "small quiet")
    p.text(138, floor + 58, "Intel", "small end quiet")
    p.disc("fill token", 148, floor + 58, 4)
    p.arrow((148, floor + 58), (192, floor + 58), head=False)
    p.add(f'<circle class="line token" cx="196" cy="{floor + 58:g}" r="4" stroke-width="1.6"/>')
    p.text(206, floor + 58, "AMD", "small start quiet")
    p.text(252, floor + 58, "a line joins the same model", "small start quiet")
    # the row of the table, the role that colours it, and the label's offset from the disc (Intel) or ring (AMD), css and text
    for row, role, of, dx, dy, css, text in (
            ("50 % zeros, then trained", "gradient", 0, 12, -2, "start", "50 % zeros"), ("80 % zeros, then trained", "gradient", 0, 12, 0, "start", "80 % zeros"),
            ("90 % zeros, then trained", "gradient", 0, 12, 0, "start", "90 % zeros"),
            ("2,000 target words", "context", 0, -4, 16, "", "2,000 words"), ("2,000 target words, int8", "context", 0, 4, 16, "end", "2,000 words, int8"),
            ("f32", "token", 0, 0, -23, "", "f32"), ("bf16", "encoder", 1, -2, 15, "", "bf16"), ("int8", "encoder", 0, 4, -23, "end", "int8"),
            ("student", "attention", 0, 10, 2, "start", "true targets"), ("student, teacher's translations", "attention", 1, 0, -14, "start", "translations"),
            ("student, teacher's translations, int8", "attention", 0, 10, 0, "start", "int8"),
            ("smallest student", "decoder", 0, 0, -14, "end", "true targets"),
            ("smallest student, teacher's translations", "decoder", 0, 4, 14, "end", "translations"),
            ("smallest student, teacher's translations, int8", "decoder", 1, 0, -13, "start", "int8")):
        y = BLEU.height(mean_of(row, "bleu"))
        ends = [place(STUDY.faster(row, 1, name)) for name in ("small_speed", "small_speed_amd")]
        p.arrow((ends[0], y), (ends[1] + math.copysign(4, ends[0] - ends[1]), y), role=role, head=False, width=1.6)
        p.add(f'<circle class="line {role}" cx="{ends[1]:.5g}" cy="{y:.5g}" r="4" stroke-width="1.6"/>')
        p.disc(f"fill {role}", ends[0], y, 4)
        p.text(ends[of] + dx, y + dy, text, f"small fill {css} {role}" if role != "token" else f"small {css}")
    p.text(place(4), BLEU.height(mean_of("smallest student", "bleu")) - 32, "smallest student", "small start name decoder")
    p.text(place(2.6), BLEU.height(mean_of("student", "bleu")), "student of 96 units", "small end name attention")


EXACT = BrokenAxis("exact match, %", top=101.2, breaks=(94, 80), scales=(24, 2), ticks=(0, 20, 40, 60, 80, 94, 96, 98, 100))


@picture("small_reversal", 448)
def reversal_sizes(p):
    """Exact match against the size of the file after gzip, for models of reversal.

    bf16 and int8 keep 100 %, at 163 and 104 kB in place of 379 kB. With 50 % zeros, the exact match is 100 %, at 220 kB;
    with 80 %, 95.5 % at 101 kB, and at 39 kB in int8; with 90 %, 0 % at 57 kB, and 50 % after a longer training. The
    student of 31 units has 75 % after 600 updates, at 96 kB; short bars show its seeds with 48 and 99 %. After 1,200, it
    has 99.7 %, also in int8, at 28 kB. The student of 16 units has 100 %, at 29 kB, and at 10 kB in int8. top-1 and 8 target
    symbols are below 10 %, at nearly the size of f32. The axis of exact match is broken between 80 and 94, and stretched above.
    """
    left, floor, doubling = 52, EXACT.height(0), 68

    def place(row):
        x = left + doubling * math.log2(REVERSAL.mean_of(row, "gzip_bytes") / 8e3)
        return x, EXACT.height(100 * REVERSAL.mean_of(row, "exact_match"))
    EXACT.draw(p, left)
    for size in (8, 16, 32, 64, 128, 256, 512):
        p.text(left + doubling * math.log2(size / 8), floor + 16, str(size), "small quiet")
    p.text(260, floor + 38, "kB after gzip, logarithmic scale", "small quiet")
    zeros = "80 % zeros, then trained"
    # For each line, its role, and its models: a row of the table, and the label's offset, css and text.
    for role, models in (
            ("gradient", (("f32", 0, 0, "", ""), ("50 % zeros, then trained", 0, 17, "start", "50 % zeros"),
                          (zeros, 12, 8, "start", "80 % zeros"),
                          ("90 % zeros, then trained", -10, -10, "end", "90 % zeros"))),
            ("gradient", ((zeros, 0, 0, "", ""), (f"{zeros}, int8", -2, 17, "", "80 % zeros, int8"))),
            ("gradient", (("90 % zeros, then trained", 0, 0, "", ""),
                          ("90 % zeros, then trained longer", -10, 0, "end", "90 % zeros, longer"))),
            ("token", (("8 target symbols", -10, -4, "end", "8 target symbols"),)),
            ("token", (("top-1", 9, -1, "start", "top-1"),)),
            ("encoder", (("f32", 0, -15, "", "f32"), ("bf16", 0, -15, "", "bf16"), ("int8", 0, -15, "", "int8"))),
            ("attention", (("student", 10, 2, "start", "600 updates"),
                           ("student, 1,200 updates", -10, 14, "end", "1,200 updates"),
                           ("student, 1,200 updates, int8", -9, 10, "end", "int8"))),
            ("decoder", (("smallest student", 0, 0, "", ""), ("smallest student, int8", 0, -15, "", "int8")))):
        draw_method(p, EXACT, role, [(place(row), *label) for row, *label in models])
    x, y = place("student")
    low, high = (EXACT.height(100 * end(REVERSAL.over_runs("student", "exact_match"))) for end in (min, max))
    p.arrow((x, y), (x, low), role="attention", head=False, width=0.8)
    for end in (low, high):
        p.arrow((x - 5, end), (x + 5, end), role="attention", head=False, width=1.6)
    p.text(place("smallest student")[0], place("smallest student")[1] - 15, "student of 16 units", "small name decoder")
    p.text(place("student")[0] - 10, EXACT.height(97), "student of 31 units", "small name end attention")


@picture("small_reversal_speed", 300)
def reversal_speed(p):
    """Sentences per second in f32 and in int8, for three sizes of the model of reversal.

    In the left half, one sentence at a time; in the right half, 64, with its own scale. The speeds of the large model with
    64 units hardly differ. The students of 31 and 16 units are slower in int8 than in f32.
    """
    speeds = {found["row"]: found for found in load("small_reversal_speed")["rows"]}
    sizes = (("64 units", "f32", "int8"), ("31 units", "student, 1,200 updates", "student, 1,200 updates, int8"),
             ("16 units", "smallest student", "smallest student, int8"))
    for left, batch, title, most in ((92, 1, "1 sentence at a time", 19500), (300, 64, "64 at a time", 90000)):
        p.text(left, 18, title, "small start name token")
        p.path("line token", f"M{at(left, 36)}V258", ' stroke-width="1"')
        for group, (name, *rows) in enumerate(sizes):
            top = 48 + 72 * group
            if batch == 1:
                p.text(left - 12, top + 28, name, "small end")
            for row, role, y in zip(rows, ("encoder", "decoder"), (top, top + 30)):
                speed = speeds[row][f"batch_{batch}"]
                p.rect(f"part {role}", left, y, 120 * speed / most, 24)
                p.text(left + 120 * speed / most + 6, y + 12, f"{speed:,.0f}", "small start")
    p.text(92, 284, "sentences per second", "small start quiet")
    for x, role, name in ((300, "encoder", "f32"), (368, "decoder", "int8")):
        p.rect(f"part {role}", x, 277, 14, 14)
        p.text(x + 22, 284, name, "small start")
