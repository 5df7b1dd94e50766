#!/usr/bin/env bash
# The tests of all that computes and reads files under AddressSanitizer and UndefinedBehaviorSanitizer. By clang without optimisation,
# which compiles so in a third of the time that the preset takes with GCC; the commands, tutorials and exercises are left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
programs=(test_files test_data test_nn test_models test_autograd)
cmake --preset asan-ubsan -B "$build" -DCMAKE_CXX_COMPILER=clang++-14 \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O0 -gline-tables-only' \
  -DGRADUS_TOOLS=OFF -DGRADUS_TUTORIALS=OFF -DGRADUS_BENCHMARKS=OFF >/dev/null
ninja -C "$build" "${programs[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # tests ask for more than there is, to see it refused
for program in "${programs[@]}"; do
  "$build/tests/$program"
done
