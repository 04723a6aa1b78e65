// The neighbourhood of the next step, requested ahead: its lists are made by a device while the host continues
// (Nakasato et al. 1997, case PS-RGN) or, after the device has failed, by the host when they are needed.
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

    // Requests the lists at the present positions, to be taken at the step with that number. Collective. Throws
    // DeviceError on all ranks if a device of any has failed.
    void ask(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, std::uint64_t step, Phases& phases);

    // True if lists were requested for this step and these rows. Other lists are dropped.
    bool ready(const ParticleSet& particles, std::uint64_t step);
    // Waits for the lists and exchanges the neighbourhood with the one before. Collective; DeviceError: as for ask.
    void take(Neighbourhood& neighbourhood, const ParticleSet& particles, Phases& phases);

    void drop() { step_ = none; }
    // The times of the device for the lists taken since the last call.
    QueueTimes take_times() { return std::exchange(times_, {}); }
    // The device that makes the lists; null if it has failed.
    const Device* device() const { return request_ == nullptr ? nullptr : &request_->device(); }
    // Continues without the device of that name; false if it is not in use.
    bool drop_list_device(std::string_view device);

  private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    Neighbourhood neighbourhood_;
    std::unique_ptr<ListRequest> request_;  // null: its device has failed
    bool asked_ = false;                    // the device makes the lists; else the host
    std::uint64_t step_ = none;             // for which lists were requested
    std::uint64_t arrangement_ = 0;         // of the rows for which lists were requested
    QueueTimes times_;
};

}  // namespace trellis
