#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: runs each target in fuzz/ (or only the named ones) for SECONDS.
#
# Uses the stable toolchain with coverage instrumentation. The code under test contains no `unsafe`, so the address
# sanitizer of a nightly toolchain wouldn't find more. `cargo fuzz` works on the same targets.
#
# With FUZZ_SEED, every target starts from that seed, so that a run depends on the code and not on chance.
#
# Failing inputs are stored in fuzz/artifacts/TARGET. To rerun one: fuzz/target/*/release/TARGET FILE
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: fuzz.sh SECONDS [TARGET...]}
shift
# The longest input in bytes, and the longest time per input in seconds.
input_bytes_max=65536
input_seconds_max=10
# 0 takes a random seed.
seed=${FUZZ_SEED:-0}

if [ $# -gt 0 ]; then
	targets=("$@")
else
	targets=()
	for file in fuzz/fuzz_targets/*.rs; do
		targets+=("$(basename "$file" .rs)")
	done
fi

host=$(rustc -vV | awk '/^host:/ { print $2 }')
export RUSTFLAGS="--cfg fuzzing -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
-C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table \
-C llvm-args=-sanitizer-coverage-trace-compares -C debug-assertions -C codegen-units=1"
# --target excludes build scripts and macros from the instrumentation.
cargo build --locked --manifest-path fuzz/Cargo.toml --target-dir fuzz/target --release --target "$host" --bins

# Each fuzzer uses one core, so run as many targets in parallel as there are cores.
fuzz() {
	local target=$1 log seeds=() status=0
	mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
	[ -d "fuzz/seeds/$target" ] && seeds=("fuzz/seeds/$target")
	log=$(mktemp)
	if "fuzz/target/$host/release/$target" "fuzz/corpus/$target" "${seeds[@]}" \
		-max_total_time="$seconds" -max_len="$input_bytes_max" -timeout="$input_seconds_max" \
		-seed="$seed" -artifact_prefix="fuzz/artifacts/$target/" >"$log" 2>&1; then
		echo "fuzz $target: $(tail -n 1 "$log")"
	else
		tail -n 60 "$log" >&2
		echo "fuzz: $target failed; the input is in fuzz/artifacts/$target" >&2
		status=1
	fi
	rm -f "$log"
	return "$status"
}
export -f fuzz
export host seconds input_bytes_max input_seconds_max seed
echo "== fuzz ${targets[*]}, $seconds s each"
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I {} bash -c 'fuzz "$1"' _ {}
