// Packets between ranks of different sites. Each site's rank 0, the gateway, has the links to the other sites, and
// passes on what its site's other ranks send and get.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/traffic_class.hpp"
#include "trellis/transport/links/link.hpp"

namespace trellis {

// The sites of a run, and where one of their ranks is. The ranks of the run are those of all sites, site by site.
struct Sites {
    std::vector<std::string> names;
    std::size_t own = 0;                          // the number of this rank's site
    std::vector<double> speeds{};                 // of a rank of each site, in a unit of the user's; empty: alike
    std::map<std::size_t, std::size_t> relays{};  // of those that this one reaches by way of a third: that one
    std::vector<int> begins{};  // the first rank of each site, and the number of all ranks: found by the SiteRouter

    std::size_t size() const { return names.size(); }
    std::size_t site_of(int rank) const;
    int gateway() const { return begins[own]; }
};

// What a rank has sent to other sites for a part of the step, and the seconds for which it has waited for that of
// others.
struct ClassTraffic {
    std::uint64_t messages = 0, bytes = 0;
    double waiting = 0;
};

// What this rank has sent to other sites.
struct WideTraffic {
    // The longest chain of packets that had to follow one another, each sent by a rank that had first to wait for the
    // one before: so many times has this rank's work waited, hidden or not, for half a round trip (Lamport's clock).
    std::uint64_t trips = 0;
    // How often a rank that hears from other sites asked for packets that were not there yet: trips that no work hid.
    std::uint64_t visible = 0;
    double hidden = 0;  // seconds in which it worked while packets to it were under way, as far as it looked for them
    std::array<ClassTraffic, static_cast<std::size_t>(TrafficClass::count)> parts{};

    ClassTraffic& part(TrafficClass part) { return parts[static_cast<std::size_t>(part)]; }
    const ClassTraffic& part(TrafficClass part) const { return parts[static_cast<std::size_t>(part)]; }
    std::uint64_t bytes_for(TrafficClass of) const { return part(of).bytes; }
    ClassTraffic all() const;
};

// What a packet is for: the communicator, and there the number of its exchange, or 0 for a message between two ranks.
struct Channel {
    std::uint64_t comm = 0, number = 0;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct Packet {
    Channel channel;
    int from = 0, to = 0;     // ranks of the run
    std::uint64_t trips = 0;  // see WideTraffic: with this packet
    std::vector<std::byte> bytes{};
};

// Of a rank. All calls are made by one thread at a time.
class SiteRouter {
  public:
    // within: the ranks of this site. links: on its rank 0 those to the other sites, by their number, null in the place
    // of its own; none on other ranks. Collective: waits for all sites.
    SiteRouter(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links, Sites sites);
    // Without close, the other sites are told that this one has ended.
    ~SiteRouter();
    SiteRouter(const SiteRouter&) = delete;
    SiteRouter& operator=(const SiteRouter&) = delete;

    const Sites& sites() const { return sites_; }
    void set_speeds(std::vector<double> speeds) { sites_.speeds = std::move(speeds); }
    int rank() const { return rank_; }  // of the run
    bool is_gateway() const { return within_->rank() == 0; }

    // Sends bytes to a rank of another site; trips: those that they had to wait for; part: what they are for.
    void send(int to, Channel channel, std::uint64_t trips, std::vector<std::byte> bytes, TrafficClass part);
    // The next packet from a rank for this channel, if it has come.
    std::optional<Packet> take(int from, Channel channel);

    // Passes packets on, and moves along what has been added: a rank that waits does so all the time. Throws RunError
    // if a site is dead, or has ended the run.
    void move_along();
    void add(std::uint64_t number, std::function<void()> step) { steps_.emplace(number, std::move(step)); }
    void remove(std::uint64_t number) { steps_.erase(number); }
    std::uint64_t next_number() { return ++last_number_; }

    template <class Ready>
    void wait_until(const Ready& ready) {
        constexpr int hasty = 200;
        for (int tries = 0;; ++tries) {
            move_along();
            if (ready()) return;
            if (tries < hasty)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

    // As wait_until, where other sites are involved: the time counts as waiting for what is for this part.
    template <class Ready>
    void wait_for_sites_until(const Ready& ready, TrafficClass part) {
        const Waiting waiting(*this, part);
        wait_until(ready);
    }
    // This rank begins, or ends, to expect packets from other sites.
    void expect(int change) {
        count_time();
        expected_ += change;
    }

    // Tells all other ranks why the run ends.
    void tell_end(const std::string& why);
    // Every rank has had all of its packets: the links are closed.
    void close();

    std::uint64_t last_comm = 0;  // the number of the communicator that was made last on this rank
    WideTraffic traffic;
    TrafficClass part = TrafficClass::other;  // what this rank begins to send now is for: see TrafficScope

  private:
    struct Waiting {
        SiteRouter& router;
        Waiting(SiteRouter& of, TrafficClass part) : router(of) { router.set_waiting(part); }
        ~Waiting() { router.set_waiting(std::nullopt); }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
    };

    void set_waiting(std::optional<TrafficClass> part) {
        count_time();
        waiting_ = part;
    }
    void count_time();
    void begin();
    void collect_from_site();
    void collect_from_links();
    void hear_end();
    void pass_on(Packet packet);
    void send_to(std::size_t site, const Packet& packet);
    void deliver(Packet packet);
    void post(int local, const Packet& packet);
    void throw_if_ended() const;

    std::shared_ptr<Comm> within_;  // for packets alone
    std::vector<std::shared_ptr<Link>> links_;
    std::vector<bool> left_;  // sites that have closed their links
    Sites sites_;
    int rank_ = 0;
    std::map<std::tuple<int, Channel>, std::deque<Packet>> inbox_;
    std::map<std::uint64_t, std::function<void()>> steps_;  // of exchanges, in the order in which they were begun
    std::uint64_t last_number_ = 0;
    bool moving_ = false, closed_ = false, told_ = false;
    std::optional<TrafficClass> waiting_;                                               // for what; none: it works
    int expected_ = 0;                                                                  // exchanges that miss packets
    std::chrono::steady_clock::time_point counted_ = std::chrono::steady_clock::now();  // see count_time
    std::string ended_;                                                                 // why, if the run has ended
    bool heard_ = false;  // from another site, or from this one's gateway
};

}  // namespace trellis
