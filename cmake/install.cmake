# Installs the library for find_package(Trellis). The Python module is a component of its own (cmake/python.cmake).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trellis)
install(TARGETS trellis trellis_native EXPORT TrellisTargets
  ARCHIVE COMPONENT cpp
  FILE_SET HEADERS COMPONENT cpp
  FILE_SET cuda_headers COMPONENT cpp)
install(TARGETS trellis_grape trellis_c EXPORT TrellisTargets
  LIBRARY COMPONENT cpp
  FILE_SET HEADERS COMPONENT cpp)
foreach(fortran_module grape/trellis_grape.f90 c/trellis.f90)
  cmake_path(GET fortran_module PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/trellis/${fortran_module}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trellis/${folder} COMPONENT cpp)
endforeach()
install(EXPORT TrellisTargets NAMESPACE Trellis:: DESTINATION ${package_dir} COMPONENT cpp)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TrellisConfig.cmake.in ${PROJECT_BINARY_DIR}/TrellisConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TrellisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TrellisConfig.cmake ${PROJECT_BINARY_DIR}/TrellisConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/cuda_dialect.cmake ${PROJECT_SOURCE_DIR}/cmake/native_optimisation.cmake
  ${PROJECT_SOURCE_DIR}/cmake/clang_kernels.cmake
  DESTINATION ${package_dir} COMPONENT cpp)
