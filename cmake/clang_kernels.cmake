# Kernels of clang: sources for GPUs (.cu), compiled to SPIR-V for OpenCL, and to machine code of AMD's GPUs for HIP.
# Used here, and by programs with kernels of their own.

# The newest of these versions of clang that has an llvm-spirv beside it; without OpenCL the newest that there is.
foreach(version 20 19 18 17 16 15)
  find_program(TRELLIS_CLANG clang++-${version})
  find_program(TRELLIS_LLVM_SPIRV llvm-spirv-${version})
  if(TRELLIS_CLANG AND TRELLIS_LLVM_SPIRV)
    break()
  endif()
  unset(TRELLIS_CLANG CACHE)
  unset(TRELLIS_LLVM_SPIRV CACHE)
endforeach()
find_program(TRELLIS_CLANG NAMES clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15)
# AMD's device library: mathematical functions.
find_path(TRELLIS_HIP_DEVICE_LIBRARY ocml.bc PATHS /opt/rocm PATH_SUFFIXES
  lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode lib/amdgcn/bitcode amdgcn/bitcode)
mark_as_advanced(TRELLIS_CLANG TRELLIS_LLVM_SPIRV TRELLIS_HIP_DEVICE_LIBRARY)

# Flags that compile a source for one of AMD's GPUs. Of a GPU's version the library asks whether it is below gfx900.
set(trellis_hip_flags --cuda-device-only -mcode-object-version=4)
foreach(part ocml oclc_isa_version_900 oclc_daz_opt_off oclc_unsafe_math_off oclc_finite_only_off
    oclc_correctly_rounded_sqrt_on)
  list(APPEND trellis_hip_flags -Xclang -mlink-builtin-bitcode -Xclang ${TRELLIS_HIP_DEVICE_LIBRARY}/${part}.bc)
endforeach()

# Sets `result` to those of AMD's GPUs for which clang, its linker and the device library make machine code.
function(trellis_hip_architectures result)
  set(possible)
  if(TRELLIS_CLANG AND TRELLIS_HIP_DEVICE_LIBRARY)
    set(trial ${CMAKE_CURRENT_BINARY_DIR}/hip_trial.cu)
    file(WRITE ${trial} "#define DEVICE __attribute__((device))
extern \"C\" DEVICE double __ocml_exp_f64(double);
__attribute__((global)) void exponential(double* x) { *x = __ocml_exp_f64(*x); }\n")
    foreach(architecture IN LISTS ARGN)
      if(NOT DEFINED TRELLIS_HIP_MAKES_${architecture})
        execute_process(COMMAND ${TRELLIS_CLANG} -x hip -nogpulib -nogpuinc ${trellis_hip_flags}
          --offload-arch=${architecture} --no-gpu-bundle-output ${trial} -o ${trial}.o
          RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
        string(COMPARE EQUAL "${failed}" 0 works)
        set(TRELLIS_HIP_MAKES_${architecture} ${works} CACHE INTERNAL "")
      endif()
      if(TRELLIS_HIP_MAKES_${architecture})
        list(APPEND possible ${architecture})
      endif()
    endforeach()
  endif()
  set(${result} ${possible} PARENT_SCOPE)
endfunction()

# Sets `text` to the assembler's text of a bundle, as clang calls it: a header, and files by what they are for.
function(trellis_bundle_text text)
  math(EXPR count "(${ARGC} + 1) / 2")  # of ARGN, and the host's, which is empty
  set(header ".quad ${count}\n.quad part0 - bundle, 0, 25\n.ascii \"host-x86_64-unknown-linux\"\n")
  set(parts ".balign 4096\npart0:\n")
  set(number 0)
  while(ARGN)
    list(POP_FRONT ARGN id file)
    math(EXPR number "${number} + 1")
    string(LENGTH ${id} length)
    string(APPEND header
      ".quad part${number} - bundle, end${number} - part${number}, ${length}\n.ascii \"${id}\"\n")
    string(APPEND parts ".balign 4096\npart${number}: .incbin \"${file}\"\nend${number}:\n")
  endwhile()
  set(${text} ".data\nbundle: .ascii \"__CLANG_OFFLOAD_BUNDLE__\"\n${header}${parts}" PARENT_SCOPE)
endfunction()

# Adds sources for GPUs to a target that links Trellis: kernels as a bundle of what each kind of GPU takes, which the
# object contains (src/trellis/devices/gpu/clang_modules.cpp), and the functions that launch them as machine code.
function(trellis_add_clang_kernels target)
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(flags -x hip -nogpulib -nogpuinc -std=c++20 -O2 -fno-math-errno -ffp-contract=off -fdeclspec -fPIC
    -Wall -Wno-cuda-compat -Wno-pass-failed -include trellis/devices/gpu/clang_stand_in.cuh
    "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "../" "" name ${name})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/clang/${name})
    cmake_path(GET out PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    set(steps)
    set(parts)
    if(TRELLIS_LLVM_SPIRV)
      # llvm-spirv 15 does not know the instruction freeze, which concerns passes of LLVM that have run by then.
      list(APPEND steps
        COMMAND ${TRELLIS_CLANG} --offload=spirv64 --cuda-device-only ${flags} -S -emit-llvm ${source} -o ${out}.ll
        COMMAND sed -i -E "s/ = freeze ([a-z0-9<> ]+) (.*)$/ = bitcast \\1 \\2 to \\1/" ${out}.ll
        COMMAND ${TRELLIS_CLANG} --target=spirv64 -x ir -emit-llvm -c ${out}.ll -o ${out}.bc
        COMMAND ${TRELLIS_LLVM_SPIRV} --spirv-max-version=1.2 --spirv-fp-contract=off ${out}.bc -o ${out}.spv)
      list(APPEND parts hip-spirv64----generic ${out}.spv)
    endif()
    if(TRELLIS_HIP_ARCHITECTURES)
      # One intermediate code serves all of AMD's GPUs, if it does not name the first. A kernel's argument that stands
      # for memory of a size given by the launch is a number without a meaning in it: see
      # src/trellis/devices/gpu/amdgcn_words.cuh.
      list(GET TRELLIS_HIP_ARCHITECTURES 0 first)
      list(APPEND steps
        COMMAND ${TRELLIS_CLANG} ${trellis_hip_flags} --offload-arch=${first} ${flags}
          -S -emit-llvm ${source} -o ${out}.amd.ll
        COMMAND sed -i -E -e "/^define .*amdgpu_kernel/s/ptr addrspace\\(3\\)[a-z() ]*%/i64 %/g"
          -e "s/ \"target-(cpu|features)\"=\"[^\"]*\"//g" ${out}.amd.ll)
    endif()
    foreach(architecture IN LISTS TRELLIS_HIP_ARCHITECTURES)
      list(APPEND steps
        COMMAND ${TRELLIS_CLANG} --target=amdgcn-amd-amdhsa -mcpu=${architecture} -mcode-object-version=4 -nogpulib -O2
          -Xclang -disable-llvm-passes -x ir ${out}.amd.ll -o ${out}.${architecture})
      list(APPEND parts hipv4-amdgcn-amd-amdhsa--${architecture} ${out}.${architecture})
    endforeach()
    trellis_bundle_text(bundle ${parts})
    file(CONFIGURE OUTPUT ${out}.s CONTENT "${bundle}" @ONLY)
    add_custom_command(OUTPUT ${out}.o ${steps}
      COMMAND ${TRELLIS_CLANG} -c ${out}.s -o ${out}.bundle.o
      COMMAND ${CMAKE_OBJCOPY} -O binary --only-section=.data ${out}.bundle.o ${out}.bundle
      COMMAND ${TRELLIS_CLANG} --cuda-host-only ${flags} -c ${source} -o ${out}.o
        -Xclang -fcuda-include-gpubinary -Xclang ${out}.bundle -MD -MF ${out}.d -MT ${out}.o
      DEPENDS ${source} ${out}.s DEPFILE ${out}.d
      COMMENT "Compiling ${name} by clang"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${out}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${out}.o)
  endforeach()
endfunction()
