#include "trellis/base/workspace.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace trellis {

Workspace::~Workspace() { std::free(data_); }

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
    std::free(data_);
    capacity_ = 0;
    data_ = static_cast<std::byte*>(std::aligned_alloc(line, bytes_of<std::byte>(bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    capacity_ = bytes;
}

}  // namespace trellis
