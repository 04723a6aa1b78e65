// The devices that a server lends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

struct LentDevice {
    std::string name, description;
    std::uint64_t memory, left;  // bytes that are lent, and those of them that no client has
    std::string users;           // separated by commas
};

// address: of the server, or of one of its devices. Throws the errors of open_device.
std::vector<LentDevice> devices_of(const std::string& address);

}  // namespace trellis
