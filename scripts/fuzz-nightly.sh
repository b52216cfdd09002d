#!/usr/bin/env bash
# fuzz-nightly.sh [HOURS]: runs all fuzz targets for HOURS (default 8) in all, with the corpora of earlier runs, and then
# the comparison of authors with Python's email package. Prints the coverage of each target: instrumented edges that its
# corpus reaches (`cov`), their share of all edges in the target's binary, and features (`ft`, edges with their counts).
#
# A target can't reach all edges of its binary, which contains parts of its dependencies; compare the numbers of two nights.
set -euo pipefail
cd "$(dirname "$0")/.."

hours=${1:-8}
count=$(find fuzz/fuzz_targets -name '*.rs' | wc -l)
cores=$(nproc)
# `fuzz.sh` runs as many targets at once as there are cores.
rounds=$(((count + cores - 1) / cores))
seconds=$(awk -v hours="$hours" -v rounds="$rounds" 'BEGIN { print int(hours * 3600 / rounds) }')
if [ "$seconds" -lt 1 ]; then
	echo "usage: fuzz-nightly.sh [HOURS]" >&2
	exit 2
fi
status=0
scripts/fuzz.sh "$seconds" || status=1

echo "== coverage"
host=$(rustc -vV | awk '/^host:/ { print $2 }')
printf '%-14s %8s %8s %7s %8s\n' target cov edges percent ft
for file in fuzz/fuzz_targets/*.rs; do
	target=$(basename "$file" .rs)
	# Runs the corpus once, without new inputs.
	"fuzz/target/$host/release/$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -runs=0 -max_len=65536 2>&1 | awk -v target="$target" '
		match($0, /[0-9]+ inline 8-bit counters/) { split(substr($0, RSTART, RLENGTH), words, " "); edges = words[1] }
		/INITED|DONE/ {
			for (i = 1; i < NF; i++) { if ($i == "cov:") cov = $(i + 1); if ($i == "ft:") ft = $(i + 1) }
		}
		END {
			if (edges == 0 || cov == "") { print target ": no coverage was printed" > "/dev/stderr"; exit 1 }
			printf "%-14s %8d %8d %6.1f%% %8d\n", target, cov, edges, 100 * cov / edges, ft
		}' || status=1
done

echo "== authors, compared with Python"
scripts/author-oracle.py 1000000 "$(date +%j)" || status=1
exit "$status"
