// Devices by name.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

// How long a device of another machine may be silent before it counts as lost; both machines keep its session that
// long.
constexpr std::chrono::milliseconds usual_grace{30'000}, longest_grace{3'600'000};

// "cpu": this processor, as a device. "cuda:0", "cuda:1", ...: a GPU. trellis://HOST/cuda:0 and the other addresses of
// transport/address.hpp: a device that another machine lends. memory: the bytes of its memory that may be used; 0: all
// of this machine's, or what the other machine gives. grace: from 0 to longest_grace. Throws InputError if there is no
// such device, RunError if another machine cannot be reached.
std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory = 0,
                                    std::chrono::milliseconds grace = usual_grace);

// A device of this machine.
std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory = 0);

// What connects to other machines, such as "OpenSSL 3.0.15"; empty if Trellis was built without.
std::string network_library();

// The names of the devices of this machine.
std::vector<std::string> device_names();

}  // namespace trellis
