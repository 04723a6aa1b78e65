// The interface of forces that compute on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/devices/devices.hpp"

namespace trellis {

// The work of the devices for the last force, and the time that it took: printed by runs, read by the performance
// model.
struct DeviceUse {
    std::size_t batches = 0;  // by all devices together
    std::size_t bytes = 0;    // the most memory held, by all devices together
    // The particles did not fit into the memory of a device at once: its batches have tables of their own.
    bool in_blocks = false;
    bool lists_kept = false;           // all devices keep the lists from step to step
    std::vector<std::uint64_t> pairs;  // in the lists of each device
    QueueTimes times;                  // of all queues by all devices together
};

// By default all is computed by the threads of this process.
class DeviceClient {
  public:
    virtual ~DeviceClient() = default;

    // The devices that compute; none: the threads of this process.
    virtual const Devices& devices() const {
        static const Devices none;
        return none;
    }
    // Continues with other devices, for instance after one has failed; none: the threads of this process. On several
    // ranks only those whose device failed may do so; without a failure, all change together.
    virtual void use_devices(const Devices& /*devices*/) {}
    // Continues without the device of this name, if it makes lists ahead beside the devices that compute; the results
    // keep their bits. False if no such device makes lists.
    virtual bool drop_list_device(std::string_view /*failed*/) { return false; }
    // The work of the devices for the last forces; null without devices.
    virtual const DeviceUse* device_use() const { return nullptr; }
    // True if a call may fail when it has changed columns already, as where a device computes: at each step the
    // simulation then keeps a copy of the columns, to repeat the step from. False if calls fail only before they
    // change columns, or for lack of memory.
    virtual bool may_fail_after_writing() const { return true; }
};

}  // namespace trellis
