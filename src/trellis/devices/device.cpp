#include "trellis/devices/device.hpp"

#include <new>
#include <utility>

namespace trellis {

namespace {

constexpr std::align_val_t host_alignment{64};

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), address_(bytes > 0 ? device_->allocate(bytes) : nullptr), bytes_(bytes) {}

DeviceMemory::~DeviceMemory() {
    if (address_ != nullptr) device_->release(address_, bytes_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

HostMemory::HostMemory(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), address_(bytes > 0 ? device_->allocate_host(bytes) : nullptr), bytes_(bytes) {}

HostMemory::~HostMemory() {
    if (address_ != nullptr) device_->release_host(address_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

QueueTimes& QueueTimes::operator+=(const QueueTimes& other) {
    upload += other.upload;
    kernel += other.kernel;
    download += other.download;
    bytes_up += other.bytes_up;
    bytes_down += other.bytes_down;
    round_trips += other.round_trips;
    for (const auto& [name, seconds] : other.kernels) kernels[name] += seconds;
    return *this;
}

std::exception_ptr Queue::settle(const Mark& mark) {
    try {
        wait(mark);
    } catch (const DeviceError&) {
        return std::current_exception();
    }
    return nullptr;
}

void Queue::upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& /*records*/,
                         bool /*restart*/) {
    upload(to, 0, from);
}

void Queue::then(std::function<void()> call) {
    settle();
    std::exchange(call, nullptr)();
}

std::shared_ptr<Device> Device::successor(std::string_view failed) {
    return failed == name() ? nullptr : shared_from_this();
}

std::byte* Device::allocate_host(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new(bytes, host_alignment));
}

void Device::release_host(std::byte* address) { ::operator delete(address, host_alignment); }

}  // namespace trellis
