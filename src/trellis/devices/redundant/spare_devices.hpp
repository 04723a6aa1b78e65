// Devices that wait until others fail, or give results that differ. Each takes one place.
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
    // names: of devices (devices/remote/open.hpp), or "host", the threads of this process; they are opened when their
    // turn comes. memory, grace: as for open_device.
    SpareDevices(std::vector<std::string> names, std::size_t memory, std::chrono::milliseconds grace)
        : names_(std::move(names)), memory_(memory), grace_(grace) {}

    // A device that is open and has no work; it comes before those with names alone.
    void add(std::shared_ptr<Device> idle);
    // A device of a pair, which may decide about others, too.
    void add_busy(std::shared_ptr<Device> busy);
    // A device that has failed is no spare any more.
    void remove(std::string_view failed);

    struct Spare {
        std::string name;
        std::shared_ptr<Device> device;  // null: the threads of this process
    };
    // The next that can be had; none if all are taken. One that cannot be opened is passed over, with a note.
    std::optional<Spare> next();
    // The same, with a note that it takes the place of one that has failed.
    std::optional<Spare> in_place_of(std::string_view failed);

    using Devices = std::span<const std::shared_ptr<Device>>;
    // One of the kind of these, and none of them: one without work if there is one, else a busy one; null if there is
    // none.
    std::shared_ptr<Device> of_kind(Devices those);

    void note(std::string sentence) { notes_.push_back(std::move(sentence)); }
    // Notes that a device takes the place of a pair.
    void note_alone(const std::string& name);
    // One sentence for each thing that happened since the last call.
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  private:
    std::optional<Spare> take_next();
    std::shared_ptr<Device> open(const std::string& name);
    std::shared_ptr<Device> named_of_kind(Devices those);

    std::vector<std::shared_ptr<Device>> idle_, busy_;
    bool pairs_ = false;              // there are any
    std::vector<std::string> names_;  // those not yet taken
    std::size_t memory_ = 0;
    std::chrono::milliseconds grace_ = usual_grace;
    std::vector<std::string> notes_;
};

}  // namespace trellis
