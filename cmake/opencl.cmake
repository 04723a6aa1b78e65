# OpenCL: used or not. Included before the library, it sets TRELLIS_HAS_OPENCL. The drivers are found at run time
# (src/trellis/devices/opencl); building takes the headers, and the compilers of cmake/clang_kernels.cmake.
set(TRELLIS_OPENCL AUTO CACHE STRING
  "Use devices of OpenCL: ON, OFF, or AUTO, if its headers, clang and llvm-spirv are found")
set_property(CACHE TRELLIS_OPENCL PROPERTY STRINGS AUTO ON OFF)

set(TRELLIS_HAS_OPENCL OFF)
if(TRELLIS_OPENCL STREQUAL OFF)
  set(TRELLIS_LLVM_SPIRV "")  # kernels of clang have no SPIR-V
  return()
endif()
find_path(OPENCL_HEADERS CL/cl_ext.h)
mark_as_advanced(OPENCL_HEADERS)
if(OPENCL_HEADERS AND TRELLIS_CLANG AND TRELLIS_LLVM_SPIRV)
  set(TRELLIS_HAS_OPENCL ON)
elseif(TRELLIS_OPENCL STREQUAL ON)
  message(FATAL_ERROR "TRELLIS_OPENCL is ON, which takes CL/cl_ext.h (found: ${OPENCL_HEADERS}), clang++ 15 or newer "
    "(${TRELLIS_CLANG}) and llvm-spirv of the same version (${TRELLIS_LLVM_SPIRV})")
endif()
