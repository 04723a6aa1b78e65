#include "trellis/resident/kernels/state.hpp"

#include <cstring>
#include <utility>

namespace trellis {

ResidentState::ResidentState(std::shared_ptr<Device> device, Queue& queue)
    : device_(std::move(device)),
      queue_(queue),
      memory_(device_, sizeof(ResidentValues)),
      host_(device_, sizeof(ResidentValues)) {
    clear();
}

void ResidentState::clear() {
    std::memset(host_.begin(), 0, host_.bytes());
    queue_.upload(memory_, 0, {host_.begin(), host_.bytes()});
    queue_.wait();
}

void ResidentState::ask() {
    queue_.download(memory_, 0, {host_.begin(), host_.bytes()});
    queue_.flush();
    asked_ = queue_.mark();
}

const ResidentValues& ResidentState::answer() {
    queue_.wait(asked_);
    const auto& values = *reinterpret_cast<const ResidentValues*>(host_.begin());
    if (values.not_finite != 0) throw DeviceError(device_->name(), "gave a force that is not finite");
    return values;
}

}  // namespace trellis
