#!/usr/bin/env bash
# English is spelt without codespell's common mistakes. spelling.txt has what is right all the same: French, names, mistakes made on purpose.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Not the texts in other languages, nor pictures and what programs wrote.
git ls-files --cached --others --exclude-standard ':!data/phrases/*.tsv' ':!docs/zh' ':!README.zh-CN.md' \
  ':!*.svg' ':!*.json' ':!*.safetensors' ':!*.npy' ':!tests/golden/*.txt' ':!tests/golden/bleu' |
  xargs codespell --ignore-words checks/spelling.txt
