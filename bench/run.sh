#!/usr/bin/env bash
# run.sh [receipt|sending|destinations|api|search|queue|longpoll|stream|webhooks|footprint|all]... [--quick] [--postgres] [--rounds N]
# Measures a release build beside its peers: tables on standard output, JSON in bench/results/. What each part does is
# said at the head of its file here; the last numbers are in docs/benchmarks.md.
#
# POSTHOUSE_BINARY  measure this program instead of building one
# BENCH_DIR         where stores and queues are made during the run (/var/tmp); the disk that is measured
#
# Everything listens on loopback only, lives in one directory and is gone at the end, also after an interrupt.
set -euo pipefail
cd "$(dirname "$0")/.."

# Long-polls: sockets of both ends.
ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"

for argument in "$@"; do
	case $argument in
	-h | --help) exec python3 bench/bench.py --help --binary '' --folder '' --results '' ;;
	esac
done

scripts/need.sh bench
if ! command -v python3 >/dev/null 2>&1; then
	echo "bench: python3 was not found" >&2
	exit 1
fi

binary=${POSTHOUSE_BINARY:-}
if [ -z "$binary" ]; then
	cargo build --locked --release --bin posthouse
	binary=${CARGO_TARGET_DIR:-target}/release/posthouse
fi

folder=$(mktemp -d "${BENCH_DIR:-/var/tmp}/posthouse-bench.XXXXXX")
# Postfix and PostgreSQL run as other users and must get to their part of it.
chmod 755 "$folder"
child=

# The parts stop what they started; what is left of an interrupted one is found by the directory it works in.
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

PYTHONDONTWRITEBYTECODE=1 python3 bench/bench.py --binary "$binary" --folder "$folder" --results bench/results "$@" &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
