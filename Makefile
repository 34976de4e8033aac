# `make check` is the one command that says whether the tree is sound: format, lint, imports, types, tests.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev
BIN = $(VENV)/bin

.PHONY: check format lint types test readme install clean

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/python -m pytest

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$(EXTRAS)]"
	touch $@

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: install
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache --no-logo

types: install
	$(BIN)/mypy

test: install
	$(BIN)/python -m pytest

# Output in the README as the program prints it now; `check` compares.
readme: install
	RENEW_README=1 $(BIN)/python -m pytest tests/test_readme.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build *.egg-info
