// trellis_failing_rank HOW: the last rank fails as HOW says while the other ranks wait for it, every second one in an
// exchange of all ranks but the first. Run by tests/mpi/ends_soon.cmake.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "trellis/ranks/comm/comm.hpp"

int main(int, char** arguments) {
    const auto comm = trellis::world();
    const auto part = comm->split(comm->rank() > 0 ? 1 : 0);
    if (comm->rank() < comm->size() - 1) {
        if (comm->rank() % 2 == 1) part->begin_exchange({})->finish();
        comm->receive(comm->size() - 1);
        return 0;
    }
    const std::string how = arguments[1];
    if (how == "abort") comm->abort("the sea is too rough", 2);
    if (how == "throw") throw std::runtime_error("the sea is too rough");
    if (how == "exit") std::exit(3);
    if (how == "return") return 3;
    if (how == "kill") std::raise(SIGKILL);
    return 0;
}
