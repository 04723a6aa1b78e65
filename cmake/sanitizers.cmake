# Sanitizers (presets sanitize and thread), and which rooms they are for. Kernels of other rooms are compiled as the
# preset ci compiles them, so that a compiler cache has them already; tests of other rooms are left out.
set(TRELLIS_SANITIZE "" CACHE STRING "Sanitizers, separated by commas; empty: none")
set(TRELLIS_ROOMS all CACHE STRING
  "With sanitizers: rooms whose kernels are checked and whose tests are built; all, or a list (tools/changed_rooms.py)")

set(TRELLIS_SANITIZER_FLAGS)
if(TRELLIS_SANITIZE)
  # No checks of stack variables and pointers: kernels would compile for minutes. No warnings: other presets have them,
  # and GCC has false ones about code with checks.
  set(TRELLIS_SANITIZER_FLAGS -w -O1 -g1 -UNDEBUG -D_GLIBCXX_ASSERTIONS -fsanitize=${TRELLIS_SANITIZE}
    -fno-sanitize-recover=all -fno-sanitize=null,alignment,object-size,pointer-overflow --param=asan-stack=0)
  add_compile_options("$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRELLIS_KERNELS>>>:${TRELLIS_SANITIZER_FLAGS}>")
  add_link_options(-fsanitize=${TRELLIS_SANITIZE})
endif()

# Sets `result` to ON if a file below `folder` (src/trellis or tests/unit) is of one of TRELLIS_ROOMS, or of no room.
function(trellis_in_rooms file folder result)
  cmake_path(GET file PARENT_PATH room)
  cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${folder})
  set(${result} OFF PARENT_SCOPE)
  set(readme ${PROJECT_SOURCE_DIR}/src/trellis/${room}/README.md)
  if(TRELLIS_ROOMS STREQUAL all OR room IN_LIST TRELLIS_ROOMS OR NOT EXISTS ${readme})
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
