#include "trellis/devices/redundant/compared_queue.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "trellis/devices/room.hpp"

namespace trellis {

ComparedQueue::ComparedQueue(RedundantDevice& device) : device_(device) {
    for (const auto& member : device.members()) queues_.push_back(member->make_queue());
}

void ComparedQueue::upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) {
    for (std::size_t k = 0; k < queues_.size(); ++k) queues_[k]->upload(RedundantDevice::part(to, k), offset, from);
}

void ComparedQueue::download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) {
    if (to.empty()) return;
    Download next;
    if (!compared_.empty()) {
        next = std::move(compared_.back());
        compared_.pop_back();
    }
    next.to = to;
    next.results.resize(queues_.size());
    for (std::size_t k = 0; k < queues_.size(); ++k) {
        HostMemory& result = next.results[k];
        make_room(result, device_.members()[k], to.size());
        queues_[k]->download(RedundantDevice::part(from, k), offset, {result.begin(), to.size()});
    }
    downloads_.push_back(std::move(next));
}

void ComparedQueue::upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& records,
                                 bool restart) {
    for (std::size_t k = 0; k < queues_.size(); ++k)
        queues_[k]->upload_delta(RedundantDevice::part(to, k), from, records, restart);
}

void ComparedQueue::launch(std::string_view kernel, std::span<const std::byte> constants,
                           std::span<const DeviceMemory* const> memory) {
    std::vector<const DeviceMemory*> parts(memory.size());
    for (std::size_t k = 0; k < queues_.size(); ++k) {
        std::ranges::transform(memory, parts.begin(),
                               [&](const DeviceMemory* whole) { return &RedundantDevice::part(*whole, k); });
        queues_[k]->launch(kernel, constants, parts);
    }
}

Mark ComparedQueue::mark() {
    Point next{{}, compared_count_ + downloads_.size()};
    for (const auto& queue : queues_) next.marks.push_back(queue->mark());
    points_.push_back(std::move(next));
    return {this, passed_ + points_.size()};
}

const ComparedQueue::Point* ComparedQueue::point(std::uint64_t number) const {
    return number > passed_ ? &points_[number - passed_ - 1] : nullptr;
}

void ComparedQueue::after(const Mark& mark) {
    const Point* const other = static_cast<const ComparedQueue*>(mark.queue)->point(mark.number);
    for (std::size_t k = 0; other != nullptr && k < queues_.size(); ++k) queues_[k]->after(other->marks[k]);
}

void ComparedQueue::flush() {
    for (const auto& queue : queues_) queue->flush();
}

void ComparedQueue::wait(const Mark& mark) {
    if (const Point* const until = point(mark.number)) {
        flush();
        std::exception_ptr failure;
        for (std::size_t k = 0; k < queues_.size(); ++k)
            if (const std::exception_ptr of_member = queues_[k]->settle(until->marks[k]); failure == nullptr)
                failure = of_member;
        if (failure != nullptr) std::rethrow_exception(failure);
        device_.throw_failure();
        while (compared_count_ < until->downloads) compare_first();
        points_.erase(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(mark.number - passed_));
        passed_ = mark.number;
    }
    device_.throw_failure();
}

void ComparedQueue::then(std::function<void()> call) {
    const auto all = std::make_shared<std::function<void()>>(std::move(call));
    const auto left = std::make_shared<std::atomic<std::size_t>>(queues_.size());
    for (const auto& queue : queues_)
        queue->then([all, left] {
            if (--*left == 0) (*all)();
        });
}

void ComparedQueue::compare_first() {
    Download first = std::move(downloads_.front());
    downloads_.pop_front();
    ++compared_count_;
    std::vector<std::span<const std::byte>> results;
    results.reserve(first.results.size());
    for (const HostMemory& result : first.results) results.emplace_back(result.begin(), first.to.size());
    device_.compare(results);
    std::ranges::copy(results.front(), first.to.begin());
    compared_.push_back(std::move(first));
}

// The round trips of all members overlap, so those of the first count.
QueueTimes ComparedQueue::take_times() {
    QueueTimes all = queues_[0]->take_times();
    const std::uint64_t round_trips = all.round_trips;
    for (std::size_t k = 1; k < queues_.size(); ++k) all += queues_[k]->take_times();
    all.round_trips = round_trips;
    return all;
}

}  // namespace trellis
