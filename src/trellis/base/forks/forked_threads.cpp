#include "trellis/base/forks/forked_threads.hpp"

#include <pthread.h>

namespace trellis {

void ForkedThreads::watch_forks() {
    if (used_.exchange(true)) return;
    pthread_atfork(nullptr, nullptr, [] { lost_ = true; });
}

}  // namespace trellis
