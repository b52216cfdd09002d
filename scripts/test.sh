#!/usr/bin/env bash
# test.sh [FILTER...]: runs all tests; the black-box suite runs on SQLite and on PostgreSQL. Without a filter, the binary is
# also tested against its OpenAPI document (scripts/schemathesis.sh), with generators of clients (scripts/clients.sh), with
# libraries for sign-in (scripts/relying-parties.sh), with the programs of the guides about agents (scripts/guides.py) and over MCP
# (scripts/mcp-clients.sh, scripts/mcp-conformance.sh), the dashboard is tested in a browser (scripts/web.sh), and the
# bill of materials is checked (scripts/sbom.py).
#
# Uses cargo-nextest if it is installed, and otherwise plain `cargo test`: compiling nextest takes longer than running
# the tests. The last line is the total: 'N passed, N failed'.
#
# The environment of the tests:
#   POSTHOUSE_TEST_DATABASE  sqlite | postgres   the engine for the black-box suite (posthouse-tests)
#   POSTHOUSE_TEST_PG_URL    an admin URL of a running cluster; set in both passes
#   PROPTEST_RNG_SEED        the seed of generated cases; 1 if unset
set -euo pipefail
cd "$(dirname "$0")/.."

# Use one cluster for the whole run: restart this script inside of it.
if [ -z "${POSTHOUSE_TEST_PG_URL:-}" ]; then
	exec scripts/test-postgres.sh "$0" "$@"
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0

if cargo nextest --version >/dev/null 2>&1; then runner="nextest"; else runner="test"; fi
# The tests of a server wait for its process and its database: with one test per core, a third of the time is idle.
threads=$(($(nproc) * 3 / 2))
profile=default
[ "${CI:-}" = true ] && profile=ci
# The same generated cases in every run: a change fails for its own faults. `make properties` looks for new ones.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

# Both passes build the whole workspace with the same features, so that nothing is compiled twice.

# These tests count log lines of background threads, which belong to no test if several share a process.
ALONE=scenarios::certificates

# alone [FILTER...]: runs the tests of $ALONE that match, each in its own process, as nextest runs all tests.
alone() {
	local name failed=0
	cargo test --locked --workspace --test it -- --list 2>/dev/null |
		sed -n "s/^\\($ALONE::.*\\): test$/\\1/p" >"$out/alone"
	while read -r name; do
		[ $# -eq 0 ] || [[ $name == *"$1"* ]] || continue
		cargo test --locked --workspace --quiet --test it -- --exact "$name" </dev/null || failed=1
	done <"$out/alone"
	return "$failed"
}

# pass NAME NEXTEST-EXPRESSION CARGO-TEST-ARGUMENTS [FILTER...]: runs the tests once and stores the output in
# $out/NAME.log.
pass() {
	local name=$1 expression=$2 plain=$3
	shift 3
	echo "== $name"
	if [ "$runner" = nextest ]; then
		cargo nextest run --locked --workspace --profile "$profile" --test-threads "$threads" --no-tests=pass -E "$expression" "$@"
	else
		# shellcheck disable=SC2086 # a list of words
		if cargo test --locked --workspace --no-fail-fast $plain --skip "$ALONE" "$@"; then
			alone "$@"
		else
			alone "$@" || true
			false
		fi
	fi 2>&1 | tee "$out/$name.log" || status=1
}

POSTHOUSE_TEST_DATABASE=sqlite pass sqlite 'all()' '--lib --bins --tests --' "$@"
# Only the black-box suite depends on the engine, except for its checks of the source tree.
# Here they also wait for the processes of the database.
threads=$(($(nproc) * 2))
POSTHOUSE_TEST_DATABASE=postgres pass postgres \
	'package(posthouse-tests) & not test(/layout_rules/)' '--test it -- --skip layout_rules' "$@"
if [ $# -eq 0 ]; then
	echo "== documentation examples"
	cargo test --locked --workspace --doc 2>&1 | tee "$out/doc.log" || status=1
	# The scripts below start target/debug/posthouse. The tests have built it: `cargo build` would build most crates again,
	# with the features that only tests turn on turned off.
	echo "== dashboard"
	scripts/web.sh test 2>&1 | tee "$out/web.log" || status=1
	# Schemathesis sends one request after another, and the others wait most of the time, so they share the cores.
	scripts/schemathesis.sh >"$out/schemathesis" 2>&1 &
	schemathesis=$!
	echo "== relying parties"
	scripts/relying-parties.sh || status=1
	echo "== generated clients"
	scripts/clients.sh || status=1
	echo "== guides about agents"
	scripts/guides.py || status=1
	echo "== MCP clients"
	scripts/mcp-clients.sh || status=1
	echo "== MCP conformance"
	scripts/mcp-conformance.sh || status=1
	echo "== bill of materials"
	scripts/sbom.py && scripts/sbom.py --check target/debug/posthouse || status=1
	echo "== schemathesis"
	wait "$schemathesis" || status=1
	cat "$out/schemathesis"
fi

# Add up the summary lines of both runners, without terminal colors.
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
		if (status != 0 && failed == 0) print "the test runner, the dashboard, Schemathesis, a relying party, a generator of clients, a guide or the bill of materials failed; see above"
		printf "%d passed, %d failed\n", passed, failed
	}'
exit "$status"
