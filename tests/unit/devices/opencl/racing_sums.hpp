// Running sums of blocks of threads, by copies of sum_before (block_scan.cuh), one right and others with a flaw.
#pragma once

#include <cstddef>
#include <string>

namespace trellis::racing_sums {

enum class Flaw {
    none,
    barrier_left_out,  // between the steps
    one_buffer,        // a step writes what other threads read in the same step: a race
};

inline constexpr unsigned block_sizes[] = {1, 32, 77, 256};

struct Call {
    std::size_t blocks;
};

// The kernel: constants Call; memories: a value of each thread of all blocks, its running sum within its block.
std::string kernel_name(Flaw flaw, unsigned threads);

// Registers all of them for the devices whose kernels clang compiles.
void register_kernels();

}  // namespace trellis::racing_sums
