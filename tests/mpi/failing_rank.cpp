// trellis_failing_rank HOW: the last rank fails in one of several ways while the others wait for it. tests/mpi/ends_soon.cmake looks on.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "trellis/ranks/comm.hpp"

int main(int, char** arguments) {
    const auto comm = trellis::world();
    if (comm->rank() < comm->size() - 1) {
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
