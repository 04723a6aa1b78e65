// Where the forces of listed particles are computed: on this process's threads, or by a device.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/lists/cell_moments.hpp"
#include "trellis/lists/listed_tree.hpp"

namespace trellis {

// What a device did for the last force, and what it took.
struct DeviceUse {
    std::size_t batches = 0;
    std::size_t bytes = 0;   // of device memory, held when it was most
    bool in_blocks = false;  // the particles did not fit into its memory all at once: each batch has a table of its own
    bool lists_kept = false;  // the device keeps the lists from step to step
    QueueTimes times;         // of all queues together
};

// What this thread does now and then while the others work: moving messages along.
using Meanwhile = std::function<void()>;

class Evaluator {
  public:
    virtual ~Evaluator() = default;

    // Reads the own particles and cells, which have been made or refreshed. The first call of a step.
    virtual void describe(const ListedTree& listed, Phases& phases) = 0;
    // The same for what has been grafted since.
    virtual void describe_graft(const ListedTree& listed, const Graft& graft, Phases& phases) = 0;
    // Of the own cells, from describe on.
    virtual const CellMoments& cell_moments() const = 0;

    // Whether own and grafted lists are evaluated one after the other, so that the first need not wait for what is grafted. If not,
    // everything is to stand in listed.lists(), as a whole.
    virtual bool takes_parts() const = 0;

    // Begins the forces of listed.lists(). walk: the lists are new, their trunk is made, and this makes the branches; no walk: they are
    // those of the last dispatch, and only positions and moments have changed.
    virtual void dispatch(const ListedTree& listed, Walk* walk, Phases& phases) = 0;

    // Adds the forces to the results: all of them, or none and an error. Part::own, of listed.lists(), is followed by Part::grafted, of
    // listed.grafted_lists().
    virtual Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                          const Meanwhile& meanwhile, Phases& phases) = 0;

    // What a device did; null if there is none.
    virtual const DeviceUse* device_use() const { return nullptr; }
};

}  // namespace trellis
