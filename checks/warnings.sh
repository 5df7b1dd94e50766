#!/usr/bin/env bash
# warnings.sh BUILD: everything builds, and a warning is an error. Only here: another compiler's new warning must not keep a reader from building.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset "$(basename "$1")" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
ninja -C "$1"
