// An exchange over several sites in three rounds: within each site to its head, one batch of packets from each head to
// each other one, and within each site to the receivers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trellis/ranks/sites/packet_batch.hpp"
#include "trellis/ranks/sites/site_group.hpp"

namespace trellis {

class SiteExchange final : public Exchange {
  public:
    // deliveries: from this rank, to others and itself. Those to ranks have one receiver each.
    SiteExchange(std::shared_ptr<SiteGroup> group, std::vector<Delivery> deliveries);
    ~SiteExchange() override;
    SiteExchange(const SiteExchange&) = delete;
    SiteExchange& operator=(const SiteExchange&) = delete;

    bool progress() override;
    std::vector<Message> finish() override;

  private:
    // The round that this rank is in. Ranks that are not heads begin the first and the last one at once.
    enum class Round { gathering, between_sites, spreading };

    void add_deferred(PacketBatch& to_head);
    void begin_gathering(PacketBatch to_head, std::vector<Message> direct);
    void move_along();
    void route(Delivery delivery);
    void end_gathering();
    void send_batches();
    void receive_batches();
    void begin_spreading();
    void wait_for_gathering();
    bool complete();
    void take_in(std::vector<Message> arrived, bool from_head);
    void arrive(Delivery delivery);

    std::shared_ptr<SiteGroup> group_;
    SiteRouter& router_;
    Channel channel_;
    TrafficClass traffic_class_;
    std::uint64_t step_number_;  // of move_along, which the router calls
    Round round_;
    std::unique_ptr<Exchange> gathering_, spreading_;

    // On the head.
    std::vector<PacketBatch> to_sites_;  // to the head of each site; empty for this one
    std::vector<Delivery> to_own_site_;
    std::vector<bool> arrived_;  // true for each site whose batch has arrived
    std::size_t missing_;        // batches of other sites

    std::uint64_t hops_;  // of the longest chain of hops that has come to this exchange
    std::vector<Message> in_;
};

}  // namespace trellis
