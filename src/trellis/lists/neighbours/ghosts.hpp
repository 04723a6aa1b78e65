// Ghosts: particles of other ranks, as images where space is periodic, that local particles may meet (FDPS: EPJ
// exchange). The particles that each rank needs are found in a construction step and kept; reusing steps, and further
// interactions on the same lists, send values alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search_tree.hpp"
#include "trellis/particles/region.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class Ghosts {
  public:
    // Collective: finds the local particles that remote ranks need, and the remote particles that are needed here.
    // skin: see NeighbourLists.
    void find(Comm& comm, const SearchTree& own, Search search, double skin, const Region& region);

    // The positions at which this rank's ghosts act, as images, and their radii, both when they were found.
    std::span<const Vec3<double>> positions() const { return positions_; }
    std::span<const double> radii() const { return radii_; }

    // Collective: sends remote ranks the first so many components of the local particles, by slot, that they need. The
    // first three are the position.
    std::unique_ptr<Exchange> begin(Comm& comm, const SortedColumns& own, std::size_t components) const;
    // The received values of the ghosts, component by component, in the order of positions().
    static std::vector<std::vector<double>> finish(Exchange& exchange, std::size_t components);

  private:
    struct Sent {
        std::uint32_t slot;
        std::uint32_t image;
    };
    struct Recipient {
        int rank;
        std::vector<Vec3<double>> shifts;  // of the images
        std::vector<Sent> particles;
    };

    void choose(const SearchTree& own, const WiderSearch& search, const Region& region, const Zone& all,
                std::span<const Zone> zones, Recipient& recipient) const;

    std::vector<Recipient> recipients_;
    std::vector<Vec3<double>> positions_;
    std::vector<double> radii_;
};

}  // namespace trellis
