#!/usr/bin/env bash
# Runs each fuzz target for five seconds, in the build of sanitizers.sh. For longer runs use ./run fuzz, which has an optimised
# build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
cmake --preset sanitizers >/dev/null
ninja -C "$build" fuzz/all
printf '%s\0' fuzz/*.cpp | xargs -0 -n 1 -P "$(nproc)" bash -c 'fuzz/fuzz.sh "$0" "$(basename "$1" .cpp)" 5' "$build"
