// Trellis built without Asio or OpenSSL neither lends devices nor uses those of other machines.
#include "bindings.hpp"

void bind_network(nanobind::module_& /*core*/) {}
