// All ranks of this run, which may be more than those that were launched here: on other sites are others.
#pragma once

#include <memory>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Those that mpirun (srun, ...) started here, or one alone: see world().
std::shared_ptr<Comm> launched_ranks();

// What world() is from now on; null: the launched ranks again.
void set_world(std::shared_ptr<Comm> ranks);

}  // namespace trellis
