#!/usr/bin/env python3
"""Generates the tables of options on the command's page, in both languages, from the --help of each command.

docs/options.py render PROGRAM   writes the tables; PROGRAM is the built gradus
docs/options.py check PROGRAM    fails if a page is not what `render` would write

A table is between a marker and <!-- end -->. The marker <!-- options of info --> gets one table. <!-- options of train in groups -->
gets one per group of the help. <!-- options of serve except Limits --> leaves out groups. Brackets in the help are defaults. Both
commands fail if a page has no marker for a command, if a text has no Chinese in options_chinese.py, or if that file has a text
that the help lacks.
"""

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import options_chinese

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = {"docs/command.md": ("option", "default", "effect", "Values", ": ", ", ", ". "),
         "docs/zh/command.md": ("选项", "默认值", "作用", "可选的值", "：", "、", "。")}
MARKED = re.compile(r"(<!-- options of (\w+)( in groups)?(?: except ([\w, ]+))? -->\n).*?(?=<!-- end -->)", re.DOTALL)
GROUP = re.compile(r"^(\w[\w ()]*):\n((?:  .*\n)+)", re.MULTILINE)
OPTION = re.compile(r"^  (--\S+|[a-z]+)(?: (\{.*?\}|[A-Z]+))?(?: \[(.*?)\])?\s+(\S.*)\n", re.MULTILINE)
CODE = re.compile(r"--schedule plateau|--[a-z][a-z0-9-]*(?: FILE)?|gradus [a-z]+|[\w-]+\.safetensors|\.npy\b|\.wav\b|<\w+>|(?<![\w-])-(?![\w-])")
NO_TITLE = {"Options", "Positionals"}


class Option(NamedTuple):
    name: str
    values: list[str]
    default: str
    effect: str


def option(name, kind, default, effect):
    if bracket := re.search(r" \[([^]]*)\]", effect):  # as in "… [0: all]"; --eval-every also has [500] before the effect
        is_whole = default in ("", "0") or bracket[1].startswith(f"{default}:")
        default = bracket[1] if is_whole else f"{default}; {bracket[1]}"
        effect = effect.replace(bracket[0], "")
    is_list = kind.startswith("{")
    values = kind[1:-1].split(",") if is_list else []
    takes_value = kind or not name.startswith("--")
    return Option(name if is_list or not kind else f"{name} {kind}", values, default or ("–" if takes_value else "off"), effect)


def groups(program, command):
    """Maps each group of a command's help to its options."""
    text = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
    found = {title: [option(*words) for words in OPTION.findall(body)] for title, body in GROUP.findall(text) if title != "Examples"}
    listed = sum(one.name.startswith("--") for options in found.values() for one in options)
    if listed != (written := len(re.findall(r"^  --", text, re.MULTILINE))):
        sys.exit(f"options: found {listed} of {written} options in the help of {command}; change OPTION in docs/options.py")
    return {title: options for title, options in found.items() if options}


def with_code(text):
    """Puts names of options and files into code quotes."""
    return CODE.sub(lambda name: f"`{name[0]}`", text)


def row(one, words, phrase):
    *_, values_word, colon, comma, stop = words
    values = f"{stop}{values_word}{colon}{comma.join(f'`{value}`' for value in one.values)}" if one.values else ""
    is_word = one.default in (*one.values, "own", "out/run")
    default = f"`{one.default}`" if is_word else one.default if re.fullmatch(r"[\d.]+|–", one.default) else with_code(phrase(one.default))
    return f"| `{one.name}` | {default} | {with_code(phrase(one.effect))}{values} |"


def folded(summary, rows, words):
    head = f"<details markdown>\n<summary>{summary}</summary>\n\n| {words[0]} | {words[1]} | {words[2]} |\n|---|---|---|\n"
    return head + "\n".join(rows) + "\n\n</details>\n"


def tables(found, command, in_groups, words, phrase):
    rows = {title: [row(one, words, phrase) for one in options] for title, options in found.items()}
    if in_groups:
        return "\n".join(folded(phrase(title), lines, words) for title, lines in rows.items())
    titled = [line for title, lines in rows.items() for line in ([] if title in NO_TITLE else [f"| **{phrase(title)}** | | |"]) + lines]
    return folded(f"<code>{command}</code>", titled, words)


def main(what, program):
    used = set()

    def chinese(text):
        used.add(text)
        return options_chinese.WORDS.get(text) or sys.exit(f"options: {text!r} has no Chinese; add it to docs/options_chinese.py")

    overview = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    commands = set(re.findall(r"^  (\w+) {2,}", overview, re.MULTILINE)) - {"completion"}  # completion has no options
    for (name, words), phrase in zip(PAGES.items(), (str, chinese)):
        def rendered(marker, words=words, phrase=phrase):
            found, left_out = groups(program, marker[2]), marker[4].split(", ") if marker[4] else []
            kept = {title: found[title] for title in found if title not in left_out}
            return marker[1] + tables(kept, marker[2], marker[3], words, phrase)

        before = (ROOT / name).read_text()
        if missing := commands - {marker[2] for marker in MARKED.finditer(before)}:
            sys.exit(f"options: {name} has no <!-- options of {missing.pop()} -->; add it, and <!-- end -->")
        after = MARKED.sub(rendered, before)
        if what == "render":
            (ROOT / name).write_text(after)
        if what == "check" and before != after:
            sys.exit(f"options: {name} is out of date; run docs/options.py render {program}")
    if unused := set(options_chinese.WORDS) - used:
        sys.exit(f"options: the help has no {', '.join(map(repr, sorted(unused)))}; remove it from docs/options_chinese.py")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("render", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
