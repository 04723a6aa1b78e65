# make demo: set up, build for this machine, and run the cold collapse.
# make test: set up, build for this machine, then every test.
# make ci: make test with the library that is shipped (CUDA, kernels for every instruction set) and warnings as errors,
# then the other instruction sets, the wheel, the site, and clang-tidy and the address sanitizer for rooms that have
# changed since the last whole check.
# make whole: make ci for all rooms, and the thread sanitizer; it writes tools/whole_check.sha256, to be committed.
.PHONY: demo test ci whole setup setup-test setup-ci module collapse build check unit pytest every-isa wheel tidy \
  sanitize sanitize-rooms thread record docs format clean
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/.venv/bin:$(PATH)
cores := $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(cores)
# One test more than cores: some wait for threads, connections and each other.
export CTEST_PARALLEL_LEVEL ?= $(shell echo $$(($(cores) + 1)))

test_stages = build check unit pytest
cpp = $(shell find src python tests bench examples -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh')
not_here = %/no_mpi.cpp %/no_opencl.cpp %/no_hip.cpp %/no_network.cpp %/no_fft_lines.cpp %/pocketfft_lines.cpp
library = $(filter-out $(not_here),$(shell find src/trellis -name '*.cpp'))
# The rooms that clang-tidy and the sanitizers are for: those that changed, separated by semicolons, or all.
rooms = $(if $(WHOLE),all,$(shell PATH='$(PATH)' python tools/changed_rooms.py))
no_room_changed = echo no room has changed since the last whole check
to_tidy = $(if $(WHOLE),$(library),$(filter $(patsubst %,src/trellis/%/%,$(subst ;, ,$(rooms))),$(library)))
python_options = -DTRELLIS_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python
preset = $(if $(CI),ci,default)
# CUDA and HIP for the GPUs of this machine, if it has any; the preset ci names its own.
gpu = $(if $(shell nvidia-smi --list-gpus 2>/dev/null),-DCMAKE_CUDA_ARCHITECTURES=native,-DTRELLIS_CUDA=OFF) \
  $(if $(wildcard /dev/kfd),,-DTRELLIS_HIP=OFF)
gpu_options = $(if $(CI),,$(gpu))

demo:
	@tools/stages.sh setup module collapse

test:
	@tools/stages.sh setup-test $(test_stages)

ci_stages = setup-ci $(test_stages) every-isa wheel docs tidy sanitize
ci: export CI = true
ci:
	@tools/stages.sh $(ci_stages)

whole: export CI = true
whole: export WHOLE = true
whole: export TRELLIS_FUZZED_LAUNCHES = 100000
whole:
	@tools/stages.sh $(ci_stages) thread record

setup:
	tools/setup.sh demo

setup-test:
	tools/setup.sh test

setup-ci:
	tools/setup.sh ci

module:
	cmake --preset default $(python_options) $(gpu_options) -DTRELLIS_TESTS=OFF
	cmake --build --preset default

collapse:
	trellis run examples/cold_collapse.toml --overwrite

build:
	cmake --preset $(preset) $(python_options) $(gpu_options)
	cmake --build --preset $(preset)

check:
	@clang-format --dry-run --Werror $(cpp)
	python tools/check_layers.py
	python tools/check_columns.py
	python tools/check_words.py
	ruff check
	ruff format --check

unit:
	ctest --preset $(preset) --label-exclude 'isa|house'

# mypy reads the types of the module built above. No more processes than cores: ranks spin while they wait.
pytest:
	mypy
	pytest --numprocesses $(cores) --dist worksteal --durations 20 $(if $(WHOLE),-m 'not slow')

# All instruction sets but the best, with which the tests above ran, and the shipped library's headers and symbols.
every-isa:
	ctest --preset ci --label-regex 'isa|house'

# The wheel that `pip install .` would make, from what is built above, imported from a folder of its own (-S: without
# the editable installation).
wheel = build-ci/wheel
wheel:
	rm -rf $(wheel) && mkdir -p $(wheel)
	pip wheel --quiet --no-deps --no-build-isolation --config-settings=build-dir=build-ci --wheel-dir $(wheel) .
	pip install --quiet --no-deps --target $(wheel)/site $(wheel)/*.whl
	PYTHONPATH=$(wheel)/site:$$(python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  python -S -c "import trellis; assert '$(wheel)' in trellis.__file__; trellis.info()"

# Sources as they would be compiled without precompiled headers. clang has no omp.h and reads GCC's; the flags that it
# does not know are left out. Asio does not see that clang has coroutines.
tidy:
	cmake --preset tidy
	sed -i -E 's/-fschedule-insns -fsched-pressure -fno-gnu-unique|-funswitch-loops --param=[^ ]*//g' \
	  build-tidy/compile_commands.json
	@printf '%s\n' $(to_tidy) | xargs --no-run-if-empty -n 1 -P $(cores) clang-tidy -p build-tidy --quiet \
	  --warnings-as-errors='*' --extra-arg=-idirafter$$(g++ -print-file-name=include) --extra-arg=-DASIO_HAS_CO_AWAIT

sanitize:
	@if [ -z '$(rooms)' ]; then $(no_room_changed); else $(MAKE) sanitize-rooms ROOMS='$(rooms)'; fi

sanitize-rooms:
	cmake --preset sanitize -DTRELLIS_ROOMS='$(ROOMS)'
	cmake --build --preset sanitize
	ctest --preset sanitize --label-regex unit

# All rooms, since threads of one run code of others.
thread:
	cmake --preset thread
	cmake --build --preset thread
	ctest --preset thread

record:
	python tools/changed_rooms.py --record

# The site, into build/site. The variable silences an advertisement of the theme.
docs:
	NO_MKDOCS_2_WARNING=1 mkdocs build

format:
	clang-format -i $(cpp)
	ruff check --fix
	ruff format

clean:
	rm -rf build build-ci build-debug build-sanitize build-thread build-tidy build-gpu
