#!/usr/bin/env bash
# run.sh [receipt|sending|destinations|api|search|agents|queue|longpoll|stream|mcp|webhooks|footprint|abuse|all]... [--quick] [--postgres] [--rounds N]
#        [--against COMMIT]
# Benchmarks a release build alongside its peers. Prints tables to standard output and writes JSON to bench/results/.
# Each part is described at the top of its file in this directory; docs/benchmarks.md has the latest numbers.
#
# With --against, builds the program of that commit too, and measures both in turn, without peers and without JSON.
#
# POSTHOUSE_BINARY  benchmark this program instead of building one
# AGAINST_BINARY    with --against: compare with this program instead of building one
# BENCH_DIR         where stores and queues are created during the run (/var/tmp); determines the disk that is measured
#
# All servers listen on loopback only. All files are in one directory, which is removed at the end, also after an
# interrupt.
set -euo pipefail
cd "$(dirname "$0")/.."

# Long-polls need sockets for both ends.
ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"

for argument in "$@"; do
	case $argument in
	-h | --help) exec python3 bench/bench.py --help --binary '' --folder '' --results '' ;;
	esac
done

scripts/need.sh bench
if ! command -v python3 >/dev/null 2>&1; then
	echo "bench: python3 not found" >&2
	exit 1
fi

binary=${POSTHOUSE_BINARY:-}
if [ -z "$binary" ]; then
	cargo build --locked --release --bin posthouse
	binary=${CARGO_TARGET_DIR:-target}/release/posthouse
fi

# The other program is built from the files of its commit, in a directory that is kept for the next comparison.
commit=
for argument in "$@"; do
	[ "${previous:-}" != --against ] || commit=$argument
	previous=$argument
done
against=()
if [ -n "$commit" ]; then
	other=${AGAINST_BINARY:-}
	if [ -z "$other" ]; then
		tree=$PWD/target/against/$(git rev-parse --verify "$commit^{commit}")
		other=$tree/target/release/posthouse
		if [ ! -x "$other" ]; then
			mkdir -p "$tree"
			git archive "$commit" | tar -x -C "$tree"
			(cd "$tree" && CARGO_TARGET_DIR=$tree/target cargo build --locked --release --bin posthouse)
		fi
	fi
	against=(--against-binary "$other")
fi

folder=$(mktemp -d "${BENCH_DIR:-/var/tmp}/posthouse-bench.XXXXXX")
# Postfix and PostgreSQL run as other users and need access to their files.
chmod 755 "$folder"
child=

# Each part stops the processes it started. Processes of an interrupted part are found by their working directory.
finish() {
	trap - EXIT INT TERM
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null || true
		wait "$child" 2>/dev/null || true
	fi
	if [ -d "$folder/postfix/etc" ]; then
		PATH=$PATH:/usr/sbin:/sbin postfix -c "$folder/postfix/etc" abort >/dev/null 2>&1 || true
	fi
	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" -ne $$ ] || continue
		case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in
		*"$folder"*) kill -KILL "${process#/proc/}" 2>/dev/null || true ;;
		esac
	done
	rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

PYTHONDONTWRITEBYTECODE=1 python3 bench/bench.py --binary "$binary" --folder "$folder" --results bench/results "${against[@]}" "$@" &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
