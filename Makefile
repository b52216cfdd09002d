# The commands of this repository. `make` alone prints them.
# Each target installs missing tools itself (Debian, as root or with sudo). Only the Rust toolchain must already be
# installed.

SHELL := /usr/bin/env bash
# Where rustup installs cargo, for shells that don't have it in PATH yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
.DEFAULT_GOAL := help
.PHONY: help build run test lint fmt error-texts fuzz fuzz-nightly properties sbom bench cost eval train instructions kills obedient pictures web screenshots

# Passed to the command: make run ARGS="--data-dir /tmp/posthouse", make test ARGS=threading
ARGS ?=
FUZZ_SECONDS ?= 60
FUZZ_HOURS ?= 8
KILLS ?= 1000
PROPERTY_CASES ?= 4096

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the release binary, target/release/posthouse
	@scripts/need.sh build
	cargo build --locked --release --bin posthouse

run: build ## Build and start the server without a configuration file
	target/release/posthouse serve $(ARGS)

test: ## Run all tests on SQLite and on PostgreSQL
	@scripts/need.sh test
	@scripts/test.sh $(ARGS)

lint: ## Check formatting, prose, the dashboard, dependencies, clippy and rustdoc
	@scripts/need.sh lint
	@scripts/lint.sh

fmt: ## Format the code
	cargo fmt --all

error-texts: ## Print every message, fix and SMTP reply of the sources (docs/reference/errors.md has the codes)
	@scripts/need.sh build
	@mkdir -p target
	@POSTHOUSE_ERROR_TEXTS="$(CURDIR)/target/error-texts.md" cargo test --locked --quiet -p posthouse-tests --test it \
		every_refusal_has_a_text >&2
	@cat target/error-texts.md

web: ## Build the dashboard again after a change of web/ or of the API
	@scripts/need.sh web
	cargo build --locked --bin posthouse
	scripts/web.sh build

screenshots: ## Take the screenshots of docs/DASHBOARD.md again
	@scripts/need.sh screenshots
	cargo build --locked --bin posthouse
	scripts/web.sh screenshots

properties: ## Run the property tests with PROPERTY_CASES new cases each (4096)
	@scripts/need.sh build
	PROPTEST_CASES=$(PROPERTY_CASES) cargo test --locked --workspace --exclude posthouse-tests --lib

fuzz: ## Run each fuzz target for FUZZ_SECONDS seconds (60)
	@scripts/need.sh build
	@scripts/fuzz.sh $(FUZZ_SECONDS)

fuzz-nightly: ## Run all fuzz targets for FUZZ_HOURS hours (8) in all, and print their coverage
	@scripts/need.sh build
	@scripts/fuzz-nightly.sh $(FUZZ_HOURS)

sbom: ## Write the software bill of materials, target/sbom/posthouse.cdx.json
	@scripts/need.sh sbom
	@scripts/sbom.py

cost: ## Measure what mails of all shapes up to 10 MB cost to receive, to view and to screen
	@scripts/need.sh build
	POSTHOUSE_COST=all cargo test --locked --release -p posthouse-mail -p posthouse-screen --test cost -- --nocapture

kills: ## Kill the server and MCP clients KILLS (1000) times at random moments
	@scripts/need.sh build
	POSTHOUSE_KILLS=$(KILLS) cargo test --locked -p posthouse-tests --test it mcp_events_crash -- --nocapture

obedient: ## Attack an agent that obeys its mail over every path, and count held ordinary mail (the whole trial)
	@scripts/need.sh build
	POSTHOUSE_OBEDIENT=full cargo test --locked --release -p posthouse-tests --test it obedient -- --nocapture

bench: ## Run the benchmarks (docs/benchmarks.md)
	@scripts/need.sh bench
	@bench/run.sh $(ARGS)

eval: ## Measure the built-in model on data that it was not trained on
	@scripts/need.sh ml
	@scripts/ml.sh eval

train: ## Train the built-in model again, from the fetched data
	@scripts/need.sh ml
	@scripts/ml.sh train

instructions: ## Compare the instructions per operation of two programs: ARGS="BEFORE NOW"
	@scripts/need.sh instructions
	python3 bench/instructions.py $(ARGS)

pictures: build ## Draw the pictures of the pages again: the terminal session, the charts
	@scripts/need.sh pictures
	.tools/python-pictures/bin/python scripts/terminal_picture.py target/release/posthouse docs/pictures/terminal.svg
	.tools/python-pictures/bin/python bench/charts.py
