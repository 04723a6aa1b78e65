// An exchange over several sites, in three rounds: within each site to its head, from head to head one batch for each
// other site, and within each site to the receivers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/ranks/sites/site_group.hpp"

namespace trellis {

// Messages on their way from rank to rank of a communicator, one after another, behind the trips of who sent them.
struct PacketBatch {
    std::uint64_t trips = 0;
    struct Entry {
        int from;
        std::vector<int>
            to;  // SiteExchange::everyone, too; or SiteExchange::deferred and the number of a deferred gather
        std::vector<std::byte> bytes;
    };
    std::vector<Entry> entries{};

    // What a rank sends alike to several others becomes one entry.
    void join_alike();

    std::vector<std::byte> packed() const;
    static PacketBatch unpacked(std::span<const std::byte> bytes);
};

class SiteExchange final : public Exchange {
  public:
    static constexpr int everyone = -1;  // in place of a message's rank: it goes to each
    static constexpr int deferred = -2;  // the same, beside the messages of the exchange

    SiteExchange(std::shared_ptr<SiteGroup> members, std::vector<Message> messages);
    ~SiteExchange() override;
    SiteExchange(const SiteExchange&) = delete;
    SiteExchange& operator=(const SiteExchange&) = delete;

    bool progress() override;
    std::vector<Message> finish() override;

  private:
    void move_along();
    void route(PacketBatch::Entry entry);
    void collect();
    void send_batches();
    void receive_batches();
    void expect(bool packets);
    void note_visible();
    void spread();
    bool complete();
    void add_deferred(PacketBatch& to_head);
    void arrive(PacketBatch::Entry entry);
    void take_in(std::vector<Message> arrived, bool from_head);

    std::shared_ptr<SiteGroup> group_;
    SiteRouter& router_;
    Channel channel_;
    TrafficClass part_;
    std::uint64_t place_;  // among what the router moves along
    std::unique_ptr<Exchange> gathering_, spreading_;
    bool collected_ = false, expecting_ = false;
    std::vector<bool> arrived_;          // batches of other sites
    std::size_t missing_ = 0;            // of them
    std::vector<PacketBatch> outgoing_;  // to other sites; in this site's place, to its own ranks
    std::uint64_t trips_ = 0;            // of all ranks
    std::vector<Message> in_;
};

}  // namespace trellis
