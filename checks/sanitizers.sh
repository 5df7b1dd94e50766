#!/usr/bin/env bash
# The tests of all that computes, reads files and listens to users under AddressSanitizer and UndefinedBehaviorSanitizer, but not those of
# minutes: what is tagged [long], the models (the command's tests train some), the programs. `GRADUS_PRESET=asan-ubsan ./run test` leaves out
# nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
programs=(test_tools test_autograd test_nn test_data test_files test_plot)
cmake --preset sanitizers >/dev/null
ninja -C "$build" "${programs[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # tests ask for more than there is, to see it refused
printf "$build/tests/%s\0" "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '"$0" "~[long]~[.]"'
