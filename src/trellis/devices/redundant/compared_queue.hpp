// A queue of a redundant device: one of each member, in step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "trellis/devices/redundant/redundant_device.hpp"

namespace trellis {

class ComparedQueue : public Queue {
  public:
    explicit ComparedQueue(RedundantDevice& device);

    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override;
    void upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& records,
                      bool anew) override;
    // Each member copies to memory of its own, since another one may still read `to`, for an upload before. What all
    // agree on is in `to` after wait.
    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override;
    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override;
    Mark mark() override;
    void after(const Mark& mark) override;
    void flush() override;
    // Waits for all members, and compares what was downloaded before the mark and has not been compared yet.
    void wait(const Mark& mark) override;
    // Once all members are done; the comparison is that of the wait which follows.
    void then(std::function<void()> call) override;
    // Seconds and bytes of all members together, and the round trips to the first.
    QueueTimes take_times() override;

  private:
    struct Download {
        std::span<std::byte> to;
        std::vector<HostMemory> results;  // of each member
    };
    // A mark of this queue: those of the members, and the number of downloads before it.
    struct Point {
        std::vector<Mark> marks;
        std::uint64_t downloads;
    };

    // Null if it has been waited for, and passed.
    const Point* point(std::uint64_t number) const;
    void compare_first();

    RedundantDevice& device_;
    std::deque<Download> downloads_;  // not yet compared
    std::vector<Download> compared_;  // whose memory serves again
    std::uint64_t compared_count_ = 0;
    std::deque<Point> points_;                    // not yet passed
    std::uint64_t passed_ = 0;                    // the number of the last mark that was
    std::vector<std::unique_ptr<Queue>> queues_;  // last: they write into what is above
};

}  // namespace trellis
