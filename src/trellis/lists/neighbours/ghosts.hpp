// Ghosts: particles of other ranks, as images in periodic space, that local particles may interact with (FDPS: EPJ
// exchange). The particles that each rank needs are found in a construction step and kept; reusing steps, and further
// interactions on the same lists, send only values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search/search_tree.hpp"
#include "trellis/particles/region.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class Ghosts {
  public:
    // Finds the local particles that remote ranks need, and the remote particles that this rank needs; collective.
    // skin: see NeighbourLists. ids: of the local particles, by slot, or on all ranks empty.
    void find(Comm& comm, const SearchTree& own, Search search, double skin, const Region& region,
              std::span<const std::uint64_t> ids = {});

    // The positions at which the ghosts of this rank act, those of images, and their radii, both of the construction
    // step.
    std::span<const Vec3<double>> positions() const { return positions_; }
    std::span<const double> radii() const { return radii_; }
    // Their ids, if find was given ids.
    std::span<const std::uint64_t> ids() const { return ids_; }

    // Sends remote ranks the first `components` components of the local particles that they need; collective. own: by
    // slot; the first three components are the position.
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
        std::vector<Vec3<double>> shifts;  // of images, by their numbers
        std::vector<Sent> particles;
    };

    void choose(const SearchTree& own, const WiderSearch& search, const Region& region, const Zone& all,
                std::span<const Zone> zones, Recipient& recipient) const;

    std::vector<Recipient> recipients_;
    std::vector<Vec3<double>> positions_;
    std::vector<double> radii_;
    std::vector<std::uint64_t> ids_;
};

}  // namespace trellis
