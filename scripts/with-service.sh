#!/usr/bin/env bash
# with-service.sh BINARY COMMAND...: runs a command against a new and empty service, on free ports of loopback. Fails if the command
# fails or the service logs an error.
#
# The command finds the service in POSTHOUSE_URL and POSTHOUSE_KEY. POSTHOUSE_TEST_SERVICE marks them as those of this service.
set -euo pipefail

binary=$1
shift
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
export POSTHOUSE_URL=$url POSTHOUSE_KEY=$key POSTHOUSE_TEST_SERVICE=1 PYTHONDONTWRITEBYTECODE=1

"$@"

if grep -E ' ERROR |panicked' "$data/log"; then
	echo "with-service: the service logged an error" >&2
	exit 1
fi
