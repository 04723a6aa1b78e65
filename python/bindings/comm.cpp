// The ranks of this run. Python's lock is not held while a rank waits.
#include "trellis/ranks/comm/comm.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "python_lock.hpp"
#include "sites.hpp"
#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/same_call.hpp"
#include "trellis/ranks/comm/world.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Comm;

namespace {

std::span<const std::byte> view(const nb::bytes& data) {
    return {static_cast<const std::byte*>(data.data()), data.size()};
}

nb::bytes to_python(std::span<const std::byte> data) { return nb::bytes(data.data(), data.size()); }

void check_rank(const Comm& comm, int rank) {
    if (rank < 0 || rank >= comm.size())
        throw trellis::InputError("there is no rank " + std::to_string(rank) + ": those of this run are 0 to " +
                                  std::to_string(comm.size() - 1));
}

void send(Comm& comm, int to, const nb::bytes& data) {
    check_rank(comm, to);
    const auto bytes = view(data);
    const LockReleased unlocked;
    comm.send(to, bytes);
}

nb::bytes receive(Comm& comm, int sender) {
    check_rank(comm, sender);
    const auto bytes = [&] {
        const LockReleased unlocked;
        return comm.receive(sender);
    }();
    return to_python(bytes);
}

// Python's pieces may differ in length: they travel padded to the longest.
nb::typed<nb::list, nb::bytes> all_gather(Comm& comm, const nb::bytes& own) {
    const auto bytes = view(own);
    std::vector<std::uint64_t> lengths;
    std::vector<std::byte> all;
    {
        const LockReleased unlocked;
        lengths = trellis::all_gather(comm, std::uint64_t{bytes.size()});
        std::vector<std::byte> filled(bytes.begin(), bytes.end());
        filled.resize(std::ranges::max(lengths));
        all = comm.all_gather(filled);
    }
    nb::list pieces;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
        pieces.append(to_python(std::span(all).subspan(rank * (all.size() / lengths.size()), lengths[rank])));
    return pieces;
}

nb::bytes broadcast(Comm& comm, const nb::bytes& first) {
    const auto bytes = view(first);
    const auto received = [&] {
        const LockReleased unlocked;
        return trellis::broadcast(comm, {bytes.begin(), bytes.end()});
    }();
    return to_python(received);
}

// The messages to this rank, by the ranks that sent them; the one to itself, too.
nb::typed<nb::list, nb::bytes> exchange(Comm& comm, const std::vector<nb::bytes>& pieces) {
    if (pieces.size() != static_cast<std::size_t>(comm.size()))
        throw trellis::InputError("there are " + std::to_string(pieces.size()) + " pieces for " +
                                  std::to_string(comm.size()) + " ranks: one is needed for each");
    std::vector<trellis::Message> messages;
    for (const nb::bytes& piece : pieces) {
        const auto bytes = view(piece);
        const int to = static_cast<int>(messages.size());
        messages.push_back({.rank = to, .bytes = {bytes.begin(), bytes.end()}});
    }
    {
        const LockReleased unlocked;
        messages = comm.begin_exchange(std::move(messages))->finish();
    }
    nb::list received;
    for (const trellis::Message& message : messages) received.append(to_python(message.bytes));
    return received;
}

}  // namespace

void bind_comm(nb::module_& core) {
    using Unlocked = nb::call_guard<LockReleased>;
    nb::class_<Comm>(core, "Comm", "The ranks of a run, and their messages. A call waits for the other ranks.")
        .def_prop_ro("rank", &Comm::rank, "The number of this rank, from 0.")
        .def_prop_ro("size", &Comm::size, "The number of ranks.")
        .def("send", &send, "to"_a, "data"_a, "Send bytes to a rank, which receives them in the order sent.")
        .def("receive", &receive, "sender"_a, "Wait for the next bytes from a rank.")
        .def("all_gather", &all_gather, "own"_a, "The bytes of all ranks, in order; all ranks call it.")
        .def("exchange", &exchange, "pieces"_a,
             "Send each rank its piece: those for this one, in the order of ranks; all ranks call it.")
        .def("broadcast", &broadcast, "first"_a, "The bytes of the first rank; all ranks call it.")
        .def("same_call", &trellis::same_call, Unlocked(), "name"_a, "bits"_a = 0,
             "The bits that any rank has set; all ranks call it with the same name, or it is a RuntimeError on all.")
        .def("abort", &Comm::abort, Unlocked(), "why"_a, "code"_a = 1,
             nb::sig("def abort(self, why: str, code: int = 1) -> typing.NoReturn"),
             "End all ranks with this sentence on standard error and this exit code; RuntimeError if this one is "
             "alone.");
    core.def("world", &trellis::world, Unlocked(), "The ranks of this run: those that mpirun started, or one alone.");
    core.def("finalize_mpi", &trellis::finalize_mpi, Unlocked(),
             "Finalize MPI, so that each rank may exit with any code; the last call of all ranks.");
    bind_sites(core);
}
