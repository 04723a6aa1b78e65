// Exchanges with devices, for measuring what it takes to reach them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "python_lock.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/devices/message_batch.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/serve/served_kernels.hpp"

namespace nb = nanobind;

namespace {

using trellis::DeviceMemory;

// The kernel that is launched has one group with an empty list, so that it runs and does nothing.
constexpr trellis::ListsCall one_group{1};
constexpr trellis::DeviceGroup empty_group{};

// A device with a queue, and memory for an upload and a download.
class Reached {
  public:
    Reached(const std::string& name, std::size_t up, std::size_t down)
        : device_(trellis::open_device(name, up + down + sizeof empty_group)),
          group_(device_, sizeof empty_group),
          to_(device_, up),
          from_(device_, down),
          sent_(device_, up),
          received_(device_, down),
          queue_(device_->make_queue()) {
        std::fill_n(sent_.begin(), up, std::byte{1});
        queue_->upload(group_, 0, std::as_bytes(std::span(&empty_group, 1)));
        queue_->wait();
    }

    ~Reached() { queue_->settle(); }
    Reached(const Reached&) = delete;
    Reached& operator=(const Reached&) = delete;

    void begin(int launches) {
        if (to_.bytes() > 0) queue_->upload(to_, 0, {sent_.begin(), to_.bytes()});
        const DeviceMemory* const memory[] = {&group_, &group_, &group_};
        for (int k = 0; k < launches; ++k)
            queue_->launch(trellis::expand_lists_kernel, std::as_bytes(std::span(&one_group, 1)), memory);
        if (from_.bytes() > 0) queue_->download(from_, 0, {received_.begin(), from_.bytes()});
        queue_->flush();
    }
    void finish() { queue_->wait(); }

  private:
    std::shared_ptr<trellis::Device> device_;
    DeviceMemory group_, to_, from_;
    trellis::HostMemory sent_, received_;
    std::unique_ptr<trellis::Queue> queue_;
};

class Exchange {
  public:
    Exchange(const std::vector<std::string>& devices, std::size_t up, std::size_t down, int launches)
        : launches_(launches) {
        const LockReleased others;
        trellis::provide_kernels();
        for (const std::string& name : devices) reached_.emplace_back(name, up, down);
    }

    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    double seconds() {
        const LockReleased others;
        const auto begin = std::chrono::steady_clock::now();
        {
            const trellis::MessageBatch together;
            for (Reached& device : reached_) device.begin(launches_);
        }
        for (Reached& device : reached_) device.finish();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

  private:
    int launches_;
    std::deque<Reached> reached_;
};

}  // namespace

void bind_exchange(nb::module_& core) {
    nb::class_<Exchange>(core, "Exchange",
                         "An upload to each of some devices, launches of a kernel that does nothing, and a download, "
                         "each if wanted; the devices stay open as long as this is kept.")
        .def(nb::init<const std::vector<std::string>&, std::size_t, std::size_t, int>(), nb::arg("devices"),
             nb::kw_only(), nb::arg("up") = 0, nb::arg("down") = 0, nb::arg("launches") = 0,
             "devices: names, which may be the same several times; up, down: bytes to and from each.")
        .def("seconds", &Exchange::seconds,
             "Make the exchange with all devices, and return the seconds until all have "
             "answered.");
}
