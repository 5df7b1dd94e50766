#!/usr/bin/env bash
# Runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer. Skips tests tagged [long]. Also skips test_models,
# which trains models. test_tools, the tests of the command gradus, trains models, too.
# `GRADUS_PRESET=asan-ubsan ./run test` runs all tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
programs=(test_tools test_autograd test_nn test_compress test_distributed test_data test_files test_plot test_speech test_serve)
cmake --preset sanitizers >/dev/null
ninja -C "$build" "${programs[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # some tests request too much memory on purpose
printf "$build/tests/%s\0" "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '"$0" "~[long]~[.]"'
