// Opens devices by name.
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

// The longest silence of a device of another machine before it counts as lost. Both machines keep its session that
// long.
constexpr std::chrono::milliseconds usual_grace{30'000}, longest_grace{3'600'000};

// name: "cpu", this processor as a device; "cuda:0", "hip:0", "opencl:0", ...: a GPU; "rehearsal:0.01": see
// emulated_device.hpp; trellis://HOST/cuda:0 and the other addresses of transport/addresses/address.hpp: a device that
// another machine lends. memory: bytes of its memory to use; 0: all of this machine's, or as much as the other machine
// gives. grace: from 0 to longest_grace. Throws InputError if there is no such device, RunError if another machine
// cannot be reached.
std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory = 0,
                                    std::chrono::milliseconds grace = usual_grace);

// Opens a device of this machine.
std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory = 0);

// The library for connections to other machines, such as "OpenSSL 3.0.15"; empty if Trellis was built without one.
std::string network_library();

// The names of the devices of this machine.
std::vector<std::string> device_names();

// The first GPU of this machine; "host" if it has none.
std::string automatic_device();

// Replaces each NAME*COUNT by the names of the copies: cpu*4 by cpu#0, cpu#1, cpu#2 and cpu#3. Each copy has memory and
// queues of its own. Throws InputError for a count that is not 1 to 65536.
std::vector<std::string> with_copies(const std::vector<std::string>& names);

// The name of the device that a copy stands for: "cpu" for "cpu#3"; the name itself if it is not a copy.
std::string_view name_of_original(std::string_view name);

// Open devices, each opened once even if several forces name it.
class OpenDevices {
  public:
    // memory, grace: of each device, as for open_device.
    explicit OpenDevices(std::size_t memory = 0, std::chrono::milliseconds grace = usual_grace)
        : memory_(memory), grace_(grace) {}

    // The devices of the given names, NAME*COUNT for copies, which share a force; no devices for "host" alone. Throws
    // InputError if there are no names, if host is one of several, or if a name comes twice, and the errors of
    // open_device.
    Devices of(const std::vector<std::string>& given);

  private:
    std::size_t memory_;
    std::chrono::milliseconds grace_;
    std::map<std::string, std::shared_ptr<Device>> open_;
};

}  // namespace trellis
