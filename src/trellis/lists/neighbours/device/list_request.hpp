// Neighbour lists asked of a device: trees and places go there, lists come back, and the host goes on meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/lists/neighbours/device/list_kernels.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"

namespace trellis {

class ListRequest {
  public:
    explicit ListRequest(std::shared_ptr<Device> device);
    // A failure is known from receive.
    ~ListRequest() { queue_->settle(); }
    ListRequest(const ListRequest&) = delete;
    ListRequest& operator=(const ListRequest&) = delete;

    // Asks for the lists that NeighbourLists::make makes of the same. Returns at once; nothing that is given need stay.
    // Throws DeviceError if the device has no room.
    void send(const SearchTree& own, const SearchTree& ghosts, Search search, double skin, const Region& region,
              Phases& phases);

    // Waits for the lists asked for last. Listed are the same neighbours as on the host, in the same order; beyond the
    // skin, rounding may list one more or less. Throws DeviceError if the device has failed.
    NeighbourLists receive(Phases& phases);

    // The times of all requests that have been received since the last take_times.
    QueueTimes take_times() { return queue_->take_times(); }
    const Device& device() const { return *device_; }

  private:
    enum Array {
        cells,
        zones,
        first_blocks,
        blocks,
        leaves,
        shifts,
        places,
        radii,
        totals,  // those above are sent, those from here on are made there
        ranges_of_groups,
        ranges,
        entries_of_blocks,
        entries,
        group_of_block
    };
    static constexpr std::size_t arrays = group_of_block + 1;

    // The host's side of an array, with room for so many; of one that is there.
    template <class T>
    std::span<T> host(Array array, std::size_t count);
    template <class T>
    const T* here(Array array) const {
        return reinterpret_cast<const T*>(here_[array].begin());
    }
    template <class T>
    void make_room_there(Array array, std::size_t count);
    template <class T>
    void upload(Array array, std::size_t count);
    template <class T>
    void download(Array array, std::size_t count);
    void copy_tree(const SearchTree& own, const SearchTree& ghosts);
    void start();
    ListTotals found();
    DeviceError impossible() const;
    bool read(std::size_t g, const ListTotals& found, NeighbourGroup& group) const;

    std::shared_ptr<Device> device_;
    std::array<DeviceMemory, arrays> there_;
    std::array<HostMemory, arrays> here_;
    std::unique_ptr<Queue> queue_;  // released before the memory
    ListSearch search_{};
    ListTotals most_{};        // that can be found
    ListTotals expected_{};    // by the last search
    ListTotals downloaded_{};  // so much of the arrays comes back with the search
    std::size_t groups_ = 0, block_count_ = 0;
    bool under_way_ = false;
};

}  // namespace trellis
