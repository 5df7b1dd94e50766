#!/usr/bin/env bash
# The tests of all that computes, reads files and listens to users under AddressSanitizer and UndefinedBehaviorSanitizer; those that
# run programs are left out. In the fuzzers' build, by clang: it takes half the time that the preset asan-ubsan takes with GCC.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/fuzz
programs=(test_files test_data test_nn test_models test_autograd test_plot test_tools)
cmake --preset fuzz >/dev/null
ninja -C "$build" "${programs[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # tests ask for more than there is, to see it refused
for program in "${programs[@]}"; do
  "$build/tests/$program"
done
