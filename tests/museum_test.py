#!/usr/bin/env python3
"""museum_test.py BUILD: checks the exhibits and the results of the museum of bugs, and ./run exercise museum."""

import json
import pathlib
import sys
import tempfile

from exercises_test import EXERCISES, Coach

sys.path.insert(0, str(EXERCISES))
from museum import chinese, exhibits, quiz, symptoms

RESULTS = json.loads(quiz.RESULTS.read_text())


def each_changes_one_line():
    assert list(exhibits.EXHIBITS) == list(range(1, 16))
    for number in exhibits.EXHIBITS:
        before, after = exhibits.change(number)  # fails unless the exhibit changes exactly one line
        assert before != after


def results_show_the_mistakes():
    assert RESULTS["exhibits"].keys() == {str(number) for number in exhibits.NAMES}
    for number in exhibits.NAMES:
        assert RESULTS["exhibits"][str(number)]["diagnosis"] == number, number
    assert all(symptoms.checks(RESULTS["exhibits"]["0"]).values()), "a check rejects the right program"


def wrong_answers_are_excluded():
    """Each answer is a cause, and has a probe. On an exhibit, only the probe of the true cause sees something wrong. So the probes
    exclude the wrong answers."""
    for number in exhibits.EXHIBITS:
        offered = quiz.choices(number)
        assert number in offered and len(set(offered)) == len(quiz.LETTERS), number
        observations = RESULTS["exhibits"][str(number)]["observations"]
        for other in offered:
            assert observations[str(other)]["seen"] == (other == number), (number, other, observations[str(other)])


def everything_is_translated():
    for number, exhibit in exhibits.EXHIBITS.items():
        chinese.translated(exhibit.cause)
        chinese.translated(exhibit.why)
        for observation in RESULTS["exhibits"][str(number)]["observations"].values():
            chinese.translated(observation["says"])
    for name in symptoms.checks(RESULTS["exhibits"]["0"]):
        chinese.translated(name)


def letter_of(number, cause):
    return quiz.LETTERS[quiz.choices(number).index(cause)]


def visits(coach):
    number, exhibit = 15, exhibits.EXHIBITS[15]
    wrong = exhibit.others[0]
    excluded = RESULTS["exhibits"][str(number)]["observations"][str(wrong)]["says"]
    coach.expect(0, ["museum"], "15  not yet named", "Next: ./run exercise museum 1.", never=[exhibit.cause])
    coach.expect(1, ["museum", str(number)], "exact match", "What is the cause?", exhibit.cause, "To answer later",
                 never=[exhibit.right, exhibit.wrong])  # the input is empty, so there is no answer
    coach.expect(1, ["museum", str(number), letter_of(number, wrong)], f"No. Observed here: {excluded}")
    coach.expect(0, ["museum"], "15  not yet named")
    coach.expect(0, ["museum", str(number), letter_of(number, number)], "Right.", exhibit.right, exhibit.wrong)
    coach.expect(0, ["museum"], f"15  {exhibit.cause}")
    coach.expect(0, [], "museum               1 of 15 named")
    in_chinese = {"LC_ALL": "zh_CN.UTF-8"}
    coach.expect(0, ["museum"], f"15  {chinese.WORDS[exhibit.cause]}", "尚未认出", never=["not yet named"], **in_chinese)
    coach.expect(0, ["museum", str(number)], "完全匹配", "原因是什么？", chinese.WORDS[exhibit.cause], never=["exact match"], **in_chinese)
    coach.expect(1, ["museum", str(number), letter_of(number, wrong)], f"不对。这里观察到：{chinese.translated(excluded)}", **in_chinese)
    coach.expect(0, ["museum", str(number), letter_of(number, number)], "对。", exhibit.right, exhibit.wrong, **in_chinese)
    coach.expect(2, ["museum", "16"], "unknown exhibit '16'; the museum has exhibits 1 to 15")
    coach.expect(2, ["museum", "3", "z"], "unknown answer 'z'")


def main():
    each_changes_one_line()
    results_show_the_mistakes()
    wrong_answers_are_excluded()
    everything_is_translated()
    with tempfile.TemporaryDirectory() as scratch:
        visits(Coach(sys.argv[1], pathlib.Path(scratch, "mine").resolve()))
    print("all passed")


if __name__ == "__main__":
    main()
