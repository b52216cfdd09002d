#!/usr/bin/env bash
# lint.sh: formatting, clippy, rustdoc and, where it is installed, cargo-deny. Any warning is a failure.
# The rules of this house (lengths, imports, homes, licences) are tests: crates/tests/tests/it/contracts/house_rules.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "== format"
cargo fmt --all --check

echo "== clippy"
cargo clippy --locked --workspace --all-targets -- -D warnings

echo "== rustdoc"
# Reads the same metadata as clippy, so the dependencies are not built again.
RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet

if cargo deny --version >/dev/null 2>&1; then
	echo "== cargo deny"
	cargo deny --offline --locked check licenses bans sources
fi
