# make demo    set everything up and run a whole study on built-in (synthetic) data
# make test    set everything up and run the tests
# make smoke   a minute of tests in a new environment: make smoke PYTHON=python3.13; make smoke-lowest
# make docs    set everything up and build the documentation, docs/_build/html/index.html
# make lint    style, types, layer order
# make bench   speed as ratios to QuantLib, NumPy, SciPy and pandas, measured in the same run
# make clean   remove what these commands made

PYTHON ?= python3
BIN := .venv/bin

PARALLEL := --numprocesses=2 --dist=loadfile --no-loadscope-reorder --max-worker-restart=1

# Every package that we depend on is used somewhere in these, in about a minute.
SMOKE := $(addprefix tests/, \
  unit/test_calendar.py unit/test_compiled.py unit/test_linking.py unit/test_calibrate.py \
  unit/test_solvers.py unit/test_leave_one_out.py unit/test_readers.py unit/test_settings.py \
  unit/test_statistics.py unit/test_export.py unit/test_day_page.py golden/test_layouts.py \
  study/test_run.py study/test_live_page.py)

.PHONY: demo test smoke smoke-lowest docs lint bench clean

demo: .venv/installed
	$(BIN)/calibscope demo

test: .venv/installed-dev
	$(BIN)/pytest $(PARALLEL)

# Other Pythons and packages: `make smoke PYTHON=python3.13` with the newest that pip finds,
# `make smoke-lowest` with the lowest that pyproject.toml allows.
smoke: VENV := .venv-$(notdir $(PYTHON))
smoke:
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	$(VENV)/bin/pytest $(PARALLEL) $(SMOKE)

smoke-lowest: VENV := .venv-lowest
smoke-lowest:
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/python .ci/lowest.py > $(VENV)/lowest.txt
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(VENV)/lowest.txt '.[dev]'
	$(VENV)/bin/pytest $(PARALLEL) -W default $(SMOKE) # what old packages warn of is not ours

docs: .venv/installed-docs
	rm -rf docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -n -b html -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "Open $(CURDIR)/docs/_build/html/index.html"

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed-dev
	$(BIN)/python benchmarks/core.py
	$(BIN)/python benchmarks/calibration.py
	$(BIN)/python benchmarks/diagnosis.py
	$(BIN)/python benchmarks/leave_one_out.py
	$(BIN)/python benchmarks/profiles.py
	$(BIN)/python benchmarks/study.py
	$(BIN)/python benchmarks/svensson.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/live_page.py

clean:
	rm -rf .venv .venv-* calibscope-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist
	rm -rf docs/_build docs/generated
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is missing or older than 3.11; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv --clear .venv

.venv/installed: pyproject.toml | .venv/bin/pip
	@echo "Installing calibscope into .venv (first time: about a minute) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/pip
	@echo "Installing calibscope and its test tools into .venv (first time: about a minute) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/installed

.venv/installed-docs: pyproject.toml | .venv/bin/pip
	@echo "Installing calibscope and the tools of its documentation into .venv (first time: about a minute) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ .venv/installed
