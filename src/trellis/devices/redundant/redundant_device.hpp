// A device that stands for two of one kind, or three: each carries out all calls, and whatever is brought back is
// compared bit for bit before anybody sees it. What is not brought back is not compared.
//
// Where two differ, the device fails. Its successor is one of the two and a third, on which the step is repeated; where
// one of three differs from the others, that one has failed, and they go on. A bit that was wrong once is found then,
// too: the third gives what one of the two had given.
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

    // members: two or three of one kind, with different names. spares: where a third comes from. mismatch: what two of
    // three have disagreed about.
    RedundantDevice(Members members, std::shared_ptr<SpareDevices> spares,
                    std::optional<Mismatch> mismatch = std::nullopt);

    const std::string& name() const override { return name_; }
    std::string description() const override;
    std::size_t memory_bytes() const override;
    std::size_t memory_left() const override;
    std::unique_ptr<Queue> make_queue() override;
    std::size_t queues_wanted() const override;
    // Without a member: the others, with a third if only one is left and there is a spare of its kind; that one alone
    // if there is none. Where two differ: those and a third. Always the same for one that has failed, so that several
    // forces go on with the same.
    std::shared_ptr<Device> successor(std::string_view failed) override;

    const Members& members() const { return members_; }
    // What member k has of memory of this device.
    static const DeviceMemory& part(const DeviceMemory& memory, std::size_t k);

    // Compares what each member gave. Throws DeviceError if they differ; from then on this device has failed.
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
    std::map<std::byte*, HostMemory> on_host_;  // of the first member
};

}  // namespace trellis
