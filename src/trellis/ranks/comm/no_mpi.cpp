// Replaces mpi_comm.cpp in builds without MPI.
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/world.hpp"

namespace trellis {

std::shared_ptr<Comm> launched_ranks() {
    static const std::shared_ptr<Comm> alone = serial_comm();
    return alone;
}

void finalize_mpi() {}

std::string mpi_library() { return ""; }

}  // namespace trellis
