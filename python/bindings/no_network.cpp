// A build without Asio and OpenSSL neither lends devices nor uses those of other machines.
#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;

void bind_network(nb::module_& core) {
    for (const char* name : {"serve", "forward", "fingerprint", "known_keys", "add_key", "remove_key", "devices_of"})
        core.def(
            name,
            [](const nb::args&, const nb::kwargs&) {
                throw trellis::InputError(
                    "this Trellis was built without Asio and OpenSSL 3, which devices of other "
                    "machines and links between sites need");
            },
            "Not in this build.");
}
