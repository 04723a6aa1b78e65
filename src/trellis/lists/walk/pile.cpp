#include "trellis/lists/walk/pile.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace trellis {

Pile::~Pile() { std::free(data_); }

Pile::Pile(Pile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Pile& Pile::operator=(Pile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

void Pile::grow(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>({needed, 2 * capacity_, 256});
    auto* data = static_cast<std::uint32_t*>(std::realloc(data_, capacity * sizeof(std::uint32_t)));
    if (data == nullptr) throw std::bad_alloc();
    data_ = data;
    capacity_ = capacity;
}

}  // namespace trellis
