# Kernels: sources compiled once for each instruction set (ISA), with TRELLIS_ISA naming it; the library chooses at run
# time.
#
# One-definition rule: a kernel object also holds inline functions and std:: templates, compiled for its own ISA, as
# weak symbols. Were they global, the linker could hand the AVX-512 copy of, say, std::vector::push_back to the whole
# program, which would then crash on an older machine. So all objects of an ISA are joined into one, without COMDAT
# groups, and every symbol outside namespace trellis::<isa> is made local to it. tools/check_symbols.py verifies the
# outcome.

option(TRELLIS_NATIVE
  "Compile kernels for the best instruction set of this machine alone, which is three times as quick" OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TRELLIS_ISAS v2 v3 v4)
  set(TRELLIS_FLAGS_v2 -march=x86-64-v2)
  set(TRELLIS_FLAGS_v3 -march=x86-64-v3)
  set(TRELLIS_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)
else()
  set(TRELLIS_ISAS native)
  set(TRELLIS_FLAGS_native)
endif()

# Sets `result` to the members of TRELLIS_ISAS that this machine can run, the best last.
function(trellis_runnable_isas result)
  include(CheckCXXSourceRuns)
  set(runnable)
  foreach(isa IN LISTS TRELLIS_ISAS)
    if(isa STREQUAL native)
      set(TRELLIS_RUNS_native ON)
    else()
      check_cxx_source_runs("int main() { return !__builtin_cpu_supports(\"x86-64-${isa}\"); }" TRELLIS_RUNS_${isa})
    endif()
    if(TRELLIS_RUNS_${isa})
      list(APPEND runnable ${isa})
    endif()
  endforeach()
  set(${result} ${runnable} PARENT_SCOPE)
endfunction()

if(TRELLIS_NATIVE)
  trellis_runnable_isas(TRELLIS_ISAS)
  list(GET TRELLIS_ISAS -1 TRELLIS_ISAS)
endif()

function(trellis_add_kernels library)
  target_compile_definitions(${library} PUBLIC $<$<BOOL:${TRELLIS_NATIVE}>:TRELLIS_ONLY_ISA=${TRELLIS_ISAS}>)
  foreach(source IN LISTS ARGN)
    trellis_in_rooms(${source} ${CMAKE_CURRENT_SOURCE_DIR} checked)
    if(checked)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${TRELLIS_SANITIZER_FLAGS})
    endif()
  endforeach()
  foreach(isa IN LISTS TRELLIS_ISAS)
    if(NOT ARGN)
      break()
    endif()
    set(parts trellis_kernels_${isa})
    add_library(${parts} OBJECT ${ARGN})
    set_target_properties(${parts} PROPERTIES TRELLIS_KERNELS ON)  # see cmake/sanitizers.cmake
    target_include_directories(${parts} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${parts} PRIVATE TRELLIS_ISA=${isa})
    target_compile_options(${parts} PRIVATE ${TRELLIS_FLAGS_${isa}})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # Its warnings about uninitialised variables come from its own intrinsics headers (GCC bug 105593).
      target_compile_options(${parts} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
      # Without scheduling, which GCC leaves out on x86, chains of dependent instructions stay as they are written.
      # Its unique symbols (static data of templates) cannot be made local; weak ones can.
      target_compile_options(${parts} PRIVATE -fschedule-insns -fsched-pressure -fno-gnu-unique)
    endif()
    target_link_libraries(${parts} PRIVATE OpenMP::OpenMP_CXX)

    set(joined ${PROJECT_BINARY_DIR}/kernels/${isa}.o)
    string(LENGTH ${isa} length)
    add_custom_command(
      OUTPUT ${joined}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/kernels
      COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} $<TARGET_OBJECTS:${parts}>
      COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=_ZN7trellis${length}${isa}* ${joined}
      DEPENDS ${parts} $<TARGET_OBJECTS:${parts}>  # Makefiles need the target, too
      COMMENT "Joining the kernels for ${isa}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${library} PRIVATE ${joined})
  endforeach()
endfunction()
