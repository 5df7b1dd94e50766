#!/usr/bin/env python3
"""Generates the table of the options of `gradus train` on the command's page, in both languages, from `gradus train --help`.

docs/options.py render PROGRAM   writes the tables; PROGRAM is the built gradus
docs/options.py check PROGRAM    fails if a page is not what `render` would write

The tables are between <!-- options of train --> and <!-- end -->. Brackets in the help are defaults. Both commands fail if a text
has no Chinese in options_chinese.py, or if that file has one too many.
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
MARKED = re.compile(r"(?<=<!-- options of train -->\n).*?(?=<!-- end -->)", re.DOTALL)
GROUP = re.compile(r"^(\w[\w ]*):\n((?:  .*\n)+)", re.MULTILINE)
OPTION = re.compile(r"^  (--\S+)(?: (\{.*?\}|[A-Z]+))?(?: \[(.*?)\])?\s+(\S.*)\n", re.MULTILINE)
LEFT_OUT = {"Options", "Examples"}  # these groups hold --help and examples


class Option(NamedTuple):
    name: str
    values: list[str]
    default: str
    effect: str


def option(name, kind, default, effect):
    if bracket := re.search(r" \[([^]]*)\]", effect):  # as in "… [0: all]"; --eval-every N [500] has both
        default = bracket[1] if default in ("", "0") else f"{default}; {bracket[1]}"
        effect = effect.replace(bracket[0], "")
    is_list = kind.startswith("{")
    values = kind[1:-1].split(",") if is_list else []
    return Option(name if is_list or not kind else f"{name} {kind}", values, default or ("–" if kind else "off"), effect)


def groups(program):
    """Maps each group of the help to its options."""
    text = subprocess.run([program, "train", "--help"], capture_output=True, text=True, check=True).stdout
    found = {title: [option(*words) for words in OPTION.findall(body)] for title, body in GROUP.findall(text) if title not in LEFT_OUT}
    if (listed := sum(map(len, found.values()))) != (written := len(re.findall(r"^  --", text, re.MULTILINE))):
        sys.exit(f"options: found {listed} of {written} options in the help; change OPTION in docs/options.py")
    return found


def with_code(text):
    """Puts names of options and files into code quotes."""
    return re.sub(r"--schedule plateau|--[a-z][a-z-]*|[\w-]+\.safetensors|\.npy\b", lambda name: f"`{name[0]}`", text)


def tables(found, words, phrase):
    option_word, default_word, effect_word, values_word, colon, comma, stop = words
    parts = []
    for title, options in found.items():
        lines = [f"<details markdown>\n<summary>{phrase(title)}</summary>\n", f"| {option_word} | {default_word} | {effect_word} |", "|---|---|---|"]
        for one in options:
            values = f"{stop}{values_word}{colon}{comma.join(f'`{value}`' for value in one.values)}" if one.values else ""
            is_word = one.default in (*one.values, "own", "out/run")
            default = f"`{one.default}`" if is_word else one.default if re.fullmatch(r"[\d.]+|–", one.default) else with_code(phrase(one.default))
            lines.append(f"| `{one.name}` | {default} | {with_code(phrase(one.effect))}{values} |")
        parts.append("\n".join([*lines, "\n</details>\n"]))
    return "\n".join(parts)


def main(what, program):
    found, used = groups(program), set()

    def chinese(text):
        used.add(text)
        return options_chinese.WORDS.get(text) or sys.exit(f"options: {text!r} has no Chinese; add it to docs/options_chinese.py")

    texts = {name: tables(found, words, phrase) for (name, words), phrase in zip(PAGES.items(), (str, chinese))}
    if unused := set(options_chinese.WORDS) - used:
        sys.exit(f"options: the help has no {', '.join(map(repr, sorted(unused)))}; remove it from docs/options_chinese.py")
    for name, text in texts.items():
        before = (ROOT / name).read_text()
        after, number = MARKED.subn(lambda _: text, before)
        if what == "render":
            (ROOT / name).write_text(after)
        if number != 1 or what == "check" and before != after:
            sys.exit(f"options: {name} is out of date; run docs/options.py render {program}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("render", "check"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
