// The ranks of one communicator of several sites, and what its exchanges share; they may outlast it.
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

struct SiteGroup {
    std::shared_ptr<SiteRouter> router;
    std::uint64_t number = 0;  // of this communicator: no two that a rank belongs to have the same
    std::vector<int> ranks;    // of the run, rising
    // The sites that have any: the first of their ranks here, which talks for them, and the number of all.
    std::vector<int> heads;
    std::shared_ptr<Comm> gathering, spreading;  // of those on this site: two, each for a round of exchanges
    int rank = 0;                                // this one, here
    std::size_t site = 0;                        // in heads
    std::uint64_t begun = 0, spread = 0;         // exchanges
    std::map<int, Deferred> deferred{};          // those pending, by their number
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
