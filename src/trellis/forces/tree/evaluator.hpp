// The evaluation of the forces of listed particles: on this process's threads, or by a device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/devices/devices.hpp"
#include "trellis/forces/device_client.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// A task of this thread, called repeatedly while other threads work: moves messages along.
using Meanwhile = std::function<void()>;

class Evaluator {
  public:
    virtual ~Evaluator() = default;

    // Reads the local particles and cells, just made or refreshed. The first call of a step. shared: cells may be
    // exported, by cell_moments, or imported.
    virtual void describe(const ListedTree& listed, bool shared, Phases& phases) = 0;
    // Reads the particles and cells imported since.
    virtual void describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) = 0;
    // The moments of the local cells, known from describe on, of cells that may be exported.
    virtual const CellMoments& cell_moments() const = 0;

    // True if local and imported lists are evaluated one after the other, so that the local ones need not wait for
    // imports. If not, listed.lists() must hold all sources.
    virtual bool takes_parts() const = 0;

    // Begins the forces of listed.lists() or, after a dispatch of these, of listed.imported_lists(). walk: the lists
    // are new, their trunk is made, and the evaluator makes the branches, now or when it needs them until retrieve.
    // Without a walk the lists are those of the last dispatch, and only positions and moments have changed.
    virtual void dispatch(const ListedTree& listed, std::optional<Walk> walk, Phases& phases) = 0;

    // Adds the forces to the results: either all of them, or it throws. Part::local, of listed.lists(), is followed by
    // Part::imported, of listed.imported_lists().
    virtual Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                          const Meanwhile& meanwhile, Phases& phases) = 0;

    // The work of a device; null without devices.
    virtual const DeviceUse* device_use() const { return nullptr; }
};

// An evaluator on this process's own threads (paper: method C1). keeps_lists: lists serve more than one step; if not,
// only the present branch of each thread is in memory.
std::unique_ptr<Evaluator> host_evaluator(const CompiledInteraction& interaction, bool keeps_lists);

// An evaluator on devices (paper: methods G1, G2, and G3, if lists stay there from step to step).
std::unique_ptr<Evaluator> device_evaluator(const CompiledInteraction& interaction, const Devices& devices,
                                            const ForceChoice& choice, Send send, bool keeps_lists);

}  // namespace trellis
