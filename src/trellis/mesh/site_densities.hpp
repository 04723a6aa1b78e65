// The density of a mesh on several sites: each has that of its own particles, and sends it to each other site once.
// Values travel bit by bit as they are, in the bytes that tell them from the straight line through the last two times
// (packing/moving_numbers.hpp); nodes that no particle of the site reaches take next to none.
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
    // The ranks of each site own the boxes along z of pencil_boxes, of as many ranks as it has.
    SiteDensities(std::shared_ptr<Comm> comm, const Nodes& cells);

    bool several() const { return comm_->spans_sites(); }

    // Collective, and in turn. begin: the density of this site's particles in the box of this rank begins to travel.
    void begin(std::vector<T> density);
    // Waits: that of all, added up in the order of the ring, so that all sites have the same bits.
    std::vector<T> finish();

  private:
    // What travels between this rank and others: the nodes that they own too, and the density there at the last two
    // times, which both ends keep.
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
    std::vector<Shared> to_, from_;  // to_: one for all who own the same nodes; from_: one for each rank, rising
    std::vector<T> density_;         // of this site
    std::unique_ptr<Exchange> under_way_;
};

}  // namespace trellis
