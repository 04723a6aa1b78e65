// Sources for GPUs (.cu, .cuh) are compiled once by nvcc, for CUDA, and once by clang, which makes SPIR-V of their
// kernels for OpenCL, and machine code of AMD's GPUs for HIP. Their definitions live in a namespace cuda or clang
// inside namespace trellis, so that the linker never mixes the two.
#pragma once

#if defined(__HIP__)
#define TRELLIS_GPU clang
#else
#define TRELLIS_GPU cuda
#endif
#define TRELLIS_GPU_BEGIN namespace TRELLIS_GPU {
#define TRELLIS_GPU_END \
    }                   \
    using namespace TRELLIS_GPU;

// Defined where a function is compiled for a GPU, not for its host.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TRELLIS_ON_GPU
#endif

// Declares a function that a source for GPUs defines: inside namespace trellis.
#define TRELLIS_DECLARE_FOR_GPUS(declaration) \
    namespace cuda {                          \
    declaration;                              \
    }                                         \
    namespace clang {                         \
    declaration;                              \
    }

// Calls such a function of each compiler that the library is built with.
#if defined(TRELLIS_HAS_CUDA)
#define TRELLIS_CALL_FOR_CUDA(call) cuda::call
#else
#define TRELLIS_CALL_FOR_CUDA(call) static_cast<void>(0)
#endif
#if defined(TRELLIS_HAS_CLANG_KERNELS)
#define TRELLIS_CALL_FOR_CLANG(call) clang::call
#else
#define TRELLIS_CALL_FOR_CLANG(call) static_cast<void>(0)
#endif
#define TRELLIS_CALL_FOR_GPUS(call) (TRELLIS_CALL_FOR_CUDA(call), TRELLIS_CALL_FOR_CLANG(call))
