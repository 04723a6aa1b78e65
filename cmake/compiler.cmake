# The C++ compiler and its OpenMP. Without them, whoever calls pip or cmake reads what to install.
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  set(named)
  if(DEFINED ENV{CXX})
    set(named " (CXX is $ENV{CXX})")
  endif()
  message(FATAL_ERROR
    "no C++ compiler works here${named}: install g++ 12 or newer (Debian and Ubuntu: apt install g++; Fedora: dnf "
    "install gcc-c++; conda: conda install gxx), or install Trellis from a wheel, which needs none: pip install "
    "trellis_particles-*.whl")
endif()
enable_language(CXX)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR
    "the C++ compiler ${CMAKE_CXX_COMPILER} is g++ ${CMAKE_CXX_COMPILER_VERSION}: install g++ 12 or newer and name it "
    "in the environment (CXX=g++-12), or install Trellis from a wheel, which needs none: pip install "
    "trellis_particles-*.whl")
endif()
find_package(OpenMP QUIET COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  message(FATAL_ERROR
    "the C++ compiler ${CMAKE_CXX_COMPILER} has no OpenMP: install that of clang (Debian and Ubuntu: apt install "
    "libomp-dev; Fedora: dnf install libomp-devel), or g++, which has it")
endif()
