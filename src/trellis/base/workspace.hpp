// Memory for arrays that are rebuilt at every step, kept from step to step: getting it from the system each time costs
// more than filling it.
#pragma once

#include <cstddef>

namespace trellis {

// The smallest number of values of a type, at least count, that fills whole cache lines; no SIMD batch is longer than
// one.
template <class T>
constexpr std::size_t whole_lines(std::size_t count) {
    constexpr std::size_t in_line = 64 / sizeof(T);
    return (count + in_line - 1) / in_line * in_line;
}

class Workspace {
  public:
    Workspace() = default;
    ~Workspace();
    Workspace(Workspace&& other) noexcept;
    Workspace& operator=(Workspace&& other) noexcept;

    // Frees all arrays and makes room for `bytes`; to grow, for a quarter more than that.
    void start(std::size_t bytes);

    // Takes an array of count values, aligned to a cache line. All arrays, each rounded up to whole cache lines, must
    // fit into the bytes of start.
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

    void release();

    std::byte* data_ = nullptr;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace trellis
