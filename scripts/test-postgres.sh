#!/usr/bin/env bash
# test-postgres.sh COMMAND...: runs COMMAND with POSTHOUSE_TEST_PG_URL set to a temporary PostgreSQL cluster. Without a
# command, prints the URL and keeps the cluster until interrupted.
#
# The cluster doesn't flush to disk, trusts all connections from loopback, and is removed at the end. If
# POSTHOUSE_TEST_PG_URL is already set, it is used and no cluster is started.
set -euo pipefail

if [ -n "${POSTHOUSE_TEST_PG_URL:-}" ]; then
	if [ $# -eq 0 ]; then
		echo "$POSTHOUSE_TEST_PG_URL"
		exit 0
	fi
	exec "$@"
fi

# runuser is not in the PATH of some shells.
PATH=$PATH:/usr/sbin:/sbin
# Use the newest installed server programs.
bin=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1 || true)
bin=${bin:-$(command -v initdb || true)}
if [ -z "$bin" ]; then
	echo "test-postgres: PostgreSQL server programs not found. Install the package 'postgresql'." >&2
	exit 1
fi
bin=$(dirname "$(readlink -f "$bin")")

# Each test creates a database of several hundred files, which is eight times as fast in memory as on some disks.
scratch=${TMPDIR:-/tmp}
free_kib_min=$((4 * 1024 * 1024))
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -ge "$free_kib_min" ]; then
	scratch=/dev/shm
fi
dir=$(mktemp -d "$scratch/posthouse-pg.XXXXXX")
# PostgreSQL refuses to run as root.
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
max_wal_size = 256MB
autovacuum_naptime = 5min
log_min_messages = fatal
CONF

# There is no race-free way to find a free port, so try a few.
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
	# Wait for a signal; with `wait`, the trap runs immediately.
	while :; do
		sleep 3600 &
		wait $!
	done
fi
status=0
"$@" || status=$?
exit "$status"
