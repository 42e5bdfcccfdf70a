# rankmeter: `make help` lists what can be made. Needs Python 3.11 or newer with pip, and make; nothing else.

PYTHON ?= python3
JOBS   ?= 2
# What hunt and bench look at; less of it takes less time.
HUNTED ?= tests/properties tests/conformance/test_streamed.py tests/conformance/test_reconcile_recorded.py \
	tests/wings/conformance/test_published_cases.py tests/wings/fusion/test_dialects_of_fusion.py
BENCHMARKS ?= $(wildcard benchmarks/*.py)
# Which libraries and which combinations: options of .ci/beside.py and .ci/combinations.py.
BESIDE ?=
COMBINATIONS ?= --sample 4
# Which mutants: options of tests/mutants.
MUTANTS ?=
VENV   := .venv
BIN    := $(VENV)/bin
# A stamp says what the environment already holds; it is made again when pyproject.toml changes.
CORE   := $(VENV)/.installed-core
DEV    := $(VENV)/.installed-dev
SITE   := $(VENV)/.installed-docs
UV     := $(VENV)/.installed-uv
PYTEST := $(BIN)/python -m pytest -n $(JOBS) -q -rs --durations=10
# uv installs several times faster; where it is not in .venv, pip does it.
INSTALL = install() { $(BIN)/uv pip install -q --python $(BIN)/python "$$@" 2>/dev/null || \
	$(BIN)/python -m pip install -q "$$@"; }; install

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint types layers fast hunt mutants beside combinations format bench docs site \
	demo-data clean

help: ## list what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | \
		awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rankmeter needs Python 3.11 or newer; try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[report]'
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	@touch $(CORE) $@

$(SITE): pyproject.toml | $(DEV)
	$(INSTALL) -e '.[docs]'
	@touch $@

$(UV): | $(BIN)/python
	$(BIN)/python -m pip install -q uv
	@touch $@

setup: $(DEV) ## make .venv with everything that development needs

demo: $(CORE) ## evaluate the bundled demo: a table here, a report in demo-output/
	$(BIN)/rankmeter demo

test: $(DEV) ## run every test: unit, properties, conformance, golden, command line, examples in docstrings and docs
	$(PYTEST)

check: lint types layers fast ## what to run before every commit, about a minute

lint: $(DEV) ## look for mistakes and stray formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## check the types of src
	$(BIN)/mypy

layers: $(DEV) ## check that imports point one way
	$(BIN)/lint-imports --no-cache

# Compiled modules are kept, whatever the shell says: to compile them every time takes as long as a third of the tests.
fast: $(DEV) ## run the quick tests, with few examples and few of many parameters, others every day
	HYPOTHESIS_PROFILE=check PYTHONDONTWRITEBYTECODE= $(PYTEST) -m 'not slow' $(wildcard tests/unit tests/properties tests/golden tests/wings) src

hunt: $(DEV) ## look for wrong numbers in ten times as many random cases, new ones every time: some 15 minutes
	HYPOTHESIS_PROFILE=hunt $(PYTEST) $(HUNTED)

mutants: $(DEV) ## break rankmeter in 60 places drawn at random and say what no test noticed; MUTANTS="--seed 1 --rooms stats"
	$(BIN)/python -m tests.mutants $(MUTANTS)

beside: $(UV) ## try rankmeter in one environment with each of the libraries whose output it measures
	$(BIN)/python .ci/beside.py $(BESIDE)

combinations: $(UV) ## run the tests of every way in with other versions of pandas, PyArrow, Polars ...
	$(BIN)/python .ci/combinations.py $(COMBINATIONS)

format: $(DEV) ## put the code into shape
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format .

bench: $(DEV) ## run every benchmark
	@set -e; for script in $(BENCHMARKS); do \
		echo "== $$script"; $(BIN)/python "$$script"; \
	done

docs: $(DEV) ## run every example in README.md and docs/
	$(BIN)/python -m pytest -q $(wildcard README.md README.zh.md docs) || [ $$? -eq 5 ]  # 5: there is no example yet

site: $(SITE) ## build the documentation site into build/site, in both languages; a dead link ends it
	$(BIN)/python docs/tools/make_site.py

demo-data: $(CORE) ## invent the demo's data again (the same bytes, unless make_demo.py changed)
	$(BIN)/python docs/tools/make_demo.py

clean: ## remove everything that was made, .venv too
	rm -rf $(VENV) demo-output build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find $(wildcard src tests benchmarks docs) -name __pycache__ -type d -prune -exec rm -rf {} +
