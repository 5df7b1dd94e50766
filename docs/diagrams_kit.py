"""Parts of the pictures of docs/diagrams.py: formulas as text, cells, tokens, vectors and arrows. The colours are those of
plot/drawing/palette.cpp."""

import math
import pathlib
import re
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
DRAWN = {}  # the path of a file → its SVG
WIDTH = 480
ROLES = ("encoder", "decoder", "context", "attention", "gate", "gradient", "backward", "token")  # in the palette's order
STYLE = """text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;text-anchor:middle}
.math{font-family:'Times New Roman',Times,'Liberation Serif','Nimbus Roman','Noto Serif',serif;font-size:17px}
.code{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:14px}
.small{font-size:13px}.math.small{font-size:14px}.mark{fill:none}
.start{text-anchor:start}.end{text-anchor:end}.name{font-weight:600;fill:currentColor}
.i{font-style:italic}.line{fill:none;stroke:currentColor;stroke-linejoin:round;stroke-linecap:round}.fill{fill:currentColor}
.part{fill:currentColor;fill-opacity:.15;stroke:currentColor;stroke-width:1.5}
.panel{fill:currentColor;fill-opacity:.05;stroke:currentColor;stroke-opacity:.45}
.dash{stroke-dasharray:5 4}.faded{opacity:.4}"""


def theme():
    """CSS with the colours of both themes. Avoids CSS variables, which some viewers do not support."""
    codes = ["#" + code for code in re.findall(r"rgb\(0x(\w{6})\)", (ROOT / "plot/drawing/palette.cpp").read_text())]
    light, dark = codes[:8] + codes[16:20], codes[8:16] + codes[20:24]

    def rules(colours):
        back, ink, muted, _ = colours[8:]
        return (f"text,.ink{{fill:{ink}}}.mark{{stroke:{ink}}}.quiet{{fill:{muted}}}.back,.on-ink{{fill:{back}}}"
                + "".join(f".{role}{{color:{colour}}}" for role, colour in zip(ROLES, colours)))
    return f"{rules(light)}\n@media(prefers-color-scheme:dark){{{rules(dark)}}}"


# ---- Formulas as text ----

PIECE = re.compile(r"_\{([^}]*)\}|_(.)|\^\{([^}]*)\}|\^(.)|([A-Za-z]{2,})|([A-Za-zŴŵα-ω][→←¯~]?)|(.)")
MARKS = {"→": "m-4.5 0h9m-3-2.5l3 2.5l-3 2.5", "←": "m4.5 0h-9m3-2.5l-3 2.5l3 2.5", "¯": "m-4 0h8",
         "~": "m-4 1.5q2-4 4-1.5t4-1.5"}
WIDTHS = {letter: width for width, letters in ((0.3, "ijlt;,.()[]|' "), (0.36, "fr"), (0.6, "+=−∘√<>"), (0.8, "wmWMŴŵ"), (1, "→←"))
          for letter in letters}  # widths in ems


def width_of(text, size):
    return size * sum(WIDTHS.get(letter, 0.62 if letter.isupper() else 0.48) for letter in text)


def formula(text, size=17):
    """Converts text with _ and ^ to (tspans, width, marks). Single letters are italic, and so are letters in subscripts and
    superscripts; other words are upright. `marks` has (x, height, path) for each mark above a letter."""
    out, marks, x, level, below_width, gap = [], [], 0, 0, 0, 0
    for piece in PIECE.finditer(text):
        below, above = piece[1] or piece[2], piece[3] or piece[4]
        to = 4 if below else -6 if above else 0
        shown, scale = below or above or piece[0], 0.75 if below or above else 1
        if piece[6] and shown[1:]:
            height = 9 if shown[0] in "bdfhklt" or shown[0].isupper() else 5
            marks.append((x + width_of(shown[0], size) / 2 + 1, height * size / 17, MARKS[shown[1]]))
            shown = shown[0]
        css = ' class="i"' if piece[6] or re.search("[a-zA-Z]", below or above or "") else ""
        style = f' font-size="{0.75 * size:.4g}"' if scale < 1 else ""
        moved = f' dy="{to - level}"' if to != level else ""
        step = -below_width if above else gap  # a superscript is drawn above its subscript; the next piece follows both
        if step:
            moved += f' dx="{step:.3g}"'
            x += step
        out.append(f"<tspan{css}{style}{moved}>{escape(shown)}</tspan>" if css or style or moved else escape(shown))
        width = width_of(shown, size * scale)
        x += width
        gap = max(0, below_width - width) if above else 0
        level, below_width = to, width if below else 0
    return "".join(out), x, marks


# ---- Parts ----


class Node:
    """A part of a picture. Arrows begin and end at its sides."""

    def __init__(self, x, y, width, height):
        self.x, self.y, self.width, self.height = x, y, width, height

    def top(self, dx=0):
        return self.x + dx, self.y - self.height / 2

    def bottom(self, dx=0):
        return self.x + dx, self.y + self.height / 2

    def left(self, dy=0):
        return self.x - self.width / 2, self.y + dy

    def right(self, dy=0):
        return self.x + self.width / 2, self.y + dy


def at(x, y):
    return f"{x:.5g} {y:.5g}"


def attributes(**values):
    return "".join(f' {name}="{value:.5g}"' for name, value in values.items())


def toward(start, end, distance, most=0.5):
    """The point at `distance` from `start` towards `end`, but at most the fraction `most` of the way."""
    fraction = min(most, distance / math.dist(start, end))
    return start[0] + fraction * (end[0] - start[0]), start[1] + fraction * (end[1] - start[1])


class Picture:
    def __init__(self, height, title, description):
        self.height, self.title, self.description, self.body = height, title, description, []

    def svg(self):
        size = attributes(width=WIDTH, height=self.height)
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" role="img"{size} viewBox="0 0 {WIDTH} {self.height}">',
                          f"<title>{escape(self.title)}</title>", f"<desc>{escape(self.description)}</desc>",
                          f"<style>{STYLE}\n{theme()}</style>", f'<rect class="back"{size}/>', *self.body, "</svg>\n"])

    def add(self, element):
        self.body.append(element)

    def path(self, css, data, more=""):
        self.add(f'<path class="{css}" d="{data}"{more}/>')

    def rect(self, css, x, y, width, height, radius=0):
        self.add(f'<rect class="{css}"{attributes(x=x, y=y, width=width, height=height, rx=radius)}/>')

    def disc(self, css, x, y, radius):
        self.add(f'<circle class="{css}"{attributes(cx=x, cy=y, r=radius)}/>')

    def badge(self, x, y, text):
        """Draws the number of a step."""
        self.disc("ink", x, y, 9)
        self.text(x, y, text, "small on-ink")

    def text(self, x, y, words, css=""):
        """Draws words, centred at (x, y) unless css contains "start" or "end"."""
        self.add(f'<text class="{css}"{attributes(x=x, y=y + 5)}>{escape(words)}</text>')

    def math(self, x, y, text, css=""):
        """Draws a formula. In `text`, _ marks subscripts and ^ superscripts."""
        size = 14 if "small" in css else 17
        spans, width, marks = formula(text, size)
        begin = x - width * (0 if "start" in css else 1 if "end" in css else 0.5)
        self.add(f'<text class="math {css}"{attributes(x=x, y=y + 5)}>{spans}</text>')
        for dx, height, mark in marks:
            self.path("mark", f"M{at(begin + dx, y - height)}{mark}")

    def header(self, y, role, name, *formulas):
        """Draws the name of a part of the model, with its equations."""
        self.text(12, y, name, f"name start {role}")
        for line, text in enumerate(formulas):
            self.math(106, y + 23 * line, text, "start")

    def panel(self, role, x, y, width, height):
        self.rect(f"panel {role}", x, y, width, height, 10)

    def cell(self, x, y, text, role, width=48, height=36, css=""):
        """Draws a state, or an operation with parameters."""
        self.rect(f"part {role} {css}", x - width / 2, y - height / 2, width, height, 8)
        self.math(x, y, text)
        return Node(x, y, width, height)

    def token(self, x, y, text, literal=True, role="token"):
        width = (50 if len(text) > 3 else 36) if literal else 46
        self.rect(f"part {role}", x - width / 2, y - 12, width, 24, 12)
        self.text(x, y, text, "code") if literal else self.math(x, y, text)
        return Node(x, y, width, 24)

    def circle(self, x, y, text, role, radius=12):
        """Draws an operation without parameters."""
        self.disc(f"part {role}", x, y, radius)
        self.math(x, y, text)
        return Node(x, y, 2 * radius, 2 * radius)

    def vector(self, x, y, *roles, size=11, css=""):
        """Draws a vector: one square for each element, in the colour of the element's role."""
        left, top = x - size * len(roles) / 2, y - size / 2
        for i, role in enumerate(roles):
            self.rect(f"part {role} {css}", left + size * i, top, size, size)
        return Node(x, y, size * len(roles), size)

    def grid(self, x, y, rows, columns, role, css="", size=13):
        """A matrix."""
        for i in range(rows):
            self.vector(x, y + size * (i + 0.5 - rows / 2), *[role] * columns, size=size, css=css)
        return Node(x, y, size * columns, size * rows)

    def dot(self, x, y, role):
        """Draws a point at which a line branches."""
        self.disc(f"fill {role}", x, y, 3)

    def arrow(self, *points, role="token", width=1.6, css="", head=True):
        """Draws a line through the points, with rounded corners."""
        data = f"M{at(*points[0])}"
        for before, corner, after in zip(points, points[1:], points[2:]):
            data += f"L{at(*toward(corner, before, 8))}Q{at(*corner)} {at(*toward(corner, after, 8))}"
        end, size = points[-1], 6 + width
        tip = toward(end, points[-2], 0.7 * size, 1) if head else end
        self.path(f"line {role} {css}", f"{data}L{at(*tip)}", f' stroke-width="{width}"')
        if head:
            x, y = toward(end, points[-2], size, 1)
            dx, dy = 0.45 * (y - end[1]), 0.45 * (end[0] - x)
            self.path(f"fill {role}", f"M{at(*end)}L{at(x + dx, y + dy)}L{at(x - dx, y - dy)}z")

    def curve(self, start, end, css, width):
        """Draws a smooth line from left to right."""
        middle = (start[0] + end[0]) / 2
        self.path(css, f"M{at(*start)}C{at(middle, start[1])} {at(middle, end[1])} {at(*end)}", f' stroke-width="{width}"')


def picture(name, height):
    """Registers a picture. The function's docstring is the picture's title and description."""

    def drawn(draw):
        title, description = draw.__doc__.split("\n", 1)
        p = Picture(height, title.rstrip("."), " ".join(description.split()))
        draw(p)
        DRAWN[PICTURES / f"diagram_{name}.svg"] = p.svg()
        return draw

    return drawn


def number(value, digits=2):
    return f"{value:.{digits}f}".replace("-", "−")


def table(p, x, y, rows, role, marked=None, size=(46, 30), shade=None):
    """Draws a matrix with its numbers, whose upper left corner is (x, y). Row `marked` has a thick border.
    With `shade`, the larger a number from 0 to 1, the darker its cell."""
    width, height = size
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            more = f' style="fill-opacity:{0.05 + 0.75 * value:.2f}"' if shade else ""
            p.add(f'<rect class="part {role}" x="{x + width * j:g}" y="{y + height * i:g}" width="{width}" height="{height}"{more}/>')
            p.text(x + width * (j + 0.5), y + height * (i + 0.5), value if isinstance(value, str) else number(value), "small")
    if marked is not None:
        left, right, top, bottom = x - 2, x + width * len(rows[0]) + 2, y + height * marked - 2, y + height * (marked + 1) + 2
        p.path("line token", f"M{left:g} {top:g}H{right:g}V{bottom:g}H{left:g}z", ' stroke-width="2.6"')
