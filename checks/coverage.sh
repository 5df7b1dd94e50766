#!/usr/bin/env bash
# Measures the line coverage of the unit tests in all folders of the library except files, plot and tools, and writes it to
# build/coverage/index.html. Fails if the coverage of one folder is below 95 %.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/coverage
programs=(test_autograd test_nn test_models test_compress test_distributed test_data test_speech test_serve)
cmake --preset coverage >/dev/null
ninja -C "$build" "${programs[@]}"
find "$build" -name '*.gcda' -delete  # counters of earlier runs
for program in "${programs[@]}"; do
  "$build/tests/$program"
done

report=(gcovr --root . --object-directory "$build" --exclude-directories "$build/CMakeFiles" --exclude-throw-branches)
"${report[@]}" --filter '(autograd|nn|graph|models|compress|distributed|data|speech|serve)/' --html-details "$build/index.html"
failed=0
for folder in autograd nn graph models compress distributed data speech serve; do
  echo "$folder"
  "${report[@]}" --filter "$folder/" --fail-under-line 95 --print-summary --output "$build/$folder.txt" | grep '^lines' || failed=1
done
echo "Report: $build/index.html"
exit $failed
