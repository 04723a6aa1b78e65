# HIP, AMD's GPUs: used or not, and for which of them. Included before the library and after cmake/opencl.cmake, it sets
# TRELLIS_HAS_HIP. The driver's library is found at run time (src/trellis/devices/hip); building takes clang with its
# linker, and AMD's device library.
set(TRELLIS_HIP AUTO CACHE STRING "Use AMD's GPUs: ON, OFF, or AUTO, if clang, lld and AMD's device library are found")
set_property(CACHE TRELLIS_HIP PROPERTY STRINGS AUTO ON OFF)
set(TRELLIS_HIP_ARCHITECTURES gfx90a gfx942 gfx1030 gfx1100 CACHE STRING
  "AMD's GPUs to compile for, those of them for which clang can")

set(TRELLIS_HAS_HIP OFF)
set(possible)
if(NOT TRELLIS_HIP STREQUAL OFF)
  trellis_hip_architectures(possible ${TRELLIS_HIP_ARCHITECTURES})
  if(possible)
    set(TRELLIS_HAS_HIP ON)
  elseif(TRELLIS_HIP STREQUAL ON)
    message(FATAL_ERROR "TRELLIS_HIP is ON, but no machine code can be made for ${TRELLIS_HIP_ARCHITECTURES}, which "
      "takes clang++ 15 or newer (found: ${TRELLIS_CLANG}), lld of the same version, and AMD's device library, "
      "rocm-device-libs (found: ${TRELLIS_HIP_DEVICE_LIBRARY})")
  endif()
endif()
set(TRELLIS_HIP_ARCHITECTURES "${possible}")

# ON if clang compiles kernels at all.
set(TRELLIS_HAS_CLANG_KERNELS OFF)
if(TRELLIS_HAS_OPENCL OR TRELLIS_HAS_HIP)
  set(TRELLIS_HAS_CLANG_KERNELS ON)
endif()
