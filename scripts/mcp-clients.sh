#!/usr/bin/env bash
# mcp-clients.sh [BINARY]: holds whole conversations over MCP with independent clients (scripts/mcp-clients): `mcp` and `fastmcp`
# for Python, `@modelcontextprotocol/client`, `@modelcontextprotocol/sdk` and `@ai-sdk/mcp` for TypeScript. They get events by
# poll, push and webhook. `scripts/need.sh test` installs them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${POSTHOUSE_TEST_SERVICE:-}" ]; then
	exec scripts/with-service.sh "${1:-target/debug/posthouse}" scripts/mcp-clients.sh
fi

for program in official with_fastmcp; do
	.tools/python-mcp-clients/bin/python "scripts/mcp-clients/$program.py"
done

# The packages lie elsewhere than the programs, and Node looks for packages above a program alone.
node=$(compgen -G "$PWD/.tools/mcp-conformance/node_modules/node-linux-*/bin/node")
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
cp scripts/mcp-clients/*.mjs "$programs/"
ln -s "$PWD/.tools/mcp-clients/node_modules" "$programs/node_modules"
for program in official ai-sdk; do
	timeout 120 "$node" "$programs/$program.mjs"
done
