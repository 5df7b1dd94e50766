#!/usr/bin/env bash
# Checks the English spelling with codespell. spelling.txt lists exceptions: French words, names, deliberate mistakes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Skips texts in other languages, pictures and generated files.
git ls-files --cached --others --exclude-standard ':!data/phrases/*.tsv' ':!docs/zh' ':!*.zh-CN.md' \
  ':!*.svg' ':!*.json' ':!*.safetensors' ':!*.npy' ':!tests/golden/*.txt' ':!tests/golden/bleu' |
  xargs codespell --ignore-words checks/spelling.txt
