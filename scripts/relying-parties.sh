#!/usr/bin/env bash
# relying-parties.sh [BINARY]: signs an agent in to two apps that are written with independent OpenID Connect libraries: authlib
# (scripts/relying-parties/sign_in.py) and openid-client (scripts/relying-parties/sign-in.mjs). They check every response as
# their authors understand the standards.
#
# The service is new and empty, on free ports of loopback. BINARY is target/debug/posthouse by default. `scripts/need.sh test`
# installs the libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:-target/debug/posthouse}
data=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$data"
}
trap stop EXIT

# Nothing answers there, so that no DNS question leaves this machine and none waits.
printf '[dns]\nnameservers = ["127.0.0.1:9"]\n' >"$data/config.toml"
"$binary" serve --config "$data/config.toml" --data-dir "$data/data" --ready-file "$data/ready.json" \
	--http-listen 127.0.0.1:0 --smtp-listen 127.0.0.1:0 --submission-listen 127.0.0.1:0 >"$data/log" 2>&1 &
server=$!
for _ in $(seq 300); do
	[ -e "$data/ready.json" ] && break
	kill -0 "$server" 2>/dev/null || { cat "$data/log" >&2; exit 1; }
	sleep 0.1
done
read -r url key < <(python3 -c 'import json, sys
ready = json.load(open(sys.argv[1]))
print("http://" + ready["http"], ready["first_run"]["api_key"])' "$data/ready.json")
export POSTHOUSE_URL=$url POSTHOUSE_KEY=$key

PYTHONDONTWRITEBYTECODE=1 .tools/python-relying-parties/bin/python scripts/relying-parties/sign_in.py
# A module finds packages next to itself, and the tools are elsewhere.
cp scripts/relying-parties/sign-in.mjs .tools/relying-parties/
node .tools/relying-parties/sign-in.mjs

if grep -E ' ERROR |panicked' "$data/log"; then
	echo "relying-parties: the service logged an error" >&2
	exit 1
fi
