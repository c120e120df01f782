# Each target sets up what it needs in .venv. `make` alone lists the targets.
# Wanted on the machine: Python >= 3.11, a C++20 compiler, make. All else comes from the registry.

PYTHON ?= python3
JOBS   ?= 2
OLDEST_PYTHON ?= python3.11
SEED   ?= 1
VENV   := .venv
BIN    := $(VENV)/bin

SHELL         := bash
.SHELLFLAGS   := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# cmake and ninja are found in the virtual environment first.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PIP_INSTALL := $(BIN)/python -m pip install -qq

# Folders are listed too, so that a deleted file is noticed.
PACKAGE_SOURCES := $(shell find CMakeLists.txt pyproject.toml core bindings src \
                     \( -name __pycache__ -o -path core/tests \) -prune -o -print 2>/dev/null)
NATIVE_SOURCES   = $(shell find core bindings -name '*.hpp' -o -name '*.cpp')
SANITIZED       := build/sanitized
SITE            := docs/_build/html
LOWER_BOUNDS    := build/lower-bounds.txt
FIGURES         := docs/figures/tuning.svg  # the last one drawn

.PHONY: help demo test test-oldest test-newest peers lint format types contracts cpp-test mutants bench docs clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: $(VENV)/.package $(VENV)/.extra-cli $(VENV)/.extra-report  ## rank an embedded data set and write a report
	@$(BIN)/svsieve demo

# With SCIPY_ARRAY_API scikit-learn runs its checks of array API input instead of skipping them.
test: $(VENV)/.package $(VENV)/.extra-test  ## run all Python tests and the examples in docstrings
	@$(BIN)/python -m tests.browser.chromium
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -n $(JOBS) tests
	$(BIN)/python -m pytest --doctest-modules --pyargs svsieve

# Not part of .ci/run: what these two find comes from releases of others, not from a change here.
# Each has its environment and its build; nothing else differs from `test`.
test-oldest:  ## run all tests with the oldest Python and the lower bounds of pyproject.toml
	@command -v $(OLDEST_PYTHON) > /dev/null || { echo "The lowest Python is needed: make test-oldest \
	  OLDEST_PYTHON=/path/to/python3.11" >&2; exit 1; }
	@mkdir -p $(dir $(LOWER_BOUNDS))
	@$(OLDEST_PYTHON) -m tests.lower_bounds > $(LOWER_BOUNDS)
	@PIP_CONSTRAINT=$(CURDIR)/$(LOWER_BOUNDS) SKBUILD_BUILD_DIR=build/oldest \
	  $(MAKE) VENV=.venv-oldest PYTHON=$(OLDEST_PYTHON) .venv-oldest/.extra-anndata test

# What is newest changes from day to day, so that environment is made anew.
test-newest:  ## run all tests with the newest versions, pre-releases too
	@rm -rf .venv-newest
	@PIP_PRE=1 PIP_UPGRADE=1 SKBUILD_BUILD_DIR=build/newest \
	  $(MAKE) VENV=.venv-newest .venv-newest/.extra-anndata test

# The tests are those of the installed scikit-learn; what may not pass is in tests/peers/table.toml.
peers: $(VENV)/.package $(VENV)/.extra-test  ## run scikit-learn's own tests and checks on the classes of svsieve
	$(BIN)/python -m tests.peers --jobs $(JOBS)

lint: $(VENV)/.extra-lint  ## check style and formatting of Python and C++
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run --Werror $(NATIVE_SOURCES)

format: $(VENV)/.extra-lint  ## rewrite files in the agreed format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(NATIVE_SOURCES)

# The installed package is checked, because the stubs of the native module exist only there.
types: $(VENV)/.package $(VENV)/.extra-lint  ## check types
	$(BIN)/mypy | sed 's|^$(VENV)/lib/[^ ]*/site-packages|src|'

contracts: $(VENV)/.extra-lint  ## check that imports point downwards through the layers
	PYTHONPATH=src $(BIN)/lint-imports --no-logo

cpp-test: $(VENV)/.extra-native  ## run the C++ tests under address and undefined-behaviour sanitizers, without a warning
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug \
	  -DSVSIEVE_BUILD_TESTS=ON -DSVSIEVE_SANITIZE=ON -DSVSIEVE_BUILD_PYTHON=OFF \
	  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
	$(BIN)/cmake --build $(SANITIZED)
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	  $(BIN)/ctest --test-dir $(SANITIZED) --output-on-failure --no-tests=error

# Nothing is changed here: changes are made in copies under build/mutants.
mutants: $(VENV)/.package $(VENV)/.extra-test $(VENV)/.extra-mutants  ## change the code at random places (SEED=1) and list the changes that no test notices
	$(BIN)/python -m tests.mutants --seed $(SEED) --jobs $(JOBS) $(MUTANTS)

bench: $(VENV)/.package $(VENV)/.extra-bench  ## measure against other libraries and print ratios
	$(BIN)/python -m benchmarks.compare

# First what the pages show is run, then the site is built; a warning is an error.
docs: $(VENV)/.package $(VENV)/.extra-cli $(VENV)/.extra-report $(VENV)/.extra-docs $(FIGURES)  ## run the examples of the pages and build the site
	$(BIN)/python -m pytest -q -p docs.code_blocks docs README.md
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs $(SITE)
	@echo "built $(SITE)/index.html"

$(FIGURES): $(wildcard docs/*figure*.py) | $(VENV)/.package $(VENV)/.extra-docs
	$(BIN)/python docs/make_figures.py

clean:  ## remove the virtual environments, builds and caches
	rm -rf $(VENV) .venv-oldest .venv-newest build docs/_build docs/figures docs/gallery
	rm -rf docs/reference/generated docs/reference/differences
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache

# --- set-up; each finished step leaves a stamp in .venv ------------------------------------------

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
	  "svsieve needs Python >= 3.11; name one with: make PYTHON=/path/to/python3")'
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# The requirements of one extra, or of the build itself, read from pyproject.toml: tools are
# installed without building the package.
$(VENV)/.extra-%: pyproject.toml $(VENV)/.created
	@echo "installing requirements: $*"
	@$(BIN)/python -c 'import tomllib; \
	  project = tomllib.load(open("pyproject.toml", "rb")); \
	  extras = project["project"]["optional-dependencies"]; \
	  extras["build"] = project["build-system"]["requires"]; \
	  print(*extras["$*"], sep="\n")' > $@.txt
	@$(PIP_INSTALL) -r $@.txt
	@touch $@

# Without build isolation the tools keep their paths, so that only what changed is compiled again.
$(VENV)/.package: $(PACKAGE_SOURCES) $(VENV)/.extra-build $(VENV)/.extra-native
	@echo "building and installing svsieve"
	@$(PIP_INSTALL) --no-build-isolation .
	@touch $@
