# Devices of other machines: whether. Included before the library, it sets TRELLIS_HAS_NETWORK.
set(TRELLIS_NETWORK AUTO CACHE STRING
  "Lend and use devices of other machines: ON, OFF, or AUTO, if there are Asio and OpenSSL 3")
set_property(CACHE TRELLIS_NETWORK PROPERTY STRINGS AUTO ON OFF)

set(TRELLIS_HAS_NETWORK OFF)
if(TRELLIS_NETWORK STREQUAL OFF)
  return()
endif()
find_package(Threads QUIET)
find_package(OpenSSL 3.0 QUIET)
find_path(ASIO_INCLUDE_DIR asio.hpp DOC "The folder of asio.hpp, without Boost")
if(OPENSSL_FOUND AND ASIO_INCLUDE_DIR)
  set(TRELLIS_HAS_NETWORK ON)
elseif(TRELLIS_NETWORK STREQUAL ON)
  message(FATAL_ERROR "TRELLIS_NETWORK is ON, but Asio or OpenSSL 3 is missing (Debian: libasio-dev, libssl-dev)")
endif()
