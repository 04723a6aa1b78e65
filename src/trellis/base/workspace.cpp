#include "trellis/base/workspace.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace trellis {

Workspace::~Workspace() { release(); }

Workspace::Workspace(Workspace&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      used_(std::exchange(other.used_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(used_, other.used_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

void Workspace::start(std::size_t bytes) {
    used_ = 0;
    if (bytes <= capacity_) return;
    const std::size_t room = bytes_of<std::byte>(std::max(bytes, capacity_ + capacity_ / 4));
    release();
    data_ = static_cast<std::byte*>(::operator new(room, std::align_val_t{line}));
    capacity_ = room;
}

void Workspace::release() {
    ::operator delete(std::exchange(data_, nullptr), std::align_val_t{line});
    capacity_ = 0;
}

}  // namespace trellis
