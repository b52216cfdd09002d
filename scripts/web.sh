#!/usr/bin/env bash
# web.sh check|test|build|screenshots [BINARY]: the dashboard in web/.
#
#   check   Checks types, ESLint and Prettier.
#   test    Runs its unit tests, compares web/openapi.json and web/dist with fresh ones, and runs the browser tests against
#           BINARY on SQLite with an empty data directory.
#   build   Writes web/openapi.json and the API types from BINARY, and builds web/dist.
#   screenshots  Takes the pictures in docs/screenshots.
#
# BINARY is target/debug/posthouse by default. `scripts/need.sh lint` and `need.sh test` install Node and the packages.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
binary=$(realpath "${2:-target/debug/posthouse}" 2>/dev/null || true)
# Where need.sh installs Node if the system has none that is new enough.
export PATH="$root/.tools/node/bin:$PATH"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
cd web

# run NAME ARGUMENT...: runs a program of web/node_modules.
run() {
	local name=$1
	shift
	"node_modules/.bin/$name" "$@"
}

case ${1:-} in
check)
	run svelte-check --tsconfig ./tsconfig.json --fail-on-warnings
	run tsc --noEmit
	run tsc --noEmit --strict --target es2022 --module nodenext --types node --typeRoots node_modules/@types \
		../crates/tests/verifiers/*.ts
	run eslint .
	run prettier --check --log-level warn .
	;;
test)
	NO_COLOR=1 run vitest run --reporter=dot
	POSTHOUSE_BINARY=$binary node scripts/types.mjs --check || {
		echo "web: the API changed: run 'make web' and commit web/." >&2
		exit 1
	}
	run vite build --outDir "$fresh/dist" --emptyOutDir --logLevel warn
	diff -r dist "$fresh/dist" >"$fresh/difference" || {
		head -c 2000 "$fresh/difference" >&2
		echo "web: web/dist is not what its sources build: run 'make web' and commit web/dist." >&2
		exit 1
	}
	POSTHOUSE_BINARY=$binary node browser/run.mjs
	;;
build)
	POSTHOUSE_BINARY=$binary node scripts/types.mjs
	run vite build --logLevel warn
	;;
screenshots)
	POSTHOUSE_BINARY=$binary node browser/shots.mjs
	;;
*)
	echo "usage: web.sh check|test|build|screenshots [BINARY]" >&2
	exit 2
	;;
esac
