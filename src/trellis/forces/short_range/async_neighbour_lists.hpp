// The neighbourhood of the step that follows, asked for ahead: its lists are made by a device while the host goes on
// (Nakasato et al. 1997, case PS-RGN), or, where a device has failed, by the host when they are wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "trellis/lists/neighbours/device/list_request.hpp"
#include "trellis/lists/neighbours/neighbourhood.hpp"

namespace trellis {

class AsyncNeighbourLists {
  public:
    AsyncNeighbourLists(Search search, double skin, std::uint32_t group_size, const std::shared_ptr<Device>& device)
        : neighbourhood_(search, skin, group_size), request_(std::make_unique<ListRequest>(device)) {}

    // Asks for the lists at the present positions, to be taken at the step of that number. Collective. Throws
    // DeviceError on all ranks if a device of any has failed.
    void ask(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, std::uint64_t step, Phases& phases);

    // True if the step's lists were asked for, of these very rows. Others are dropped.
    bool ready(const ParticleSet& particles, std::uint64_t step);
    // Waits for them. Collective; DeviceError: as for ask. The neighbourhood before takes the place of this one.
    void take(Neighbourhood& neighbourhood, const ParticleSet& particles, Phases& phases);

    void drop() { step_ = none; }
    // What the lists taken since the last take_times have taken of the device.
    QueueTimes take_times() { return std::exchange(times_, {}); }
    // The device that is asked; null if it has failed.
    const Device* device() const { return request_ == nullptr ? nullptr : &request_->device(); }
    // Goes on without a device of that name; false if it is not in use.
    bool drop_list_device(std::string_view device);

  private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    Neighbourhood neighbourhood_;
    std::unique_ptr<ListRequest> request_;  // null: its device has failed
    bool asked_ = false;                    // lists of the device; else those of the host
    std::uint64_t step_ = none;             // that they are for
    std::uint64_t arrangement_ = 0;         // of the rows that they are for
    QueueTimes times_;
};

}  // namespace trellis
