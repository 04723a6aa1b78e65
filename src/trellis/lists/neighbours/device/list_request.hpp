// Neighbour lists requested from a device: trees and positions are sent, lists are received, and the host goes on
// meanwhile.
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
    // Ignores failures: receive reports them.
    ~ListRequest() { queue_->settle(); }
    ListRequest(const ListRequest&) = delete;
    ListRequest& operator=(const ListRequest&) = delete;

    // Requests the lists that NeighbourLists::make makes from these arguments, which may change after the call. Returns
    // at once. Throws DeviceError if the device has too little memory.
    void send(const SearchTree& own, const SearchTree& ghosts, Search search, double skin, const Region& region,
              Phases& phases);

    // Waits for the lists requested last. They contain the same neighbours as on the host, in the same order; at the
    // edge of the skin, rounding may add or omit one. Throws DeviceError if the device has failed.
    NeighbourLists receive(Phases& phases);

    // The times of all requests received since the last take_times.
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
        positions,
        radii,
        totals,  // arrays above are sent, those from here on are made on the device
        ranges_of_groups,
        ranges,
        entries_of_blocks,
        entries,
        group_of_block
    };
    static constexpr std::size_t arrays = group_of_block + 1;

    // The host's copy of an array: host makes room for `count` values, local returns those it has.
    template <class T>
    std::span<T> host(Array array, std::size_t count);
    template <class T>
    const T* local(Array array) const {
        return reinterpret_cast<const T*>(local_[array].begin());
    }
    template <class T>
    void make_remote_room(Array array, std::size_t count);
    template <class T>
    void upload(Array array, std::size_t count);
    template <class T>
    void download(Array array, std::size_t count);
    void copy_tree(const SearchTree& own, const SearchTree& ghosts);
    void start();
    ListTotals found();
    DeviceError invalid_lists() const;
    bool read(std::size_t g, const ListTotals& found, NeighbourGroup& group) const;

    std::shared_ptr<Device> device_;
    std::array<DeviceMemory, arrays> tlocal_;
    std::array<HostMemory, arrays> local_;
    std::unique_ptr<Queue> queue_;  // released before the memory
    SearchOnDevice search_{};
    ListTotals most_{};        // the largest totals possible
    ListTotals expected_{};    // from the last search
    ListTotals downloaded_{};  // the parts of the arrays that are downloaded with the search
    std::size_t groups_ = 0, block_count_ = 0;
    bool under_way_ = false;
};

}  // namespace trellis
