#!/usr/bin/env bash
# The tests of all that computes, reads files and listens to users under AddressSanitizer and UndefinedBehaviorSanitizer; those that run
# programs are left out. By clang without optimisation, which compiles so in a third of the time that the preset asan-ubsan takes with GCC.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
programs=(test_files test_data test_nn test_models test_autograd test_plot test_tools)
cmake --preset fuzz -B "$build" -DCMAKE_CXX_FLAGS_RELEASE='-O0 -gline-tables-only' >/dev/null
ninja -C "$build" "${programs[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # tests ask for more than there is, to see it refused
for program in "${programs[@]}"; do
  "$build/tests/$program"
done
