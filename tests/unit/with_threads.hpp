// Runs a body with a given number of threads.
#pragma once

#include "trellis/base/parallel.hpp"

namespace trellis {

template <class Body>
auto with_threads(int count, Body&& body) {
    struct Restore {
        int count = thread_count();
        ~Restore() { set_thread_count(count); }
    } restore;
    set_thread_count(count);
    return body();
}

}  // namespace trellis
