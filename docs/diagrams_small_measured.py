"""The pictures of tutorial 14 that show models made smaller with the command, for docs/diagrams.py."""

import dataclasses
import math

from diagrams_kit import at, picture
from results_small_french import STUDY, mean_of


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
    the AMD processor. Zeros leave the speed at 1. int8 makes the large model 1.6 to 2.2 times as fast, and 2,000 target
    words with int8 2.1 to 4.2 times. The smallest student is 4 to 9 times as fast, and 3.6 to 7.4 times in int8. The axis
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
