// Running sums over the threads of a block, for sources for GPUs.
#pragma once

#include "trellis/base/gpu.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

// The shared memory of sum_before, for `threads` threads.
template <class T, unsigned threads>
struct ScanSpace {
    T sums[2][threads];
};

// The sum of the values of the threads before this one, and in `total` that of all values. All threads of the block
// call it (Hillis and Steele 1986, Commun. ACM 29, 1170). T: an unsigned integer.
template <class T, unsigned threads>
__device__ T sum_before(T value, T& total, ScanSpace<T, threads>& space) {
    unsigned now = 0;
    space.sums[now][threadIdx.x] = value;
    for (unsigned step = 1; step < threads; step *= 2) {
        __syncthreads();
        const T sum = space.sums[now][threadIdx.x];
        now = 1 - now;
        space.sums[now][threadIdx.x] = threadIdx.x < step ? sum : sum + space.sums[1 - now][threadIdx.x - step];
    }
    __syncthreads();
    total = space.sums[now][threads - 1];
    const T before = space.sums[now][threadIdx.x] - value;
    __syncthreads();  // the next call overwrites the sums
    return before;
}

TRELLIS_GPU_END
}  // namespace trellis
