// Packets between ranks of different sites. Rank 0 of each site is its gateway: it has the links to the other sites,
// and forwards the packets that ranks of its site send and receive.
#pragma once

#include <algorithm>
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
#include "trellis/ranks/sites/sites.hpp"
#include "trellis/ranks/sites/wide_traffic.hpp"
#include "trellis/transport/links/link.hpp"

namespace trellis {

// The purpose of a packet: the communicator, and there the number of its exchange, or 0 for a message between two
// ranks.
struct Channel {
    std::uint64_t comm = 0, number = 0;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct Packet {
    Channel channel;
    int from = 0, to = 0;    // ranks of the run
    std::uint64_t hops = 0;  // WideTraffic::critical_path_hops, this packet included
    std::vector<std::byte> bytes{};
};

// The router of one rank. All calls are made by one thread at a time.
class SiteRouter {
  public:
    // within: the ranks of this site. links: on its rank 0 the links to the other sites, by the number of the site,
    // null for its own; empty on other ranks. Collective: waits for all sites.
    SiteRouter(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links, Sites sites);
    // Without close, notifies the other sites that this one has ended.
    ~SiteRouter();
    SiteRouter(const SiteRouter&) = delete;
    SiteRouter& operator=(const SiteRouter&) = delete;

    const Sites& sites() const { return sites_; }
    void set_speeds(std::vector<double> speeds) { sites_.speeds = std::move(speeds); }
    int rank() const { return rank_; }  // of the run
    bool is_gateway() const { return within_->rank() == 0; }

    const WideTraffic& traffic() const { return traffic_; }
    std::uint64_t hops() const { return traffic_.critical_path_hops; }
    // Notes that this rank has received a message whose chain has length hops.
    void note_hops(std::uint64_t hops) { traffic_.critical_path_hops = std::max(hops, traffic_.critical_path_hops); }
    void note_visible() { ++traffic_.visible; }

    // The class of the messages that this rank begins to send; set_traffic_class returns the class before.
    TrafficClass traffic_class() const { return traffic_class_; }
    TrafficClass set_traffic_class(TrafficClass now) { return std::exchange(traffic_class_, now); }

    // The number of the communicator made last on this rank.
    std::uint64_t last_comm() const { return last_comm_; }
    void set_last_comm(std::uint64_t number) { last_comm_ = number; }

    // Sends bytes to a rank of another site, counted as of traffic_class. hops: length of the chain before this packet.
    void send(int to, Channel channel, std::uint64_t hops, std::vector<std::byte> bytes, TrafficClass traffic_class);
    // The next packet from a rank for this channel, if it has arrived.
    std::optional<Packet> take(int from, Channel channel);

    // Forwards packets and calls the steps of exchanges, without waiting; a rank that waits calls it all the time.
    // Throws RunError if a site is dead, or has ended the run.
    void move_along();
    // Steps are called in the order of their numbers; next_number is larger than all before.
    void add(std::uint64_t number, std::function<void()> step) { steps_.emplace(number, std::move(step)); }
    void remove(std::uint64_t number) { steps_.erase(number); }
    std::uint64_t next_number() { return ++last_number_; }

    // Moves packets along until ready() is true.
    template <class Ready>
    void wait_until(const Ready& ready) {
        constexpr int eager_tries = 200;
        for (int tries = 0;; ++tries) {
            move_along();
            if (ready()) return;
            if (tries < eager_tries)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

    // wait_until for messages of other sites: the time counts as waiting for traffic_class.
    template <class Ready>
    void wait_for_sites_until(const Ready& ready, TrafficClass traffic_class) {
        const Waiting waiting(*this, traffic_class);
        wait_until(ready);
    }
    // change: by how many the number of exchanges that wait for packets of other sites grows.
    void expect(int change) {
        count_time();
        expected_ += change;
    }

    // Notifies all other ranks why the run ends.
    void notify_end(const std::string& why);
    // Closes the links, once no other site needs this one to relay its packets; every rank of this site has received
    // all of its own.
    void close();

  private:
    enum class State {
        open,
        closed,       // by close
        end_notified  // by notify_end
    };
    // The end of the run by a failure.
    struct End {
        std::string why;
        bool received;  // from another site, or from this site's gateway; false if it began on this rank or site
    };
    struct Waiting {
        SiteRouter& router;
        Waiting(SiteRouter& router, TrafficClass traffic_class) : router(router) { router.set_waiting(traffic_class); }
        ~Waiting() { router.set_waiting(std::nullopt); }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
    };

    void set_waiting(std::optional<TrafficClass> traffic_class) {
        count_time();
        waiting_ = traffic_class;
    }
    void count_time();
    void find_begins();
    template <class Call>
    void ending_the_run_on_failure(const Call& call);
    void collect_from_site();
    void collect_from_links();
    void collect_from_link(std::size_t site);
    void notify_sites(std::uint64_t notice);
    void relay_until_all_have_received();
    void receive_end();
    void forward(Packet packet);
    void send_to(std::size_t site, const Packet& packet);
    bool send_what_fits();
    void deliver(Packet packet);
    void post(int local, const Packet& packet);
    void throw_if_ended() const;

    std::shared_ptr<Comm> within_;  // for packets alone
    std::vector<std::shared_ptr<Link>> links_;
    std::vector<bool> has_received_;  // sites that have received all of their packets, and may still relay others
    std::vector<bool> left_;          // sites that have closed their links
    Sites sites_;
    int rank_ = 0;
    State state_ = State::open;
    std::optional<End> end_;

    std::map<std::tuple<int, Channel>, std::deque<Packet>> inbox_;
    std::map<std::size_t, std::deque<std::vector<std::byte>>> to_send_;  // by site, while a link is full
    std::map<std::uint64_t, std::function<void()>> steps_;  // of exchanges, in the order in which they were begun
    std::uint64_t last_number_ = 0, last_comm_ = 0;
    bool moving_ = false;   // inside move_along, which steps may call
    bool sending_ = false;  // inside send_to, which collect_from_links calls

    WideTraffic traffic_;
    TrafficClass traffic_class_ = TrafficClass::other;
    std::optional<TrafficClass> waiting_;  // nothing: this rank works
    int expected_ = 0;                     // exchanges that wait for packets of other sites
    std::chrono::steady_clock::time_point counted_ = std::chrono::steady_clock::now();  // last call of count_time
};

}  // namespace trellis
