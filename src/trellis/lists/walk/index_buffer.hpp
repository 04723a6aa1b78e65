// A growing array of cell numbers for the walk. Unlike in std::vector, room after its end may be written before its new
// size is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace trellis {

class IndexBuffer {
  public:
    IndexBuffer() = default;
    IndexBuffer(IndexBuffer&& other) noexcept;
    IndexBuffer& operator=(IndexBuffer&& other) noexcept;

    std::size_t size() const { return size_; }
    std::uint32_t* begin() { return data_.get(); }
    const std::uint32_t* begin() const { return data_.get(); }
    std::uint32_t operator[](std::size_t k) const { return data_[k]; }
    std::span<const std::uint32_t> span(std::size_t from, std::size_t to) const { return {begin() + from, to - from}; }
    std::span<const std::uint32_t> all() const { return span(0, size_); }

    // Makes room for `more` values after the end; then write at begin() + size() and call set_size.
    void make_room(std::size_t more) {
        if (size_ + more > capacity_) grow(size_ + more);
    }
    // Sets the size, to at most the room made.
    void set_size(std::size_t size) { size_ = size; }
    // Keeps the memory.
    void clear() { size_ = 0; }
    void append(std::span<const std::uint32_t> values);

  private:
    void grow(std::size_t needed);

    std::unique_ptr<std::uint32_t[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace trellis
