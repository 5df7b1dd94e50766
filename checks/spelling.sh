#!/usr/bin/env bash
# Checks the English spelling with codespell. spelling.txt lists exceptions: French words, names, and deliberate mistakes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Texts in other languages, pictures and generated files are skipped.
git ls-files --cached --others --exclude-standard ':!data/phrases/*.tsv' ':!docs/zh' ':!*.zh-CN.md' \
  ':!*.svg' ':!*.json' ':!*.safetensors' ':!*.npy' ':!tests/golden/*.txt' ':!tests/golden/bleu' |
  xargs codespell --ignore-words checks/spelling.txt
