// Pool of host memory for transfers to and from a device: allocating it takes longer than copying.
#pragma once

#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

// Bytes that return to the pool when the last owner is destroyed.
struct StagedBytes {
    std::shared_ptr<std::byte> owner;
    std::span<std::byte> bytes;
};

// Bytes that the pool keeps for further transfers, at most.
inline constexpr std::size_t most_kept = 64 << 20;

class Staging {
  public:
    explicit Staging(std::shared_ptr<Device> device) : pool_(std::make_shared<Pool>(std::move(device))) {}

    // Memory for `bytes` bytes, in blocks of a power of two, at least 512. Throws DeviceError if there is no memory.
    StagedBytes take(std::size_t bytes) {
        if (bytes == 0) return {};
        const std::size_t size = std::bit_ceil(std::max<std::size_t>(bytes, 512));
        HostMemory memory = pool_->take(size);
        std::byte* begin = memory.begin();
        auto give_back = [held = std::move(memory), size, pool = pool_](std::byte*) mutable {
            pool->give_back(size, std::move(held));
        };
        return {std::shared_ptr<std::byte>(begin, std::move(give_back)), {begin, bytes}};
    }

  private:
    struct Pool {
        explicit Pool(std::shared_ptr<Device> device) : device(std::move(device)) {}

        HostMemory take(std::size_t size) {
            {
                const std::scoped_lock lock(mutex);
                auto& of_size = free[size];
                if (!of_size.empty()) {
                    HostMemory memory = std::move(of_size.back());
                    of_size.pop_back();
                    kept -= size;
                    return memory;
                }
            }
            return {device, size};
        }
        void give_back(std::size_t size, HostMemory memory) {
            const std::scoped_lock lock(mutex);
            if (kept + size > most_kept) return;
            kept += size;
            free[size].push_back(std::move(memory));
        }

        std::shared_ptr<Device> device;
        std::mutex mutex;
        std::map<std::size_t, std::vector<HostMemory>> free;
        std::size_t kept = 0;  // bytes in `free`
    };

    std::shared_ptr<Pool> pool_;
};

}  // namespace trellis
