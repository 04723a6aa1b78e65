// Errors of CUDA, for .cu sources.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace trellis {

// Throws std::runtime_error with CUDA's description if there was an error.
inline void check_cuda(cudaError_t error) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")");
}

}  // namespace trellis
