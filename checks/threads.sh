#!/usr/bin/env bash
# Runs the tests of multi-threaded code under ThreadSanitizer. The build has no oneDNN, because ThreadSanitizer reports false races
# in OpenMP. This is also the check that tests gradus without oneDNN.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/threads
cmake --preset tsan -B "$build" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O0 -gline-tables-only' \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DGRADUS_WITH_ONEDNN=OFF \
  -DGRADUS_TOOLS=OFF -DGRADUS_TUTORIALS=OFF -DGRADUS_BENCHMARKS=OFF >/dev/null
ninja -C "$build" test_threads
"$build/tests/test_threads"
