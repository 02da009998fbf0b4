# Targets are the same here and in continuous integration. `make help` lists them.
#
# `make test` needs Rust and a C compiler, nothing else: no database server, no cargo-deny, no network once the
# crates are there.
#
# build, clippy and test use the same selection (`--workspace --all-targets`) on purpose. With `-p` cargo unifies
# features differently and builds the dependencies again, which costs minutes.

CARGO  ?= cargo
CORPUS ?=
ALL    := --workspace --all-targets --locked
XTASK  := $(CARGO) run --quiet --locked --package xtask --

.DEFAULT_GOAL := help
.PHONY: help build fmt fmt-check clippy unit doctest deps tidy rules contract readme guarantees guarantees-check test test-interop test-cluster test-cluster-faults test-cluster-node reference demo bench corpus fuzz mutants deny doc crds manifests explore-ci explore explore-faults

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build every crate and every target
	$(CARGO) build $(ALL)

fmt: ## Format the whole workspace
	$(CARGO) fmt --all

fmt-check: ## Fail when a file is not formatted
	$(CARGO) fmt --all -- --check

clippy: ## Lints, warnings denied
	$(CARGO) clippy $(ALL) -- -D warnings

# Some tests run programs of other packages, which only a build makes anew.
unit: build ## Every test but the documentation's
	$(CARGO) test $(ALL)

doctest: ## The examples in the documentation
	$(CARGO) test --workspace --doc --locked

deps: ## The crate graph: edges, purity, licences, engine names
	$(XTASK) deps

tidy: ## The house style: one rule a file in xtask/src/tidy/
	$(XTASK) tidy

rules: ## The rules of the provider boundary: each has tests that exist, or a reason
	$(XTASK) rules

contract: ## What was released of the provider contract keeps its shape
	$(XTASK) contract

readme: ## The README beside the SDK states the contract as the sources do
	$(XTASK) readme

guarantees: ## The page of guarantees names what it owes, and all of it exists
	$(XTASK) guarantees

guarantees-check: ## Without each enforcing function, the test that the page names fails (a scratch copy, minutes)
	$(XTASK) guarantees-check

test: fmt-check clippy unit doctest deps tidy rules contract readme guarantees ## All of the above: what must pass before a commit

test-interop: build ## Providers and hosts in Go and Python (needs both, and says so)
	./tests/interop/run.sh

test-cluster: build ## A real API server: definitions, the operator's commands, admission (needs Go and root, and says so)
	./tests/cluster/run.sh

test-cluster-faults: build ## The same for faults alone: every write of a manager, with every fault (many minutes)
	PTAH_EVERY_FAULT=1 ./tests/cluster/run.sh at_any_write without_an_answer

test-cluster-node: ## A whole node of it, once: Jobs, Services, DNS (needs runc and nftables besides)
	./tests/cluster/trial.sh

reference: ## Write the pages of the book that are made from the program
	PTAH_WRITE_REFERENCE=1 $(CARGO) test --locked --package ptah --lib --test it -- reference::
	PTAH_WRITE_REFERENCE=1 $(CARGO) test --locked --package ptah-conformance --test page
	$(XTASK) readme write

demo: build ## Show the product at work on a database of its own
	./demo/run.sh

bench: ## Measure, side by side with peers where they are there
	./bench/run.sh

corpus: build ## Run schemas that others wrote through the round trip: make corpus CORPUS=folder
	@test -n "$(CORPUS)" || { echo "make corpus needs a folder: make corpus CORPUS=folder" >&2; exit 2; }
	./tests/corpus.sh "$(CORPUS)"

fuzz: ## Any bytes for what the host reads from strangers: make fuzz T=60 (seconds for each target; needs a C++ compiler)
	T=$(or $(T),60) ./fuzz/run.sh

# Only what both sides run on every message: a change of it that no test notices is a promise that no test states.
mutants: ## Change the validators of the contract, one thing at a time: each must be noticed (needs cargo-mutants; minutes)
	@$(CARGO) mutants --version >/dev/null 2>&1 || { \
	  echo "cargo-mutants is missing. Install it with: cargo install --locked cargo-mutants@27.1.0" >&2; exit 2; }
	@mkdir -p target
	$(CARGO) mutants --package ptah-provider-api --jobs 1 --timeout 60 --output target --cargo-test-arg=--lib --cargo-test-arg=--tests

deny: ## Licences, banned crates and sources (needs cargo-deny)
	@$(CARGO) deny --version >/dev/null 2>&1 || { \
	  echo "cargo-deny is missing. Install it with: cargo install --locked cargo-deny@0.20.2" >&2; exit 2; }
	$(CARGO) deny --locked check --hide-inclusion-graph licenses bans sources

crds: ## Write deploy/crds/ from the code; a test compares them
	$(CARGO) run --quiet --locked --package ptah-crds --example crds -- deploy/crds

manifests: crds ## Write deploy/ and the pages of the book that are made from the same lists; a test compares them
	$(CARGO) run --quiet --locked --package ptah-admission --example manifests

doc: ## The documentation of the crates, warnings denied
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# The operator's core against a model of its world. The profile is a release build with the checks of a debug build.
EXPLORE := $(CARGO) run --quiet --locked --profile explore --package ptah-explore --

# Once, faulty cores were built into the same folder and taken for the real one. Without the sources that they came from Cargo
# builds anew.
FAULTY := target/explore-faults/crates

explore-ci: ## Explore every closed configuration of the operator's core, until nothing new is found
	@rm -rf $(FAULTY)
	$(EXPLORE) --limit 5000000 --seconds 1200

explore: ## The same with more faults, to ten million states a configuration
	@rm -rf $(FAULTY)
	$(EXPLORE) --deep --limit 10000000 --seconds 36000

explore-faults: ## Seed one fault after another into the operator's core: each must be found
	./crates/explore/faults/run.sh
