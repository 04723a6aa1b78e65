// The devices that share the work of a force, in the order given by the user. If empty, threads of this process do it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/devices/device.hpp"

namespace trellis {

class Devices {
  public:
    Devices() = default;
    // One device; null: no device.
    template <std::derived_from<Device> D>
    Devices(std::shared_ptr<D> one) {  // NOLINT(google-explicit-constructor): one is a list of one
        if (one != nullptr) all_.push_back(std::move(one));
    }
    Devices(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
    explicit Devices(std::vector<std::shared_ptr<Device>> all) : all_(std::move(all)) {}

    bool none() const { return all_.empty(); }
    std::size_t count() const { return all_.size(); }
    std::span<const std::shared_ptr<Device>> all() const { return all_; }
    // The first device, whose host memory serves all of them. The list must not be empty.
    const std::shared_ptr<Device>& first() const { return all_.front(); }

    // The devices that continue after the device named `failed` has failed: see Device::successor.
    Devices without(std::string_view failed) const;
    // The names, separated by commas.
    std::string names() const;

    friend bool operator==(const Devices&, const Devices&) = default;

  private:
    std::vector<std::shared_ptr<Device>> all_;
};

// Divides items of work into one contiguous range for each device, so that all devices have about the same work.
// counts: work of each item, such as its number of pairs. had: work that each device has already. Returns the ends of
// the ranges. The same input gives the same ranges.
std::vector<std::size_t> equal_shares(std::span<const std::uint64_t> counts, std::span<const std::uint64_t> had);

}  // namespace trellis
