#!/usr/bin/env bash
# prose.sh [PAGE...]: lints the prose of the pages of this repository with textlint: README.md, the other pages of the
# root, and docs/. `scripts/need.sh lint` installs it. The rules are in scripts/prose/textlintrc.yml.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

if [ "$#" -gt 0 ]; then
	pages=("$@")
else
	mapfile -t pages < <(git ls-files '*.md' ':!crates' ':!fuzz')
fi
pages=("${pages[@]/#/$root/}")

# Rules are found from the directory in which textlint runs.
cd .tools/prose
node_modules/.bin/textlint -c "$root/scripts/prose/textlintrc.yml" -f unix "${pages[@]}"
