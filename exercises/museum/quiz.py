"""./run exercise museum: shows the symptoms of an exhibit, and asks for its cause."""

import json
import pathlib
import random
import sys

from museum import exhibits, symptoms
from museum.chinese import say

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results" / "museum.json"
PAGE = "docs/explained/museum.md"
LETTERS = "abcd"

INTRO = f"""\
Fifteen mistakes that learners make. Each changes one line of a program that translates by attention and learns to
reverse sequences of 3 to 8 symbols. You see what the program then does; you say what the line was.
In brackets: exact match without targets and one by one, if it differs from what the program itself reports.
"""


def choices(number):
    """The causes that the quiz offers for an exhibit, in an order that never changes."""
    offered = [number, *exhibits.EXHIBITS[number].others]
    random.Random(number).shuffle(offered)
    return offered


def list_exhibits(solved):
    print(say(INTRO))
    for number in exhibits.EXHIBITS:
        print(f"  {number:>2}  {say(exhibits.EXHIBITS[number].cause if number in solved else 'not yet named')}")
    left = [number for number in exhibits.EXHIBITS if number not in solved]
    print("\n  " + (say("Next: {}.").format(f"./run exercise museum {left[0]}") if left
                     else say("You have named all. Their changes are shown in {}.").format(PAGE)))


def show(number, results):
    print(f"{say('Exhibit {}').format(number)}\n\n{symptoms.text(results['exhibits'][str(number)], results, say)}\n")
    print(say("For comparison, the right program:") + "\n")
    print("\n".join(symptoms.text(results["exhibits"]["0"], results, say).splitlines()[:3]))
    print(f"\n{say('What is the cause?')}\n")
    for letter, cause in zip(LETTERS, choices(number)):
        print(f"  {letter}  {say(exhibits.EXHIBITS[cause].cause)}")


def judge(number, letter, results):
    """If the answer is right, prints the reason and the changed line, and returns True. If it is wrong, prints an observation
    that excludes it, and returns False."""
    answer = choices(number)[LETTERS.index(letter)]
    if answer == number:
        before, after = exhibits.change(number)
        print(f"\n  {say('Right. {}').format(say(exhibits.EXHIBITS[number].why))}\n\n    - {before}\n    + {after}\n")
        return True
    observation = results["exhibits"][str(number)]["observations"][str(answer)]["says"]
    wrong = results["exhibits"][str(answer)]["observations"][str(answer)]["says"]
    print(f"\n  {say('No. Observed here: {}').format(say(observation))}\n  {say('With that mistake: {}').format(say(wrong))}")
    return False


def ask():
    """Reads answers until one is a valid letter. Returns None at the end of the input."""
    while True:
        print("\n  " + say("your answer ({}): ").format(", ".join(LETTERS)), end="", flush=True)
        if not (line := sys.stdin.readline()):
            print()
            return None
        if (letter := line.strip().lower()) in tuple(LETTERS):
            return letter


def visit(number, letter, solved):
    """Shows an exhibit, and asks until the answer is right or the input ends. With `letter`, only judges this answer. Returns
    True if an answer was right, or if the input ended and the cause had been named before."""
    results = json.loads(RESULTS.read_text())
    if letter:
        return judge(number, letter, results)
    show(number, results)
    while (letter := ask()) is not None:
        if judge(number, letter, results):
            return True
    print("  " + say("To answer later: {}.").format(f"./run exercise museum {number} LETTER"))
    return number in solved
