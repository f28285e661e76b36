# Every target sets up what it needs. `make demo` and `make test` are the two to know.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup demo test lint format bench audit clean

setup: $(READY)

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python -e ".[dev]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"; fi
	@touch $(READY)

demo: $(READY)
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest tests -n 2 --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src -p no:cacheprovider

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python -m benchmarks

audit: $(READY)
	$(BIN)/privpac audit exact --large --budget-seconds 1200 --out docs/audit.json
	$(BIN)/python -m benchmarks.audit_page

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .hypothesis
