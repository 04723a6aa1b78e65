// Ranks that are threads of one process: to test and to count what many ranks do where there is no MPI, or too few
// cores.
#pragma once

#include <functional>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Calls body(comm) on so many threads, each a rank with one OpenMP thread; returns when all calls have returned. If one
// throws, the others' calls of Comm throw too, and its exception is thrown here.
void run_ranks(int size, const std::function<void(Comm&)>& body);

}  // namespace trellis
