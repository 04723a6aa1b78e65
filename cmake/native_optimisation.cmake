# Sets Trellis_OPTIMISATION to what Trellis::native adds for a program that has neither a build type nor an option -O of
# its own: unoptimised, an interaction takes up to 24 times as long.
set(Trellis_OPTIMISATION "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<STREQUAL:$<CONFIG>,>>:-O2>")
if(CMAKE_CXX_FLAGS MATCHES "(^| )-O")
  set(Trellis_OPTIMISATION "")
endif()
