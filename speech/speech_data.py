#!/usr/bin/env python3
"""Makes speech data for gradus train --frames: espeak-ng says strings of digits.

Writes the WAV files to FOLDER/wav, and their lists to FOLDER/train.tsv, dev.tsv and test.tsv. A line of a list is PATH TAB
DIGITS. The training and dev files have the same voices and speeds. The test files have one voice that no other file has.
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
LENGTHS = (3, 8)  # digits


def say(digits, voice, speed, pitch, path):
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, "--", " ".join(digits)], check=True)


def write_part(folder, part, count, voices, one_voice, draw):
    lines = []
    for number in range(count):
        digits = [draw.choice("0123456789") for _ in range(draw.randint(*LENGTHS))]
        path = f"wav/{part}-{number:05}.wav"
        manner = (one_voice, USUAL_SPEED, USUAL_PITCH) if one_voice else (draw.choice(voices), draw.choice(SPEEDS), draw.randint(35, 65))
        say(digits, *manner, folder / path)
        lines.append(f"{path}\t{' '.join(digits)}\n")
    (folder / f"{part}.tsv").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(prog="./run speech-data", description="Lets espeak-ng say strings of 3 to 8 digits, for gradus train --frames.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path("out/speech"), help="where to write [out/speech]")
    parser.add_argument("--files", type=int, default=2000, help="number of training files [2000]; dev and test have a tenth each")
    parser.add_argument("--seed", type=int, default=1, help="of the digits, voices and speeds [1]")
    parser.add_argument("--voice", help="the voice of all files, for example en-us, at one speed and pitch")
    options = parser.parse_args()
    if options.files < 1:
        sys.exit(f"run: --files must be at least 1, and is {options.files}")
    if shutil.which("espeak-ng") is None:
        sys.exit("run: speech-data needs espeak-ng; install it, for example with apt-get install espeak-ng")
    (options.folder / "wav").mkdir(parents=True, exist_ok=True)
    draw = random.Random(options.seed)
    voices = [f"{accent}+{timbre}" for accent in ACCENTS for timbre in TIMBRES]
    few = max(1, options.files // 10)
    for part, count, of in (("train", options.files, voices), ("dev", few, voices), ("test", few, [TEST_VOICE])):
        write_part(options.folder, part, count, of, options.voice, draw)
        many = 1 if options.voice else len(of)
        print(f"{options.folder / part}.tsv: {count} files, {many} voice{'s' if many > 1 else ''}")


if __name__ == "__main__":
    main()
