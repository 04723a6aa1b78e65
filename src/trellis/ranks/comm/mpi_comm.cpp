// Ranks that are MPI processes. No other source includes MPI's header. A failure of MPI itself ends the run with MPI's
// message (MPI_ERRORS_ARE_FATAL).
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/mail.hpp"
#include "trellis/ranks/comm/same_call.hpp"
#include "trellis/ranks/comm/world.hpp"

// NOLINTBEGIN(bugprone-casting-through-void): what Open MPI's constants are made of
namespace trellis {
namespace {

// Each exchange has a tag of its own while at most 32767 are under way: every MPI allows tags up to that number.
constexpr int straight = 0, exchange_tags = 32767;

// A number of bytes as count and type for MPI, whose counts are ints: larger numbers become one element of a derived
// type.
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
    ~ByteCount() {  // MPI keeps a freed type until the messages that use it have arrived
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

// The part of a communicator that its exchanges use; they may outlast it.
struct Channels {
    MPI_Comm messages;        // for send and receive, and messages of exchanges
    MPI_Comm barriers;        // for exchanges alone: MPI matches barriers with other collective calls by their order
    std::uint64_t begun = 0;  // number of exchanges begun
    // Number of exchanges that have entered their barriers, which they do in the order of their numbers.
    std::uint64_t at_barrier = 0;
};

// The non-blocking consensus of Hoefler, Siebert & Lumsdaine (2010): a synchronous send completes only when its
// receiver has the message, so no message is under way once all ranks have entered a barrier after their sends.
class ExchangeUnderWay {
  public:
    ExchangeUnderWay(std::shared_ptr<Channels> channels, int rank, std::vector<Message> messages)
        : channels_(std::move(channels)),
          number_(channels_->begun++),
          tag_(1 + static_cast<int>(number_ % exchange_tags)),
          out_(std::move(messages)) {
        for (Message& message : out_) {
            if (message.rank == rank) {
                in_.push_back(std::move(message));
                continue;
            }
            const ByteCount bytes(message.bytes.size());
            MPI_Issend(message.bytes.data(), bytes.count(), bytes.type(), message.rank, tag_, channels_->messages,
                       &sends_.emplace_back());
        }
    }

    bool over() { return all_arrived_ && complete(receives_); }
    std::vector<Message> take_messages() {
        std::ranges::sort(in_, {}, &Message::rank);
        return std::move(in_);
    }
    void move_along() {
        if (all_arrived_) return;
        take_arrivals();
        advance_barrier();
    }

  private:
    void take_arrivals() {
        for (;;) {
            int found;
            MPI_Message message;
            MPI_Status status;
            MPI_Improbe(MPI_ANY_SOURCE, tag_, channels_->messages, &found, &message, &status);
            if (!found) return;
            in_.push_back({status.MPI_SOURCE, room_for(status)});
            std::vector<std::byte>& room = in_.back().bytes;  // its memory does not move when in_ grows
            const ByteCount bytes(room.size());
            MPI_Imrecv(room.data(), bytes.count(), bytes.type(), &message, &receives_.emplace_back());
        }
    }

    void advance_barrier() {
        int reached = 0;
        if (in_barrier_)
            MPI_Test(&barrier_, &reached, MPI_STATUS_IGNORE);
        else if (channels_->at_barrier == number_ && complete(sends_)) {
            MPI_Ibarrier(channels_->barriers, &barrier_);
            in_barrier_ = true;
            ++channels_->at_barrier;
        }
        all_arrived_ = reached != 0;
    }

    static bool complete(std::vector<MPI_Request>& requests) {
        int all;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
    }

    std::shared_ptr<Channels> channels_;
    std::uint64_t number_;  // among the exchanges of the communicator
    int tag_;
    std::vector<Message> out_, in_;
    std::vector<MPI_Request> sends_, receives_;
    MPI_Request barrier_ = MPI_REQUEST_NULL;
    bool in_barrier_ = false, all_arrived_ = false;
};

// The exchanges of this process on all communicators, in the order in which they were begun, until they are over: also
// those that a program gives up, as by an exception, since other ranks wait for their messages and barriers.
std::vector<std::shared_ptr<ExchangeUnderWay>>& under_way() {
    static auto& all = *new std::vector<std::shared_ptr<ExchangeUnderWay>>;
    return all;
}

void move_all_along() {
    for (const auto& exchange : under_way()) exchange->move_along();
    std::erase_if(under_way(), [](const auto& exchange) { return exchange->over(); });
}

class MpiExchange final : public Exchange {
  public:
    explicit MpiExchange(std::shared_ptr<ExchangeUnderWay> messages) : messages_(std::move(messages)) {
        under_way().push_back(messages_);
    }

    bool progress() override {
        move_all_along();
        return messages_->over();
    }

    std::vector<Message> finish() override {
        while (!progress()) std::this_thread::yield();
        return messages_->take_messages();
    }

  private:
    const std::shared_ptr<ExchangeUnderWay> messages_;
};

// MPI communicators are never freed: freeing is collective, and a rank that fails makes no collective call.
class MpiComm final : public Comm, public Mail {
  public:
    // comm: used by this object alone.
    explicit MpiComm(MPI_Comm comm) : comm_(comm), channels_(std::make_shared<Channels>()) {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
        channels_->messages = comm_;
        MPI_Comm_dup(comm_, &channels_->barriers);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        for (const Message& message : messages)
            if (message.rank != rank_) count(1, message.bytes.size());
        return std::make_unique<MpiExchange>(std::make_shared<ExchangeUnderWay>(channels_, rank_, std::move(messages)));
    }

    void send(int to, std::span<const std::byte> bytes) override {
        if (to == rank_) return alone_->send(0, bytes);
        count(1, bytes.size());
        const ByteCount length(bytes.size());
        MPI_Request request;
        MPI_Isend(bytes.data(), length.count(), length.type(), to, straight, comm_, &request);
        wait_for(request);
    }

    std::vector<std::byte> receive(int from) override {
        if (from == rank_) return alone_->receive(0);
        MPI_Message message;
        MPI_Status status;
        wait_until([&](int* found) { MPI_Improbe(from, straight, comm_, found, &message, &status); });
        return arrival(message, status);
    }

    void post(int to, std::vector<std::byte> bytes) override {
        std::erase_if(posts(), [](Post& post) {
            int done;
            MPI_Test(&post.request, &done, MPI_STATUS_IGNORE);
            return done != 0;
        });
        Post& post = posts().emplace_back(MPI_REQUEST_NULL, std::move(bytes));
        const ByteCount length(post.bytes.size());
        MPI_Isend(post.bytes.data(), length.count(), length.type(), to, straight, comm_, &post.request);
    }

    std::optional<std::vector<std::byte>> take(int from) override {
        int found;
        MPI_Message message;
        MPI_Status status;
        MPI_Improbe(from, straight, comm_, &found, &message, &status);
        if (!found) return std::nullopt;
        return arrival(message, status);
    }

    std::vector<std::byte> all_gather(std::span<const std::byte> own) override {
        const auto size = static_cast<std::size_t>(size_);
        count(size - 1, own.size());
        std::vector<std::byte> all(size * own.size());
        const ByteCount each(own.size());
        MPI_Request request;
        MPI_Iallgather(own.data(), each.count(), each.type(), all.data(), each.count(), each.type(), comm_, &request);
        wait_for(request);
        return all;
    }

    [[noreturn]] void abort(const std::string& why, int code) override {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::fprintf(stderr, "trellis: rank %d: %s\n", rank, why.c_str());
        std::fflush(nullptr);
        MPI_Abort(MPI_COMM_WORLD, code);
        std::_Exit(code);
    }

  private:
    std::shared_ptr<Comm> part(int colour) override {
        MPI_Comm some;
        MPI_Comm_split(comm_, colour, rank_, &some);
        return std::make_shared<MpiComm>(some);
    }

    // Posted messages of all communicators that MPI may not have sent yet.
    struct Post {
        MPI_Request request;
        std::vector<std::byte> bytes;
    };
    static std::list<Post>& posts() {
        static auto& all = *new std::list<Post>;
        return all;
    }

    // Receives a matched message.
    static std::vector<std::byte> arrival(MPI_Message& message, const MPI_Status& status) {
        auto bytes = room_for(status);
        const ByteCount length(bytes.size());
        MPI_Request request;
        MPI_Imrecv(bytes.data(), length.count(), length.type(), &message, &request);
        wait_for(request);
        return bytes;
    }

    // Calls test(&done) until done is true, and moves exchanges along, in which other ranks may wait for this one.
    template <class Test>
    static void wait_until(const Test& test) {
        for (int done = 0;;) {
            test(&done);
            if (done) return;
            move_all_along();
            std::this_thread::yield();
        }
    }
    static void wait_for(MPI_Request& request) {
        wait_until([&](int* done) { MPI_Test(&request, done, MPI_STATUS_IGNORE); });
    }

    MPI_Comm comm_;
    std::shared_ptr<Channels> channels_;
    int rank_ = 0, size_ = 1;
    std::shared_ptr<Comm> alone_ = serial_comm();  // for messages to this rank
};

// All ranks, on a communicator of their own, which messages of other MPI code in this program do not reach.
std::shared_ptr<Comm> all_ranks() {
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    return std::make_shared<MpiComm>(all);
}

bool is_initialized() {
    int initialized;
    MPI_Initialized(&initialized);
    return initialized != 0;
}

bool launched() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"})
        if (std::getenv(name)) return true;
    return false;
}

// Compares the end of the program as a call: a rank that ends while others wait in another call aborts the run.
void compare_ends() {
    const auto comm = launched_ranks();
    try {
        same_call(*comm, end_of_program);
    } catch (const RunError& error) {
        comm->abort(error.what(), 1);
    }
}

// A rank that exits with a failure must not wait for the others, which may wait for it.
void end_mpi(int code, void*) {
    int ended;
    MPI_Finalized(&ended);
    if (ended) return;
    if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
    if (end_is_compared()) compare_ends();
    MPI_Finalize();
}

// The thread that moves an exchange along need not be the one that initialized MPI, hence MPI_THREAD_SERIALIZED.
std::shared_ptr<Comm> begin() {
    if (!is_initialized()) {
        int threads;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
        on_exit(end_mpi, nullptr);  // unlike atexit, it passes the exit code
    }
    int threads;
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_SERIALIZED)
        throw RunError(
            "this program has initialized MPI for one thread, but Trellis needs MPI_THREAD_SERIALIZED or more");
    return all_ranks();
}

}  // namespace

// Never freed: ranks exchange messages until the program ends. Each process decides once whether it is a rank: a fork
// of a process without MPI may be one.
std::shared_ptr<Comm> launched_ranks() {
    static pid_t decided = 0;
    static bool is_rank = false;
    if (std::exchange(decided, getpid()) != getpid()) is_rank = is_initialized() || launched();
    static const auto& serial = *new std::shared_ptr<Comm>(serial_comm());
    if (!is_rank) return serial;  // initializing MPI would cost time, and could fail
    static const auto& all = *new std::shared_ptr<Comm>(begin());
    return all;
}

void finalize_mpi() {
    int finalized;
    MPI_Finalized(&finalized);
    if (is_initialized() && !finalized) MPI_Finalize();
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
