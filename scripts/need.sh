#!/usr/bin/env bash
# need.sh build|lint|test|web|screenshots|bench|instructions|pictures|sbom|ml: installs what the step needs and is missing: packages with
# apt, tools from npm and PyPI in .tools, and the packages of the dashboard in web/node_modules. Prints nothing and changes nothing if all are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# Server programs are often not in the PATH of ordinary users.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
missing=()

# want COMMAND PACKAGE: adds the package if the command is not found.
want() {
	command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}

# Debian installs the PostgreSQL server programs outside of PATH.
want_postgres() {
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null 2>&1 || missing+=(postgresql)
}

# want_checked COMMAND... -- PACKAGE...: adds the packages if the command fails.
want_checked() {
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	"${command[@]}" >/dev/null 2>&1 || missing+=("$@")
}

# The Python of the documentation's examples needs httpx: the first python3 of the PATH, or Debian's.
have_httpx() {
	python3 -c 'import httpx' || /usr/bin/python3 -c 'import httpx'
}

# Vite needs Node 20.19. Debian 12 has Node 18: there, Node comes from npm, like other tools.
have_node() {
	node -e 'const [major, minor] = process.versions.node.split(".").map(Number)
process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
}

want_node() {
	want node nodejs
	want npm npm
}

want_browser() {
	command -v chromium >/dev/null 2>&1 || want chromium-headless-shell chromium-headless-shell
}

want_python() {
	want python3 python3
	want_checked python3 -c 'import ensurepip, venv' -- python3-venv
}

case "${1:-}" in
build | lint | test | web | screenshots | bench | sbom)
	if ! command -v cargo >/dev/null 2>&1; then
		echo "need: cargo not found. Install Rust 1.95 or newer (https://rustup.rs) and try again." >&2
		exit 1
	fi
	# SQLite, zstd and the TLS library are compiled from C sources.
	want cc build-essential
	;;&
lint)
	want_node
	want_python
	;;
web) want_node ;;
instructions)
	want python3 python3
	want callgrind_control valgrind
	;;
test)
	want_postgres
	want_python
	want curl curl
	want swaks swaks
	want jq jq
	want_node
	want_browser
	want_checked have_httpx -- python3-httpx
	want pebble pebble
	# What clients for Java and Go are compiled with.
	want javac default-jdk-headless
	want_checked test -e /usr/share/java/httpmime.jar -- libhttpmime-java
	want_checked test -e /usr/share/java/geronimo-annotation-1.3-spec.jar -- libgeronimo-annotation-1.3-spec-java
	want go golang-go
	want_checked test -e /usr/share/gocode/src/gopkg.in/validator.v2 -- golang-gopkg-validator.v2-dev
	# A zone file checker, and two independent DKIM verifiers.
	want named-checkzone bind9-utils
	want_checked /usr/bin/python3 -c 'import dkim, nacl' -- python3-dkim python3-nacl
	want_checked /usr/bin/perl -MMail::DKIM -e 1 -- libmail-dkim-perl
	# swaks only recommends it, and can't use TLS without it.
	want_checked /usr/bin/perl -MNet::SSLeay -e 1 -- libnet-ssleay-perl
	;;
bench)
	want_postgres
	want curl curl
	want wrk wrk
	want smtp-source postfix
	want opendkim opendkim
	;;
screenshots)
	want_node
	want_browser
	want pngquant pngquant
	;;
pictures)
	want_python
	want curl curl
	want swaks swaks
	want jq jq
	;;
sbom) want python3 python3 ;;
ml)
	want_python
	want git git
	want npm npm
	;;
build) ;;
*)
	echo "usage: need.sh build|lint|test|web|screenshots|bench|pictures|sbom|ml" >&2
	exit 2
	;;
esac

# Tools are pinned by lock files with hashes. A copy of the lock file marks what is installed, so that later runs need
# no network.

# npm_tools NAME: installs scripts/NAME/package-lock.json in .tools/NAME.
npm_tools() {
	local from=scripts/$1 to=.tools/$1
	cmp -s "$from/package-lock.json" "$to/installed" && return
	echo "need: installing $from/package-lock.json in $to" >&2
	rm -rf "$to"
	mkdir -p "$to"
	cp "$from/package.json" "$from/package-lock.json" "$to/"
	npm ci --prefix "$to" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null </dev/null
	cp "$from/package-lock.json" "$to/installed"
}

# node_tool: installs Node in .tools/node if the system's is too old.
node_tool() {
	have_node >/dev/null 2>&1 && return
	npm_tools node
	local from
	from=$(compgen -G '.tools/node/node_modules/node-linux-*/bin') || {
		echo "need: Node 20.19 or newer not found. Install it and try again." >&2
		exit 1
	}
	ln -sfn "$PWD/$from" .tools/node/bin
}

# web_packages: installs the packages of the dashboard in web/node_modules.
web_packages() {
	node_tool
	cmp -s web/package-lock.json web/node_modules/.installed && return
	echo "need: installing web/package-lock.json in web/node_modules" >&2
	PATH="$PWD/.tools/node/bin:$PATH" npm ci --prefix web --ignore-scripts --no-audit --no-fund --no-update-notifier \
		--loglevel=error >/dev/null </dev/null
	cp web/package-lock.json web/node_modules/.installed
}

# python_tools NAME: installs scripts/python/NAME.txt in the virtual environment .tools/python-NAME. NAME.in has the
# direct dependencies: pip-compile --generate-hashes NAME.in writes NAME.txt.
python_tools() {
	local from=scripts/python/$1.txt to=.tools/python-$1
	cmp -s "$from" "$to/installed" && return
	echo "need: installing $from in $to" >&2
	python3 -m venv --clear "$to"
	"$to/bin/pip" install --quiet --disable-pip-version-check --no-input --require-hashes -r "$from" </dev/null
	cp "$from" "$to/installed"
}

finish() {
	case $1 in
	lint)
		npm_tools prose
		python_tools lint
		web_packages
		;;
	test)
		python_tools schemathesis
		python_tools clients
		npm_tools openapi-clients
		python_tools relying-parties
		npm_tools relying-parties
		python_tools mcp-clients
		npm_tools mcp-clients
		npm_tools mcp-conformance
		web_packages
		;;
	web | screenshots) web_packages ;;
	pictures) python_tools pictures ;;
	ml) python_tools ml ;;
	esac
}

if [ "${#missing[@]}" -eq 0 ]; then
	finish "$1"
	exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "need: missing packages: ${missing[*]}. Install them as root, or install sudo, and try again." >&2
		exit 1
	fi
	as_root=(sudo)
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "need: missing packages: ${missing[*]}, and apt-get was not found. Install them and try again." >&2
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
	echo "need: apt-get failed to install ${missing[*]}; see its output above." >&2
	exit 1
fi
finish "$1"
