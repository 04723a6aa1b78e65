#include "trellis/devices/local_device.hpp"

namespace trellis {

void LocalDevice::fail(const std::string& failure) {
    const std::scoped_lock lock(failure_mutex_);
    if (failure_.empty()) failure_ = failure;
    failed_ = true;
}

std::string LocalDevice::failure() {
    const std::scoped_lock lock(failure_mutex_);
    return failure_;
}

void LocalDevice::throw_failure() {
    if (failed_) throw DeviceError(name_, failure());
}

std::byte* LocalDevice::allocate(std::size_t bytes) {
    if (memory_left() >= bytes)
        if (std::byte* address = take(bytes)) {
            used_ += bytes;
            return address;
        }
    throw DeviceError(name_, "is out of memory: " + std::to_string(bytes) + " bytes asked for, " +
                                 std::to_string(memory_left()) + " of " + std::to_string(memory_) + " left");
}

void LocalDevice::release(std::byte* address, std::size_t bytes) {
    give_back(address);
    used_ -= bytes;
}

}  // namespace trellis
