#!/usr/bin/env bash
# checks/tiny.sh [BUILD]: builds gradus_tiny as two static programs, one with musl and one for 32-bit Arm, and tests both. On
# demand only; needs musl-tools, gcc-arm-linux-gnueabihf, libc6-dev-armhf-cross and qemu-user. Fails if the musl program and a
# model with the sizes of configs/reverse.toml together have more than 300 KB, or if the musl program needs more than 2 MiB
# of memory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
gradus=${1:-build/release}/tools/gradus
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-std=c11 -Os -static -s -ffunction-sections -fdata-sections -Wl,--gc-sections tiny/gradus_tiny.c -lm -o)

musl-gcc "${flags[@]}" "$folder/tiny"
arm-linux-gnueabihf-gcc "${flags[@]}" "$folder/tiny-arm"
python3 tests/tiny_test.py "$gradus" "$folder/tiny"
python3 tests/tiny_test.py "$gradus" "$folder/tiny-arm" qemu-arm

"$gradus" train --config configs/reverse.toml --steps 1 --out "$folder/run" >/dev/null
"$gradus" compress --int8 --model "$folder/run" --out "$folder/int8" >/dev/null
"$gradus" export --model "$folder/int8" --out "$folder/model" >/dev/null
bytes=$(($(stat -c %s "$folder/tiny") + $(stat -c %s "$folder/model")))
memory=$(python3 - "$folder" <<'PEAK'
import pathlib, re, subprocess, sys
folder = pathlib.Path(sys.argv[1])
tiny = subprocess.Popen([folder / "tiny", folder / "model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for _ in range(20):
    print("3 1 4 1 5 " * 5, file=tiny.stdin, flush=True)
    tiny.stdout.readline()
print(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path(f"/proc/{tiny.pid}/status").read_text())[1])
PEAK
)
echo "program and model: $bytes bytes; peak memory: $memory KiB"
((bytes <= 300000)) || { echo 'checks/tiny.sh: more than 300,000 bytes' >&2; exit 1; }
((memory <= 2048)) || { echo 'checks/tiny.sh: more than 2 MiB of memory' >&2; exit 1; }
