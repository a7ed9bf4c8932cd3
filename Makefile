# Every target sets itself up: a virtual environment from the pins in constraints.txt, once.

PYTHON  ?= python3
EDITION ?= public
LANGUAGE := en
DEVICE  ?= cpu
THREADS ?= 1
PORT    ?= 8000

# Tests start hundreds of processes; without its bytecode each would compile the course again.
unexport PYTHONDONTWRITEBYTECODE

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready

# LANGUAGE counts on the command line alone: in the environment it is the language of programs.
ifeq ($(LANGUAGE),en)
OUTPUT := .
else
OUTPUT := _build/$(LANGUAGE)
SPOKEN := --config $(OUTPUT)/_config.yml --toc $(OUTPUT)/_toc.yml
endif
ifeq ($(EDITION),student)
OUTPUT := $(if $(SPOKEN),$(OUTPUT),_build)/student
else ifneq ($(EDITION),public)
$(error EDITION is "$(EDITION)": say EDITION=public or EDITION=student)
endif
BUILD := $(patsubst ./%,%,$(OUTPUT)/_build)
SITE  := $(BUILD)/html

# Chapters run on the processor, in the virtual environment's own kernel, on one thread: at their
# sizes more threads gain little, and wait for one another where the machine does other work too.
EXECUTE := COURSE_EDITION=$(EDITION) COURSE_LANGUAGE=$(LANGUAGE) COURSE_DEVICE=$(DEVICE) \
    OMP_NUM_THREADS=$(THREADS) JUPYTER_PREFER_ENV_PATH=1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help book pdf epub slides kit serve test proofs editions check portable lint format audit record exercise \
    chapter student-copy release sync outputs notebooks repository codemirror links setup clean translation

help:  ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY)  ## Run every chapter, build the website (EDITION=student: no solutions; LANGUAGE=de)
	@# Sphinx forgets its warnings; after a failed or interrupted build it must read every page again
	@if [ -e $(BUILD)/.unfinished ]; then rm -rf $(BUILD)/.doctrees; fi
	@mkdir -p $(BUILD) && touch $(BUILD)/.unfinished
ifdef SPOKEN
	@$(BIN)/python -m book.translation configure '$(LANGUAGE)' '_build/$(LANGUAGE)'
endif
	@trap 'echo "Interrupted. Chapters that have run are kept: make book goes on from there." >&2; \
	    exit 130' INT TERM; \
	$(EXECUTE) $(BIN)/jupyter-book build . --path-output $(OUTPUT) $(SPOKEN) -W -n --keep-going || { \
	    echo "The book was not built: see the warnings above." >&2; exit 1; }
	@rm $(BUILD)/.unfinished
	@echo "The $(EDITION) edition lies in $(SITE): open file://$(CURDIR)/$(SITE)/index.html"

serve: book  ## Build the website, open it in a browser, check what is written there (PORT=8000)
	@{ sleep 3; $(BIN)/python -m webbrowser http://127.0.0.1:$(PORT)/ >/dev/null 2>&1; } & \
	    $(BIN)/grade serve $(SITE) --port $(PORT)

# Both are made of the finished pages by a browser: no chapter runs for them.
pdf: book  ## Print the website: the book and each chapter as PDF (needs Chromium)
	@rm -rf $(BUILD)/pdf
	@COURSE_LANGUAGE=$(LANGUAGE) $(BIN)/python -m book.printed pdf $(SITE) $(BUILD)/pdf

epub: book  ## Write the website as a book for e-readers (needs Chromium)
	@rm -rf $(BUILD)/epub
	@COURSE_LANGUAGE=$(LANGUAGE) $(BIN)/python -m book.printed epub $(SITE) $(BUILD)/epub

slides: book  ## Make a deck of slides for each chapter, and print it (PDF needs Chromium)
	@$(BIN)/python -m book.slides $(SITE) --pdf

kit: $(READY)  ## Write what a teacher takes: plans, notes, exams, projects; slides, if made
	@$(BIN)/python -m book.kit $(SITE) $(BUILD)/kit

test: $(READY)  ## Check everything: style, exercises, both editions, tests
	@$(MAKE) --no-print-directory proofs
	@$(MAKE) --no-print-directory editions
	OMP_NUM_THREADS=$(THREADS) $(BIN)/python -m pytest -p tests.changed -n 3 tests

# Types are checked by one process: the audit has the other processors meanwhile, and speaks after it.
proofs: $(READY)  ## Check style and types, and prove every exercise
	@mkdir -p _build
	@$(BIN)/grade audit --changed --lot 20 >_build/audit.log 2>&1 & \
	trap "kill $$!; exit 130" INT TERM; \
	$(MAKE) --no-print-directory lint || { kill $$!; exit 1; }; \
	echo "Proving the exercises: _build/audit.log"; \
	wait $$!; status=$$?; cat _build/audit.log; exit $$status

# The student edition is built beside the end of the public one: it takes the outputs of the chapters
# when all are there. What it has to say comes after what the public one says.
editions: $(READY)  ## Build the website in both editions
	@mkdir -p _build && rm -f _build/.jupyter_cache/whole
	@( while [ ! -e _build/.jupyter_cache/whole ]; do kill -0 $$$$ && sleep 1 || exit; done; \
	    exec $(MAKE) --no-print-directory book EDITION=student ) >_build/student.log 2>&1 & \
	trap "kill $$!; exit 130" INT TERM; \
	$(MAKE) --no-print-directory book || { kill $$!; exit 1; }; \
	wait $$!; status=$$?; cat _build/student.log; exit $$status

# The same as `test` for what has changed: each part leaves out what passed and is as it was then.
check: lint audit  ## Check what has changed: style, exercises, pages, tests
	@$(MAKE) --no-print-directory book
	OMP_NUM_THREADS=$(THREADS) $(BIN)/python -m pytest -p tests.changed --changed -n 3 tests

lint: $(READY)  ## Check style, format and types of the code, style and format of the pages too
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Ruff reads notebooks, not Markdown: what was edited last goes there before, and comes back after.
# Formatting comes first, for it wraps long lines that the check would stop at, and again at the end.
format: sync  ## Bring the code into style, that of the pages included
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format --quiet .
	@$(MAKE) --no-print-directory sync

# Each exercise leaves a stamp in grader/references/proofs.json, which is committed: only what it depends on
# makes it run again. `make test` proves one in twenty of the others too, and a workflow proves all each week.
audit: $(READY)  ## Prove every exercise: right answers pass, known mistakes fail and are named
	$(BIN)/grade audit --changed

# That whole pages run, `make book` proves, and tests/book/test_pairs.py compares the committed text of
# the cells tagged nbval-check-output with what they said then. This opens the notebooks as a reader
# does, without the settings of EXECUTE, and compares the same text.
notebooks: $(READY)  ## Run the notebooks as far as their outputs are checked (nbval)
	JUPYTER_PREFER_ENV_PATH=1 $(BIN)/pytest --nbval-lax --nbval-current-env \
	    --nbval-cell-timeout=300 -n 2 --dist loadfile book

# Rounding differs between processors, and with the number of threads. This makes torch and NumPy
# compute as on another processor: records still agree, right answers pass, mistakes are named, and
# every claim of every page holds.
PORTABLE_THREADS ?= 1 4
ANOTHER := ATEN_CPU_CAPABILITY=default OPENBLAS_CORETYPE=Prescott MKL_CBWR=COMPATIBLE
portable: $(READY)  ## Prove exercises and pages as on another processor, with 1 and with 4 threads
	$(ANOTHER) $(BIN)/grade audit --no-mutants
	@for threads in $(PORTABLE_THREADS); do \
	    echo "Every page as on another processor, on $$threads threads"; \
	    ls book/*.ipynb | $(EXECUTE) $(ANOTHER) OMP_NUM_THREADS=$$threads \
	        xargs -P 2 -n 1 $(BIN)/jupyter execute --timeout=300 || exit 1; \
	done

# Catalogs of pages are translated with any editor for gettext's files, or by hand.
translation: $(READY)  ## Begin or update a language's catalogs (LANGUAGE=de SLUG="refresher linear")
	@$(BIN)/python -m book.translation update '$(LANGUAGE)' $(SLUG)

links: $(READY)  ## Ask every address outside of the book whether it is still there
	$(EXECUTE) $(BIN)/jupyter-book build . --builder linkcheck -n --keep-going

record: $(READY)  ## Record what the exercises' solutions return; what still agrees is kept
	$(BIN)/grade record

# SLUG, TITLE, ID and URL reach the command through the environment, whatever stands in them.
exercise: $(READY)  ## Begin an exercise (ID=linear.softmax): the files to fill in
	@$(BIN)/grade new -- "$$ID"

# A copy checks the exercises of the chapters in SLUG and holds no answer to them.
student-copy: $(READY)  ## Write what students get (SLUG="linear mlp" TO=week-1 LATER=training)
	@$(BIN)/grade release $(SLUG) --to "$(TO)" $(addprefix --later ,$(LATER))

# A tag v1.2.3 has to be the version that pyproject.toml states and CHANGELOG.md dates.
release: book  ## Build what a version hands out, into dist: packages, site, PDF, EPUB, student's copy
	@version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); tag=$${TAG:-v$$version}; \
	grep -q "^## \[$$version\] - 20" CHANGELOG.md || { \
	    echo "CHANGELOG.md has no heading '## [$$version] - DATE'." >&2; exit 1; }; \
	[ "$$tag" = "v$$version" ] || { \
	    echo "The tag is $$tag, and pyproject.toml says $$version." >&2; exit 1; }; \
	if grep -q /OWNER/ CITATION.cff; then \
	    echo "CITATION.cff has no address: make repository URL=https://github.com/you/yours" >&2; \
	    exit 1; \
	fi
	@rm -rf dist && mkdir dist
	@$(BIN)/python -c 'from setuptools.build_meta import build_sdist as sdist, build_wheel as wheel; \
	    sdist("dist"); wheel("dist")' >/dev/null
	@$(BIN)/grade release $$($(BIN)/python -c 'from book.pages import slugs; print(*slugs())') \
	    --to dist/student >/dev/null
	@$(BIN)/python -m book.printed pdf $(SITE) dist/chapters-pdf
	@$(BIN)/python -m book.printed epub $(SITE) dist
	@$(BIN)/python -m book.slides $(SITE)
	@$(BIN)/python -c 'from shutil import make_archive as pack, move, rmtree; \
	    move("dist/chapters-pdf/neural-networks-in-code.pdf", "dist"); \
	    [(pack(one, "zip", one), rmtree(one)) for one in ("dist/student", "dist/chapters-pdf")]; \
	    pack("dist/site", "zip", "$(SITE)")'
	@ls -l dist

chapter: $(READY)  ## Begin a chapter (SLUG=recurrence TITLE="Recurrent networks")
	@$(BIN)/python -m book.pages chapter -- "$$SLUG" "$$TITLE"

sync: $(READY)  ## Bring chapters, notebooks and lists of chapters into step; the last edit wins
	$(BIN)/python -m book.pages sync

outputs: $(READY)  ## Run the notebooks and keep the text of the cells tagged nbval-check-output
	JUPYTER_PREFER_ENV_PATH=1 $(BIN)/python -m book.pages sync --run

codemirror:  ## Bundle the editor of the exercises again (needs npm)
	@cd book/codemirror && npm ci --silent && node build.mjs

repository: $(READY)  ## Enter the address of your copy everywhere (URL=https://github.com/you/yours)
	@$(BIN)/python -m book.pages repository -- "$$URL"
	@$(BIN)/python -m book.pages sync

setup: $(READY)  ## Make .venv from the pins; every other target does this by itself

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "The course needs Python 3.11 or later with its venv module; $(PYTHON) is:" \
	        "$$($(PYTHON) --version 2>/dev/null || echo not there)." \
	        "Install it (Debian, Ubuntu: apt install python3-venv), or name another one:" \
	        "make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing into $(VENV) what constraints.txt pins; the first time this takes minutes"
	@$(BIN)/python -m pip --disable-pip-version-check install -qq --no-compile -c constraints.txt \
	    -e '.[book,data,serve,test]'
	@# pip would compile one file after another; some packages hold files that no Python compiles
	@$(BIN)/python -m compileall -q -q -j 0 $(VENV)/lib 2>/dev/null || true
	@mkdir -p $(VENV)/etc/ipython
	@echo '{"IPKernelApp": {"log_level": 40}}' > $(VENV)/etc/ipython/ipython_kernel_config.json
	@touch $@

clean:  ## Remove everything that was built; .venv stays
	rm -rf _build
