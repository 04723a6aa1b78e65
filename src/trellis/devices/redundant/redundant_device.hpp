// A device that stands for two or three devices of one kind: each carries out all calls, and downloads are compared bit
// for bit before the caller gets them. Results that stay on the devices are not compared.
//
// If two results differ, the device fails. Its successor has a third device, and the step is repeated: if one of three
// results differs from the others, its device has failed, and the others continue. A device that was wrong only once is
// found as well, since the third one repeats the result of the other.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/devices/redundant/mismatch.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"

namespace trellis {

class RedundantDevice : public Device {
  public:
    using Members = std::vector<std::shared_ptr<Device>>;

    // members: two or three devices of one kind, with different names. spares: provides a third. mismatch: the results
    // of two of three members that differed.
    RedundantDevice(Members members, std::shared_ptr<SpareDevices> spares,
                    std::optional<Mismatch> mismatch = std::nullopt);

    const std::string& name() const override { return name_; }
    std::string description() const override;
    std::size_t memory_bytes() const override;
    std::size_t memory_left() const override;
    std::unique_ptr<Queue> make_queue() override;
    std::size_t queues_wanted() const override;
    // If a member has failed: the other members, with a spare of the kind if only one is left; that one alone without a
    // spare. If two results have differed: the two and a third. The same device at each call, for all forces.
    std::shared_ptr<Device> successor(std::string_view failed) override;

    const Members& members() const { return members_; }
    // The part of memory of this device that member k has.
    static const DeviceMemory& part(const DeviceMemory& memory, std::size_t k);

    // Compares the results of the members. Throws DeviceError if they differ; this device has then failed.
    void compare(std::span<const std::span<const std::byte>> results);
    // Throws DeviceError if results have differed.
    void throw_failure() const;

  private:
    std::shared_ptr<Device> without(std::string_view failed);
    std::shared_ptr<Device> with_a_third();
    std::string names_but(std::size_t k) const;
    [[noreturn]] void fail(const std::string& device, const std::string& failure);

    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* address, std::size_t bytes) override;
    std::byte* allocate_host(std::size_t bytes) override;
    void release_host(std::byte* address) override;

    const Members members_;
    const std::string name_;
    const std::shared_ptr<SpareDevices> spares_;
    std::optional<Mismatch> mismatch_;
    std::optional<DeviceError> failure_;
    std::map<std::string, std::shared_ptr<Device>, std::less<>> successors_;
    std::map<std::byte*, HostMemory> on_host_;  // memory of the first member
};

}  // namespace trellis
