#!/usr/bin/env bash
# mcp-conformance.sh [BINARY]: runs the official conformance suite of the Model Context Protocol against `/mcp`: every server
# scenario that the revisions 2025-11-25 and 2026-07-28 require. The binary is the service with the tools, resources and
# prompts that the suite wants to find (crates/tests/src/bin/posthouse-conformance). `scripts/need.sh test` installs the suite.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${POSTHOUSE_TEST_SERVICE:-}" ]; then
	exec scripts/with-service.sh "${1:-target/debug/posthouse-conformance}" scripts/mcp-conformance.sh
fi

tools=.tools/mcp-conformance/node_modules
node=$(compgen -G "$tools/node-linux-*/bin/node")

# The suite sends no key, so it goes through a proxy that adds one.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$node" scripts/mcp-conformance/proxy.mjs "$port" "$POSTHOUSE_URL" "$POSTHOUSE_KEY" &
proxy=$!
results=$(mktemp -d)
trap 'kill "$proxy"; rm -rf "$results"' EXIT
for _ in $(seq 100); do
	curl -s -o "$results/ready" "http://127.0.0.1:$port/readyz" && break
	sleep 0.1
done

# run REVISION SCENARIOS: runs the scenarios that a revision requires, whose number is that of its release.
run() {
	local revision=$1 scenarios=$2 passed
	if ! "$node" "$tools/.bin/conformance" server --url "http://127.0.0.1:$port/mcp?profile=all" \
		--requirements "$revision" >"$results/log" 2>&1; then
		echo "mcp-conformance: $revision failed" >&2
		sed -n '/=== SUMMARY ===/,$p' "$results/log" | grep -vE '^✓' | cut -c1-300 >&2
		grep -A3 '^  - ' "$results/log" | cut -c1-300 >&2 || true
		exit 1
	fi
	# What is run and not scored has a line of its own, which is indented.
	passed=$(sed -n '/=== SUMMARY ===/,/^Not scored/p' "$results/log" | grep -c '^✓' || true)
	if [ "$passed" -lt "$scenarios" ]; then
		echo "mcp-conformance: $revision: $passed scenarios passed, and $scenarios are required" >&2
		exit 1
	fi
	echo "mcp-conformance: $revision: all $scenarios required scenarios passed"
}

run 2025-11-25 30
run 2026-07-28 37
