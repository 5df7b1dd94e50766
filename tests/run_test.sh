#!/usr/bin/env bash
# Tests the command lines of ./run and of tutorial 10: run_test.sh TUTORIAL_10
set -euo pipefail
tutorial=$1
run=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/run
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect CODE TEXT COMMAND…: fails unless the command exits with CODE, and its output (stdout and stderr) contains TEXT.
expect() {
  local code=$1 text=$2 got=0 output
  shift 2
  output=$("$@" 2>&1) || got=$?
  [[ $got == "$code" ]] || fail "'$*' gave exit code $got, not $code: $output"
  [[ $output == *"$text"* ]] || fail "'$*' did not print '$text': $output"
}

expect 0 'usage: ./run' "$run" --help
expect 2 "run: unknown argument 'tset'" "$run" tset
expect 2 "unknown tutorial '99'" "$run" tutorial 99
expect 0 'Bahdanau attention' "$run" tutorial
expect 0 'The page of this tutorial: docs/tutorials/00-hello.md' env LC_ALL=C "$run" tutorial 0
expect 0 'The page of this tutorial: docs/zh/tutorials/00-hello.md' env LC_ALL=zh_CN.UTF-8 "$run" tutorial 0
expect 2 "unknown benchmark 'speed'" "$run" bench speed
expect 0 'peers ' "$run" bench
expect 0 'safetensors_json' "$run" fuzz
expect 2 "unknown fuzz target 'tensors'" "$run" fuzz tensors
expect 2 "expected 'fuzz TARGET|all" "$run" fuzz npy --seconds none
expect 0 'translate' "$run" gradus --help
expect 2 "'docs' takes only --serve" "$run" docs --sevre
expect 2 "'web' takes only --serve" "$run" web --sevre
expect 2 "'packages' takes only mpi" "$run" packages gdb
expect 2 "unknown check 'formt'" "$run" check formt
expect 0 'usage: ./run speech-data' "$run" speech-data --help
expect 1 "run: --files must be at least 1, and is 0" "$run" speech-data "$scratch/speech" --files 0
mkdir "$scratch/bin"
for program in bash dirname; do ln -s "$(command -v "$program")" "$scratch/bin"; done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$scratch/bin/python3"
expect 1 'run: speech-data needs espeak-ng' env PATH="$scratch/bin" "$run" speech-data "$scratch/speech"
expect 0 '--seed' "$tutorial" --help
expect 2 '--sed' "$tutorial" --sed 2
expect 2 '--steps' "$tutorial" --steps 0

# The tutorial must create its output folder before it trains. If it cannot, it must fail at once.
touch "$scratch/file"
expect 1 "$scratch/file" "$tutorial" --steps 1000000000 --out "$scratch/file/out"

# Two runs with the same seed must give equal numbers, and a run with another seed must give other numbers.
# If stderr is not a terminal, no progress bar may be printed.
results() {
  local name=$1
  shift
  "$tutorial" --steps 15 --out "$scratch/$name" "$@" >"$scratch/$name.out" 2>"$scratch/$name.err"
  [[ ! -s $scratch/$name.err ]] || fail "output on stderr, which is not a terminal: $(cat "$scratch/$name.err")"
  sed '/"time"/,$d' "$scratch/$name/results.json"  # the measurements without the time
}
first=$(results first --seed 3)
[[ $first == "$(results second --seed 3)" ]] || fail 'two runs with the same seed differ'
[[ $first != "$(results third --seed 4)" ]] || fail 'two seeds gave the same numbers'
for file in alignment.svg forming.svg forming_animated.svg exact_match.svg loss.svg index.html; do
  [[ -s $scratch/first/$file ]] || fail "no $file was written"
  cmp -s "$scratch/first/$file" "$scratch/second/$file" || fail "$file differs between two runs with the same seed"
done
echo 'all passed'
