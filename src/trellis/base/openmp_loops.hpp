// The loops of base/parallel.hpp on OpenMP's threads.
#pragma once

#if !defined(TRELLIS_JTHREADS)

#include <omp.h>

#include <cstddef>

#include "trellis/base/forks/forked_threads.hpp"

namespace trellis {

inline int thread_count() { return ForkedThreads::lost() ? 1 : omp_get_max_threads(); }
inline void set_thread_count(int count) { omp_set_num_threads(count); }

// True if a loop may have several threads.
inline bool may_have_threads(bool worth_it) {
    if (!worth_it || ForkedThreads::lost()) return false;
    ForkedThreads::note_use();
    return true;
}

// Calls body(index) for each index in [0, count), a contiguous stretch for each thread. The calling thread takes all of
// them if count is at most `alone`.
template <class Body>
void loop_in_stretches(std::size_t count, std::size_t alone, Body&& body) {
#pragma omp parallel for schedule(static) if (may_have_threads(count > alone))
    for (std::size_t index = 0; index < count; ++index) body(index);
}

// Calls body(index, thread) for each index in [0, count), handed out one by one.
template <class Body>
void loop_one_by_one(std::size_t count, Body&& body) {
#pragma omp parallel for schedule(dynamic, 1) if (may_have_threads(count > 1))
    for (std::size_t index = 0; index < count; ++index) body(index, omp_get_thread_num());
}

}  // namespace trellis

#endif
