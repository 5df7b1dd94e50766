#!/usr/bin/env python3
"""Makes speech data for gradus train --frames: espeak-ng says strings of digits, or short commands to a robot.

Writes the WAV files to FOLDER/wav, and their lists to FOLDER/train.tsv, dev.tsv, test.tsv and speeds.tsv. A line of a list is
PATH TAB WORDS. The training and dev files have the same voices and speeds. The test files have one voice that no other list
has. speeds.tsv has the voices of the training files, at two speeds that no other list has. With --voice, all files have
this voice, at one speed and pitch, and there is no speeds.tsv.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys

# Accents and timbres of espeak-ng. A voice combines one of each.
ACCENTS = ("en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-029")
TIMBRES = ("m1", "m2", "m3", "m5", "m7", "f1", "f2", "f4", "f5")
TEST_VOICE = "en-us+f3"
USUAL_SPEED, USUAL_PITCH = 175, 50
SPEEDS = (130, 150, 175, 200, 225)  # words per minute
OTHER_SPEEDS = (110, 260)
LENGTHS = (3, 8)  # digits

ACTIONS, COLOURS, THINGS = ("lift", "drop", "find", "bring"), ("red", "green", "blue"), ("box", "ball", "cup", "lamp")
DIRECTIONS, COUNTS = ("left", "right", "forward", "back"), ("one", "two", "three", "four", "five")


def digits(draw):
    return [draw.choice("0123456789") for _ in range(draw.randint(*LENGTHS))]


def phrase(draw):
    """One or two commands to a robot, such as "lift the red box and go left two steps"."""
    def command():
        if draw.random() < 0.5:
            return [draw.choice(ACTIONS), "the", draw.choice(COLOURS), draw.choice(THINGS)]
        count = draw.choice(COUNTS)
        return ["go", draw.choice(DIRECTIONS), count, "step" if count == "one" else "steps"]
    return [*command(), "and", *command()] if draw.random() < 0.5 else command()


def say(words, voice, speed, pitch, path):
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, "--", " ".join(words)], check=True)


def write_part(folder, part, count, words_of, manner_of, draw):
    lines = []
    for number in range(count):
        words = words_of(draw)
        path = f"wav/{part}-{number:05}.wav"
        say(words, *manner_of(draw), folder / path)
        lines.append(f"{path}\t{' '.join(words)}\n")
    (folder / f"{part}.tsv").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(prog="./run speech-data", description="Lets espeak-ng say strings of 3 to 8 digits, or phrases, for gradus train --frames.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path("out/speech"), help="where to write [out/speech]")
    parser.add_argument("--files", type=int, default=2000, help="number of training files [2000]; the other lists have a tenth each")
    parser.add_argument("--seed", type=int, default=1, help="of the words, voices and speeds [1]")
    parser.add_argument("--phrases", action="store_true", help="short commands to a robot, of 4 to 9 words, instead of digits")
    parser.add_argument("--voice", help="the voice of all files, for example en-us, at one speed and pitch, without speeds.tsv")
    options = parser.parse_args()
    if options.files < 1:
        sys.exit(f"run: --files must be at least 1, and is {options.files}")
    if shutil.which("espeak-ng") is None:
        sys.exit("run: speech-data needs espeak-ng; install it, for example with apt-get install espeak-ng")
    (options.folder / "wav").mkdir(parents=True, exist_ok=True)
    draw = random.Random(options.seed)
    voices = [f"{accent}+{timbre}" for accent in ACCENTS for timbre in TIMBRES]
    few = max(1, options.files // 10)

    def manner(of, speeds):
        if options.voice:
            return lambda draw: (options.voice, USUAL_SPEED, USUAL_PITCH)
        return lambda draw: (draw.choice(of), draw.choice(speeds), draw.randint(35, 65))

    parts = [("train", options.files, voices, SPEEDS), ("dev", few, voices, SPEEDS), ("test", few, [TEST_VOICE], SPEEDS)]
    if not options.voice:
        parts.append(("speeds", few, voices, OTHER_SPEEDS))
    for part, count, of, speeds in parts:
        write_part(options.folder, part, count, phrase if options.phrases else digits, manner(of, speeds), draw)
        many = 1 if options.voice else len(of)
        print(f"{options.folder / part}.tsv: {count} files, {many} voice{'s' if many > 1 else ''}")


if __name__ == "__main__":
    main()
