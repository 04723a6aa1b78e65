// The loops of base/parallel.hpp on OpenMP's threads.
#pragma once

#if !defined(TRELLIS_JTHREADS)

#include <omp.h>

#include <cstddef>

#include "trellis/base/forks/forked_threads.hpp"

namespace trellis {

inline int thread_count() { return ForkedThreads::lost() ? 1 : omp_get_max_threads(); }
inline void set_thread_count(int count) { omp_set_num_threads(count); }

// True if a loop may have several threads: not within another loop.
inline bool may_have_threads(bool worth_it) {
    if (!worth_it || thread_count() == 1 || omp_in_parallel() != 0) return false;
    ForkedThreads::note_use();
    return true;
}

// Calls body(index) for each index in [0, count), a contiguous stretch for each thread. The calling thread takes all of
// them if count is at most `alone`, without OpenMP: a parallel region of one thread takes a microsecond.
template <class Body>
void loop_in_stretches(std::size_t count, std::size_t alone, Body&& body) {
    const auto stretch = [&](std::size_t begin, std::size_t end) __attribute__((noinline)) {
        for (std::size_t index = begin; index < end; ++index) body(index);
    };
    if (!may_have_threads(count > alone)) return stretch(0, count);
#pragma omp parallel
    {
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        stretch(count * thread / threads, count * (thread + 1) / threads);
    }
}

// Calls body(index, thread) for each index in [0, count), handed out one by one.
template <class Body>
void loop_one_by_one(std::size_t count, Body&& body) {
    const auto one = [&](std::size_t index, int thread) __attribute__((noinline)) { body(index, thread); };
    if (!may_have_threads(count > 1)) {
        for (std::size_t index = 0; index < count; ++index) one(index, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t index = 0; index < count; ++index) one(index, omp_get_thread_num());
}

}  // namespace trellis

#endif
