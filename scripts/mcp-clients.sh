#!/usr/bin/env bash
# mcp-clients.sh [BINARY]: holds conversations over MCP with the official client for Python, in the stateless revision and with a
# handshake (scripts/mcp-clients/conversation.py). `scripts/need.sh test` installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${POSTHOUSE_TEST_SERVICE:-}" ]; then
	exec scripts/with-service.sh "${1:-target/debug/posthouse}" scripts/mcp-clients.sh
fi

.tools/python-mcp-clients/bin/python scripts/mcp-clients/conversation.py
