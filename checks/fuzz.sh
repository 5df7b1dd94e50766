#!/usr/bin/env bash
# Each fuzz target for five seconds, in the build of sanitizers.sh. ./run fuzz, which optimises, is for looking longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
cmake --preset sanitizers >/dev/null
ninja -C "$build" fuzz/all
for source in fuzz/*.cpp; do
  fuzz/fuzz.sh "$build" "$(basename "$source" .cpp)" 5
done
