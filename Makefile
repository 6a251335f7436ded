# Every target says in its own line what it does; `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The first interpreter that is new enough and can make an environment; `make test PYTHON=python3.13` chooses.
USABLE := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(USABLE)' >/dev/null 2>&1 && echo $$p && break; done)
JOBS ?= 2
TESTS ?= tests

ENVS := .venvs
TEST := $(ENVS)/test
DEMO := $(ENVS)/demo
RIVAL := $(ENVS)/rival
LOCK := $(ENVS)/lock
WORKSPACE := demo-workspace

export PIP_DISABLE_PIP_VERSION_CHECK := 1
INSTALL = bin/python -m pip install --quiet --no-input

.PHONY: help demo test lint format walls types bench bench-smoke picture lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(DEMO)/.ready ## run the three example targets and see what the gate rules on them
	@rm -rf $(WORKSPACE)
	@$(DEMO)/bin/fiel demo --dir $(WORKSPACE)

test: $(TEST)/.ready ## run the tests (TESTS=path narrows them, JOBS=n sets the processes)
	@$(TEST)/bin/python -m pytest -n $(JOBS) $(TESTS)

lint: $(TEST)/.ready ## check style, formatting, types, file lengths and names
	@$(TEST)/bin/ruff check
	@$(TEST)/bin/ruff format --check
	@$(TEST)/bin/python tools/check_house.py
	@$(MAKE) types

types: $(TEST)/.ready ## check the types, strictly
	@$(TEST)/bin/mypy

format: $(TEST)/.ready ## rewrite the code in the house's format
	@$(TEST)/bin/ruff check --fix --exit-zero
	@$(TEST)/bin/ruff format

walls: $(TEST)/.ready ## check that no room imports what it must not
	@PYTHONPATH=src $(TEST)/bin/lint-imports --no-logo

bench: $(TEST)/.ready $(RIVAL)/.ready ## measure fiel beside its yardsticks, and hold it to its limits
	@$(TEST)/bin/python bench/run.py

bench-smoke: $(TEST)/.ready ## the same in small sizes, for machines that do other things too
	@$(TEST)/bin/python bench/run.py --smoke

picture: $(TEST)/.ready ## draw the picture in the README anew, from a real run
	@$(TEST)/bin/python tools/picture.py

lock: ## choose the versions anew and write requirements/*.lock (the only target that uses uv)
	@test -x $(LOCK)/bin/uv || { $(PYTHON) -m venv $(LOCK) && $(LOCK)/$(INSTALL) uv; }
	@compile() { $(LOCK)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate "$$@"; }; \
	compile pyproject.toml -o requirements/runtime.lock; \
	compile --group build -c requirements/runtime.lock -o requirements/build.lock; \
	compile pyproject.toml --extra pytest --group test -c requirements/runtime.lock -o requirements/test.lock; \
	compile --group bench -o requirements/bench.lock

clean: ## remove the environments, caches and what the demo wrote
	rm -rf $(ENVS) $(WORKSPACE) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment is made anew when its lock changes; fiel itself is put in again when pyproject.toml does too.
$(TEST)/.locked: requirements/test.lock
$(DEMO)/.locked: requirements/runtime.lock requirements/build.lock
$(RIVAL)/.locked: requirements/bench.lock
$(ENVS)/%/.locked:
	@test -n "$(PYTHON)" || { echo "fiel needs Python 3.11 or newer with venv; none was found" >&2; exit 1; }
	@echo "making $(@D) (once)"
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/$(INSTALL) --require-hashes $(patsubst %,-r %,$^)
	@touch $@

$(ENVS)/%/.ready: $(ENVS)/%/.locked pyproject.toml
	@$(@D)/$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# The rival that the benchmark runs beside fiel has an environment without it.
$(RIVAL)/.ready: $(RIVAL)/.locked
	@touch $@

.PRECIOUS: $(ENVS)/%/.locked $(ENVS)/%/.ready
