#!/usr/bin/env bash
# need.sh build|test|bench: install by apt what that step needs and this machine lacks.
# Says nothing and changes nothing when everything is there.
set -euo pipefail

# Server programs are outside the PATH of ordinary users.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
missing=()

# want COMMAND PACKAGE: remember the package when the command is not found.
want() {
	command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}

# The server binaries of PostgreSQL live outside PATH on Debian.
want_postgres() {
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null 2>&1 || missing+=(postgresql)
}

# want_checked COMMAND... -- PACKAGE...: remember the packages when the command does not succeed.
want_checked() {
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	"${command[@]}" >/dev/null 2>&1 || missing+=("$@")
}

case "${1:-}" in
build | test | bench)
	if ! command -v cargo >/dev/null 2>&1; then
		echo "need: cargo was not found. Install Rust 1.95 or newer (https://rustup.rs) and run this again." >&2
		exit 1
	fi
	# SQLite, zstd and the TLS library are compiled from C.
	want cc build-essential
	;;&
test)
	want_postgres
	want curl curl
	want swaks swaks
	want pebble pebble
	# Zone files, and two verifiers of DKIM signatures that are not ours.
	want named-checkzone bind9-utils
	want_checked /usr/bin/python3 -c 'import dkim, nacl' -- python3-dkim python3-nacl
	want_checked /usr/bin/perl -MMail::DKIM -e 1 -- libmail-dkim-perl
	;;
bench)
	want_postgres
	want curl curl
	want wrk wrk
	want smtp-source postfix
	want opendkim opendkim
	;;
build) ;;
*)
	echo "usage: need.sh build|test|bench" >&2
	exit 2
	;;
esac

[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "need: missing ${missing[*]}, and neither root nor sudo is here. Install them and run this again." >&2
		exit 1
	fi
	as_root=(sudo)
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "need: missing ${missing[*]}, and this machine has no apt-get. Install them and run this again." >&2
	exit 1
fi

echo "need: installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
	"${as_root[@]}" apt-get -qq update </dev/null &&
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
			-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 install "${missing[@]}" </dev/null
}
if ! install >"$log" 2>&1; then
	cat "$log" >&2
	echo "need: apt-get could not install ${missing[*]} (its output is above)." >&2
	exit 1
fi
