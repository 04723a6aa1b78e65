// The ranks of this run: those launched on this site, joined by those of other sites.
#pragma once

#include <memory>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The ranks that mpirun (srun, ...) started on this site, or one rank alone: see world().
std::shared_ptr<Comm> launched_ranks();

// Finalizes the MPI of the launched ranks, each of which may then exit with any code without failing the others;
// collective over them, and their last call. Without effect where there is no MPI.
void finalize_mpi();

// Sets the communicator that world() returns; null: the launched ranks.
void set_world(std::shared_ptr<Comm> ranks);

}  // namespace trellis
