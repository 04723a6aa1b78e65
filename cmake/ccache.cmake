# ccache, where it is installed and no other launcher was named. Clones in different folders share results: paths below
# this folder are hashed relative to the build folder, and the build folder's own name is not hashed. Precompiled
# headers need the two sloppiness flags (ccache's manual, section "Precompiled headers"); depend mode hashes the text of
# every included header, comments and macros as well.
find_program(TRELLIS_CCACHE ccache)
if(TRELLIS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_DEPEND=true CCACHE_SLOPPINESS=pch_defines,time_macros ${TRELLIS_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
