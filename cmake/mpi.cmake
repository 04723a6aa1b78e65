# MPI: whether. Included before the library, it sets TRELLIS_HAS_MPI.
set(TRELLIS_MPI AUTO CACHE STRING "Run on many processes: ON, OFF, or AUTO, if there is an MPI")
set_property(CACHE TRELLIS_MPI PROPERTY STRINGS AUTO ON OFF)

set(TRELLIS_HAS_MPI OFF)
if(TRELLIS_MPI STREQUAL OFF)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # its C++ bindings, gone from the standard since 2012
find_package(MPI 3.0 QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(TRELLIS_HAS_MPI ON)
elseif(TRELLIS_MPI STREQUAL ON)
  message(FATAL_ERROR
    "TRELLIS_MPI is ON, but there is no MPI that works: put mpicxx on PATH, or name its place in MPI_HOME")
endif()
