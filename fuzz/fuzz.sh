#!/usr/bin/env bash
# fuzz.sh BUILD TARGET SECONDS: fuzzes one target. Without a finding, prints only one line. Keeps new inputs in BUILD/corpus, and
# findings in BUILD/findings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 target=$2 seconds=$3 log=$1/logs/$2.log dictionary=
case $target in
  safetensors* | checkpoint) dictionary=-dict=fuzz/safetensors.dict ;;
  npy | wav) dictionary=-dict=fuzz/$target.dict ;;
  config | checkpoint_settings | command_line) dictionary=-dict=fuzz/options.dict ;;
esac
mkdir -p "$build/corpus/$target" "$build/findings" "$build/logs"
if ! UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$build/fuzz/fuzz_$target" -max_total_time="$seconds" \
  -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" $dictionary \
  "$build/corpus/$target" "fuzz/corpus/$target" >"$log" 2>&1; then
  grep -vE '^(#|\s*NEW_FUNC)' "$log" | tail -n 40 >&2
  echo "fuzz: $target: found a failure; the full output is in $log, the input in $build/findings" >&2
  exit 1
fi
printf '  %-17s %9s inputs in %s s, no finding\n' "$target" \
  "$(sed -n 's|^stat::number_of_executed_units: *||p' "$log")" "$seconds"
