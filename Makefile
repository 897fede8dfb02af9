# `make submission` and `make test` work on a fresh machine with Python 3.11+, git and make.
PYTHON ?= python3
AGENT ?= perfect
OUTPUT ?= submission.py
GAMES ?= 2

BIN := .venv/bin
KAGGLE := "kaggle-environments>=1.33,<2"
# Conflicts are expected: kaggle-environments names dependencies that ConnectX does not use.
QUIETLY := --quiet --disable-pip-version-check --no-warn-conflicts

# The oldest gymnasium that is supported, and what is tested with it beside the newest.
OLDEST_GYMNASIUM := 1.2.0
ENVIRONMENT_TESTS := $(addprefix tests/test_,single_env.py single_env_pictures.py vector_env.py registration.py adapters.py)

# The file that says what Kaggle's image has, and what a submission is checked with of it.
IMAGE := submission/checking/kaggle_image.txt
IMAGE_PACKAGES := gymnasium|jsonschema|numba|numpy|requests
IMAGE_PYTHON := $(shell sed -n 's/^. Python //p' $(IMAGE))
KAGGLE_PYTHON ?= python$(IMAGE_PYTHON) $(wildcard $(HOME)/.pyenv/versions/$(IMAGE_PYTHON)*/bin/python)

.PHONY: help submission kaggle-image test check format bench clean

help:
	@echo "make submission    build, check and evaluate $(OUTPUT) (AGENT=$(AGENT), GAMES=$(GAMES) against each opponent)"
	@echo "make kaggle-image  Kaggle's versions, with which make submission then checks"
	@echo "make test          ruff, mypy --strict and pytest"
	@echo "make check         ruff and mypy --strict"
	@echo "make format        format and mend the sources with ruff"
	@echo "make bench         time the searches beside peers from PyPI"
	@echo "make clean         remove what the other targets made"

submission: .venv/run.stamp
	$(BIN)/connectx prepare $(AGENT) --output $(OUTPUT) --games $(GAMES)

test: check .venv/oldest.stamp
	$(BIN)/pytest -n auto
	PYTHONPATH=.venv/oldest $(BIN)/python -c 'import gymnasium; assert gymnasium.__version__ == "$(OLDEST_GYMNASIUM)"'
	PYTHONPATH=.venv/oldest $(BIN)/pytest -n auto $(ENVIRONMENT_TESTS)

check: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/bench.stamp
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv dist submission.py .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find agents envs -name '*.nb[ci]' -delete

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

# kaggle-environments comes without its 1.6 GB of dependencies: ConnectX needs two of them.
.venv/run.stamp: .venv/bin/python pyproject.toml
	$(BIN)/pip install $(QUIETLY) --editable ".[kaggle-light]"
	$(BIN)/pip install $(QUIETLY) --no-deps $(KAGGLE)
	@touch $@

kaggle-image: .venv/kaggle-image.stamp

# A command of that name may be pyenv's, which fails where that version is not chosen.
.venv/kaggle-image.stamp: $(IMAGE)
	@for python in $(KAGGLE_PYTHON); do \
		if "$$python" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "$(IMAGE_PYTHON)")' < /dev/null > /dev/null 2>&1; \
		then echo "$$python -m venv .venv/kaggle-image"; exec "$$python" -m venv --clear .venv/kaggle-image; fi; \
	done; \
	echo "Kaggle's image has Python $(IMAGE_PYTHON), which is not found here: install it, or name it with make kaggle-image KAGGLE_PYTHON=/path/to/python$(IMAGE_PYTHON)" >&2; \
	exit 1
	grep -E '^($(IMAGE_PACKAGES))==' $(IMAGE) > .venv/kaggle-image/requirements.txt
	.venv/kaggle-image/bin/pip install $(QUIETLY) --requirement .venv/kaggle-image/requirements.txt
	.venv/kaggle-image/bin/pip install $(QUIETLY) --no-deps $(KAGGLE)
	@touch $@

.venv/dev.stamp: .venv/run.stamp
	$(BIN)/pip install $(QUIETLY) --editable ".[dev,kaggle-light]"
	@touch $@

.venv/oldest.stamp: .venv/dev.stamp
	$(BIN)/pip install $(QUIETLY) --no-deps --upgrade --target .venv/oldest "gymnasium==$(OLDEST_GYMNASIUM)"
	@touch $@

.venv/bench.stamp: .venv/run.stamp
	$(BIN)/pip install $(QUIETLY) --editable ".[bench,kaggle-light]"
	@touch $@
