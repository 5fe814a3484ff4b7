# Every target does its own set-up. Start with `make demo`.
.PHONY: help setup demo test test-long check bench format docs lock clean
.DEFAULT_GOAL := help

run := .venv/bin/python

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

setup:  ## a private .venv with everything for the tests; .venv/bin/lakeport is the CLI
	@scripts/setup

demo: setup  ## the main job, end to end
	@$(run) -m examples.shop

test: setup  ## every check and test but the long ones
	@$(run) scripts/lanes.py test

test-long: setup  ## fuzzing, long random programs, soak
	@$(run) scripts/lanes.py long

check: setup  ## format, lint, types, layers, docs
	@$(run) scripts/lanes.py check

bench: setup  ## what is fast, as ratios against peers measured in the same run
	@$(run) scripts/bench.py

format: setup  ## let the formatter and the linter's fixes loose
	@.venv/bin/ruff check --quiet --fix-only . && .venv/bin/ruff format --quiet .

docs: setup  ## write the reference pages that come from the code
	@$(run) -m scripts.reference
	@$(run) -m tests.catalog.iceberg.types.types_page
	@$(run) -m tests.airport.pushdown.filters_page

lock:  ## compile requirements/*.txt anew from pyproject.toml (needs uv)
	@scripts/lock

clean:  ## remove what set-up and tests made
	rm -rf .venv .setup.lock .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
