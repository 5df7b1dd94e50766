#!/usr/bin/env bash
# command_threads.sh [MINUTES]: runs the command under ThreadSanitizer. gradus serve runs for MINUTES [10] under load and faults. If
# Open MPI is installed, gradus train runs in two and in four processes; in each, a second thread sends signs of life. On
# demand; checks/threads.sh tests the libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/check/command-threads
mpi=OFF
if command -v mpirun >/dev/null; then mpi=ON; fi
# The build has no oneDNN, because ThreadSanitizer reports false races in OpenMP.
cmake --preset tsan -B "$build" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -gline-tables-only' \
  -DGRADUS_WITH_ONEDNN=OFF -DGRADUS_WITH_MPI=$mpi -DGRADUS_TUTORIALS=OFF -DGRADUS_BENCHMARKS=OFF >/dev/null
ninja -C "$build" gradus_command
gradus=$build/tools/gradus
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$PWD/checks/tsan.supp"
checks/serve_load.py "$gradus" --minutes "${1:-10}" --pause 0.2
if [[ $mpi == ON ]]; then
  python3 tests/mpi_train.py "$gradus" mpirun --kills 1
fi
