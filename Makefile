# Every target runs from a fresh clone: `make venv` first, then any other.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
LOCK   := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --no-emit-index-url pyproject.toml

.PHONY: help venv check format lint types imports test cover lock packages bench clean

help:            ## list the targets
	@sed -nE 's/^([a-z%-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

venv:            ## make .venv from the lock and install forsooth into it, editable
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .

check:           ## everything that CI runs, in CI's own environment
	.ci/run

format:          ## rewrite the code as the formatter and the fixable rules want it
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lint:            ## rules and format, without changing anything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:           ## pyright, strict
	$(BIN)/pyright --pythonpath $(BIN)/python

imports:         ## the direction of imports
	$(BIN)/lint-imports

test:            ## the tests; ARGS="-k brief" narrows them
	$(BIN)/python -m pytest -n 2 $(ARGS)

cover:           ## the tests with branch coverage and its gates
	$(BIN)/python -m pytest -n 2 --cov --cov-report= $(ARGS)
	$(BIN)/coverage report
	$(BIN)/coverage report --include='src/forsooth/core/*,src/forsooth/ledger/*,src/forsooth/receipts/*' --fail-under=100
	$(BIN)/coverage report --include='src/forsooth/judge/*,src/forsooth/git/*' --fail-under=95

lock:            ## choose versions anew; UPGRADE=--upgrade moves all of them
	$(LOCK) $(UPGRADE) -o requirements/runtime.txt
	$(LOCK) $(UPGRADE) --group dev -o requirements/dev.txt

packages:        ## what the agents' hosts install, anew from src/forsooth/packages
	rm -rf plugins .claude-plugin .agents/plugins
	$(BIN)/python -m forsooth.packages .

campaign-%:      ## a long campaign, as in RELIABILITY.md: campaign-kill ARGS="..."
	$(BIN)/python tests/campaigns/$(subst -,_,$*).py $(ARGS)

bench:           ## the speed figures
	$(BIN)/python bench/perf.py $(ARGS)

clean:           ## remove caches and build products, never the ledger
	rm -rf build dist .coverage .coverage.* .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
