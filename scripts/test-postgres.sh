#!/usr/bin/env bash
# test-postgres.sh COMMAND...: run COMMAND with POSTHOUSE_TEST_PG_URL naming a throw-away PostgreSQL cluster.
# Without a command: print the URL and keep the cluster until interrupted.
# The cluster flushes nothing, trusts everyone on loopback and is removed at the end.
# A POSTHOUSE_TEST_PG_URL that is already set is used as it is, and no cluster is started.
set -euo pipefail

if [ -n "${POSTHOUSE_TEST_PG_URL:-}" ]; then
	if [ $# -eq 0 ]; then
		echo "$POSTHOUSE_TEST_PG_URL"
		exit 0
	fi
	exec "$@"
fi

# runuser is outside the PATH of some shells.
PATH=$PATH:/usr/sbin:/sbin
# The newest installed server binaries.
bin=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1 || true)
bin=${bin:-$(command -v initdb || true)}
if [ -z "$bin" ]; then
	echo "test-postgres: no PostgreSQL server binaries found. Install the package 'postgresql'." >&2
	exit 1
fi
bin=$(dirname "$(readlink -f "$bin")")

dir=$(mktemp -d "${TMPDIR:-/tmp}/posthouse-pg.XXXXXX")
# The server refuses to run as root.
run_as=()
if [ "$(id -u)" -eq 0 ]; then
	chown postgres "$dir"
	run_as=(runuser -u postgres --)
fi

stop() {
	trap - EXIT INT TERM
	(cd "$dir" && "${run_as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop) >/dev/null 2>&1 || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	echo "test-postgres: $1" >&2
	cat "$dir/log" >&2 2>/dev/null || true
	exit 1
}

cd "$dir"
"${run_as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/initdb.log" 2>&1 ||
	{ cat "$dir/initdb.log" >&2; fail "initdb failed"; }
cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$dir'
max_connections = 400
shared_buffers = 128MB
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum_naptime = 5min
log_min_messages = fatal
CONF

# A free port is only known to be free by taking it: try a few.
url=
for _ in 1 2 3 4 5 6 7 8; do
	port=$((20000 + RANDOM % 12000))
	if "${run_as[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -o "-p $port" -w -t 60 start >/dev/null 2>&1; then
		url="postgres://postgres@127.0.0.1:$port/postgres"
		break
	fi
done
[ -n "$url" ] || fail "the server did not start"
cd "$OLDPWD"

export POSTHOUSE_TEST_PG_URL="$url"
if [ $# -eq 0 ]; then
	echo "$url"
	# Until a signal arrives; `wait` lets the trap run at once.
	while :; do
		sleep 3600 &
		wait $!
	done
fi
status=0
"$@" || status=$?
exit "$status"
