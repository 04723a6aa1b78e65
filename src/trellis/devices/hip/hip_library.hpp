// The functions of HIP, found at run time: Trellis is not linked with it, and declares what it calls, as HIP's
// documentation has it.
#pragma once

#include <cstddef>
#include <string>

namespace trellis {

using HipStream = struct HipStreamOfDriver*;
using HipEvent = struct HipEventOfDriver*;
using HipModule = struct HipModuleOfDriver*;
using HipFunction = struct HipFunctionOfDriver*;

// Numbers of HIP.
inline constexpr int hip_success = 0, hip_out_of_memory = 2;
inline constexpr int hip_copy_by_addresses = 4;
inline constexpr int hip_compute_units = 63, hip_shared_bytes_of_block = 74;  // attributes
inline constexpr unsigned hip_host_memory_of_all_devices = 1, hip_stream_of_its_own = 1;

// clang-format off
#define TRELLIS_HIP_FUNCTIONS(of) \
    of(int, hipDeviceGetAttribute, (int*, int, int)) \
    of(int, hipDeviceGetName, (char*, int, int)) \
    of(int, hipDriverGetVersion, (int*)) \
    of(int, hipEventCreate, (HipEvent*)) \
    of(int, hipEventDestroy, (HipEvent)) \
    of(int, hipEventElapsedTime, (float*, HipEvent, HipEvent)) \
    of(int, hipEventRecord, (HipEvent, HipStream)) \
    of(int, hipEventSynchronize, (HipEvent)) \
    of(int, hipFree, (void*)) \
    of(int, hipGetDeviceCount, (int*)) \
    of(const char*, hipGetErrorName, (int)) \
    of(const char*, hipGetErrorString, (int)) \
    of(int, hipHostFree, (void*)) \
    of(int, hipHostMalloc, (void**, std::size_t, unsigned)) \
    of(int, hipMalloc, (void**, std::size_t)) \
    of(int, hipMemGetInfo, (std::size_t*, std::size_t*)) \
    of(int, hipMemcpyAsync, (void*, const void*, std::size_t, int, HipStream)) \
    of(int, hipModuleGetFunction, (HipFunction*, HipModule, const char*)) \
    of(int, hipModuleLaunchKernel, (HipFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                                    unsigned, HipStream, void**, void**)) \
    of(int, hipModuleLoadData, (HipModule*, const void*)) \
    of(int, hipModuleUnload, (HipModule)) \
    of(int, hipSetDevice, (int)) \
    of(int, hipStreamCreateWithFlags, (HipStream*, unsigned)) \
    of(int, hipStreamDestroy, (HipStream)) \
    of(int, hipStreamSynchronize, (HipStream)) \
    of(int, hipStreamWaitEvent, (HipStream, HipEvent, unsigned))
// clang-format on

struct Hip {
    // NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TRELLIS_HIP_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
    TRELLIS_HIP_FUNCTIONS(TRELLIS_HIP_MEMBER)
#undef TRELLIS_HIP_MEMBER

    // The properties of a device, as HIP 6 and later have them, or as HIP 5: see hip_architecture.
    int (*properties_6)(void*, int) = nullptr;
    int (*properties_5)(void*, int) = nullptr;
};

// The functions; null if this machine has no HIP (libamdhip64.so).
const Hip* hip_library();

// Throws std::runtime_error with HIP's description if there was an error.
void check_hip(int error);

// The architecture of a GPU with its modes, such as "gfx90a:sramecc+:xnack-", as AMD's compilers take it. Throws
// std::runtime_error.
std::string hip_architecture(int number);

}  // namespace trellis
