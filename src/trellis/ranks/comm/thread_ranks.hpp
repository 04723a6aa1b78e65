// Ranks that are threads of one process: for tests, and for counting the messages of many ranks without MPI or on few
// cores.
#pragma once

#include <functional>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Calls body(comm) on `size` threads, each a rank with one OpenMP thread, and returns when all calls have returned. If
// a call throws, the calls of Comm on the other ranks throw, too, and run_ranks throws the first exception.
void run_ranks(int size, const std::function<void(Comm&)>& body);

}  // namespace trellis
