# Every target sets up what it needs. `make demo` and `make test` are the two to know.
# Tools are called as modules: the first line of an installed script holds a path, and breaks where that has a space.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
READY_SLOW := .venv/.ready-slow
READY_DOCS := .venv/.ready-docs

.PHONY: setup demo test test-slow lint format bench audit theorems docs docs-serve reproductions clean

setup: $(READY)

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python -e ".[dev]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"; fi
	@$(BIN)/python -m compileall -q src
	@touch $(READY)

$(READY_SLOW): $(READY)
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python -e ".[slow]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[slow]"; fi
	@touch $(READY_SLOW)

$(READY_DOCS): $(READY)
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python -e ".[docs]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"; fi
	@touch $(READY_DOCS)

demo: $(READY)
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest tests --ignore=tests/slow -n 2 --dist worksteal

# A real PostgreSQL, Spark and browser: `.ci/programs` installs what they need.
test-slow: $(READY_SLOW)
	$(BIN)/python -m pytest tests/slow -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -c "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
	$(BIN)/python -m pytest --doctest-modules src --ignore=src/privpac/service/migrations -p no:cacheprovider

format: $(READY)
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

bench: $(READY)
	$(BIN)/python -m benchmarks

audit: $(READY)
	$(BIN)/python -m privpac audit exact --large --budget-seconds 1200 --accept-partial --out docs/audit.json
	$(BIN)/python -m benchmarks.audit_page

theorems: $(READY)
	$(BIN)/python -m privpac theorems --page docs/theorems.md > /dev/null

# Into site/, without a network; every warning is an error. site/index.html opens as a file.
docs: $(READY_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

docs-serve: $(READY_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve

# Tables and figures of the papers into docs/reproductions/; minutes, unless the same code made them before.
reproductions: $(READY)
	$(BIN)/python -m benchmarks.reproduction_pages

clean:
	rm -rf .venv .cache build dist site .mypy_cache .ruff_cache .hypothesis
