// The density of a mesh on several sites: each site computes that of its own particles and sends it to each other site
// once. Values keep their bits; they travel as differences from the straight line through the last two times
// (packing/moving_numbers.hpp), so that nodes which no particle of the site reaches take hardly any bytes.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/mesh/node_box.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

template <class T>
class SiteDensities {
  public:
    // The n ranks of a site own the boxes along z of pencil_boxes(n, cells).
    SiteDensities(std::shared_ptr<Comm> comm, const Nodes& cells);

    bool several() const { return comm_->spans_sites(); }

    // Collective, begin and finish in turn. begin sends the density from the particles of this site's particles in the
    // box of this rank.
    void begin(std::vector<T> density);
    // Waits. Returns the density of all sites, added up in the order of the ring, so that all sites have the same bits.
    std::vector<T> finish();

  private:
    // Nodes that this rank and ranks of another site own, and the density there at the last two times, which both ends
    // keep.
    struct Shared {
        NodeBox box;
        std::vector<int> ranks;
        std::vector<T> last, before;

        Shared(const NodeBox& box, int rank) : box(box), ranks{rank}, last(box.size()), before(box.size()) {}
        void note(std::vector<T> now) { before = std::exchange(last, std::move(now)); }
    };

    void share_with(int rank, const NodeBox& box);
    std::vector<std::byte> packed(Shared& to) const;
    void add(Shared& from, std::span<const std::byte> bytes, std::vector<T>& sum) const;

    std::shared_ptr<Comm> comm_;
    Nodes cells_;
    NodeBox box_{};
    std::vector<Shared> to_, from_;  // to_: one for all ranks that own the same nodes; from_: one for each rank, rising
    std::vector<T> density_;         // from the particles of this site
    std::unique_ptr<Exchange> under_way_;
};

}  // namespace trellis
