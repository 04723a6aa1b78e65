#include "trellis/devices/isolated/shared_arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

namespace trellis {

namespace {

constexpr std::size_t alignment = 64, page = 4096;
// Room beyond the blocks, so that free pieces between them do not make it scarce.
constexpr std::size_t spare_factor = 4, least_spare = 1 << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

[[noreturn]] void throw_no_memory() {
    throw std::runtime_error(std::string("the system gives no shared memory: ") + std::strerror(errno));
}

OwnDescriptor make_descriptor(std::size_t size) {
    OwnDescriptor made(memfd_create("trellis", MFD_CLOEXEC));
    if (made.number() < 0 || ftruncate(made.number(), static_cast<off_t>(size)) != 0) throw_no_memory();
    return made;
}

}  // namespace

SharedArena::SharedArena(std::size_t bytes)
    : size_(rounded_up(spare_factor * bytes + least_spare, page)), descriptor_(make_descriptor(size_)) {
    begin_ = map_arena(descriptor_, size_);
    free_[0] = size_;
}

SharedArena::~SharedArena() { munmap(begin_, size_); }

std::byte* map_arena(const OwnDescriptor& descriptor, std::size_t size) {
    void* const begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor.number(), 0);
    if (begin == MAP_FAILED) throw_no_memory();
    return static_cast<std::byte*>(begin);
}

std::byte* SharedArena::allocate(std::size_t bytes) {
    const std::size_t size = rounded_up(std::max<std::size_t>(bytes, 1), alignment);
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(free_, [size](const auto& block) { return block.second >= size; });
    if (found == free_.end()) return nullptr;
    const auto [offset, room] = *found;
    free_.erase(found);
    if (room > size) free_[offset + size] = room - size;
    used_[offset] = size;
    return begin_ + offset;
}

// Joins the block with its free neighbours, and gives its whole pages back to the system.
void SharedArena::release(std::byte* block) {
    const std::scoped_lock lock(mutex_);
    const auto found = used_.find(offset_of(block));
    auto [offset, size] = *found;
    used_.erase(found);
    const std::size_t first = rounded_up(offset, page), end = (offset + size) / page * page;
    if (end > first) madvise(begin_ + first, end - first, MADV_REMOVE);
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + size) {
        size += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin())
        if (const auto before = std::prev(next); before->first + before->second == offset) {
            before->second += size;
            return;
        }
    free_[offset] = size;
}

}  // namespace trellis
