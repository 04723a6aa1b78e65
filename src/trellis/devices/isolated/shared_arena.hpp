// Memory that several processes share, given out in blocks.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "trellis/devices/isolated/passed_messages.hpp"

namespace trellis {

class SharedArena {
  public:
    // Room for blocks of `bytes` bytes in all, whatever their order of allocation and release. It takes memory only as
    // far as it is used. Throws std::runtime_error if the system refuses it.
    explicit SharedArena(std::size_t bytes);
    ~SharedArena();
    SharedArena(const SharedArena&) = delete;
    SharedArena& operator=(const SharedArena&) = delete;

    // A block that begins at a multiple of 64 bytes; null if there is no room. Its bytes are zero unless it contains
    // parts of earlier blocks.
    std::byte* allocate(std::size_t bytes);
    void release(std::byte* block);

    // For another process: the descriptor of the memory, its size, and the place of an address in it.
    const OwnDescriptor& descriptor() const { return descriptor_; }
    std::size_t size() const { return size_; }
    std::size_t offset_of(const std::byte* address) const { return static_cast<std::size_t>(address - begin_); }
    // Closes the descriptor, which no other process needs any more.
    void close_descriptor() { descriptor_.close(); }

  private:
    const std::size_t size_;
    OwnDescriptor descriptor_;
    std::byte* begin_ = nullptr;
    std::mutex mutex_;
    std::map<std::size_t, std::size_t> free_, used_;  // bytes of each block, by its offset
};

// The memory of an arena of another process.
std::byte* map_arena(const OwnDescriptor& descriptor, std::size_t size);

}  // namespace trellis
