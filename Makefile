# Every command makes its own environment in .venv first; nothing but Python 3.11+ and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Which optional packages `make` installs; CI also takes rivals, dask and ray. Another set installs anew.
EXTRAS ?= dev
READY := $(VENV)/.ready-$(EXTRAS)

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench-speed trust clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

demo: $(READY) ## learn two known graphs, print the scores, write pictures to demo-output/
	$(BIN)/chronodag demo --out demo-output

test: $(READY) ## run the tests; EXTRAS=dev,rivals,dask,ray also those that need more packages
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY) ## linter, formatter, type checker, layers (under a minute)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_house.py

format: $(READY) ## put the code into the house's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-speed: $(READY) ## measure the speed of this machine; tables and pictures in docs/results/
	$(BIN)/python -m benchmarks.speed

trust: $(READY) ## learn the curves from evidence to probabilities anew (an hour)
	$(BIN)/python -m benchmarks.trust

clean: ## remove the environment and what the commands wrote
	rm -rf $(VENV) demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache build dist

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else \
	  f"chronodag needs Python 3.11 or newer; {sys.executable} is {v[0]}.{v[1]}. Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	@echo "Making the environment $(VENV) with $(EXTRAS) (about half a minute, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@rm -f $(VENV)/.ready*
	@touch '$(READY)'
