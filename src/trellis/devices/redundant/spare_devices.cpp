#include "trellis/devices/redundant/spare_devices.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trellis/devices/device_kind.hpp"

namespace trellis {

namespace {

bool is_among(std::span<const std::shared_ptr<Device>> devices, std::string_view name) {
    return std::ranges::any_of(devices, [&](const auto& device) { return device->name() == name; });
}

// The first device of the kind of `those` that is not among them; the end if there is no such device.
auto beside(const std::vector<std::shared_ptr<Device>>& devices, std::span<const std::shared_ptr<Device>> those) {
    return std::ranges::find_if(devices, [&](const auto& device) {
        return !is_among(those, device->name()) && kind_of(*device) == kind_of(*those.front());
    });
}

}  // namespace

void SpareDevices::add(std::shared_ptr<Device> idle) {
    if (!is_among(idle_, idle->name())) idle_.push_back(std::move(idle));
}

void SpareDevices::add_busy(std::shared_ptr<Device> busy) {
    pairs_ = true;
    if (!is_among(busy_, busy->name())) busy_.push_back(std::move(busy));
}

void SpareDevices::remove(std::string_view failed) {
    for (auto* devices : {&idle_, &busy_})
        std::erase_if(*devices, [&](const auto& device) { return device->name() == failed; });
}

void SpareDevices::note_alone(const std::string& name) {
    note(name + " goes on alone: nothing compares its results any more");
}

std::optional<SpareDevices::Spare> SpareDevices::next() {
    std::optional<Spare> spare = take_next();
    if (pairs_ && spare) note_alone(spare->name);
    return spare;
}

std::optional<SpareDevices::Spare> SpareDevices::in_place_of(std::string_view failed) {
    std::optional<Spare> spare = next();
    if (spare)
        note(std::string("device ")
                 .append(failed)
                 .append(" has failed: ")
                 .append(spare->name)
                 .append(" takes its place"));
    return spare;
}

std::optional<SpareDevices::Spare> SpareDevices::take_next() {
    if (!idle_.empty()) {
        std::shared_ptr<Device> device = std::move(idle_.front());
        idle_.erase(idle_.begin());
        return Spare{device->name(), device};
    }
    while (!names_.empty()) {
        const std::string name = names_.front();
        names_.erase(names_.begin());
        if (name == "host") return Spare{name, nullptr};
        if (std::shared_ptr<Device> device = open(name)) return Spare{name, std::move(device)};
    }
    return std::nullopt;
}

std::shared_ptr<Device> SpareDevices::of_kind(Devices those) {
    if (const auto found = beside(idle_, those); found != idle_.end()) {
        std::shared_ptr<Device> device = *found;
        idle_.erase(found);
        return device;
    }
    if (std::shared_ptr<Device> device = named_of_kind(those)) return device;
    const auto found = beside(busy_, those);
    return found == busy_.end() ? nullptr : *found;
}

// A spare of another kind is kept.
std::shared_ptr<Device> SpareDevices::named_of_kind(Devices those) {
    const bool gpu = names_gpu(those.front()->name());
    for (auto name = names_.begin(); name != names_.end();) {
        if (*name == "host" || names_gpu(*name) != gpu || is_among(those, *name)) {
            ++name;
            continue;
        }
        std::shared_ptr<Device> device = open(*name);
        if (device != nullptr && kind_of(*device) != kind_of(*those.front())) {
            ++name;
            continue;
        }
        name = names_.erase(name);
        if (device != nullptr) return device;
    }
    return nullptr;
}

// Opens a device; returns null, with a note, if that fails.
std::shared_ptr<Device> SpareDevices::open(const std::string& name) {
    try {
        return open_device(name, memory_, grace_);
    } catch (const std::runtime_error& error) {
        note(std::string("the spare device ").append(name).append(" cannot be had: ").append(error.what()));
        return nullptr;
    }
}

}  // namespace trellis
