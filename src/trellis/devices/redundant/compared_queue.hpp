// A queue of a redundant device: passes each call to one queue of each member.
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
                      bool restart) override;
    // Each member copies to memory of its own, since an earlier upload of another member may still read `to`. If all
    // results are equal, they are in `to` after wait.
    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override;
    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override;
    Mark mark() override;
    void after(const Mark& mark) override;
    void flush() override;
    // Waits for all members, and compares the downloads before the mark that have not been compared yet.
    void wait(const Mark& mark) override;
    // Calls once all members are done; the wait that follows compares.
    void then(std::function<void()> call) override;
    // Sums of seconds and bytes of all members, and the round trips to the first member.
    QueueTimes take_times() override;

  private:
    struct Download {
        std::span<std::byte> to;
        std::vector<HostMemory> results;  // by member
    };
    // A mark of this queue: the marks of the members, and the number of downloads before it.
    struct Point {
        std::vector<Mark> marks;
        std::uint64_t downloads;
    };

    // The mark of this number; null if it has been waited for.
    const Point* point(std::uint64_t number) const;
    void compare_first();

    RedundantDevice& device_;
    std::deque<Download> downloads_;  // not yet compared
    std::vector<Download> compared_;  // whose memory is reused
    std::uint64_t compared_count_ = 0;
    std::deque<Point> points_;                    // not waited for yet
    std::uint64_t passed_ = 0;                    // number of the last mark that was waited for
    std::vector<std::unique_ptr<Queue>> queues_;  // last: they write to members above
};

}  // namespace trellis
