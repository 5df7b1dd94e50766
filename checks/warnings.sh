#!/usr/bin/env bash
# warnings.sh BUILD: builds everything with warnings as errors. In other builds they stay warnings, so that a new compiler does not
# break them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset "$(basename "$1")" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
ninja -C "$1"
