# `make submission` and `make test` work on a fresh machine with Python 3.11+, git and make.
PYTHON ?= python3
AGENT ?= perfect
OUTPUT ?= submission.py
GAMES ?= 2
# Of `make attack`: the same seed attacks in the same way; twice the scale is twice as much.
SEED ?= 0
SCALE ?= 1

VENV ?= .venv
BIN := $(VENV)/bin
KAGGLE := "kaggle-environments>=1.33,<2"
# Conflicts are expected: kaggle-environments names dependencies that ConnectX does not use.
QUIETLY := --quiet --disable-pip-version-check --no-warn-conflicts
# The pip of $(VENV) installs into the other environments too.
pip_into = $(BIN)/pip --python $(1)/bin/python install
# Most modules of what tests use are never imported, so none is compiled ahead.
UNCOMPILED := $(QUIETLY) --no-compile

# Tests start a thousand processes, which would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

# The oldest gymnasium and PettingZoo that are supported, and what is tested with them beside the newest,
# except for tests in which neither has a part.
OLDEST_GYMNASIUM := 1.2.0
OLDEST_PETTINGZOO := 1.24.0
ENVIRONMENT_TESTS := -k "not (every_agent_searches or random_games or random_tic_tac_toe or sampler)" $(addprefix tests/envs/test_,single_env.py single_env_pictures.py vector_env.py pettingzoo_env.py registration.py adapters.py)

# The file that says what Kaggle's images have, and what a submission is checked with of it. Games are
# played in one with either of two Pythons, the newer one first: each has an environment of its own.
IMAGE := submission/checking/kaggle_image.txt
IMAGE_PACKAGES := gymnasium|jsonschema|numba|numpy|requests
IMAGE_PYTHONS := $(shell sed -n 's/^. Games are played with Python \(.*\) or \(.*\)/\2 \1/p' $(IMAGE))
NEWER := $(firstword $(IMAGE_PYTHONS))
image_of = kaggle-image$(if $(filter-out $(NEWER),$(1)),-$(1))
# What is tested with the images' versions, most of it beside the newest. A bundle has words of 64 bits
# alone, so that of wide ones a sample will do.
IMAGE_TESTS := -m "not slow" -k "not wide or wide_words" $(addprefix tests/agents/test_,solver.py alpha_beta_kernel.py mcts_kernel.py compilation.py)

# What is tested with libraries that have an environment of their own, of 2 GB: those of reinforcement
# learning, which pin each other, and peers of the benchmarks. PyTorch comes without CUDA.
EXTRAS_TESTS := $(addprefix tests/, \
	test_readme_training.py agents/test_learners.py agents/test_onnx_export.py \
	agents/test_policy_agent.py::test_the_network_computes_what_pytorch_computes \
	benchmarks/test_benchmarks.py::test_both_find_the_same \
	benchmarks/test_benchmarks.py::test_minimax_visits_every_node \
	benchmarks/test_benchmarks.py::test_easy_ai_plays_by_the_same_rules \
	benchmarks/test_benchmarks.py::test_every_environment_plays_games_of_the_expected_length \
	benchmarks/test_vector_benchmark.py::test_the_figures_are_drawn \
	envs/test_adapters.py::TestTorchRL envs/test_adapters.py::TestTianshou \
	envs/test_adapters.py::TestRLlib envs/test_own_games.py::test_the_command_line_trains_it \
	envs/test_sb3_vec_env.py \
	submission/test_open_spiel_episodes.py::test_any_game_that_was_played_is_read \
	submission/test_open_spiel_referee.py submission/test_train.py \
	submission/test_every_system.py::test_train)
PYTORCH := torch==2.13.0
PYTORCH_INDEX ?= https://download.pytorch.org/whl/cpu

# The Pythons of `make matrix`. A command of such a name may be pyenv's, which fails where that
# version is not chosen.
PYTHONS := 3.11 3.12 3.13 3.14
pythons = python$(1) python3 $(wildcard $(HOME)/.pyenv/versions/$(1)*/bin/python)
is_python = "$(1)" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' $(2) < /dev/null > /dev/null 2>&1
kaggle_python = $(firstword $(foreach python,$(or $(KAGGLE_PYTHON),$(call pythons,$(1))),$(shell $(call is_python,$(python),$(1)) && echo $(python))))
# Those of the images' Pythons that are here; `make test` takes the newest.
found_pythons = $(strip $(foreach version,$(IMAGE_PYTHONS),$(if $(call kaggle_python,$(version)),$(version))))
found_python = $(firstword $(found_pythons))

# One process more than cores, for tests often wait for the processes that they start; tests with other
# libraries rarely do, and each process loads PyTorch.
CORES = $(shell "$(PYTHON)" -c 'import os; print(os.cpu_count() or 1)')
WORKERS ?= $(shell expr $(CORES) + 1)
SHARED = -n $(WORKERS) --dist worksteal
PYTEST = $(BIN)/pytest $(SHARED)

# Tests of several processes share the cores, so threads neither wait busily for each other nor begin
# for products of small matrices.
EACH_IMAGE := $(addprefix image-tests-,$(IMAGE_PYTHONS))
TESTING := test quick oldest-tests image-tests $(EACH_IMAGE) test-extras test-browser attack
$(TESTING): export OMP_WAIT_POLICY := passive
$(TESTING): export OPENBLAS_NUM_THREADS := 1
test-extras: export OMP_NUM_THREADS := 1
test-extras: WORKERS = $(CORES)
attack: export ATTACK_SEED := $(SEED)
attack: export ATTACK_SCALE := $(SCALE)

.PHONY: help submission dev kaggle-image test compiled quick oldest-tests image-tests $(EACH_IMAGE) test-extras test-browser attack matrix check format bench wheelhouse clean

help:
	@echo "make submission    build, check and evaluate $(OUTPUT) (AGENT=$(AGENT), GAMES=$(GAMES) against each opponent)"
	@echo "make kaggle-image  install Kaggle's versions, with which make submission then checks"
	@echo "make dev           install the tools, and a hook that formats and checks before each commit"
	@echo "make test          check and test everything: ruff, mypy --strict and pytest"
	@echo "make quick         run the tests of rules and searches that take milliseconds"
	@echo "make test-extras   test training, adapters with the libraries that they adapt to, and benchmarks with their peers"
	@echo "make test-browser  test the page and the notebook's board in Chromium, which must be installed"
	@echo "make matrix        run make test with each of Python $(PYTHONS) that is found"
	@echo "make attack        run minutes of attacks: kills, hostile files and hostile agents (SEED=$(SEED), SCALE=$(SCALE))"
	@echo "make check         check the sources with ruff and mypy --strict, and GitHub's workflows"
	@echo "make format        format and mend the sources with ruff"
	@echo "make bench         time searches and environments beside peers from PyPI"
	@echo "make wheelhouse    make a zip that installs this package in a Kaggle notebook without internet"
	@echo "make clean         remove what the other targets made"

submission: $(VENV)/run.stamp
	$(BIN)/connectx prepare $(AGENT) --output $(OUTPUT) --games $(GAMES)

dev: $(VENV)/dev.stamp
	@{ [ ! -e .git ] || ! command -v git > /dev/null; } || $(BIN)/pre-commit install

# Downloads wait for the network while mypy works; what is compiled before, no test waits for.
test:
	@$(MAKE) --no-print-directory -j4 check compiled $(VENV)/oldest.stamp $(patsubst %,$(VENV)/tested-image-%.stamp,$(found_python))
	$(PYTEST)
	@echo "Some of them with the oldest libraries and Kaggle's versions, in a minute or two:"
	@$(MAKE) --no-print-directory -j2 --output-sync oldest-tests $(addprefix image-tests-,$(found_python))
	@$(if $(found_python),:,echo "Kaggle's Pythons are missing, so this Python takes the place of its images" && $(PYTEST) -m image)

compiled: $(VENV)/dev.stamp
	@$(BIN)/pytest --collect-only > /dev/null
	@$(BIN)/python -c 'from benchmarks.searches.first_call import KERNELS; [call() for call in KERNELS.values()]'

quick: $(VENV)/dev.stamp
	$(PYTEST) -m "not far and not slow and not thorough" tests/agents tests/envs

oldest-tests: $(VENV)/oldest.stamp
	PYTHONPATH=$(VENV)/oldest $(BIN)/python -c 'import gymnasium, pettingzoo; assert (gymnasium.__version__, pettingzoo.__version__) == ("$(OLDEST_GYMNASIUM)", "$(OLDEST_PETTINGZOO)")'
	PYTHONPATH=$(VENV)/oldest $(PYTEST) $(ENVIRONMENT_TESTS)

image-tests:
	@$(foreach version,$(found_pythons),$(MAKE) --no-print-directory image-tests-$(version) &&) :

$(EACH_IMAGE): image-tests-%: $(VENV)/tested-image-%.stamp
	PYTHONPATH=$(VENV)/image-tests-$* $(VENV)/$(call image_of,$*)/bin/python -m pytest $(SHARED) $(IMAGE_TESTS)

test-extras: $(VENV)/extras.stamp
	$(VENV)/extras/bin/python -m pytest $(SHARED) $(EXTRAS_TESTS)

test-browser: $(VENV)/browser.stamp
	$(PYTEST) -m "browser and not slow" tests/submission

attack: $(VENV)/dev.stamp
	$(PYTEST) -m attack tests/attack

matrix:
	@set -e; for version in $(PYTHONS); do found=; \
		for python in $(foreach version,$(PYTHONS),$(call pythons,$(version))); do \
			if [ -z "$$found" ] && $(call is_python,$$python,$$version); then found=$$python; fi; \
		done; \
		if [ -z "$$found" ]; then echo "Left out: Python $$version is not found"; continue; fi; \
		$(MAKE) test PYTHON="$$found" VENV=.matrix/$$version; \
	done

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(wildcard .github/workflows/*.yml)

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks

wheelhouse: $(VENV)/dev.stamp
	$(BIN)/python -m submission.checking.wheelhouse

clean:
	rm -rf $(VENV) .matrix dist submission.py .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find agents envs -name '*.nb[ci]' -delete

# Python 3.11 comes with a pip that takes twice as long as today's. Where Python has a pip of its own,
# that installs the newest, in a fifth of the time that ensurepip takes to install an old one first.
# An environment without pip is made anew the next time.
$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ...")'
	"$(PYTHON)" -m venv --without-pip $(VENV)
	@"$(PYTHON)" -m pip --python $(BIN)/python install $(UNCOMPILED) pip 2> /dev/null || { \
		$(BIN)/python -m ensurepip --default-pip > /dev/null && $(BIN)/python -m pip install $(UNCOMPILED) --upgrade pip; } || { \
		rm $@; false; }

# kaggle-environments comes without its 1.6 GB of dependencies: ConnectX needs two of them.
$(VENV)/run.stamp: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install $(QUIETLY) --editable ".[kaggle-light]"
	$(BIN)/pip install $(QUIETLY) --no-deps $(KAGGLE)
	@touch $@

kaggle-image:
	@[ -n "$(found_pythons)" ] || { echo "Kaggle's images have Python $(subst $() $(), or ,$(IMAGE_PYTHONS)), and none is found here: install one, or name it with make kaggle-image KAGGLE_PYTHON=/path/to/python$(NEWER)" >&2; exit 1; }
	@$(MAKE) --no-print-directory $(patsubst %,$(VENV)/image-%.stamp,$(found_pythons))
	@$(foreach version,$(filter-out $(found_pythons),$(IMAGE_PYTHONS)),echo "Left out: Python $(version) is not found";)

# What a submission imports is compiled by the last line: else its first moves would be late by that.
$(patsubst %,$(VENV)/image-%.stamp,$(IMAGE_PYTHONS)): $(VENV)/image-%.stamp: $(IMAGE) $(VENV)/bin/python
	"$(call kaggle_python,$*)" -m venv --without-pip --clear $(VENV)/$(call image_of,$*)
	grep -E '^($(IMAGE_PACKAGES))==' $(IMAGE) > $(VENV)/$(call image_of,$*)/requirements.txt
	$(call pip_into,$(VENV)/$(call image_of,$*)) $(UNCOMPILED) --requirement $(VENV)/$(call image_of,$*)/requirements.txt
	$(call pip_into,$(VENV)/$(call image_of,$*)) $(UNCOMPILED) --no-deps $(KAGGLE)
	$(VENV)/$(call image_of,$*)/bin/python -c "import gymnasium, kaggle_environments, numba" > /dev/null
	@touch $@

# What tests need lies beside the image, for a submission must not find it there.
$(patsubst %,$(VENV)/tested-image-%.stamp,$(IMAGE_PYTHONS)): $(VENV)/tested-image-%.stamp: $(VENV)/image-%.stamp
	$(call pip_into,$(VENV)/$(call image_of,$*)) $(UNCOMPILED) --upgrade --target $(VENV)/image-tests-$* --constraint $(VENV)/$(call image_of,$*)/requirements.txt bitbully hypothesis jinja2 psutil pytest pytest-xdist rich ruff typer
	@touch $@

# It has all that a run needs, so nothing is installed twice.
$(VENV)/dev.stamp: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install $(UNCOMPILED) --editable ".[dev,kaggle-light]"
	$(BIN)/pip install $(UNCOMPILED) --no-deps $(KAGGLE)
	@touch $(VENV)/run.stamp $@

# The package itself is there already; to build it once more would take most of the time.
$(VENV)/browser.stamp: $(VENV)/dev.stamp
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["browser"], sep="\n")' > $(VENV)/browser.txt
	$(BIN)/pip install $(UNCOMPILED) --requirement $(VENV)/browser.txt
	@touch $@

$(VENV)/oldest.stamp: $(VENV)/dev.stamp
	$(BIN)/pip install $(UNCOMPILED) --no-deps --upgrade --target $(VENV)/oldest "gymnasium==$(OLDEST_GYMNASIUM)" "pettingzoo==$(OLDEST_PETTINGZOO)"
	@touch $@

# No package but PyTorch is looked for in PyTorch's index.
$(VENV)/extras.stamp: $(VENV)/bin/python pyproject.toml
	"$(PYTHON)" -m venv --without-pip $(VENV)/extras
	$(call pip_into,$(VENV)/extras) $(UNCOMPILED) --no-deps --retries 1 --extra-index-url $(PYTORCH_INDEX) $(PYTORCH)
	$(call pip_into,$(VENV)/extras) $(UNCOMPILED) --editable ".[adapters,kaggle-light,onnx,open-spiel,train]" easyAI hypothesis onnxruntime pygame-ce pytest pytest-xdist
	$(call pip_into,$(VENV)/extras) $(UNCOMPILED) --no-deps $(KAGGLE)
	@touch $@

$(VENV)/bench.stamp: $(VENV)/run.stamp
	$(BIN)/pip install $(UNCOMPILED) --editable ".[bench,kaggle-light]"
	@touch $@
