# make demo and make test work on a fresh machine with Python 3.11, make and pip.
# Another interpreter: make test PYTHON=python3.12 (without Blender, whose module needs 3.11).

PYTHON ?= $(shell for p in python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
WORKERS ?= 2
# Of make fuzz.
SCENES ?= 1000000
MESHES ?= 200000
RECORDINGS ?= 100000
RUNS ?= 30000
RUNNABLE := .venv/runnable
INSTALLED := .venv/installed
# Where it is set, each process compiles all modules that it imports: a second of each.
unexport PYTHONDONTWRITEBYTECODE
CHECKED := NUMBA_BOUNDSCHECK=1 IMPULSE_CACHE_DIR=$(CURDIR)/build/checked-kernels

.PHONY: demo clip crane gallery test check format samples docs bench experiments extension release \
	test-blender test-window pytest bounds fuzz soak clean

demo: $(RUNNABLE) samples
	$(BIN)/python sample_scenes/walking/demo.py

# Four seconds of it as an animated picture, for the README.
clip: $(RUNNABLE) samples
	test -e demo-output/walking-machine.blend || $(BIN)/python sample_scenes/walking/demo.py
	$(BIN)/python sample_scenes/walking/clip.py

# Another machine, which is also modelled in Blender and exported by the add-on.
crane: $(RUNNABLE) samples
	$(BIN)/python sample_scenes/crane/demo.py

# The pictures of docs/gallery.md.
gallery: $(RUNNABLE) samples
	$(BIN)/python sample_scenes/rendering/gallery.py

# The whole suite: formatting, lint, types, contracts, then every test.
test: check pytest

pytest: $(INSTALLED) samples
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# All samples with kernels that check every index; they are compiled for it, which takes minutes.
bounds: $(INSTALLED) samples
	$(CHECKED) $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/samples/few_steps.py

# Hours: mutated scenes, meshes, recordings and short runs; goes on where it was stopped. What ends
# badly lies small in build/fuzz, with what was printed.
fuzz: $(INSTALLED)
	$(BIN)/python -m tests.fuzz --workers $(WORKERS) \
		scene=$(SCENES) mesh=$(MESHES) recording=$(RECORDINGS) run=$(RUNS)

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

samples: $(RUNNABLE)
	$(BIN)/python sample_scenes/generate.py

# What is generated from the models and the docstrings: the schemas, docs/scene-format.md, docs/python.md.
docs: $(INSTALLED)
	$(BIN)/python -m impulse_schema.generate
	$(BIN)/python docs/python_page.py

bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	$(BIN)/python benchmarks/run.py

# All tables and figures of the papers; the numbers go to build/experiments.
experiments: $(RUNNABLE)
	$(BIN)/impulse experiment all -o build/experiments --page docs/experiments.md

# For this platform; make extension PLATFORM=all builds those for Windows and macOS as well.
extension: $(INSTALLED)
	$(BIN)/python -m shipping.extension $(if $(PLATFORM),--platform $(PLATFORM))

# Builds the wheel and the zips for Blender, checks them, and says what to upload where.
release: $(INSTALLED)
	$(BIN)/python .ci/release.py

# Long forms of tests: processes that are killed, or asked to end, while they run and write (half
# an hour), a thousand random machines, a million commands to a session, every sample over its whole
# duration at five frame rates, two thousand scenes of drawn solids and joints, and heaps for an hour
# of simulated time (hours).
soak: $(INSTALLED) samples
	$(BIN)/python -m tests.soak.kills
	IMPULSE_SOAK=1 $(BIN)/python -m pytest -n $(WORKERS) tests/verification/test_random_machines.py \
		tests/samples/test_frame_rates.py tests/live/test_logs.py
	$(BIN)/python -m tests.soak.drawn --to 2000
	$(BIN)/python -m tests.soak.heaps

test-blender: $(INSTALLED) samples
	$(BIN)/python -m pytest tests/blender

# In the window of a Blender: make test-window BLENDER=/path/to/blender. Not part of CI.
export BLENDER
test-window: $(INSTALLED)
	$(BIN)/python -m tests.window

# Written only when everything is in place, so that a broken download is tried again.
# First what runs and renders, which is all that make demo waits for.
# bpy has no wheel for every machine: without one the rest is installed, unless CI asks for all.
$(RUNNABLE): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; name it with PYTHON=..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --no-compile -e ".[plots,blender]" || { \
		test "$$CI" != true && \
		echo "Trying again without Blender's module (bpy)." && \
		$(BIN)/python -m pip install --disable-pip-version-check --no-compile -e ".[plots]"; }
	@touch $@

$(INSTALLED): $(RUNNABLE)
	@# Blender's module is named again where it is there: else pip would replace the NumPy it needs.
	blender=$$($(BIN)/python -c 'import importlib.util as u; print(",blender" * bool(u.find_spec("bpy")))') && \
	$(BIN)/python -m pip install --disable-pip-version-check --no-compile \
		-e ".[plots,view,sweep,test,dev$$blender]"
	@touch $@

clean:
	rm -rf build dist demo-output .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
