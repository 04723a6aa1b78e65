# Fourier transforms for meshes: by which library. Included before the library, it sets TRELLIS_FOURIER. FFTW is under
# the GPL: programs that are passed on with it are, too; so the wheel goes without it (pyproject.toml).
set(TRELLIS_FFTW AUTO CACHE STRING "Fourier transforms by FFTW 3: ON, OFF, or AUTO, if it is there")
set_property(CACHE TRELLIS_FFTW PROPERTY STRINGS AUTO ON OFF)

set(TRELLIS_FOURIER OFF)
find_path(FFTW_INCLUDE_DIR fftw3.h DOC "The folder of fftw3.h")
find_library(FFTW_LIBRARY fftw3 DOC "FFTW 3 in double precision")
find_library(FFTW_FLOAT_LIBRARY fftw3f DOC "FFTW 3 in single precision")
find_path(POCKETFFT_INCLUDE_DIR pocketfft_hdronly.h DOC "The folder of pocketfft_hdronly.h (BSD licence)")
if(NOT TRELLIS_FFTW STREQUAL OFF AND FFTW_INCLUDE_DIR AND FFTW_LIBRARY AND FFTW_FLOAT_LIBRARY)
  set(TRELLIS_FOURIER fftw)
elseif(TRELLIS_FFTW STREQUAL ON)
  message(FATAL_ERROR "TRELLIS_FFTW is ON, but FFTW 3 is missing (Debian: libfftw3-dev)")
elseif(POCKETFFT_INCLUDE_DIR)
  set(TRELLIS_FOURIER pocketfft)
endif()
