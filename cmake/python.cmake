# The Python module trellis._core and its types for mypy and editors. They are put straight into python/trellis, where
# an editable installation finds them; `pip install .` (scikit-build-core) installs them into the wheel as well.
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  message(FATAL_ERROR
    "Python 3.10 or newer with its headers is missing (Debian and Ubuntu: apt install python3-dev; Fedora: dnf install "
    "python3-devel)")
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB bindings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp)
if(TRELLIS_HAS_NETWORK)
  list(FILTER bindings EXCLUDE REGEX "/no_network\\.cpp$")
else()
  list(FILTER bindings EXCLUDE REGEX "/network\\.cpp$")
  list(APPEND bindings ${PROJECT_SOURCE_DIR}/python/bindings/no_network.cpp)
endif()
# NOMINSIZE: the linker may keep this module's copy of an inline function, so compile it as the library is compiled.
nanobind_add_module(_core NB_STATIC NOMINSIZE ${bindings})
target_link_libraries(_core PRIVATE trellis)
# Our warnings are not for nanobind's own headers and sources.
target_include_directories(_core SYSTEM PRIVATE ${nanobind_ROOT}/../include)
target_compile_options(nanobind-static PRIVATE -w)
set_target_properties(nanobind-static PROPERTIES UNITY_BUILD ON)
target_precompile_headers(_core PRIVATE
  <nanobind/nanobind.h> <nanobind/ndarray.h> <nanobind/stl/optional.h> <nanobind/stl/pair.h>
  <nanobind/stl/shared_ptr.h> <nanobind/stl/string.h> <nanobind/stl/vector.h>
  <trellis/run/simulation.hpp>)
target_compile_definitions(_core PRIVATE TRELLIS_VERSION="${PROJECT_VERSION}" TRELLIS_BUILD_TYPE="$<CONFIG>")

set(package ${PROJECT_SOURCE_DIR}/python/trellis)
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package})
nanobind_add_stub(_core_types MODULE _core PYTHON_PATH ${package} DEPENDS _core OUTPUT ${package}/_core.pyi)
install(TARGETS _core LIBRARY DESTINATION trellis COMPONENT python)
install(FILES ${package}/_core.pyi DESTINATION trellis COMPONENT python)
