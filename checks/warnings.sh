#!/usr/bin/env bash
# warnings.sh BUILD: builds everything with warnings as errors. Other builds only print warnings, because a new compiler may have new
# warnings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset "$(basename "$1")" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
ninja -C "$1"
