#!/usr/bin/env python3
"""Reports constructions that make sentences hard to read: prose.py [FILE …]; without files, all sources and pages.

Reads the comments and string literals of sources, and English Markdown pages without their code. prose.toml lists the
constructions. Prints file:line, the words, the reason and what to write instead. Exits with 1 if there is a finding.
"""

import bisect
import collections
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = re.compile(r"CHANGELOG\.md|.*\.zh-CN\.md|docs/zh/|tests/prose_test\.py")
CPP = re.compile(r'//[/!]?<?([^\n]*)|/\*(.*?)\*/|R"[^(\s]*\((.*?)\)[^)"\s]*"|"((?:\\.|[^"\\\n])*)"|' r"'(?:\\.|[^'\\\n])+'", re.DOTALL)
HASH = re.compile(r'(?:(?<=\s)|^)#([^\n]*)|"""(.*?)"""|"((?:\\.|[^"\\\n])*)"|' r"'((?:\\.|[^'\\\n])*)'", re.DOTALL | re.MULTILINE)
MARKDOWN_CODE = re.compile(r"^ *(```|~~~).*?^ *\1|`[^`\n]*`|<!--.*?-->|\$\$.*?\$\$|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
SYNTAX = {".cpp": CPP, ".hpp": CPP, ".js": CPP, ".mjs": CPP, ".py": HASH, ".sh": HASH, ".cmake": HASH, ".txt": HASH, "": HASH}


class Construction:
    def __init__(self, words, reason, write, found, fine=()):
        self.words = re.compile(words.replace(" ", r"\s+"), re.MULTILINE)
        self.reason, self.write, self.found, self.fine = reason, write, found, fine


def constructions():
    return [Construction(**entry) for entry in tomllib.loads((ROOT / "checks/prose.toml").read_text())["construction"]]


def files():
    patterns = ["*.cpp", "*.hpp", "*.js", "*.mjs", "*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "*.md", "run", ".ci/run"]
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.splitlines() if not SKIPPED.match(name) and (ROOT / name).exists()]


class Prose:
    """The prose of many files in one string, and the file and line of each piece. A comment or a string is one piece, even if it
    has several lines."""

    def __init__(self):
        self.parts, self.starts, self.places, self.length = [], [], [], 0

    def add(self, text, path, line, separator="\0\n"):
        self.parts += [separator, text]
        self.starts.append(self.length + len(separator))
        self.places.append((path, line))
        self.length += len(separator) + len(text)

    def add_file(self, path):
        text = path.read_text()
        if path.suffix == ".md":
            self.add(MARKDOWN_CODE.sub(lambda code: "\1" + "\n" * code[0].count("\n"), text), path, 1)
            return
        line = 1
        seen = end = 0
        if path.suffix not in SYNTAX:
            sys.exit(f"prose: {path}: no rule for the comments of {path.suffix} files; give one of {', '.join(filter(None, SYNTAX))}, .md")
        for match in SYNTAX[path.suffix].finditer(text):
            if match.lastindex is None:  # a character literal
                continue
            line += text.count("\n", seen, match.start())
            seen = match.start()
            follows = text[end:match.start()].strip() == "" and end > 0
            self.add(re.sub(r"\n[ \t]*(?:\*[ \t])?", "\n", match[match.lastindex].lstrip(" ")), path, line, "\n" if follows else "\0\n")
            end = match.end()

    def place(self, offset):
        piece = bisect.bisect(self.starts, offset) - 1
        path, line = self.places[piece]
        return path, line + self.text.count("\n", self.starts[piece], offset)

    def findings(self, listed):
        """Returns a tuple (path, line, words, construction) for each finding, sorted by file and line."""
        self.text = "".join(self.parts) + "\0"
        found = [(*self.place(match.start()), " ".join(match[0].split()), construction)
                 for construction in listed for match in construction.words.finditer(self.text)]
        return sorted(found, key=lambda finding: finding[:2])


def main(paths):
    prose = Prose()
    for path in paths:
        prose.add_file(path)
    folders = collections.Counter()
    for path, line, words, construction in prose.findings(constructions()):
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f'{name}:{line}: "{words}": {construction.reason}; write {construction.write}')
        folders[name.parts[0]] += 1
    if folders:
        print("\n" + ", ".join(f"{name} {count}" for name, count in sorted(folders.items())) + f"; {folders.total()} in all")
    sys.exit(bool(folders))


if __name__ == "__main__":
    main([pathlib.Path(name).resolve() for name in sys.argv[1:]] or files())
