# `make` alone explains itself.
PYTHON ?= python3
BIN := .venv/bin
PROTOS := $(shell find protos -name '*.proto')
GENERATED := .cache/protos-generated
GIT_DIR := $(shell git rev-parse --git-common-dir 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help setup protos run demo wheel test debs check format bench soak lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv with everything pinned; needs Python 3.11 or later, nothing else
	@$(PYTHON) tools/bootstrap.py
	@$(MAKE) --silent $(GENERATED)

protos: setup ## generate the protobuf code (part of setup)

run: setup ## start the whole system here, until Ctrl-C
	@$(BIN)/python -m videau up

demo: setup ## play and verify a match against the system that `make run` started
	@$(BIN)/python -m videau demo

wheel: setup ## dist/videau-*.whl: whoever checks a match needs this and no more
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

test: setup check ## everything that CI runs
	$(BIN)/python -m pytest

debs: ## install the Debian packages that some tests compare with (as root): gnubg, nodejs
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends gnubg
	command -v node >/dev/null || apt-get install -y -qq --no-install-recommends nodejs

check: setup ## style, types, direction of imports, protos: no test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd protos && ../$(BIN)/buf lint && ../$(BIN)/buf format --diff --exit-code
	@if [ -n "$(GIT_DIR)" ] && git cat-file -e main:protos 2>/dev/null; then \
		echo "$(BIN)/buf breaking protos against main"; \
		cd protos && ../$(BIN)/buf breaking --against "$(abspath $(GIT_DIR))#branch=main,subdir=protos"; \
	else echo "buf breaking: there is no main to compare with"; fi

format: setup ## bring code and protos into shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	cd protos && ../$(BIN)/buf format --write

bench: setup ## measure for six minutes: plays, folds, a hundred matches at once, ghosts, proofs, flags
	@$(BIN)/python -m tests.bench

SOAK ?= kills
soak: setup ## ten minutes in which parts of the system are killed; SOAK=timers: absences by the wall clock
	@$(BIN)/python -m tests.soak $(SOAK)

lock: setup ## bring requirements.lock in line with pyproject.toml
	@rm -rf .cache/lock && $(BIN)/python -m venv --without-pip .cache/lock
	@$(BIN)/python -m pip --python .cache/lock install --quiet --disable-pip-version-check uv
	@.cache/lock/bin/uv pip compile pyproject.toml --quiet --extra server --extra engine --extra plot --group dev \
		--python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url -o requirements.lock

clean: ## remove all that make made, except data
	rm -rf .venv .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
	find videau -name '*_pb2*' -delete

$(GENERATED): $(PROTOS) requirements.lock
	@echo "generating protobuf code"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I protos --python_out=. \
		--grpc_python_out=. --mypy_out=quiet:. --mypy_grpc_out=quiet,only_async:. $(PROTOS)
	@mkdir -p $(@D) && touch $@
