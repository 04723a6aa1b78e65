// Processes under MPI. The only source that sees MPI's header. A failure of MPI itself ends the run with MPI's message (MPI_ERRORS_ARE_FATAL).
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm.hpp"

// NOLINTBEGIN(bugprone-casting-through-void): what Open MPI's constants are made of
namespace trellis {
namespace {

// Exchanges take turns with two tags, since a rank may begin the next before others have ended this one.
enum Tag { straight, exchanged, exchanged_in_turn };

// So many bytes as MPI counts them: its counts are ints, so more become one element of a type of their own.
class ByteCount {
  public:
    explicit ByteCount(std::size_t bytes) {
        constexpr std::size_t most = std::numeric_limits<int>::max();
        if (bytes <= most) {
            count_ = static_cast<int>(bytes);
            return;
        }
        MPI_Datatype block;
        MPI_Type_contiguous(most, MPI_BYTE, &block);
        const int lengths[] = {static_cast<int>(bytes / most), static_cast<int>(bytes % most)};
        const MPI_Aint starts[] = {0, static_cast<MPI_Aint>(bytes / most * most)};
        const MPI_Datatype types[] = {block, MPI_BYTE};
        MPI_Type_create_struct(2, lengths, starts, types, &type_);
        MPI_Type_commit(&type_);
        MPI_Type_free(&block);
    }
    ~ByteCount() {  // messages under way keep what they need of it
        if (type_ != MPI_BYTE) MPI_Type_free(&type_);
    }
    ByteCount(const ByteCount&) = delete;
    ByteCount& operator=(const ByteCount&) = delete;

    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }

  private:
    int count_ = 1;
    MPI_Datatype type_ = MPI_BYTE;
};

std::vector<std::byte> room_for(const MPI_Status& status) {
    MPI_Count bytes;
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return std::vector<std::byte>(static_cast<std::size_t>(bytes));
}

// The non-blocking consensus of Hoefler, Siebert & Lumsdaine (2010): a synchronous send is complete only when its receiver has it, so when
// all ranks have come to a barrier after their sends, nothing is under way any more.
class MpiExchange final : public Exchange {
  public:
    MpiExchange(MPI_Comm comm, int tag, int rank, std::vector<Message> messages)
        : comm_(comm), tag_(tag), out_(std::move(messages)) {
        for (Message& message : out_) {
            if (message.rank == rank) {
                in_.push_back(std::move(message));
                continue;
            }
            const ByteCount bytes(message.bytes.size());
            MPI_Issend(message.bytes.data(), bytes.count(), bytes.type(), message.rank, tag_, comm_,
                       &sends_.emplace_back());
        }
    }

    bool progress() override {
        if (!all_arrived_) {
            take_arrivals();
            advance_barrier();
        }
        return all_arrived_ && complete(receives_);
    }

    std::vector<Message> finish() override {
        while (!progress()) std::this_thread::yield();
        std::ranges::sort(in_, {}, &Message::rank);
        return std::move(in_);
    }

  private:
    void take_arrivals() {
        for (;;) {
            int found;
            MPI_Message message;
            MPI_Status status;
            MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &found, &message, &status);
            if (!found) return;
            in_.push_back({status.MPI_SOURCE, room_for(status)});
            std::vector<std::byte>& room = in_.back().bytes;  // which stays where it is when in_ grows
            const ByteCount bytes(room.size());
            MPI_Imrecv(room.data(), bytes.count(), bytes.type(), &message, &receives_.emplace_back());
        }
    }

    void advance_barrier() {
        int reached = 0;
        if (in_barrier_)
            MPI_Test(&barrier_, &reached, MPI_STATUS_IGNORE);
        else if (complete(sends_)) {
            MPI_Ibarrier(comm_, &barrier_);
            in_barrier_ = true;
        }
        all_arrived_ = reached != 0;
    }

    static bool complete(std::vector<MPI_Request>& requests) {
        int all;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
    }

    MPI_Comm comm_;
    int tag_;
    std::vector<Message> out_, in_;
    std::vector<MPI_Request> sends_, receives_;
    MPI_Request barrier_ = MPI_REQUEST_NULL;
    bool in_barrier_ = false, all_arrived_ = false;
};

class MpiComm final : public Comm {
  public:
    MpiComm() {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);  // other users of MPI in this program are not heard here
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        for (const Message& message : messages)
            if (message.rank != rank_) count(1, message.bytes.size());
        turn_ = turn_ == exchanged ? exchanged_in_turn : exchanged;
        return std::make_unique<MpiExchange>(comm_, turn_, rank_, std::move(messages));
    }

    void send(int to, std::span<const std::byte> bytes) override {
        if (to == rank_) return alone_->send(0, bytes);
        count(1, bytes.size());
        const ByteCount length(bytes.size());
        MPI_Send(bytes.data(), length.count(), length.type(), to, straight, comm_);
    }

    std::vector<std::byte> receive(int from) override {
        if (from == rank_) return alone_->receive(0);
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(from, straight, comm_, &message, &status);
        auto bytes = room_for(status);
        const ByteCount length(bytes.size());
        MPI_Mrecv(bytes.data(), length.count(), length.type(), &message, MPI_STATUS_IGNORE);
        return bytes;
    }

    std::vector<std::byte> all_gather(std::span<const std::byte> own) override {
        const auto size = static_cast<std::size_t>(size_);
        count(size - 1, own.size());
        std::vector<std::byte> all(size * own.size());
        const ByteCount each(own.size());
        MPI_Allgather(own.data(), each.count(), each.type(), all.data(), each.count(), each.type(), comm_);
        return all;
    }

    [[noreturn]] void abort(const std::string& why, int code) override {
        std::fprintf(stderr, "trellis: rank %d: %s\n", rank_, why.c_str());
        std::fflush(nullptr);
        MPI_Abort(MPI_COMM_WORLD, code);
        std::_Exit(code);
    }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;  // never freed: that is a collective call, and a rank that fails makes none
    int rank_ = 0, size_ = 1;
    Tag turn_ = exchanged;
    std::shared_ptr<Comm> alone_ = lone_comm();  // for messages to this rank
};

bool launched() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"})
        if (std::getenv(name)) return true;
    return false;
}

// A rank that leaves with a failure must not wait for the others, which may be waiting for it.
void end_mpi(int code, void*) {
    int ended;
    MPI_Finalized(&ended);
    if (ended) return;
    if (code != 0)
        MPI_Abort(MPI_COMM_WORLD, code);
    else
        MPI_Finalize();
}

// Whoever moves an exchange along need not be the thread that began MPI, hence MPI_THREAD_SERIALIZED.
std::shared_ptr<Comm> begin() {
    int begun, threads;
    MPI_Initialized(&begun);
    if (!begun) {
        if (!launched()) return lone_comm();  // there, MPI would cost time at start, and could fail
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
        on_exit(end_mpi, nullptr);  // unlike atexit, it tells the exit code
    }
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_SERIALIZED)
        throw RunError(
            "MPI serves one thread only here, but Trellis needs it begun with MPI_THREAD_SERIALIZED or more");
    return std::make_shared<MpiComm>();
}

}  // namespace

std::shared_ptr<Comm> world() {
    static const std::shared_ptr<Comm> all = begin();
    return all;
}

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    const std::string all(text, static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace trellis
// NOLINTEND(bugprone-casting-through-void)
