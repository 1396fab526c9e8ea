# `make demo` and `make test` each do their own set-up on a fresh clone with Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One BLAS thread per worker: two OpenBLAS threads on busy cores are slower than one.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: demo demo-text test coverage complete ci lint same same-store bench docs stress floors newest smoke clean

$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/dev: $(VENV)/base
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

# every optional package that fits beside the others: torch for CPUs, causal-learn, DoWhy, pgmpy, the docs tools
$(VENV)/complete: $(VENV)/dev $(wildcard requirements/complete*.txt)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[docs]" -r requirements/complete.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements/complete-alone.txt
	touch $@

demo: $(VENV)/base
	$(BIN)/dagscale discover --demo --out demo-result --force

# what the demo prints, and the pages that show it
demo-text: $(VENV)/base
	$(BIN)/python tools/demo_output.py
	$(BIN)/python tools/include_code.py

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_size.py src tests tools benchmarks examples
	$(BIN)/python tools/include_code.py --check
	$(BIN)/mypy

# light: what is not installed is skipped. MOST_SKIPS=10 fails where more is
MOST_SKIPS ?=
test: lint
	$(BIN)/pytest -n 2 --dist loadgroup $(if $(MOST_SKIPS),--most-skips $(MOST_SKIPS))

# which lines no test reaches
coverage: $(VENV)/dev
	$(BIN)/pytest -n 2 --dist loadgroup --cov --cov-report=term

complete: $(VENV)/complete

# what CI runs, but for the programs that .ci/run installs: nothing is skipped that could be run
ci: complete
	$(MAKE) test MOST_SKIPS=10

same: $(VENV)/base
	$(BIN)/python tools/same.py

same-store: $(VENV)/base
	$(BIN)/python tools/same.py --store

bench: $(VENV)/dev
	$(BIN)/python benchmarks/speed.py

# fuzzed tables, kills, concurrent runs, a full disk, exports read back, budgets, memory, invariances, versions of
# dependencies; ONLY="kills pairs" tries these parts alone
ONLY ?=
stress: $(VENV)/dev
	PYTHONPATH=tools $(BIN)/python -m stress $(foreach part,$(ONLY),--only $(part))

# the lowest declared version of every dependency, in an environment of its own
floors: $(VENV)/base
	$(BIN)/python tools/floors.py

newest: $(VENV)/base
	$(BIN)/python tools/floors.py --newest

# wheel and sdist built, checked, installed into an empty environment and used from outside
smoke: $(VENV)/dev
	$(BIN)/pip install --quiet --disable-pip-version-check build twine
	$(BIN)/python tools/smoke.py

docs: $(VENV)/dev
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[docs]"
	$(BIN)/python tools/notebooks.py
	$(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

clean:
	rm -rf $(VENV) .venv-floors .venv-newest demo-result demo-result-farm build dist .pytest_cache .mypy_cache .ruff_cache .coverage
