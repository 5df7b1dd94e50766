"""The picture of the book's tutorials as steps, for docs/diagrams.py."""

from diagrams_kit import ROOT, WIDTH, picture

# For each part of the book: the number of its last tutorial, its colour and its name.
PARTS = ((3, "gradient", "gradients"), (5, "gate", "sequences"), (8, "encoder", "encoder, decoder"), (12, "attention", "attention"),
         (99, "context", "real use"))
TITLES = [path.read_text().split("\n", 1)[0].removeprefix("# ").split(" · ") for path in sorted(ROOT.glob("docs/tutorials/[0-9]*.md"))]
HIGH, FAR = 27, 17  # height and width of a step


@picture("staircase", 24 + HIGH * len(TITLES))
def staircase(p):
    """The tutorials as a staircase.

    Each step is a tutorial, from tensors at the bottom to attention and its use at the top. The colours are the parts of the
    book: gradients, sequences, encoder and decoder, attention, real use.
    """
    bottom = p.height - 10
    for i, (number, title) in enumerate(TITLES):
        last, role, part = next(entry for entry in PARTS if i <= entry[0])
        x, y = 45 + FAR * i, bottom - HIGH * (i + 1)
        p.rect(f"part {role}", x, y, WIDTH - 12 - x, HIGH - 3, 5)
        p.text(x + 8, y + 12, number, f"name start {role}")
        p.text(x + 34, y + 12, title, "start")
        if i in (last, len(TITLES) - 1):
            p.text(x - 8, y + 12, part, f"name end {role}")
