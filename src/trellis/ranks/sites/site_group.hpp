// The ranks of one communicator over several sites, and the state that its exchanges share; exchanges may outlast it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/sites/site_router.hpp"

namespace trellis {

// A deferred gather under way (ranks/sites/site_deferred_gather.hpp): this rank's bytes, which travel with the next
// exchange, and those received of all ranks.
struct Deferred {
    std::vector<std::byte> own{};
    bool sent = false;
    std::vector<Message> received{};
};

// A member is a rank by its number in this communicator.
struct SiteGroup {
    // number: of the communicator; no two that a rank belongs to have the same. ranks: those of the run that belong to
    // it, rising. on_site: those of them that are on this site. Collective among these.
    SiteGroup(std::shared_ptr<SiteRouter> router, std::uint64_t number, std::vector<int> ranks,
              const std::shared_ptr<Comm>& on_site);

    std::shared_ptr<SiteRouter> router;
    std::uint64_t number;
    std::vector<int> ranks;
    std::vector<int> heads;  // the first member on each site that has any, which sends for its site; then size()
    int rank = 0;            // this rank as a member
    std::size_t site = 0;    // of this rank, as an index of heads
    std::shared_ptr<Comm> gathering, spreading;  // the members on this site, for the first and last round of exchanges
    std::uint64_t begun = 0, spread = 0;         // exchanges that have begun their first, and their last round
    std::map<int, Deferred> deferred;            // those pending, by their numbers
    int last_deferred = 0;

    int size() const { return static_cast<int>(ranks.size()); }
    std::size_t sites() const { return heads.size() - 1; }
    int head() const { return heads[site]; }
    bool is_head() const { return rank == head(); }
    bool is_here(int member) const { return heads[site] <= member && member < heads[site + 1]; }
    std::size_t site_of(int member) const;
    int in_run(int member) const { return ranks[static_cast<std::size_t>(member)]; }
};

}  // namespace trellis
