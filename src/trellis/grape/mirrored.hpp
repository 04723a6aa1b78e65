// Values of the host with a copy on a device: written in any order, and uploaded before they are needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "trellis/devices/device.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

template <class T>
class Mirrored {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Mirrored(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    // The values [first, first + count), for writing. Values that were never written are undefined. No queue may be
    // using this memory.
    std::span<T> write(std::size_t first, std::size_t count) {
        const std::size_t end = first + count;
        grow(end);
        size_ = std::max(size_, end);
        changed_from_ = std::min(changed_from_, first);
        changed_to_ = std::max(changed_to_, end);
        return {values() + first, count};
    }

    // Uploads the values that have changed. They must not be written again before the queue has been waited for.
    void upload(Queue& queue) {
        if (changed_from_ >= changed_to_) return;
        if (copy_.bytes() < host_.bytes()) {
            copy_ = {};
            copy_ = DeviceMemory(device_, host_.bytes());
            changed_from_ = 0;
            changed_to_ = size_;
        }
        const std::span<const T> changed(values() + changed_from_, changed_to_ - changed_from_);
        queue.upload(copy_, changed_from_ * sizeof(T), std::as_bytes(changed));
        changed_from_ = static_cast<std::size_t>(-1);
        changed_to_ = 0;
    }

    std::size_t size() const { return size_; }
    // The first `most` values, or all if there are fewer.
    std::span<const T> written(std::size_t most) const { return {values(), std::min(most, size_)}; }
    const DeviceMemory& on_device() const { return copy_; }

  private:
    T* values() const { return reinterpret_cast<T*>(host_.begin()); }

    void grow(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (host_.bytes() >= bytes) return;
        HostMemory larger(device_, with_spare(std::max(bytes, host_.bytes() + host_.bytes() / 2)));
        std::copy_n(host_.begin(), size_ * sizeof(T), larger.begin());
        host_ = std::move(larger);
    }

    std::shared_ptr<Device> device_;
    HostMemory host_;
    DeviceMemory copy_;
    std::size_t size_ = 0;
    std::size_t changed_from_ = static_cast<std::size_t>(-1), changed_to_ = 0;
};

}  // namespace trellis
