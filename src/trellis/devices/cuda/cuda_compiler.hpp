// The compiler of NVIDIA (NVRTC), found when the program runs: a kernel as text becomes machine code of a GPU.
#pragma once

#include <string>

namespace trellis {

// True if this machine has such a compiler (libnvrtc.so, which comes with the CUDA toolkit).
bool has_cuda_compiler();

// Machine code of a text (kernel_text.hpp) for GPUs of compute capability major.minor. Needs no GPU. Throws
// RunError with the compiler's message.
std::string compiled_for_cuda(const std::string& text, int major, int minor);

}  // namespace trellis
