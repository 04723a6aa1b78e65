// The devices that share the work of a force, in the order in which they were named; none: the threads of this process.
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
    // One device alone; null: none.
    template <std::derived_from<Device> D>
    Devices(std::shared_ptr<D> one) {  // NOLINT(google-explicit-constructor): one is a list of one
        if (one != nullptr) all_.push_back(std::move(one));
    }
    Devices(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
    explicit Devices(std::vector<std::shared_ptr<Device>> all) : all_(std::move(all)) {}

    bool none() const { return all_.empty(); }
    std::size_t count() const { return all_.size(); }
    std::span<const std::shared_ptr<Device>> all() const { return all_; }
    // The first device, whose host memory serves all of them. There is one.
    const std::shared_ptr<Device>& first() const { return all_.front(); }

    // Those that go on when the device of that name has failed: see Device::successor.
    Devices without(std::string_view failed) const;
    // The names, separated by commas.
    std::string names() const;

    friend bool operator==(const Devices&, const Devices&) = default;

  private:
    std::vector<std::shared_ptr<Device>> all_;
};

// Divides items of work into a stretch for each device, so that all have about the same, by counts: the same input
// gives the same shares. counts: the work of each item, such as pairs; had: what each device has before. Returns the
// ends of the stretches.
std::vector<std::size_t> equal_shares(std::span<const std::uint64_t> counts, std::span<const std::uint64_t> had);

}  // namespace trellis
