// Ranks that share one run, and the messages between them: processes under MPI, threads of one process, or one rank
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/ranks/comm/traffic_class.hpp"

namespace trellis {

class DeferredGather;

// Bytes to rank `rank`, or received from it.
struct Message {
    int rank;
    std::vector<std::byte> bytes;
    bool operator==(const Message&) const = default;
};

// The messages that a rank has sent to other ranks.
struct Traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// Messages under way; see Comm::begin_exchange.
class Exchange {
  public:
    virtual ~Exchange() = default;

    // Moves messages along without waiting; true as soon as all have arrived. Called from one thread at a time.
    virtual bool progress() = 0;

    // Waits for all messages and returns those for this rank, in the order of the ranks that sent them. Called once for
    // every exchange begun; ranks may finish several exchanges in different orders.
    virtual std::vector<Message> finish() = 0;
};

// All calls are collective unless stated otherwise: every rank makes them, in the same order. A rank that waits in a
// call moves all of its exchanges along, so that no rank waits for one that waits elsewhere. When a rank fails, the
// others do not wait for it: the run ends, or their calls throw RunError.
class Comm {
  public:
    virtual ~Comm() = default;

    virtual int rank() const = 0;  // from 0
    virtual int size() const = 0;

    // The first rank of each site, beginning with 0; not collective. Messages between sites take long, those within a
    // site do not.
    virtual std::span<const int> site_begins() const {
        static constexpr int one[] = {0};
        return one;
    }
    // True if the ranks are on more than one site.
    bool spans_sites() const { return site_begins().size() > 1; }
    // The speed of a rank of this rank's site, in a unit that all sites share; not collective. One site alone: 1.
    virtual double site_speed() const { return 1; }

    // Sends each message to its rank: at most one to each rank, this one allowed. Receivers need not know the senders,
    // and no memory grows with the number of ranks (Hoefler, Siebert & Lumsdaine 2010). Several exchanges may be under
    // way: each has a channel of its own, numbered in the order of the calls, so that their messages do not mix.
    virtual std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) = 0;

    // Messages between two ranks, not collective; they are received in the order sent.
    virtual void send(int to, std::span<const std::byte> bytes) = 0;
    virtual std::vector<std::byte> receive(int from) = 0;

    // The values of all ranks, one rank after another. own has the same size on all ranks.
    virtual std::vector<std::byte> all_gather(std::span<const std::byte> own) = 0;
    // all_gather under way: an exchange that brings one message from each rank. Between sites the values travel while
    // this rank goes on; on one site they are gathered before the call returns.
    virtual std::unique_ptr<Exchange> begin_all_gather(std::span<const std::byte> own);
    // An all-gather that no rank waits for (ranks/comm/deferred_gather.hpp). This communicator outlives it.
    virtual std::unique_ptr<DeferredGather> make_deferred_gather();

    // A communicator of those ranks that give the same colour, in the order of their ranks here. Throws InputError for
    // a colour below 0.
    std::shared_ptr<Comm> split(int colour);
    // The ranks of this rank's site, in their order; null if all ranks are on one site. Between sites the first call
    // takes a round trip.
    virtual std::shared_ptr<Comm> part_on_site() { return nullptr; }

    // Ends the run of all ranks, those of other communicators included; not collective. Under MPI prints why on
    // standard error and exits with code (2: input that cannot be used). Threads, and one rank alone, throw
    // RunError(why).
    [[noreturn]] virtual void abort(const std::string& why, int code = 1) = 0;

    // The messages that this rank has sent through this communicator, without those to itself. all_gather counts as one
    // round a ring: size - 1 messages of the size of own.
    const Traffic& traffic() const { return traffic_; }
    // Sets the class by which messages that this rank sends to other sites are counted; returns the class before. Not
    // collective; without effect on one site. See TrafficScope (ranks/comm/traffic_scope.hpp).
    virtual TrafficClass set_traffic_class(TrafficClass) { return TrafficClass::other; }

  protected:
    void count(std::size_t messages, std::size_t bytes_of_each) {
        traffic_.messages += messages;
        traffic_.bytes += messages * bytes_of_each;
    }

  private:
    virtual std::shared_ptr<Comm> part(int colour) = 0;  // see split

    Traffic traffic_;
};

// One rank alone.
std::shared_ptr<Comm> serial_comm();

// The ranks of this rank's site: on one site comm itself. Collective.
std::shared_ptr<Comm> own_site(const std::shared_ptr<Comm>& comm);

// All ranks of this run: those started by mpirun (srun, ...) if Trellis was built with MPI, else one alone. The first
// call initializes MPI if the program has not; MPI then ends with the program.
std::shared_ptr<Comm> world();

// Name and version of the MPI that Trellis was built with; empty without MPI.
std::string mpi_library();

}  // namespace trellis
