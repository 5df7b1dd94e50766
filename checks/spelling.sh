#!/usr/bin/env bash
# English words are spelt as codespell's list of common mistakes wants them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Not the other languages' texts and pages, nor pictures and what programs wrote.
git ls-files --cached --others --exclude-standard ':!data/phrases/*.tsv' ':!docs/zh' ':!README.zh-CN.md' \
  ':!*.svg' ':!*.json' ':!*.safetensors' ':!*.npy' ':!tests/golden/*.txt' ':!tests/golden/bleu' |
  xargs codespell --ignore-words checks/spelling.txt
