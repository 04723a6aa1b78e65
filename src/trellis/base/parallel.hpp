// Parallel loops. thread_count and set_thread_count concern the loops of the calling thread. Every parallel loop of
// Trellis gives each index its own output, so that the result has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <mutex>

#include "trellis/base/jthread_loops.hpp"
#include "trellis/base/openmp_loops.hpp"

namespace trellis {

// Calls body(index) for each index in [0, count), a contiguous stretch for each thread.
template <class Body>
void parallel_for(std::size_t count, Body&& body) {
    loop_in_stretches(count, 2048, body);
}

// Calls body(first, end) for each block of `size` indices of [0, count), of which the last may have fewer.
template <class Body>
void parallel_blocks(std::size_t count, std::size_t size, Body&& body) {
    loop_in_stretches((count + size - 1) / size, std::max<std::size_t>(1, 2048 / size),
                      [&](std::size_t block) { body(block * size, std::min((block + 1) * size, count)); });
}

// Calls body(task, thread) for each task in [0, count), handed out one by one: for tasks of unequal cost.
// The first exception that a task throws is thrown again here, after all threads have stopped.
template <class Body>
void parallel_tasks(std::size_t count, Body&& body) {
    std::exception_ptr failure;
    std::mutex failing;
    loop_one_by_one(count, [&](std::size_t task, int thread) {
        try {
            body(task, thread);
        } catch (...) {
            const std::scoped_lock lock(failing);
            if (!failure) failure = std::current_exception();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

// Cuts [0, count) into fixed blocks (their number depends on count alone), reduces each with block(begin, end), and
// joins the partial results in order: the same bits for any number of threads. most_at_once blocks are reduced at a
// time: enough for all threads, and few enough that their results fit on the stack.
template <class Result, class Block, class Join>
Result parallel_reduce(std::size_t count, Result initial, Block&& block, Join&& join) {
    constexpr std::size_t block_size = 16384, most_at_once = 256;
    const std::size_t blocks = (count + block_size - 1) / block_size;
    std::array<Result, most_at_once> partial;
    Result result = initial;
    for (std::size_t first = 0; first < blocks; first += most_at_once) {
        const std::size_t at_once = std::min(blocks - first, most_at_once);
        loop_in_stretches(at_once, 1, [&](std::size_t b) {
            const std::size_t begin = (first + b) * block_size;
            partial[b] = block(begin, std::min(begin + block_size, count));
        });
        for (std::size_t b = 0; b < at_once; ++b) result = join(result, partial[b]);
    }
    return result;
}

}  // namespace trellis
