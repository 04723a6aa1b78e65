# make demo: set up, build, and run the cold collapse.   make test: set up, then every test and check.
.PHONY: demo test setup setup-test build format check unit sanitize thread tidy wheel pytest clean
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/.venv/bin:$(PATH)
cores := $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(cores)
export CTEST_PARALLEL_LEVEL ?= $(cores)

python_options = -DTRELLIS_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python
cpp = $(shell find src python tests bench examples -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh')

demo: setup
	cmake --preset default $(python_options) -DTRELLIS_TESTS=OFF -DTRELLIS_BENCH=OFF
	cmake --build --preset default
	trellis run examples/cold_collapse.toml --overwrite

# One after the other: the quickest first, and the longest test output last.
test: setup-test
	$(MAKE) -j1 check build unit wheel tidy sanitize thread pytest

setup:
	tools/setup.sh demo

setup-test:
	tools/setup.sh test

build:
	cmake --preset $(if $(CI),ci,default) $(python_options)
	cmake --build --preset default

check:
	clang-format --dry-run --Werror $(cpp)
	python tools/check_layers.py
	ruff check
	ruff format --check

unit:
	ctest --preset default

tidy:
	cmake --preset tidy
	cmake --build --preset tidy

sanitize:
	cmake --preset sanitize
	cmake --build --preset sanitize
	ctest --preset sanitize --label-regex unit

thread:
	cmake --preset thread
	cmake --build --preset thread
	ctest --preset thread

# The wheel that `pip install .` would make, from what is built above, imported from a folder of its own (-S: without the
# editable installation).
wheel:
	rm -rf build/wheel && mkdir -p build/wheel
	pip wheel --quiet --no-deps --no-build-isolation --config-settings=build-dir=build --wheel-dir build/wheel .
	pip install --quiet --no-deps --target build/wheel/site build/wheel/*.whl
	PYTHONPATH=build/wheel/site:$$(python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  python -S -c "import trellis; assert 'build/wheel' in trellis.__file__; trellis.info()"

# mypy reads the types of the module built above.
pytest:
	mypy
	pytest

format:
	clang-format -i $(cpp)
	ruff check --fix
	ruff format

clean:
	rm -rf build build-debug build-sanitize build-thread build-tidy build-gpu
