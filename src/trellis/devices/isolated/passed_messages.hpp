// Messages between the processes of this machine, over a pair of sockets.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace trellis {

// A file descriptor that is closed with the object.
class OwnDescriptor {
  public:
    explicit OwnDescriptor(int number = -1) : number_(number) {}
    ~OwnDescriptor() { close(); }
    OwnDescriptor(OwnDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    int number() const { return number_; }
    void close();

  private:
    int number_;
};

// Two connected sockets. Throws std::runtime_error.
std::array<OwnDescriptor, 2> socket_pair();

// Sends all bytes; passed: descriptors that go with them. Returns false if the other end is closed.
bool send_all(const OwnDescriptor& to, std::span<const std::byte> bytes, std::span<const int> passed = {});
// Fills all bytes, and `passed` with descriptors. Returns false at the end of the stream.
bool receive_all(const OwnDescriptor& from, std::span<std::byte> bytes, std::span<OwnDescriptor> passed = {});

template <class T>
std::span<const std::byte> object_bytes(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> writable_object_bytes(T& value) {
    return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace trellis
