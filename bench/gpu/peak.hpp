// The peak of a GPU in single-precision operations a second, measured by a named kernel.
#pragma once

#include <cstdint>

namespace bench {

// Constants MultiplyAddCall; memory: out, a float for each thread.
inline constexpr const char* multiply_add_kernel = "multiply_add";

struct MultiplyAddCall {
    std::uint32_t blocks, rounds;
    float shrink;  // 0 to 1: sums converge to 1, so nothing overflows
};

inline constexpr std::uint32_t chains = 8, threads = 256;  // independent chains in a thread, threads in a block

void register_multiply_add();

}  // namespace bench
