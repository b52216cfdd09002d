#!/usr/bin/env bash
# mcp-conformance.sh [BINARY]: runs the official conformance suite of the Model Context Protocol against `/mcp`: all scenarios that
# need no tools, resources or prompts made for the suite. `scripts/need.sh test` installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${POSTHOUSE_TEST_SERVICE:-}" ]; then
	exec scripts/with-service.sh "${1:-target/debug/posthouse}" scripts/mcp-conformance.sh
fi

# Scenarios of each revision. The suite of the stateless one contains those of the protocol itself.
handshake=(server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection)
stateless=(tools-list resources-list sep-2164-resource-not-found prompts-list dns-rebinding-protection caching
	http-header-validation server-sse-multiple-streams input-required-result-unsupported-methods
	input-required-result-ignore-extra-params)

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

# run REVISION SCENARIO...: runs scenarios.
run() {
	local revision=$1 scenario
	shift
	for scenario in "$@"; do
		if ! "$node" "$tools/.bin/conformance" server --url "http://127.0.0.1:$port/mcp?profile=all" \
			--scenario "$scenario" --spec-version "$revision" >"$results/log" 2>&1; then
			echo "mcp-conformance: $revision: $scenario failed" >&2
			sed -n '/=== Failed Checks ===/,$p' "$results/log" | cut -c1-300 >&2
			exit 1
		fi
	done
	echo "mcp-conformance: $revision: $# scenarios passed"
}

run 2025-11-25 "${handshake[@]}"
run 2026-07-28 "${stateless[@]}"
