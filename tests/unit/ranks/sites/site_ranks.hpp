// Sites that are threads of one process, each with ranks that are threads, and links in memory.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/ranks/sites/site_comm.hpp"
#include "trellis/transport/links/link.hpp"

namespace trellis::checks {

// The two ends of a link, and the messages under way in both directions.
struct Wire {
    std::mutex mutex;
    std::condition_variable changed;
    struct Sent {
        std::chrono::steady_clock::time_point arrives;
        std::vector<std::byte> bytes;
    };
    std::map<std::pair<int, LinkTag>, std::deque<Sent>> under_way;  // by the receiving end
    bool closed[2] = {false, false};
    bool cut = false;
    std::size_t memory = 0;              // bytes that each end may have under way
    std::chrono::milliseconds delay{0};  // of each message
};

class MemoryLink final : public Link {
  public:
    MemoryLink(std::shared_ptr<Wire> wire, int end, std::string peer)
        : wire_(std::move(wire)), end_(end), peer_(std::move(peer)) {}
    ~MemoryLink() override {
        const std::scoped_lock lock(wire_->mutex);
        if (!wire_->closed[end_]) wire_->cut = true;
        wire_->changed.notify_all();
    }
    MemoryLink(const MemoryLink&) = delete;
    MemoryLink& operator=(const MemoryLink&) = delete;

    void send(LinkTag tag, std::vector<std::byte> bytes) override {
        std::unique_lock lock(wire_->mutex);
        throw_if_over();
        if (!wire_->changed.wait_for(lock, std::chrono::seconds(20), [&] { return has_room_locked(); }))
            throw RunError("the link to " + peer_ + " stays full");
        ++sent_;
        wire_->under_way[{1 - end_, tag}].push_back(
            {std::chrono::steady_clock::now() + wire_->delay, std::move(bytes)});
        wire_->changed.notify_all();
    }
    bool has_room() const override {
        const std::scoped_lock lock(wire_->mutex);
        return has_room_locked();
    }
    std::optional<std::vector<std::byte>> take(LinkTag tag) override {
        const std::scoped_lock lock(wire_->mutex);
        return take_locked(tag);
    }
    bool has(LinkTag tag) const override {
        const std::scoped_lock lock(wire_->mutex);
        const auto found = wire_->under_way.find({end_, tag});
        return found != wire_->under_way.end() && has_come(found->second);
    }
    std::vector<std::byte> receive(LinkTag tag) override {
        std::unique_lock lock(wire_->mutex);
        std::optional<std::vector<std::byte>> taken;
        while (!(taken = take_locked(tag))) wire_->changed.wait_for(lock, std::chrono::milliseconds(1));
        return std::move(*taken);
    }
    void close() override {
        const std::scoped_lock lock(wire_->mutex);
        wire_->closed[end_] = true;
        wire_->changed.notify_all();
    }
    std::uint64_t sent() const { return sent_; }  // messages
    const std::string& peer() const override { return peer_; }
    LinkTraffic traffic() const override { return {}; }

  private:
    static bool has_come(const std::deque<Wire::Sent>& queue) {
        return !queue.empty() && queue.front().arrives <= std::chrono::steady_clock::now();
    }
    bool has_room_locked() const {
        std::size_t sent = 0;
        for (const auto& [end_and_tag, queue] : wire_->under_way)
            for (const auto& each : queue)
                if (end_and_tag.first == 1 - end_) sent += each.bytes.size();
        return sent < wire_->memory;
    }
    void throw_if_over() const {
        if (wire_->cut) throw RunError("the site " + peer_ + " is dead");
        if (wire_->closed[1 - end_]) throw RunError("the site " + peer_ + " has left, and sends no more");
    }
    std::optional<std::vector<std::byte>> take_locked(LinkTag tag) {
        auto& queue = wire_->under_way[{end_, tag}];
        if (queue.empty()) throw_if_over();
        if (!has_come(queue)) return std::nullopt;
        auto bytes = std::move(queue.front().bytes);
        queue.pop_front();
        wire_->changed.notify_all();
        return bytes;
    }

    std::shared_ptr<Wire> wire_;
    std::uint64_t sent_ = 0;
    int end_;
    std::string peer_;
};

inline std::vector<std::string> names_of_sites(std::size_t count) {
    const std::vector<std::string> names{"amsterdam", "tokyo", "edinburgh", "espoo"};
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

constexpr std::size_t all_memory = std::numeric_limits<std::size_t>::max();

// Links between all sites; the first index is the site that has them.
inline std::vector<std::vector<std::shared_ptr<Link>>> memory_links(const std::vector<std::string>& names,
                                                                    std::size_t memory = all_memory,
                                                                    std::chrono::milliseconds delay = {}) {
    std::vector<std::vector<std::shared_ptr<Link>>> links(names.size(),
                                                          std::vector<std::shared_ptr<Link>>(names.size()));
    for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = a + 1; b < names.size(); ++b) {
            const auto wire = std::make_shared<Wire>();
            wire->memory = memory;
            wire->delay = delay;
            links[a][b] = std::make_shared<MemoryLink>(wire, 0, names[b]);
            links[b][a] = std::make_shared<MemoryLink>(wire, 1, names[a]);
        }
    return links;
}

// Calls body(comm) on all ranks. ranks: the number of ranks of each site. Returns the first exception of each site, or
// null. It is noted before the communicator of its rank ends: that notifies the gateway, which then fails, too.
inline std::vector<std::exception_ptr> failures_of_sites(const std::vector<int>& ranks,
                                                         const std::function<void(SiteComm&)>& body,
                                                         const std::vector<double>& speeds = {},
                                                         std::size_t memory = all_memory,
                                                         std::chrono::milliseconds delay = {}) {
    const auto names = names_of_sites(ranks.size());
    auto links = memory_links(names, memory, delay);
    std::vector<std::exception_ptr> failures(ranks.size());
    std::mutex noting;
    const auto note_failure = [&](std::size_t site) {
        const std::scoped_lock lock(noting);
        if (!failures[site]) failures[site] = std::current_exception();
    };
    {
        std::vector<std::jthread> sites;
        for (std::size_t site = 0; site < ranks.size(); ++site)
            sites.emplace_back([&, site] {
                try {
                    run_ranks(ranks[site], [&](Comm& within) {
                        const std::shared_ptr<Comm> borrowed(std::shared_ptr<void>(), &within);
                        std::vector<std::shared_ptr<Link>> own;
                        if (within.rank() == 0) own = std::move(links[site]);
                        const auto comm = SiteComm::join(borrowed, std::move(own), {names, site, speeds});
                        try {
                            body(*comm);
                            comm->close();
                        } catch (...) {
                            note_failure(site);
                            throw;
                        }
                    });
                } catch (...) {
                    note_failure(site);
                }
            });
    }
    return failures;
}

inline void run_sites(const std::vector<int>& ranks, const std::function<void(SiteComm&)>& body,
                      const std::vector<double>& speeds = {}, std::size_t memory = all_memory,
                      std::chrono::milliseconds delay = {}) {
    for (const std::exception_ptr& failure : failures_of_sites(ranks, body, speeds, memory, delay))
        if (failure) std::rethrow_exception(failure);
}

}  // namespace trellis::checks
