// Where the forces of listed particles are computed: on this process's threads, or by a device.
#pragma once

#include <memory>
#include <span>

#include "trellis/base/phase.hpp"
#include "trellis/forces/kernels.hpp"
#include "trellis/lists/listed_tree.hpp"

namespace trellis {

class Evaluator {
  public:
    virtual ~Evaluator() = default;

    // Begins the forces. walk: the lists are new, their trunk is made, and this makes the branches; no walk: they are those of the last
    // dispatch, and only positions and moments have changed.
    virtual void dispatch(const ListedTree& listed, Walk* walk, Phases& phases) = 0;

    // Adds the forces to the results: all of them, or none and an error.
    virtual Work retrieve(const ListedTree& listed, std::span<const ResultComponent> results, Phases& phases) = 0;
};

}  // namespace trellis
