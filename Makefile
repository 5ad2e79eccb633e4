# Every target makes .venv if it is missing, builds what it needs and runs. `make help` lists the targets: lines with ##.

VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp')
# An editable install knows the place of every module, so a module that moves needs another one.
PLACES := $(VENV)/.modules
# Which tests the sanitizers see: half, or all.
TESTS  ?= half
# Which processors may run what is built: this one, or any -march of the compiler.
export PALMETTE_ARCH ?= native
# One process per core; neighbours stay together, for modules share what they train.
PYTEST := -m pytest -n auto --dist worksteal
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: FORCE help demo test faults test-clean test-oldest test-sanitized test-wheel test-aarch64 docs dist bench lint format stubs clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.built  ## tag and parse a sentence, explain it; train a tagger and a parser
	@$(BIN)/palmette demo

test: $(VENV)/.dev  ## build everything and run the tests
	$(BIN)/python $(PYTEST)

lint: $(VENV)/.dev  ## check style, types, words and the repository
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check-words
	$(BIN)/repo-review --show=err --format=rich .
	$(BIN)/zizmor --offline --quiet .github

format: $(VENV)/.dev  ## repair the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench  ## run Palmette and other systems side by side; ARGS="engine --quick" for a part
	$(BIN)/python -m benchmarks $(ARGS)

# The committed stubs of the native module; a test compares them with the module.
stubs: $(VENV)/.dev  ## write the stubs of the native module, after changes in native/bind
	$(BIN)/python -m nanobind.stubgen -m palmette._native -o src/palmette/_native.pyi
	$(BIN)/ruff check --quiet --fix src/palmette/_native.pyi
	$(BIN)/ruff format --quiet src/palmette/_native.pyi

# The core again, with AddressSanitizer and UBSan, in an environment of its own. Small inputs do: corpora would take minutes;
# commands run nothing that the tools below them do not; and of many tests that differ in a number alone one in four.
test-sanitized: .venv-sanitized/.built  ## run half of the tests under AddressSanitizer and UBSan; TESTS=all for all
	@PALMETTE_DATA=without-corpora PALMETTE_TESTS=$(TESTS) tools/sanitized .venv-sanitized/bin/python $(PYTEST) -m native --ignore=tests/cli --ignore=tests/test_examples.py \
	  --ignore=tests/test_guide_commands.py --ignore=tests/test_learning_pages.py

# The short form of this is among the tests.
faults: $(VENV)/.dev  ## feed readers and models with damaged input, and let system calls fail; N=executions of each
	$(BIN)/python tests/faults/campaign.py readers --executions $(or $(N),20000)
	$(BIN)/python tests/faults/campaign.py models --executions $(or $(N),1000)
	$(BIN)/python tests/faults/kills.py --moments 100
	$(BIN)/python tests/faults/failing.py writes
	$(BIN)/python tests/faults/failing.py allocations
	tools/fuzz-readers $(or $(N),1000000)

# Every verb of every tool where only the declared dependencies are installed, as after `pip install palmette`.
test-clean: .venv-clean/.made $(VENV)/.built  ## run every verb of every tool with the declared dependencies alone
	@tools/install-copy $(BIN)/python .venv-clean/bin/python
	@.venv-clean/bin/python -I tools/every-verb.py examples

test-oldest: .venv-oldest/.made $(VENV)/.built  ## the same with the oldest versions that are allowed
	@tools/install-copy $(BIN)/python .venv-oldest/bin/python
	@.venv-oldest/bin/python -I tools/every-verb.py examples

# A wheel as others get it: for any x86-64-v2 processor, tried on an emulated one where qemu is installed.
test-wheel: $(VENV)/.built  ## build a wheel and try it on an emulated old processor
	@PALMETTE_ARCH= tools/check-wheel $(BIN)/python

# Cross-compiled by Debian's compiler for aarch64, and run under qemu; skipped with a reason where these are absent.
test-aarch64: $(VENV)/.built  ## build a wheel for aarch64 and try it on an emulated processor
	@tools/check-aarch64 $(BIN)/python

dist: $(VENV)/.dist  ## make the sdist and the wheel in dist/, and check them
	@tools/make-dist $(BIN)/python

# Pages of docs/ and pages that are made from the commands and the docstrings; links are checked, warnings are errors.
docs: $(VENV)/.docs  ## build the site with all guides in build/site
	@$(BIN)/python tools/site

clean:  ## remove what was built
	rm -rf $(VENV) .venv-clean .venv-oldest .venv-sanitized .venv-threads build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@tools/make-venv $(VENV)

.venv-sanitized/bin/python:
	@tools/make-venv .venv-sanitized

$(PLACES): FORCE | $(VENV)/bin/python
	@find src -name '*.py' | sort | cmp -s - $@ || find src -name '*.py' | sort > $@

$(VENV)/.built: $(VENV)/bin/python $(PLACES) pyproject.toml CMakeLists.txt $(NATIVE)
	@echo "Building Palmette (some minutes the first time) ..." >&2
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python $(PLACES) pyproject.toml tools/constraints.txt CMakeLists.txt $(NATIVE)
	@echo "Building Palmette and what its tests need (some minutes the first time) ..." >&2
	@$(PIP) --no-build-isolation --constraint tools/constraints.txt --editable '.[dev,neural,serve]'
	@touch $@ $(VENV)/.built

$(VENV)/.dist: $(VENV)/.built
	@$(PIP) --no-build-isolation --editable '.[dist]'
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	@touch $@

$(VENV)/.bench: $(VENV)/.built
	@$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@

# The packages that pyproject.toml declares: as new as there are, or as old as it allows.
DECLARED = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"])' $(1))

.venv-clean/.made: $(VENV)/bin/python pyproject.toml
	@rm -rf .venv-clean
	@$(BIN)/python -m venv --without-pip .venv-clean
	@$(BIN)/python -m pip --python .venv-clean/bin/python install --quiet --disable-pip-version-check $(call DECLARED)
	@touch $@

.venv-oldest/.made: $(VENV)/bin/python pyproject.toml
	@rm -rf .venv-oldest
	@$(BIN)/python -m venv --without-pip .venv-oldest
	@$(BIN)/python -m pip --python .venv-oldest/bin/python install --quiet --disable-pip-version-check $(call DECLARED,| sed 's/>=/==/g')
	@touch $@

.venv-sanitized/.built: .venv-sanitized/bin/python pyproject.toml CMakeLists.txt $(NATIVE)
	@.venv-sanitized/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	  -Cbuild-dir=build/sanitized -Ccmake.define.PALMETTE_SANITIZE=ON --editable '.[dev]'
	@touch $@
