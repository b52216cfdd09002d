#!/usr/bin/env bash
# relying-parties.sh [BINARY]: signs an agent in to two apps that are written with independent OpenID Connect libraries: authlib
# (scripts/relying-parties/sign_in.py) and openid-client (scripts/relying-parties/sign-in.mjs). They check every response as
# their authors understand the standards.
#
# BINARY is target/debug/posthouse by default. `scripts/need.sh test` installs the libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${POSTHOUSE_TEST_SERVICE:-}" ]; then
	exec scripts/with-service.sh "${1:-target/debug/posthouse}" scripts/relying-parties.sh
fi

.tools/python-relying-parties/bin/python scripts/relying-parties/sign_in.py
# A module finds packages next to itself, and the tools are elsewhere.
cp scripts/relying-parties/sign-in.mjs .tools/relying-parties/
node .tools/relying-parties/sign-in.mjs
