#!/usr/bin/env bash
# test.sh [FILTER...]: every test, the black-box suite once on SQLite and once on PostgreSQL.
# Uses cargo-nextest when it is installed and plain `cargo test` otherwise: compiling nextest takes longer than the
# tests do. The last line is the sum: 'N passed, N failed'.
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

if cargo nextest --version >/dev/null 2>&1; then runner="nextest"; else runner="test"; fi
profile=default
[ "${CI:-}" = true ] && profile=ci

# Both passes build the whole workspace, with the same features, so that nothing is compiled twice.

# pass NAME NEXTEST-EXPRESSION CARGO-TEST-ARGUMENTS [FILTER...]: one run, its output kept in $out/NAME.log.
pass() {
	local name=$1 expression=$2 plain=$3
	shift 3
	echo "== $name"
	if [ "$runner" = nextest ]; then
		cargo nextest run --locked --workspace --profile "$profile" --no-tests=pass -E "$expression" "$@"
	else
		# shellcheck disable=SC2086 # a list of words
		cargo test --locked --workspace --no-fail-fast $plain "$@"
	fi 2>&1 | tee "$out/$name.log" || status=1
}

POSTHOUSE_TEST_DATABASE=sqlite pass sqlite 'all()' '--lib --bins --tests --' "$@"
# Only the black-box suite asks for an engine, and of it the rules about the source tree do not.
POSTHOUSE_TEST_DATABASE=postgres pass postgres \
	'package(posthouse-tests) & not test(/house_rules/)' '--test it -- --skip house_rules' "$@"
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
			if (word == "timed" && $(i + 1) ~ /^out/) failed += $(i - 1)
		}
	}
	END {
		if (status != 0 && failed == 0) print "the test runner itself failed: see above"
		printf "%d passed, %d failed\n", passed, failed
	}'
exit "$status"
