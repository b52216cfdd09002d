#!/usr/bin/env bash
# lint.sh: checks formatting, prose, the dashboard, dependencies, clippy and rustdoc. Any warning is a failure. Further
# rules (lengths, imports, module boundaries) are tests: crates/tests/tests/it/contracts/layout_rules.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "== format"
cargo fmt --all --check

echo "== prose"
scripts/prose.sh

echo "== dashboard"
scripts/web.sh check

echo "== dependencies"
# fuzz/ has a lock file of its own, and a new dependency of a crate that it uses belongs in both.
cargo metadata --locked --manifest-path fuzz/Cargo.toml --format-version 1 >/dev/null
# Their licenses, sources and bans. The advisory database is on the internet; without it, that check is skipped.
export PATH="$PWD/.tools/python-lint/bin:$PATH"
cargo deny --log-level error --locked check --hide-inclusion-graph licenses bans sources
if cargo deny --log-level error fetch db >/dev/null 2>&1; then
	cargo deny --log-level error --locked check --hide-inclusion-graph --disable-fetch advisories
else
	echo "lint: skipped the check for published vulnerabilities: the RustSec advisory database can't be fetched"
fi

echo "== clippy"
cargo clippy --locked --workspace --all-targets -- -D warnings

echo "== rustdoc"
# Uses the same metadata as clippy, so dependencies are not built again.
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
