// The loops of base/parallel.hpp on threads of the standard library, for the thread sanitizer: it does not see how
// OpenMP's threads wait for each other. Each loop starts its threads.
#pragma once

#if defined(TRELLIS_JTHREADS)

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

namespace trellis {

// The number of threads of the loops that the calling thread begins. A loop within a loop has one thread, as with
// OpenMP.
struct LoopThreads {
    static int at_start() {
        const char* asked = std::getenv("OMP_NUM_THREADS");
        return asked != nullptr ? std::max(std::atoi(asked), 1) : static_cast<int>(std::thread::hardware_concurrency());
    }
    inline static thread_local int count = at_start();
    inline static thread_local bool within_loop = false;
};

inline int thread_count() { return LoopThreads::count; }
inline void set_thread_count(int count) { LoopThreads::count = count; }

// Calls body(thread) on the given number of threads, the calling one among them, and waits for all.
template <class Body>
void on_threads(int threads, Body&& body) {
    if (threads == 1) return body(0);
    const auto run = [&body, count = LoopThreads::count](int thread) {
        LoopThreads::count = count;
        LoopThreads::within_loop = true;
        body(thread);
    };
    {
        std::vector<std::jthread> others;
        for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
        run(0);
    }
    LoopThreads::within_loop = false;
}

inline int threads_for(std::size_t count) {
    return LoopThreads::within_loop ? 1 : static_cast<int>(std::min(static_cast<std::size_t>(thread_count()), count));
}

// See openmp_loops.hpp.
template <class Body>
void loop_in_stretches(std::size_t count, std::size_t alone, Body&& body) {
    const int threads = count > alone ? threads_for(count) : 1;
    const auto begin_of = [&](int thread) {
        return count * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
    };
    on_threads(threads, [&](int thread) {
        for (std::size_t index = begin_of(thread); index < begin_of(thread + 1); ++index) body(index);
    });
}

// Calls body(index, thread), the indices dealt out to the threads in turns, so that all threads take part however short
// the loop is.
template <class Body>
void loop_one_by_one(std::size_t count, Body&& body) {
    const int threads = threads_for(count);
    on_threads(threads, [&](int thread) {
        for (auto index = static_cast<std::size_t>(thread); index < count; index += static_cast<std::size_t>(threads))
            body(index, thread);
    });
}

}  // namespace trellis

#endif
