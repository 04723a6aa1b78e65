// Loops in a process that was forked after OpenMP had started threads. The child process has none of them, and OpenMP
// would wait for them without end: loops there have one thread.
#pragma once

#include <atomic>

namespace trellis {

class ForkedThreads {
  public:
    // True in a process that was forked from one with threads.
    static bool lost() { return lost_.load(std::memory_order_relaxed); }
    // To be called before a loop with several threads.
    static void note_use() {
        if (!used_.load(std::memory_order_relaxed)) watch_forks();
    }

  private:
    static void watch_forks();

    inline static std::atomic<bool> used_ = false, lost_ = false;
};

}  // namespace trellis
