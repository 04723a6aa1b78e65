// Devices by name.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/devices/local_device.hpp"

namespace trellis {

// How long a device of another machine may be silent before it counts as lost; both machines keep its session that
// long.
constexpr std::chrono::milliseconds usual_grace{30'000}, longest_grace{3'600'000};

// "cpu": this processor, as a device. "cuda:0", "cuda:1", ...: a GPU. "rehearsal:0.01": see rehearsal_device.hpp.
// trellis://HOST/cuda:0 and the other addresses of transport/address.hpp: a device that another machine lends. memory:
// the bytes of its memory that may be used; 0: all of this machine's, or what the other machine gives. grace: from 0 to
// longest_grace. Throws InputError if there is no such device, RunError if another machine cannot be reached.
std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory = 0,
                                    std::chrono::milliseconds grace = usual_grace);

// A device of this machine.
std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory = 0);

// What connects to other machines, such as "OpenSSL 3.0.15"; empty if Trellis was built without.
std::string network_library();

// The names of the devices of this machine.
std::vector<std::string> device_names();

// cpu*4 are cpu#0, cpu#1, cpu#2 and cpu#3: copies of a device, each with memory and queues of its own.
// The names with those of all copies in place of NAME*COUNT. Throws InputError for a count that is not 1 to 65536.
std::vector<std::string> with_copies(const std::vector<std::string>& names);

// The name of what a device is a copy of: cpu of cpu#3; the name itself if it is no copy.
std::string_view name_of_original(std::string_view name);

// Devices, each opened once however many forces name it.
class OpenDevices {
  public:
    // memory: bytes that may be used on each; it and grace as for open_device.
    explicit OpenDevices(std::size_t memory = 0, std::chrono::milliseconds grace = usual_grace)
        : memory_(memory), grace_(grace) {}

    // The devices of the given names, NAME*COUNT for copies, which share a force; "host" alone:
    // none. Throws InputError if there are no names, if host is one of several, if a name comes twice, or as
    // open_device does.
    Devices of(const std::vector<std::string>& given);

  private:
    std::size_t memory_;
    std::chrono::milliseconds grace_;
    std::map<std::string, std::shared_ptr<Device>> open_;
};

}  // namespace trellis
