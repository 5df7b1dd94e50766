#!/usr/bin/env bash
# units.sh BUILD: runs the unit tests, in one process per library. Skips tests tagged [long].
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
programs=(test_files test_autograd test_nn test_data test_plot test_models test_compress test_distributed test_speech test_serve test_tools)
ninja -C "$1" "${programs[@]}"
for program in "${programs[@]}"; do
  "$1/tests/$program" "~[long]~[.]"
done
