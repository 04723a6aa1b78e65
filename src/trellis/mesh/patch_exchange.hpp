// The exchange between the patches of ranks and the boxes of the mesh that ranks own: strengths to the owners, fields
// back. Only ranks whose boxes share nodes exchange messages; a rank does not know the senders beforehand.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/mesh/node_box.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

template <class T>
class PatchExchange {
  public:
    // owned: the boxes of all ranks, which cover the mesh.
    PatchExchange(std::shared_ptr<Comm> comm, const Nodes& cells, std::span<const NodeBox> owned)
        : comm_(std::move(comm)), cells_(cells), owned_(owned.begin(), owned.end()) {}

    // Collective: begins to send the strengths at the nodes of patch, where this rank needs the field.
    void begin(const NodeBox& patch, std::span<const T> strengths);
    // Waits: the strengths of all ranks at the nodes that this rank owns, added up in the order of the ranks.
    std::vector<T> finish();

    // Collective, any number of times after finish: sends values of the nodes that each rank owns to the ranks with
    // these nodes in their patch. Returns the values the patch of this rank's patch.
    std::vector<T> give_back(std::span<const T> owned_values);

  private:
    struct Patch {
        int rank;
        NodeBox nodes;
    };

    const NodeBox& own() const { return owned_[static_cast<std::size_t>(comm_->rank())]; }

    std::shared_ptr<Comm> comm_;
    Nodes cells_;
    std::vector<NodeBox> owned_;
    std::unique_ptr<Exchange> sending_;
    NodeBox patch_{};             // the patch of this rank
    std::vector<Patch> patches_;  // the patches that share nodes with the box the patch of this rank
};

}  // namespace trellis
