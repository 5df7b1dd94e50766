"""Translates the output of the coach and the checkers line by line, if the reader's locale is Chinese.

chinese.json lists the sentences. A line without a translation stays in English. web/check/chinese.js does the same in the browser.
"""

import json
import pathlib
import re
import unicodedata

from museum import chinese as museum

GROUPS = json.loads(pathlib.Path(__file__).with_name("chinese.json").read_text(encoding="utf-8"))
WORDS = {english: chinese for group in GROUPS.values() for english, chinese in group.items()}
STATES = ("passed", "not yet", "to do")
LABELS = ("at", "got", "expected", "given", "looks like", "hint", "museum", "freed at", "created at")
LABEL_WIDTH = 12


def pattern(english):
    return re.compile("(.+?)".join(map(re.escape, english.split("{}"))))


# The longest patterns come first, because a sentence "The gradient of … is 0 everywhere." also matches the pattern "{} is 0
# everywhere."
PATTERNS = [(pattern(english), chinese) for english, chinese in sorted(WORDS.items(), key=lambda entry: -len(entry[0])) if "{}" in english]


def translated(text):
    """The Chinese for a sentence or for a part of a sentence; None if there is no translation."""
    if text in WORDS:
        return WORDS[text]
    for english, chinese in PATTERNS:
        if found := english.fullmatch(text):
            return chinese.format(*map(say, found.groups()))
    if place := re.fullmatch(r"(.+)(\[[\d, ]+\])", text):
        return say(place[1]) + place[2]
    try:
        return museum.translated(text)
    except KeyError:
        return None


def say(text):
    return translated(text) or text


def padded(text, width):
    columns = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    return text + " " * max(width - columns, 1)


def stage(name):
    return WORDS.get(name) or "：".join(map(say, name.split(": ")))


def line(text):
    """The Chinese for a printed line."""
    if found := re.fullmatch(rf"  ({'|'.join(STATES)}) +(.+?)( +[\d.]+ s)?", text):
        return "  " + padded(say(found[1]), 8) + (padded(stage(found[2]), 44) if found[3] else stage(found[2])) + (found[3] or "").strip()
    if found := re.fullmatch(rf"    ({'|'.join(LABELS)}) +(.+)", text):
        return "    " + padded(say(found[1]), LABEL_WIDTH) + say(found[2])
    indent, sentence = re.fullmatch(r"(\s*)(.*)", text).groups()
    return text if sentence.startswith("//") else indent + say(sentence)  # comments in a listing of the solution stay in English


class Output:
    """A text stream that translates each line written to it."""

    def __init__(self, stream):
        self.stream, self.rest = stream, ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for one in lines:
            self.stream.write(line(one) + "\n")

    def flush(self):
        """Writes the rest, a line that has not ended, without a translation. Such a line is the progress of a build."""
        self.stream.write(self.rest)
        self.rest = ""
        self.stream.flush()

    def isatty(self):
        return self.stream.isatty()
