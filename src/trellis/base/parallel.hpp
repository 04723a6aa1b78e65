// Threads. Every parallel loop of Trellis gives each index its own output, so that the result has the same bits
// for any number of threads.
#pragma once

#include <omp.h>

#include <cstddef>
#include <exception>
#include <mutex>
#include <type_traits>
#include <vector>

namespace trellis {

inline int thread_count() { return omp_get_max_threads(); }
inline void set_thread_count(int count) { omp_set_num_threads(count); }

// Calls body(index) for each index in [0, count), a contiguous stretch a thread.
template <class Body>
void parallel_for(std::size_t count, Body&& body) {
#pragma omp parallel for schedule(static) if (count > 2048)
    for (std::size_t index = 0; index < count; ++index) body(index);
}

// Calls body(task, thread) for each task in [0, count), handed out one by one: for tasks of unequal cost.
// The first exception that a task throws is thrown again here, after all threads have stopped.
template <class Body>
void parallel_tasks(std::size_t count, Body&& body) {
    std::exception_ptr failure;
    std::mutex failing;
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
    for (std::size_t task = 0; task < count; ++task) {
        try {
            body(task, omp_get_thread_num());
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

// Cuts [0, count) into fixed blocks (their number depends on count alone), reduces each with block(begin, end), and joins
// the partial results in order: the same bits for any number of threads.
template <class Result, class Block, class Join>
    requires(!std::is_same_v<Result, bool>)  // whose vectors share bytes between threads
Result parallel_reduce(std::size_t count, Result initial, Block&& block, Join&& join) {
    constexpr std::size_t block_size = 16384;
    const std::size_t blocks = (count + block_size - 1) / block_size;
    std::vector<Result> partial(blocks, initial);
#pragma omp parallel for schedule(static) if (blocks > 1)
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t end = (b + 1) * block_size < count ? (b + 1) * block_size : count;
        partial[b] = block(b * block_size, end);
    }
    Result result = initial;
    for (const Result& part : partial) result = join(result, part);
    return result;
}

}  // namespace trellis
