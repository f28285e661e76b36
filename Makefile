# Every target sets up what it needs. `make demo` and `make test` are the two to know.
# Tools are called as modules: the first line of an installed script holds a path, and breaks where that has a space.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
READY_SLOW := .venv/.ready-slow
READY_DOCS := .venv/.ready-docs
# Compiled sources, and tests as pytest rewrites them, are kept: without them every process compiles all it imports.
unexport PYTHONDONTWRITEBYTECODE
# What `make coverage` runs; a part of it: `make coverage TESTS=tests/laws`.
TESTS ?= tests --ignore=tests/slow

.PHONY: setup test test-programs test-long lint format coverage proofs docs demo bench dist

# $(call install,EXTRA): this folder with an extra, in the versions that everything is tested with.
define install
@echo "Installing privpac[$(1)] and what it needs into .venv: a few minutes the first time, and a network is needed."
@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python -c constraints.txt -e ".[$(1)]"; \
else $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$(1)]"; fi
endef

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || { echo "Making an environment in .venv with $(PYTHON)."; $(PYTHON) -m venv .venv; }
	$(call install,dev)
	@$(BIN)/python -m compileall -q src
	@echo "Compiling numeric code for this computer, once: about a minute."
	@$(BIN)/python -m privpac warm
	@touch $(READY)

$(READY_SLOW): $(READY)
	$(call install,slow)
	@touch $(READY_SLOW)

$(READY_DOCS): $(READY)
	$(call install,docs)
	@touch $(READY_DOCS)

demo: $(READY)
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest tests --ignore=tests/slow -n 2 --dist worksteal

# A real PostgreSQL, Spark and browser (`.ci/programs` installs what they need), and the documents whose examples take long.
test-programs: $(READY_SLOW)
	$(BIN)/python -m pytest tests/slow tests/contracts/test_docs.py \
		-m "slow or long" -n 2 --dist loadgroup

# What computes for seconds or minutes: before a release, and after a change to what is drawn, planned or proved.
test-long: $(READY)
	$(BIN)/python -m pytest tests --ignore=tests/slow -m long -n 2 --dist worksteal

# Lines and branches of src that the suite runs, with what is long; what is left out, and why, stands in pyproject.toml. Fails below 95 %.
coverage: $(READY)
	$(BIN)/python -m pytest $(TESTS) -n 2 --dist worksteal -m "" --cov --cov-report=term --cov-report=html:.cache/coverage

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -c "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
	$(BIN)/python -m pytest --doctest-modules src --ignore=src/privpac/service/store/migrations -p no:cacheprovider

format: $(READY)
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

bench: $(READY)
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.service --json benchmarks/results/service.json

# The privacy rules of the book as theorems; says which Debian packages are missing, and installs nothing.
proofs:
	sh proofs/check.sh

# Into site/, without a network; every warning is an error. site/index.html opens as a file.
docs: $(READY_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

# Wheel and sdist into dist/; the wheel is then used in an environment that has nothing else.
dist: $(READY)
	$(BIN)/python .ci/release.py dist
