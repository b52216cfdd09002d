# The commands of this repository. `make` alone prints them.
# Everything a target needs is installed by it when missing (Debian, as root or with sudo); the Rust toolchain must be there.

SHELL := /usr/bin/env bash
# Where rustup puts cargo, for shells that do not know it yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
.DEFAULT_GOAL := help
.PHONY: help build run test lint fmt fuzz bench

# What is handed on: make run ARGS="--data-dir /tmp/posthouse", make test ARGS=threading
ARGS ?=
FUZZ_SECONDS ?= 60

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the release binary, target/release/posthouse
	@scripts/need.sh build
	cargo build --locked --release --bin posthouse

run: build ## Build and start the service with no configuration
	target/release/posthouse serve $(ARGS)

test: ## Run every test on SQLite and on PostgreSQL
	@scripts/need.sh test
	@scripts/test.sh $(ARGS)

lint: ## Formatting, clippy, rustdoc, dependency licences
	@scripts/need.sh build
	@scripts/lint.sh

fmt: ## Format the code
	cargo fmt --all

fuzz: ## Run each fuzz target for FUZZ_SECONDS (60)
	@scripts/need.sh build
	@scripts/fuzz.sh $(FUZZ_SECONDS)

bench: ## Measure against the peers (docs/benchmarks.md)
	@scripts/need.sh bench
	@bench/run.sh $(ARGS)
