"""The table of tutorial 14 that compares each method on French and on reversal."""

import results_small_french as french
import results_small_reversal as reversal
from results_kit import load, markdown_table, where_measured

# name of a row → its row in the results of French, and in those of reversal
ROWS = {
    **{row: (row, row) for row in ("f32", "bf16", "int8", *(f"{zeros} % zeros, then trained" for zeros in (50, 80, 90)),
                                   "top-4", "top-2", "top-1", "attention in a window", "attention to one position")},
    "shortlist": ("2,000 target words", "8 target symbols"),
    "student of a quarter": ("student", "student"),
    "student of a quarter, teacher's probabilities": ("student, teacher's probabilities", "student, teacher's probabilities"),
    "student of a quarter, teacher's translations": ("student, teacher's translations", None),
    "student of a quarter, teacher's attention": (None, "student, teacher's attention"),
    "best combination": ("smallest student, teacher's translations, int8", "smallest student, int8"),
}
SPEEDS = "small_speed_amd", "small_reversal_speed"  # of the same kind of processor
COLUMNS = "sentences/s, 1 at a time", "sentences/s, 64 at a time", "MB of memory, 1 and 64 at a time"


def cells(study, speeds, row):
    """The size, sentences/s one at a time and 64 at a time, the memory at both, and the mean score."""
    if row is None:
        return ["–"] * 5
    _, size, form = study.unit
    found = next(found for found in load(speeds)["rows"] if found["row"] == row)
    memory = " / ".join(f"{found[f'memory_{batch}'] / 1e6:.0f}" for batch in study.batches)
    return [form.format(study.mean_of(row, "bytes") / size), *(f"{found[f'batch_{batch}']:.0f}" for batch in study.batches), memory,
            f"{study.scale * study.mean_of(row, study.score):.1f}"]


def small_both():
    header = ["model", *(f"{task}: {column}" for task, study in (("French", french.STUDY), ("reversal", reversal.STUDY))
                         for column in (study.unit[0], *COLUMNS, study.title))]
    rows = [[name, *(cell for study, speeds, row in zip((french.STUDY, reversal.STUDY), SPEEDS, both, strict=True)
                     for cell in cells(study, speeds, row))] for name, both in ROWS.items()]
    return "\n\n".join([markdown_table(header, rows), *(where_measured(load(speeds)) for speeds in SPEEDS)])
