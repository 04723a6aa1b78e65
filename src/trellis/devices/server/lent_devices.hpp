// The devices that a server lends, with an account of their memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/isolated/kernel_processes.hpp"
#include "trellis/devices/local_device.hpp"
#include "trellis/devices/remote/client/calls.hpp"

namespace trellis {

class LentDevices {
  public:
    // names: empty for all of this machine; NAME*COUNT for copies (open.hpp). memory: bytes of each device to lend; 0:
    // all of a GPU's, half of this machine's for all others together. isolated: kernels on the processor run in
    // processes of their own, in the first of which begun is called. Throws InputError if there is no such device.
    LentDevices(std::vector<std::string> names, std::uint64_t memory, bool isolated = false,
                const std::function<void()>& begun = {});

    // A device for one client, with its own account of memory. wanted: bytes; 0: half of what is left beyond a
    // sixteenth of all for each further one of eight clients, but at least a sixteenth. Throws InputError if there is
    // no such device, or too little memory is left.
    std::shared_ptr<LocalDevice> lend(const std::string& name, std::uint64_t wanted, const std::string& who);
    void give_back(const std::string& name, std::uint64_t memory, const std::string& who);

    std::vector<LentDevice> entries() const;
    // Bytes left to lend, of all devices.
    std::uint64_t left() const;

  private:
    struct Lent {
        std::string name, description;
        std::uint64_t memory, left;
        std::vector<std::string> users;
    };
    Lent& find(const std::string& name);
    static std::uint64_t usual_share(const Lent& lent);

    const std::shared_ptr<KernelProcesses> processes_;  // null: not isolated
    std::vector<Lent> devices_;
};

}  // namespace trellis
