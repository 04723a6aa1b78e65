# The C++ compiler. Without one, whoever calls pip or cmake reads what to install.
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
