// The ranks of this run: those launched on this site, joined by those of other sites.
#pragma once

#include <memory>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The ranks that mpirun (srun, ...) started on this site, or one rank alone: see world().
std::shared_ptr<Comm> launched_ranks();

// Sets the communicator that world() returns; null: the launched ranks.
void set_world(std::shared_ptr<Comm> ranks);

}  // namespace trellis
