#!/usr/bin/env python3
"""Checks that checks/prose.py finds every construction of checks/prose.toml in comments, strings and pages, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile

CHECKS = pathlib.Path(__file__).resolve().parent.parent / "checks"
sys.path.insert(0, str(CHECKS))
import prose  # noqa: E402


def matches(construction, text):
    page = prose.Prose()
    page.add(text, pathlib.Path("page"), 1)
    return page.findings([construction])


def examples():
    for construction in prose.constructions():
        pattern = construction.words.pattern
        assert construction.found and construction.reason and construction.write, pattern
        for text in construction.found:
            assert matches(construction, text), f"{pattern} does not find {text!r}"
        for text in construction.fine:
            assert not matches(construction, text), f"{pattern} finds {text!r}"


def report(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name).resolve()
        path.write_text(text)
        done = subprocess.run([sys.executable, CHECKS / "prose.py", path], capture_output=True, text=True)
        assert done.returncode == (1 if done.stdout else 0) and not done.stderr, done
        return [line.replace(f"{path}:", "") for line in done.stdout.splitlines() if line.startswith(str(path))]


def places():
    for name, text, line in [
        ("a.cpp", "int x;  // rows\n\n  /// a loop that has so\n  /// many rows\n", 3),
        ("a.hpp", "/* none */\n/** First.\n * A run goes\n * on. */\n", 3),
        ("a.cpp", 'auto s = "there are so "\n         "many";\n', 1),
        ("a.cpp", "char c = '\"';  // so many\n", 1),
        ("a.py", '"""First.\n\nSo far, so many.\n"""\n', 3),
        ("a.py", "x = 'it goes on'  # \"\n", 1),
        ("a.sh", "echo \"it goes on\"\n", 1),
        ("CMakeLists.txt", "set(x 1)\n# one at the most\n", 2),
        ("a.md", "```sh\ngoes on\n```\n\nThe run goes\non.\n", 5),
    ]:
        found = report(name, text)
        assert len(found) == 1 and found[0].startswith(f"{line}: \""), (name, text, found)
        assert "; write " in found[0], found
    for name, text in [("a.cpp", "int so_many = 1; so many;\n"), ("a.py", "goes = on\n"),
                       ("a.md", "Type `goes on`.\n\n```\nso many\n```\n"), ("a.cpp", "// this is so\nint many;\n")]:
        assert not report(name, text), (name, text, report(name, text))


def read_files():
    names = {path.relative_to(prose.ROOT).as_posix() for path in prose.files()}
    assert {"README.md", "run", "CMakeLists.txt", "checks/prose.py", "exercises/exercise.py"} <= names
    assert not {name for name in names if name.startswith("docs/zh/") or name.endswith(".zh-CN.md") or name == "CHANGELOG.md"}


if __name__ == "__main__":
    for test in (examples, places, read_files):
        test()
