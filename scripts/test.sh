#!/usr/bin/env bash
# test.sh [FILTER...]: every test, the black-box suite once on SQLite and once on PostgreSQL.
# Uses cargo-nextest when it is installed and plain `cargo test` otherwise: compiling nextest takes longer than the
# tests do. The last line is the sum: 'N passed, N failed, N skipped'.
#
# What the suite may rely on:
#   POSTHOUSE_TEST_DATABASE  sqlite | postgres   which engine the black-box suite (posthouse-tests) uses
#   POSTHOUSE_TEST_PG_URL    an admin URL of a running cluster; set in both passes
set -euo pipefail
cd "$(dirname "$0")/.."

# One cluster for the whole run: start again inside it.
if [ -z "${POSTHOUSE_TEST_PG_URL:-}" ]; then
	exec scripts/test-postgres.sh "$0" "$@"
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0

if cargo nextest --version >/dev/null 2>&1; then runner=nextest; else runner=test; fi
profile=default
[ "${CI:-}" = true ] && profile=ci

# pass NAME SCOPE SKIP [FILTER...]: one run; SKIP names a module left out, or is empty.
pass() {
	local name=$1 scope=$2 skip=$3
	shift 3
	echo "== $name"
	local -a command
	# shellcheck disable=SC2206 # SCOPE is a list of words
	if [ "$runner" = nextest ]; then
		command=(cargo nextest run --locked $scope --profile "$profile" --no-tests=pass "$@")
		[ -z "$skip" ] || command+=(-E "not test(/$skip/)")
	else
		command=(cargo test --locked --no-fail-fast $scope --lib --bins --tests -- "$@")
		[ -z "$skip" ] || command+=(--skip "$skip")
	fi
	"${command[@]}" 2>&1 | tee "$out/$name.log" || status=1
}

POSTHOUSE_TEST_DATABASE=sqlite pass sqlite --workspace "" "$@"
# The rules about the source tree do not depend on the engine.
POSTHOUSE_TEST_DATABASE=postgres pass postgres "-p posthouse-tests" house_rules "$@"
if [ $# -eq 0 ]; then
	echo "== documentation examples"
	cargo test --locked --workspace --doc 2>&1 | tee "$out/doc.log" || status=1
fi

# Both runners' closing lines, without their colours, added up.
sed -e 's/\x1b\[[0-9;]*m//g' "$out"/*.log | awk -v status="$status" '
	/^ *Summary \[/ || /^test result:/ {
		for (i = 2; i <= NF; i++) {
			word = $i; gsub(/[;,.]/, "", word)
			if (word == "passed") passed += $(i - 1)
			if (word == "failed") failed += $(i - 1)
			if (word == "skipped" || word == "ignored") skipped += $(i - 1)
			if (word == "timed" && $(i + 1) ~ /^out/) failed += $(i - 1)
		}
	}
	END {
		if (status != 0 && failed == 0) print "the test runner itself failed: see above"
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	}'
exit "$status"
