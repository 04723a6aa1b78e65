# Kernels of OpenCL: sources for GPUs (.cu), compiled to SPIR-V. Used here, and by programs with kernels of their own.

# The newest of these versions of clang that has an llvm-spirv beside it.
foreach(version 20 19 18 17 16 15)
  find_program(TRELLIS_CLANG clang++-${version})
  find_program(TRELLIS_LLVM_SPIRV llvm-spirv-${version})
  if(TRELLIS_CLANG AND TRELLIS_LLVM_SPIRV)
    break()
  endif()
  unset(TRELLIS_CLANG CACHE)
  unset(TRELLIS_LLVM_SPIRV CACHE)
endforeach()
mark_as_advanced(TRELLIS_CLANG TRELLIS_LLVM_SPIRV)

# Adds sources for GPUs to a target that links Trellis, compiled for OpenCL: kernels to SPIR-V, which the object
# contains, and the functions that launch them to machine code.
function(trellis_add_opencl_kernels target)
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(flags -x hip -nogpulib -nogpuinc -std=c++20 -O2 -fno-math-errno -ffp-contract=off -fdeclspec -fPIC
    -Wall -Wno-cuda-compat -Wno-pass-failed -include trellis/devices/gpu/spirv_stand_in.cuh
    "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "../" "" name ${name})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/opencl/${name})
    cmake_path(GET out PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    # llvm-spirv 15 does not know the instruction freeze, which concerns passes of LLVM that have run by then. A word of
    # zeros ends the module: src/trellis/devices/gpu/spirv_modules.cpp.
    add_custom_command(OUTPUT ${out}.o
      COMMAND ${TRELLIS_CLANG} --offload=spirv64 --cuda-device-only ${flags} -S -emit-llvm ${source} -o ${out}.ll
        -MD -MF ${out}.d -MT ${out}.o
      COMMAND sed -i -E "s/ = freeze ([a-z0-9<> ]+) (.*)$/ = bitcast \\1 \\2 to \\1/" ${out}.ll
      COMMAND ${TRELLIS_CLANG} --target=spirv64 -x ir -emit-llvm -c ${out}.ll -o ${out}.bc
      COMMAND ${TRELLIS_LLVM_SPIRV} --spirv-max-version=1.2 --spirv-fp-contract=off ${out}.bc -o ${out}.spv
      COMMAND truncate -s +4 ${out}.spv
      COMMAND ${TRELLIS_CLANG} --cuda-host-only ${flags} -c ${source} -o ${out}.o
        -Xclang -fcuda-include-gpubinary -Xclang ${out}.spv
      DEPENDS ${source} DEPFILE ${out}.d
      COMMENT "Compiling ${name} for OpenCL"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${out}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${out}.o)
  endforeach()
endfunction()
