// Devices by name.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

// "cpu": this processor, as a device. "cuda:0", "cuda:1", ...: a GPU. "rehearsal:0.01": see rehearsal_device.hpp.
// trellis://HOST/cuda:0 and the other addresses of transport/address.hpp: a device that another machine lends. memory:
// the bytes of its memory that may be used; 0: all of this machine's, or what the other machine gives. Throws
// InputError if there is no such device, RunError if another machine cannot be reached.
std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory = 0);

// A device of this machine.
std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory = 0);

// What connects to other machines, such as "OpenSSL 3.0.15"; empty if Trellis was built without.
std::string network_library();

// The names of the devices of this machine.
std::vector<std::string> device_names();

// Devices, each opened once however many forces name it.
class OpenDevices {
  public:
    // memory: bytes that may be used on each, as for open_device.
    explicit OpenDevices(std::size_t memory = 0) : memory_(memory) {}

    // The devices of these names, which share a force; "host" alone: none. Throws InputError if there are no names, if
    // host is one of several, or as open_device does.
    Devices of(const std::vector<std::string>& names);

  private:
    std::size_t memory_;
    std::map<std::string, std::shared_ptr<Device>> open_;
};

}  // namespace trellis
