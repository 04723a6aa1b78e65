// A communicator of two levels: the ranks of each site, which communicate as they do alone, and links between the
// sites. All of them are the ranks of one run, site by site.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/sites/site_group.hpp"

namespace trellis {

class SiteComm final : public Comm {
  public:
    // The ranks of all sites; all ranks of a site call it. within: those of this site. links: on its rank 0 those to
    // the other sites, by the number of the site, null for its own; empty on other ranks.
    static std::shared_ptr<SiteComm> join(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links,
                                          Sites sites);
    explicit SiteComm(std::shared_ptr<SiteGroup> group) : group_(std::move(group)) {}

    int rank() const override { return group_->rank; }
    int size() const override { return group_->size(); }
    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override;
    void send(int to, std::span<const std::byte> bytes) override;
    std::vector<std::byte> receive(int from) override;
    std::vector<std::byte> all_gather(std::span<const std::byte> own) override;
    std::unique_ptr<Exchange> begin_all_gather(std::span<const std::byte> own) override;
    std::unique_ptr<DeferredGather> make_deferred_gather() override;
    [[noreturn]] void abort(const std::string& why, int code) override;

    // Closes the links; the last call, of all ranks of the run. Without it the other sites are notified that this one
    // has ended.
    void close();

    // Forwards packets of other ranks that have arrived, without waiting; not collective. A rank that waits for
    // anything but messages calls it all the time: other ranks may need it as their relay. Throws RunError, which says
    // why, if a site has ended the run or is dead.
    void move_along() { group_->router->move_along(); }

    // The first rank of each site that has any rank here.
    std::span<const int> site_begins() const override { return std::span(group_->heads).first(group_->sites()); }
    double site_speed() const override;
    std::shared_ptr<Comm> part_on_site() override;
    TrafficClass set_traffic_class(TrafficClass traffic_class) override;
    // All sites of the run, and the number of this rank's.
    const Sites& sites() const { return group_->router->sites(); }
    // Sets Sites::speeds; the same on all ranks.
    void set_speeds(std::vector<double> speeds) { group_->router->set_speeds(std::move(speeds)); }
    // The traffic of this rank through all communicators.
    const WideTraffic& wide_traffic() const { return group_->router->traffic(); }

  private:
    std::shared_ptr<Comm> part(int colour) override;

    std::shared_ptr<SiteGroup> group_;
    std::shared_ptr<Comm> alone_ = serial_comm();  // for messages to this rank
    std::shared_ptr<Comm> on_site_;                // null before the first call of part_on_site
};

}  // namespace trellis
