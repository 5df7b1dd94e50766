#!/usr/bin/env bash
# warnings.sh BUILD: builds everything with warnings as errors. Only here, so that a new compiler's warnings do not break other builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset "$(basename "$1")" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
ninja -C "$1"
