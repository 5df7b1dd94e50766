"""The tables of docs/explained/museum.md, the museum of bugs. The exhibits are in exercises/museum."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from results_kit import PICTURES, RESULTS, ROOT, folded, load, markdown_table, where_measured, write

sys.path.insert(0, str(ROOT / "exercises"))
from museum import exhibits, symptoms

COMMAND = "docs/results.py measure museum"


def kept(number):
    return load("museum")["exhibits"][str(number)]


def where():
    return where_measured(load("museum"))


def name(number):
    return str(number or "right")


def museum_by_length():
    """A table of the exact match by length, as each exhibit's own program measures it. A second number in brackets is the exact match
    of sentences that are decoded one by one, without their targets. It is printed only if it differs from the first."""
    results = load("museum")
    rows = []
    for number in exhibits.NAMES:
        exact = kept(number)["exact"]
        rows.append([name(number), *(symptoms.exact_match(own, single) for own, single in zip(exact["own"], exact["single"], strict=True))])
    header = ["exhibit", *(f"length {length}" for length in results["lengths"])]
    return folded("Exact match of every exhibit, by length", markdown_table(header, rows) + "\n\n" + where())


def museum_checks():
    """A table of the exhibits and the checks that detect them."""
    rows = [[name(number), *("–" if passed else "**sees it**" for passed in symptoms.checks(kept(number)).values())]
            for number in exhibits.NAMES]
    return markdown_table(["exhibit", *symptoms.checks(kept(0))], rows) + "\n\n" + where()


def museum_causes():
    """The causes to choose from, in an order that does not show to which exhibit each belongs."""
    return "\n".join(f"- {cause}" for cause in sorted(exhibit.cause for exhibit in exhibits.EXHIBITS.values()))


def reports(exhibit):
    """Links to issues that report this mistake."""
    links = [f"[{path.split('/')[0]}/{path.split('/')[1]} #{path.split('/')[3]}](https://github.com/{path})" for path in exhibit.reports]
    return f"\n\nReported in {', '.join(links)}." if links else ""


def museum_exhibits():
    """The symptoms of the right program, then a section per exhibit. A section shows the exhibit's symptoms. It hides the
    cause, the changed lines and the result of the exhibit's probe until the reader opens them."""
    parts = [f"### The right program\n\n```text\n{symptoms.text(kept(0), load('museum'))}\n```"]
    for number, exhibit in exhibits.EXHIBITS.items():
        before, after = exhibits.change(number)
        result = kept(number)
        cause = f"""**{exhibit.cause}**

```diff
- {before}
+ {after}
```

{exhibit.why}{reports(exhibit)}

**The probe.** *This exhibit:* {result["observations"][str(number)]["says"]} *The right program:* {kept(0)["observations"][str(number)]["says"]}"""
        parts.append(f"""### Exhibit {number}

```text
{symptoms.text(result, load("museum"))}
```

{folded("What is wrong?", cause)}""")
    return "\n\n".join(parts)


def measure(at):
    """Trains every exhibit, which takes some minutes."""
    build = ROOT / "build" / "release"
    subprocess.run(["ninja", "-C", build, "museum_record"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build / "exercises" / "museum_record", folder], check=True)
        results = json.loads(pathlib.Path(folder, "museum.json").read_text())
        for picture in pathlib.Path(folder).glob("museum_*.svg"):
            shutil.copy(picture, PICTURES)
    write("museum", COMMAND, at, results)
    path = RESULTS / "museum.json"
    path.write_text(symptoms.compact(path.read_text()))


def check_bounds():
    results = load("museum")["exhibits"]
    for number in exhibits.NAMES:
        assert results[str(number)]["diagnosis"] == number, number
    assert min(results["0"]["exact"]["own"][:6]) >= 0.95, "the right program does not learn"
