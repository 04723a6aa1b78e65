#include "trellis/devices/redundant/device_pairs.hpp"

#include <vector>

#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/redundant/redundant_device.hpp"

namespace trellis {

Devices DevicePairs::of(const Devices& devices) {
    const auto all = devices.all();
    if (all.size() == 1)
        throw InputError("redundant is 2, but " + devices.names() +
                         " is the only device: allowed are lists of two or more, which are compared in pairs");
    std::vector<std::shared_ptr<Device>> pairs;
    for (std::size_t k = 0; k + 1 < all.size(); k += 2) pairs.push_back(pair_of(all[k], all[k + 1]));
    if (all.size() % 2 != 0) spares_->add(all.back());
    return Devices(std::move(pairs));
}

std::shared_ptr<Device> DevicePairs::pair_of(const std::shared_ptr<Device>& first,
                                             const std::shared_ptr<Device>& second) {
    const std::string kind = kind_of(*first), other = kind_of(*second);
    if (kind != other)
        throw InputError("redundant is 2, but " + first->name() + " is " + kind + " and " + second->name() + " is " +
                         other + ": allowed in a pair are two devices of one kind");
    auto& pair = made_[{first->name(), second->name()}];
    if (pair != nullptr) return pair;
    for (const auto& each : {first, second}) spares_->add_busy(each);
    return pair = std::make_shared<RedundantDevice>(std::vector{first, second}, spares_);
}

}  // namespace trellis
