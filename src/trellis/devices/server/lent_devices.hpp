// The devices that a server lends, with an account of their memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/local_device.hpp"
#include "trellis/devices/remote/client/calls.hpp"

namespace trellis {

class LentDevices {
  public:
    // names: empty for all of this machine; NAME*COUNT for copies (open.hpp). memory: bytes of each device to lend; 0:
    // all of a GPU's, half of this machine's for all others together. Throws InputError if there is no such device.
    LentDevices(std::vector<std::string> names, std::uint64_t memory);

    // A device for one client, with its own account of memory. wanted: bytes; 0: half of what is left, so that other
    // clients get some. Throws InputError if there is no such device, or too little memory is left.
    std::shared_ptr<LocalDevice> lend(const std::string& name, std::uint64_t wanted, const std::string& who);
    void give_back(const std::string& name, std::uint64_t memory, const std::string& who);

    std::vector<LentDevice> entries() const;

  private:
    struct Lent {
        std::string name, description;
        std::uint64_t memory, left;
        std::vector<std::string> users;
    };
    Lent& find(const std::string& name);

    std::vector<Lent> devices_;
};

}  // namespace trellis
