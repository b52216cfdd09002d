#!/usr/bin/env bash
# ml.sh train: fetches the data of ml/sources.tsv, builds the vectors of the vocabulary, and writes
# crates/categoriser/model/builtin.bin and the answers for the parity test.
# ml.sh eval: measures that file. On one core, with the same kernels on every x86-64 machine, so that the bytes are the same.
set -euo pipefail
cd "$(dirname "$0")/.."

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell PYTHONHASHSEED=0
python=${POSTHOUSE_ML_PYTHON:-$PWD/.tools/python-ml/bin/python}
work=target/ml
model=crates/categoriser/model/builtin.bin
mkdir -p "$work"
cargo build --quiet --locked --release -p posthouse-categoriser --example categorise

case ${1:-} in
train)
	"$python" ml/fetch.py
	[ -e "$work/base.bin" ] || "$python" ml/vocabulary.py "$work/base.bin"
	"$python" ml/train.py "$work/base.bin" "$work/builtin.bin"
	cp "$work/builtin.bin" "$model"
	"$python" ml/parity.py "$model" crates/categoriser/tests/parity.jsonl
	;;
eval)
	"$python" ml/fetch.py measure
	if [ -e "$work/builtin.bin.unseen.json" ]; then
		"$python" ml/evaluate.py "$model" "$work/builtin.bin.unseen.json"
	else
		"$python" ml/evaluate.py "$model"
	fi
	;;
*)
	echo "usage: ml.sh train|eval" >&2
	exit 2
	;;
esac
