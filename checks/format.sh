#!/usr/bin/env bash
# Checks the sources with clang-format 19. Skips the tutorials' programs, whose shape comments are aligned by hand.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' ':!tutorials/[0-9][0-9]_*.cpp' |
  xargs clang-format-19 --dry-run -Werror
