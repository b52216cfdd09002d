#!/bin/sh
# A throwaway PostgreSQL cluster from the installed binaries: unix socket only, no fsync, removed at the end.
#
# Prints the URL, then runs the commands start, stop and crash from standard input and prints "done" after each. The end
# of the input stops the cluster. scripts/test-postgres.sh starts one cluster for a whole run; this one can be stopped
# in the middle of a test. Started by root, the cluster runs as the user postgres, because PostgreSQL refuses to run as
# root.
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -n | tail -n 1)
[ -n "$bin" ] || { echo "no PostgreSQL under /usr/lib/postgresql (apt-get install postgresql)" >&2; exit 1; }
dir=$(mktemp -d /tmp/posthouse-pg.XXXXXX)
as=""
if [ "$(id -u)" = 0 ]; then
    chown postgres "$dir"
    as="runuser -u postgres --"
fi
cd /

# POSTHOUSE_TEST_PG_PORT: also listen on that port of 127.0.0.1. POSTHOUSE_TEST_PG_TLS: a directory with server.crt and
# server.key, which enable TLS on that port.
where="-c listen_addresses="
if [ -n "${POSTHOUSE_TEST_PG_PORT:-}" ]; then
    where="-c listen_addresses=127.0.0.1 -c port=$POSTHOUSE_TEST_PG_PORT"
fi
if [ -n "${POSTHOUSE_TEST_PG_TLS:-}" ]; then
    cp "$POSTHOUSE_TEST_PG_TLS/server.crt" "$POSTHOUSE_TEST_PG_TLS/server.key" "$dir"
    chmod 600 "$dir/server.key"
    [ -z "$as" ] || chown postgres "$dir/server.crt" "$dir/server.key"
    where="$where -c ssl=on -c ssl_cert_file=$dir/server.crt -c ssl_key_file=$dir/server.key"
fi

up() {
    $as "$bin/pg_ctl" -w -t 60 -D "$dir/data" -l "$dir/log" -o "-k $dir $where -c fsync=off \
        -c full_page_writes=off -c max_connections=500 -c shared_buffers=64MB" start >/dev/null
}
down() {
    $as "$bin/pg_ctl" -w -t 60 -D "$dir/data" -m "$1" stop >/dev/null 2>&1 || true
}
finish() {
    down immediate
    rm -rf "$dir"
}
trap finish EXIT
trap : INT TERM

# A locale that does not sort bytewise reveals a missing COLLATE "C".
$as "$bin/initdb" -D "$dir/data" -U postgres -A trust -N -E UTF8 --locale=C.UTF-8 --locale-provider=icu \
    --icu-locale=en-US >"$dir/initdb.log" 2>&1 || { cat "$dir/initdb.log" >&2; exit 1; }
up
url="postgres:///postgres?host=$dir&user=postgres"
echo "$url"
while read -r command; do
    case $command in
    start) up ;;
    stop) down fast ;;
    crash) down immediate ;;
    esac
    echo "done"
done
