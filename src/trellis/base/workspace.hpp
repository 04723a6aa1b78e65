// Memory for what is made anew at every step, kept from step to step: getting it from the system each time costs more than filling it.
#pragma once

#include <cstddef>

namespace trellis {

class Workspace {
  public:
    Workspace() = default;
    ~Workspace();
    Workspace(Workspace&& other) noexcept;
    Workspace& operator=(Workspace&& other) noexcept;

    // Forgets what was taken and makes room for this many bytes.
    void start(std::size_t bytes);

    // count values, aligned to a cache line. Within the bytes of start, rounding each array up to cache lines.
    template <class T>
    T* take(std::size_t count) {
        T* array = reinterpret_cast<T*>(data_ + used_);
        used_ += bytes_of<T>(count);
        return array;
    }
    template <class T>
    static constexpr std::size_t bytes_of(std::size_t count) {
        return (count * sizeof(T) + line - 1) / line * line;
    }

  private:
    static constexpr std::size_t line = 64;

    std::byte* data_ = nullptr;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace trellis
