#!/usr/bin/env python3
"""Checks that the coach speaks Chinese: chinese_test.py BUILD.

These texts of the translated exercises must have a translation: the sentences about the wrong attempts in their banks, the
tasks in their stubs, and the names of their stages. The coach's sentences about compile errors and about the ends of programs
must have one, too.
"""

import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
sys.path.append(str(EXERCISES))
import chinese  # noqa: E402
import compile_errors  # noqa: E402
import endings  # noqa: E402

TRANSLATED = ("01_scalar_tanh", "03_softmax_backward", "08_additive_attention", "11_luong", "13_bug_hunt", "19_int8_linear")
LABELLED = re.compile(r" {4}(?:looks like|hint) +(.*)")


def sentences_of_bank(build, name):
    """The sentences that an exercise's checker prints about the exercise's bank of wrong attempts."""
    printed = subprocess.run([build / "exercises" / f"exercise_{name}_bank"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in printed.splitlines()[:-1]:
        if found := LABELLED.fullmatch(line):
            yield found[1]
        elif line.startswith("  ") and line.strip():
            yield line.strip()


def tasks(folder):
    calls = re.findall(r'to_do\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', (folder / "stub.hpp").read_text())
    return ["".join(ast.literal_eval(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', call)) for call in calls]


def stages(build, name):
    printed = subprocess.run([build / "exercises" / f"exercise_{name}_solution", "--no-training"], stdout=subprocess.PIPE, text=True, check=True)
    return re.findall(r"^  passed  (.*?) +[\d.]+ s$", printed.stdout, re.MULTILINE)


def placeholders(text):
    """The indices of the placeholders in a text, sorted."""
    found = re.findall(r"\{(\d?)\}", text)
    return sorted(int(number) if number else at for at, number in enumerate(found))


def check_catalogue():
    entries = [entry for group in chinese.GROUPS.values() for entry in group.items()]
    assert len(entries) == len(chinese.WORDS), "chinese.json translates a sentence twice"
    for english, translation in entries:
        assert placeholders(translation) == list(range(english.count("{}"))), f"{english!r} and {translation!r} have different parts"


def check_lines():
    lines = {
        "  passed  values, with padding                          0.3 s": "  通过    值，有填充                                  0.3 s",
        "  not yet general: gradients": "  还没有  general：梯度",
        "  passed  training: reversal with Bahdanau's decoder": "  通过    训练：用 Bahdanau 的解码器反转",
        "    museum      It behaves like exhibit 15. With another state, the weights of a step do not change.":
            "    博物馆      它的表现像展品 15。换一个状态，一步的权重不变。",
        "  dx of another batch differs from the equation.": "  另一批的 dx 与公式不符。",
        "    at          context of sentence 2 in a padded batch[0, 1]": "    位置        有填充的批次中句子 2 的上下文向量[0, 1]",
        "    got         0.25": "    得到        0.25",
        "  // The tanh is missing.": "  // The tanh is missing.",
        "the learner's own words": "the learner's own words",
    }
    for line, translation in lines.items():
        assert chinese.line(line) == translation, f"{line!r} became {chinese.line(line)!r}"


def main():
    build, missing = pathlib.Path(sys.argv[1]), set()

    def expect(text):
        if chinese.translated(text) is None:
            missing.add(text)

    check_catalogue()
    check_lines()
    for folder in (EXERCISES / name for name in TRANSLATED):
        name = folder.name[3:]
        found = list(sentences_of_bank(build, name))
        assert len(found) > 20, f"the bank of {name} prints only {len(found)} sentences"
        for text in [*found, *tasks(folder)]:
            expect(text)
        for stage in stages(build, name):
            for part in stage.split(": "):
                expect(re.sub(r", in \d+ stages$", "", part))
    for says, hint in [*endings.SIGNALS.values(), endings.OVERFLOW]:
        expect(says)
        expect(hint)
    for says in [*endings.REPORTS.values(), endings.SLOW, endings.SANITIZE]:
        expect(says)
    for _, text in compile_errors.SENTENCES:
        expect(text.format("few", similar=""))
    expect(compile_errors.CONST)
    if missing:
        sys.exit("exercises/chinese.json lacks these sentences:\n" + "\n".join(sorted(missing)))


if __name__ == "__main__":
    main()
