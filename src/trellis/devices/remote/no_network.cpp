// A build without Asio and OpenSSL has the devices of its own machine alone.
#include "trellis/devices/remote/open.hpp"
#include "trellis/devices/remote/open_remote_device.hpp"

namespace trellis {

std::string network_library() { return ""; }

std::shared_ptr<Device> open_remote_device(const std::string& name, std::size_t, std::chrono::milliseconds) {
    throw InputError("there is no device '" + name +
                     "': Trellis was built without Asio and OpenSSL, which devices of "
                     "other machines need");
}

}  // namespace trellis
