// Spare devices, for others that fail or give different results. Each replaces one device.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/devices/remote/open.hpp"

namespace trellis {

class SpareDevices {
  public:
    SpareDevices() = default;
    // names: of devices (devices/remote/open.hpp), or "host", the threads of this process; each is opened when it is
    // needed. memory, grace: as for open_device.
    SpareDevices(std::vector<std::string> names, std::size_t memory, std::chrono::milliseconds grace)
        : names_(std::move(names)), memory_(memory), grace_(grace) {}

    // Adds an open device without work, which is used before those given by name.
    void add(std::shared_ptr<Device> idle);
    // Adds a device of a pair, which may decide for other pairs as well.
    void add_busy(std::shared_ptr<Device> busy);
    // Removes a device that has failed.
    void remove(std::string_view failed);

    struct Spare {
        std::string name;
        std::shared_ptr<Device> device;  // null: the threads of this process
    };
    // The next spare; empty if all are used. One that cannot be opened is skipped, with a note.
    std::optional<Spare> next();
    // The same, with a note that it replaces the device named `failed`.
    std::optional<Spare> in_place_of(std::string_view failed);

    using Devices = std::span<const std::shared_ptr<Device>>;
    // A device of the same kind as `those`, but not one of them: preferably one without work, else a busy one; null if
    // there is no such device.
    std::shared_ptr<Device> of_kind(Devices those);

    void note(std::string sentence) { notes_.push_back(std::move(sentence)); }
    // Notes that one device continues the work of a pair.
    void note_alone(const std::string& name);
    // Notes since the last call, one sentence each.
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  private:
    std::optional<Spare> take_next();
    std::shared_ptr<Device> open(const std::string& name);
    std::shared_ptr<Device> named_of_kind(Devices those);

    std::vector<std::shared_ptr<Device>> idle_, busy_;
    bool pairs_ = false;              // there are pairs
    std::vector<std::string> names_;  // of devices that are not opened yet
    std::size_t memory_ = 0;
    std::chrono::milliseconds grace_ = usual_grace;
    std::vector<std::string> notes_;
};

}  // namespace trellis
