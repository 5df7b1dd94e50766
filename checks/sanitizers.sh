#!/usr/bin/env bash
# Runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer. Skips tests tagged [long]. Also skips test_models,
# which trains models. test_tools, the tests of the command gradus, trains models, too.
# `GRADUS_PRESET=asan-ubsan ./run test` runs all tests. If Open MPI is installed, gradus train runs in two processes, to find
# memory that the code for MPI does not free.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/sanitizers
programs=(test_tools test_autograd test_nn test_compress test_distributed test_data test_files test_plot test_speech test_serve)
targets=("${programs[@]}")
mpi=OFF
if command -v mpicxx >/dev/null; then
  mpi=ON
  targets+=(gradus_command)
fi
cmake --preset sanitizers -DGRADUS_WITH_MPI=$mpi >/dev/null
ninja -C "$build" "${targets[@]}"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1  # some tests request too much memory on purpose
printf "$build/tests/%s\0" "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '"$0" "~[long]~[.]"'
if [[ $mpi == ON ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  export LSAN_OPTIONS="suppressions=$PWD/checks/lsan.supp"
  # Open MPI unloads its plugins before the end. Only whole stacks then show that a plugin was called by a library of Open MPI.
  export ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  mpirun -n 2 --oversubscribe "$build/tools/gradus" train --task reverse --examples 100 --held-out 20 --hidden 12 --embedding 8 \
    --energy 8 --batch 16 --steps 8 --shards 2 --out "$folder/run"
fi
