// Plain values as the bytes of a message: written one after another, and read in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"

namespace trellis {

class ByteWriter {
  public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& value) {
        put(std::span<const T>(&value, 1));
    }
    template <class T>
    void put(std::span<const T> values) {
        const std::size_t before = bytes_.size();
        bytes_.resize(before + values.size_bytes());
        if (!values.empty()) std::memcpy(bytes_.data() + before, values.data(), values.size_bytes());
    }
    // Writes the number of values, then the values.
    template <class T>
    void put_counted(std::span<const T> values) {
        put(std::uint64_t{values.size()});
        put(values);
    }

    std::size_t size() const { return bytes_.size(); }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    T get() {
        T value;
        get(std::span<T>(&value, 1));
        return value;
    }
    // Throws RunError if fewer than values.size() values are left.
    template <class T>
    void get(std::span<T> values) {
        const std::size_t wanted = values.size_bytes();
        if (wanted > bytes_.size()) throw RunError("a message is too short");
        if (wanted > 0) std::memcpy(values.data(), bytes_.data(), wanted);
        bytes_ = bytes_.subspan(wanted);
    }
    template <class T>
    std::vector<T> get_counted() {
        const auto count = get<std::uint64_t>();
        if (count > bytes_.size() / sizeof(T)) throw RunError("a message is too short");
        std::vector<T> values(count);
        get(std::span<T>(values));
        return values;
    }

    // A view of bytes written by put_counted.
    std::span<const std::byte> get_part() {
        const auto count = get<std::uint64_t>();
        if (count > bytes_.size()) throw RunError("a message is too short");
        const auto part = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return part;
    }

    bool at_end() const { return bytes_.empty(); }
    std::size_t bytes_left() const { return bytes_.size(); }

  private:
    std::span<const std::byte> bytes_;
};

}  // namespace trellis
