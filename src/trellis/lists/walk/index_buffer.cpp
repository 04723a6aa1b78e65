#include "trellis/lists/walk/index_buffer.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

IndexBuffer::IndexBuffer(IndexBuffer&& other) noexcept
    : data_(std::move(other.data_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

IndexBuffer& IndexBuffer::operator=(IndexBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

// Grows by a quarter, not by a factor of two: lists take most of a periodic tree's memory, and grow in the first steps
// only.
void IndexBuffer::grow(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>({needed, capacity_ + capacity_ / 4, 256});
    auto data = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
    std::copy_n(begin(), size_, data.get());
    data_ = std::move(data);
    capacity_ = capacity;
}

void IndexBuffer::append(std::span<const std::uint32_t> values) {
    make_room(values.size());
    std::ranges::copy(values, begin() + size_);
    size_ += values.size();
}

}  // namespace trellis
