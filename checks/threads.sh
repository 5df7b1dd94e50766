#!/usr/bin/env bash
# The tests of what several threads do, under ThreadSanitizer. Without oneDNN: ThreadSanitizer reports false races in
# OpenMP, and so one build in continuous integration is without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/threads
cmake --preset tsan -B "$build" -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O0 -gline-tables-only' \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DGRADUS_WITH_ONEDNN=OFF \
  -DGRADUS_TOOLS=OFF -DGRADUS_TUTORIALS=OFF -DGRADUS_BENCHMARKS=OFF >/dev/null
ninja -C "$build" test_threads
"$build/tests/test_threads"
