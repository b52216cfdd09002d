#!/usr/bin/env bash
# build-time.sh [FILE [ROUNDS]]: measures how long `cargo build` takes after an edit of one file: by default a file of
# routes, five times. Each round moves the code of the file down by one more line, so that the compiler builds its functions
# again, as after a real edit; the end restores the file. To compare two trees, run it in both, with the path of the file in
# each.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
file=${1:-crates/operations/src/v1/suppressions.rs}
rounds=${2:-5}

cargo build --locked --quiet
kept=$(mktemp)
cp "$file" "$kept"
trap 'cat "$kept" >"$file"; rm -f "$kept"' EXIT
for round in $(seq "$rounds"); do
	# The documentation of a module is first.
	awk -v lines="$round" 'NR == 2 { for (i = 0; i < lines; i++) print "//! One more line." } { print }' "$kept" >"$file"
	began=${EPOCHREALTIME/./}
	cargo build --locked --quiet
	echo "$file: $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
done
