# ccache, where there is one and no other launcher was named. Precompiled headers need its leave (its manual, section
# "Precompiled headers"). The whole text of each header counts, comments and macros as well: the compiler knows a header
# that is in a precompiled one by its text.
find_program(TRELLIS_CCACHE ccache)
if(TRELLIS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_DEPEND=true CCACHE_SLOPPINESS=pch_defines,time_macros ${TRELLIS_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TRELLIS_CCACHE})
endif()
