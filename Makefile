# Waybill: `make help` lists what there is. Every target first sees to the packages it needs.
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.DEFAULT_GOAL := help
SHELL := /bin/bash

JOBS ?= $(shell nproc)
export JOBS

SECONDS ?= 60
INPUT ?= examples/payments/requests.jsonl
SPEED ?=
CLOCK ?=
SEED ?=
export INPUT SPEED CLOCK SEED
PREFIX ?= /usr/local
ALL ?=

.PHONY: help
help: ## this table
	@scripts/help.sh $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: ## the payments service on real input; INPUT=file.jsonl SPEED=10 CLOCK=virtual
	@scripts/setup.sh build
	@scripts/build.sh default demo
	@build/bin/demo --input "$$INPUT" $${SPEED:+--speed "$$SPEED"} $${CLOCK:+--clock "$$CLOCK"}

.PHONY: demo-kill
demo-kill: ## kills a service with -9 while 20 retries wait on a real RabbitMQ 3.10, and counts; SEED=7
	@scripts/setup.sh build brokers
	@scripts/build.sh default kill_demo
	@scripts/demo_kill.py $${SEED:+--seed "$$SEED"}

.PHONY: test
test: ## unit tests, the examples' tests, programs that must not compile, checks of the tree, RabbitMQ 3.10
	@scripts/setup.sh test brokers
	@scripts/build.sh default tests
	@scripts/test.sh test default -LE long

.PHONY: unit
unit: ## only the tests that need no server and no compiler
	@scripts/setup.sh test
	@scripts/build.sh default tests
	@scripts/test.sh unit default -L unit

.PHONY: test-all
test-all: ## what is too long for `make test`: sanitizers, install, exact figures, RabbitMQ 4.0 and 4.3
	@scripts/setup.sh test brokers bench sanitize
	@scripts/test_all.sh

.PHONY: fuzz
fuzz: ## the codecs under libFuzzer; SECONDS=60 for each target, JOBS=2 at a time
	@scripts/setup.sh sanitize
	@scripts/build.sh fuzz fuzzers
	@scripts/fuzz.py --seconds '$(SECONDS)' --jobs '$(if $(filter file,$(origin JOBS)),2,$(JOBS))'

.PHONY: build
build: ## the libraries, the examples and the command build/bin/waybill, into build/
	@scripts/setup.sh build
	@scripts/build.sh default all

.PHONY: bench-exact
bench-exact: ## instructions, allocations and bytes per message against baseline and targets
	@scripts/setup.sh bench brokers
	@scripts/build.sh default bench_exact_run bench_rabbitmq
	@scripts/bench_exact.py

.PHONY: bench
bench: ## rates and times on this machine
	@scripts/setup.sh bench brokers
	@scripts/build.sh default benches
	@status=0; for bench in $(filter-out exact rabbitmq,$(basename $(notdir $(wildcard bench/*.cpp)))); do \
	    echo "$$bench"; build/bin/bench_$$bench || status=1; done; \
	    echo rabbitmq; scripts/bench_rabbitmq.py || status=1; exit $$status

.PHONY: check
check: ## format, clang-tidy on what changed (ALL=1: everything), layers
	@scripts/setup.sh check
	@scripts/build.sh default
	@scripts/check.sh $(if $(ALL),--all)

.PHONY: format
format: ## rewrites the sources in the house format
	@scripts/setup.sh format
	@git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.h' | xargs -0r clang-format-19 -i

.PHONY: reference
reference: ## the reference of the public headers and these documents, as HTML, into build/reference
	@scripts/setup.sh reference
	@scripts/reference.sh

.PHONY: install
install: ## libraries, headers, find_package(waybill), pkg-config; PREFIX=/usr/local
	@scripts/setup.sh build
	@scripts/build.sh default all
	@cmake --install build --prefix '$(abspath $(PREFIX))' > build/install.log || { cat build/install.log; exit 1; }
	@echo "Installed in $(abspath $(PREFIX)). Next, in a project that uses it:"
	@echo "  CMake:      find_package(waybill) in CMakeLists.txt, and cmake -DCMAKE_PREFIX_PATH=$(abspath $(PREFIX)) ..."
	@echo "  pkg-config: export PKG_CONFIG_PATH=$(abspath $(PREFIX))/lib/pkgconfig; pkg-config --cflags --libs waybill"

.PHONY: deb
deb: ## Debian packages, into build-deb/
	@scripts/setup.sh deb
	@scripts/deb.sh

.PHONY: test-deb
test-deb: ## installs the Debian packages on a new Debian 12 and uses them there; takes root
	@scripts/setup.sh deb fresh
	@tests/install/deb.sh

.PHONY: clean
clean: ## removes what was built
	@rm -rf build build-asan build-tsan build-shared build-fuzz build-deb compile_commands.json
