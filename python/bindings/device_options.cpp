// The parameters of devices, which simulations, ensembles and the section [run] have in common.
#include "device_options.hpp"

#include <algorithm>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "parameter_access.hpp"
#include "trellis/devices/emulated/emulated_device.hpp"
#include "trellis/transport/addresses/address.hpp"

void DeviceOptions::check() const {
    if (spares.empty()) return;
    const std::vector<std::string> here = trellis::device_names();
    for (const std::string& spare : spares) {
        const bool known = std::ranges::find(here, trellis::name_of_original(spare)) != here.end();
        if (known || spare == "host" || trellis::is_emulated(spare) || trellis::is_remote(spare)) continue;
        std::string allowed = "host";
        for (const std::string& name : here) allowed += ", " + name;
        throw trellis::InputError("spares has '" + spare +
                                  "', but there is no such device: on this machine, allowed are " + allowed);
    }
}

namespace {

using Options = DeviceOptions;

constexpr Parameter<Options> parameters[] = {
    {.name = "device",
     .value = device_parameter<Options>.value,
     .meaning = "where the kernels of forces without a device of their own run: host (threads of this process), cpu"
                " (the processor as a device), cuda:0, ..., or auto (a GPU of this machine, else host);"
                " `trellis info` lists those of this machine;"
                " trellis://HOST/cuda:0 is one of another machine; several devices share each force, or the systems of"
                " an ensemble, with the same bits as one of their kind, and if one fails, the others take over its"
                " part"},
    {.name = "device_memory",
     .value = open_number<Options, &Options::memory>,
     .meaning = "memory of each device that may be used; if not given, all of it",
     .unit = "bytes",
     .limits = {.at_least = 1}},
    {.name = "spares",
     .value = member<Options, &Options::spares>,
     .meaning = "devices that take the place of those that fail, once no other of their list is left, in this order,"
                " such as cpu; each is used once, with a warning, and steps are repeated with the same bits on a"
                " device of the same kind"},
    {.name = "grace",
     .value = member<Options, &Options::grace>,
     .meaning = "how long a device of another machine may be silent, as when a cable is cut, before it counts as lost;"
                " its server keeps the session as long",
     .unit = "seconds",
     .limits = {.at_least = 0, .at_most = std::chrono::duration<double>(trellis::longest_grace).count()}},
    {.name = "redundant",
     .value = member<Options, &Options::redundant>,
     .meaning = "2: the devices of a list compute in pairs of one kind, the first two, the next two, ..., whose results"
                " are compared bit for bit; where they differ, the step is repeated with a third of their kind (of the"
                " list, the spares or another pair), and the one that differs from the other two is taken off, with a"
                " warning; without a third the run ends with an error that names both, unless a spare of another kind"
                " takes over; 1: nothing is compared",
     .limits = {.at_least = 1, .at_most = 2}},
};

}  // namespace

void bind_device_options(nanobind::module_& core) {
    bind_settings<Options>(core, "DeviceOptions", "The devices of a simulation or an ensemble.", parameters)
        .def_ro("names", &Options::device, "Names of the devices.")
        .def_ro("automatic", &Options::automatic, "True if the device was chosen for ``auto``.")
        .def_ro("redundant", &Options::redundant, "Devices that compute the same.");
}
