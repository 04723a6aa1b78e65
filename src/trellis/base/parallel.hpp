// Parallel loops. thread_count and set_thread_count concern the loops of the calling thread. Every parallel loop of
// Trellis gives each index its own output, so that the result has the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <type_traits>
#include <vector>

#include "trellis/base/jthread_loops.hpp"
#include "trellis/base/openmp_loops.hpp"

namespace trellis {

// Calls body(index) for each index in [0, count), a contiguous stretch for each thread.
template <class Body>
void parallel_for(std::size_t count, Body&& body) {
    loop_in_stretches(count, 2048, body);
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
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

// Cuts [0, count) into fixed blocks (their number depends on count alone), reduces each with block(begin, end), and
// joins the partial results in order: the same bits for any number of threads.
template <class Result, class Block, class Join>
    requires(!std::is_same_v<Result, bool>)  // a std::vector<bool> shares bytes between threads
Result parallel_reduce(std::size_t count, Result initial, Block&& block, Join&& join) {
    constexpr std::size_t block_size = 16384;
    const std::size_t blocks = (count + block_size - 1) / block_size;
    std::vector<Result> partial(blocks, initial);
    loop_in_stretches(blocks, 1, [&](std::size_t b) {
        const std::size_t end = (b + 1) * block_size < count ? (b + 1) * block_size : count;
        partial[b] = block(b * block_size, end);
    });
    Result result = initial;
    for (const Result& part : partial) result = join(result, part);
    return result;
}

}  // namespace trellis
