// The sites of a run. Its ranks are those of all sites, site by site.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace trellis {

struct Sites {
    std::vector<std::string> names;
    std::size_t own = 0;           // the number of this rank's site
    std::vector<double> speeds{};  // of one rank of each site, in a unit of the user; empty: equal speeds
    std::map<std::size_t, std::size_t> relays{};  // from a site reached by way of a third one to that third one
    std::vector<int> begins{};                    // the first rank of each site, then the number of all ranks

    std::size_t size() const { return names.size(); }
    std::size_t site_of(int rank) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(begins, rank) - begins.begin()) - 1;
    }
    // The first rank of this site, which has the links to the other sites.
    int gateway() const { return begins[own]; }
};

}  // namespace trellis
