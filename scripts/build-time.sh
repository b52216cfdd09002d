#!/usr/bin/env bash
# build-time.sh [FILE [ROUNDS]]: measures how long `cargo build` takes after an edit of one file: by default a file of
# routes, three times. Each round adds a comment to the file; the end restores it. To compare two trees, run it
# in both, with the path of the file in each.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
file=${1:-crates/http/src/v1/suppressions.rs}
rounds=${2:-3}

cargo build --locked --quiet --bin posthouse
kept=$(mktemp)
cp -p "$file" "$kept"
trap 'cp -p "$kept" "$file"; rm -f "$kept"' EXIT
for round in $(seq "$rounds"); do
	# The documentation of a module is first. The line numbers of all that follows change, as with a real edit.
	awk -v round="$round" 'NR == 2 { print "//! Round " round "." } { print }' "$kept" >"$file"
	began=${EPOCHREALTIME/./}
	cargo build --locked --quiet --bin posthouse
	echo "$file: $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
done
