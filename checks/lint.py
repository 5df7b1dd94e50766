#!/usr/bin/env python3
"""Runs clang-tidy over the library's sources: lint.py BUILD [--changed], where BUILD is a configured build folder.

clang-tidy spends most of its time in the standard library's headers. Therefore sources with the same compiler options are
checked as one unit, unless their local names clash. --changed: checks only sources that differ from the main branch or are not
committed.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("files", "autograd", "nn", "data", "plot", "graph", "models", "speech", "compress", "distributed", "serve", "tools")
CLANG = "clang++-14"
TIDY = "clang-tidy-14"


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed():
    base = git("merge-base", "HEAD", "main") or ["HEAD"]
    return {ROOT / name for name in git("diff", "--name-only", base[0]) + git("ls-files", "--others", "--exclude-standard")}


def options(command):
    """The options of a compiler command that affect how clang parses the source."""
    words = shlex.split(command)
    wanted = []
    for word, following in zip(words, words[1:] + [""]):
        if word in ("-isystem", "-I"):
            wanted += [word, following]
        elif re.match(r"-[IDm]\S|-std=|-fopenmp", word):
            wanted.append(word)
    return tuple(wanted)


def groups(build, only):
    """Maps compiler options to the library's sources that are compiled with them."""
    grouped = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for source in sources(pathlib.Path(entry["file"])):
            if source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0] in FOLDERS and (only is None or source in only):
                grouped.setdefault(options(entry["command"]), []).append(source)
    return grouped


def sources(path):
    """For a file of a unity build, which only includes sources: these sources. For any other file: the file itself."""
    if path.parent.name != "Unity":
        return [path]
    return [pathlib.Path(name) for name in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE)]


def unit(folder, sources):
    path = folder / f"{abs(hash(tuple(sources)))}.cpp"
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    return path


def compiles(flags, path):
    return subprocess.run([CLANG, "-w", "-fsyntax-only", "-ferror-limit=1", *flags, path], capture_output=True).returncode == 0


def units(folder, flags, sources):
    """Groups the sources into few units. Halves a group until it compiles as one source."""
    path = unit(folder, sources)
    if len(sources) == 1 or compiles(flags, path):
        return [path]
    middle = len(sources) // 2
    return units(folder, flags, sources[:middle]) + units(folder, flags, sources[middle:])


def lint(flags, path):
    done = subprocess.run([TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", f"--header-filter=^{re.escape(str(ROOT))}/",
                           "--warnings-as-errors=*", path, "--", "-w", *flags], capture_output=True, text=True)
    return done.returncode, done.stdout


def main(build, only):
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        grouped = groups(build, only)
        split = pool.map(lambda item: [(item[0], path) for path in units(pathlib.Path(scratch), *item)], grouped.items())
        all_units = [one for part in split for one in part]
        all_units.sort(key=lambda one: one[1].read_text().count("#include"), reverse=True)  # the longest first
        done = list(pool.map(lambda one: lint(*one), all_units))
    print(f"{sum(map(len, grouped.values()))} sources in {len(done)} units")
    print("".join(dict.fromkeys(text for _, text in done)), end="")
    sys.exit(any(code for code, _ in done))


if __name__ == "__main__":
    if not (len(sys.argv) == 2 or sys.argv[2:] == ["--changed"]):
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), changed() if sys.argv[2:] else None)
