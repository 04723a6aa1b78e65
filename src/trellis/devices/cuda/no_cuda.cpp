// Replaces cuda_device.cu in a build without CUDA.
#include "trellis/devices/cuda/cuda_device.hpp"

namespace trellis {

int cuda_device_count() { return 0; }

std::shared_ptr<LocalDevice> make_cuda_device(int number, std::size_t) {
    throw InputError("there is no device 'cuda:" + std::to_string(number) + "': Trellis was built without CUDA");
}

}  // namespace trellis
