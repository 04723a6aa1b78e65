// Processes under MPI. The only source that sees MPI's header. A failure of MPI itself ends the run with MPI's message
// (MPI_ERRORS_ARE_FATAL).
#include <mpi.h>

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

// Each exchange has a tag of its own, as long as no more than 32767 are under way: every MPI allows tags up to that.
constexpr int straight = 0, exchange_tags = 32767;

// A number of bytes as MPI counts them: its counts are ints, so larger numbers become one element of a type of their
// own.
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

// One communicator, as its exchanges see it: they may outlast it.
struct Channels {
    MPI_Comm messages;        // straight ones, and those of exchanges
    MPI_Comm barriers;        // of exchanges alone: MPI matches barriers by their order, with other collective calls
    std::uint64_t begun = 0;  // exchanges
    std::uint64_t at_barrier = 0;  // those that have come to their barriers, in the order in which they were begun
};

// The non-blocking consensus of Hoefler, Siebert & Lumsdaine (2010): a synchronous send is complete only when its
// receiver has it, so when all ranks have come to a barrier after their sends, nothing is under way any more.
class MpiExchange final : public Exchange {
  public:
    MpiExchange(std::shared_ptr<Channels> channels, int rank, std::vector<Message> messages)
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
        under_way().push_back(this);
    }
    ~MpiExchange() override { std::erase(under_way(), this); }
    MpiExchange(const MpiExchange&) = delete;
    MpiExchange& operator=(const MpiExchange&) = delete;

    // The exchanges of this process, on any communicator, in the order in which they were begun.
    static std::vector<MpiExchange*>& under_way() {
        static std::vector<MpiExchange*> all;
        return all;
    }
    static void move_all_along() {
        for (MpiExchange* exchange : under_way()) exchange->move_along();
    }

    bool progress() override {
        move_all_along();
        return all_arrived_ && complete(receives_);
    }

    std::vector<Message> finish() override {
        while (!progress()) std::this_thread::yield();
        std::ranges::sort(in_, {}, &Message::rank);
        return std::move(in_);
    }

  private:
    void move_along() {
        if (all_arrived_) return;
        take_arrivals();
        advance_barrier();
    }

    void take_arrivals() {
        for (;;) {
            int found;
            MPI_Message message;
            MPI_Status status;
            MPI_Improbe(MPI_ANY_SOURCE, tag_, channels_->messages, &found, &message, &status);
            if (!found) return;
            in_.push_back({status.MPI_SOURCE, room_for(status)});
            std::vector<std::byte>& room = in_.back().bytes;  // its memory stays where it is when in_ grows
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

// The communicators that MPI gives are never freed: that is a collective call, and a rank that fails makes none.
class MpiComm final : public Comm, public Mail {
  public:
    // all: a communicator for this object alone.
    explicit MpiComm(MPI_Comm all) : comm_(all), channels_(std::make_shared<Channels>()) {
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
        return std::make_unique<MpiExchange>(channels_, rank_, std::move(messages));
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

    // Messages that were posted and may not have left yet, of all communicators.
    struct Post {
        MPI_Request request;
        std::vector<std::byte> bytes;
    };
    static std::list<Post>& posts() {
        static auto& all = *new std::list<Post>;
        return all;
    }

    // The bytes of a message that was found.
    static std::vector<std::byte> arrival(MPI_Message& message, const MPI_Status& status) {
        auto bytes = room_for(status);
        const ByteCount length(bytes.size());
        MPI_Request request;
        MPI_Imrecv(bytes.data(), length.count(), length.type(), &message, &request);
        wait_for(request);
        return bytes;
    }

    // Asks until the answer is yes. Other ranks may wait for this rank in an exchange meanwhile.
    template <class Ask>
    static void wait_until(const Ask& ask) {
        for (int so = 0;;) {
            ask(&so);
            if (so) return;
            MpiExchange::move_all_along();
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

// All ranks, on a communicator of their own: messages of other users of MPI in this program do not arrive there.
std::shared_ptr<Comm> all_ranks() {
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    return std::make_shared<MpiComm>(all);
}

bool launched() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"})
        if (std::getenv(name)) return true;
    return false;
}

// A rank that ends while others wait for it is found, and ends them.
void meet_at_end() {
    const auto comm = launched_ranks();
    try {
        same_call(*comm, end_of_program);
    } catch (const RunError& error) {
        comm->abort(error.what(), 1);
    }
}

// A rank that leaves with a failure must not wait for the others, which may be waiting for it.
void end_mpi(int code, void*) {
    int ended;
    MPI_Finalized(&ended);
    if (ended) return;
    if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
    if (end_is_compared()) meet_at_end();
    MPI_Finalize();
}

// The thread that moves an exchange along need not be the one that began MPI, hence MPI_THREAD_SERIALIZED.
std::shared_ptr<Comm> begin() {
    int begun, threads;
    MPI_Initialized(&begun);
    if (!begun) {
        if (!launched()) return serial_comm();  // MPI would cost time at start, and could fail
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
        on_exit(end_mpi, nullptr);  // unlike atexit, it tells the exit code
    }
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_SERIALIZED)
        throw RunError(
            "MPI serves one thread only here, but Trellis needs it begun with MPI_THREAD_SERIALIZED or more");
    return all_ranks();
}

}  // namespace

std::shared_ptr<Comm> launched_ranks() {
    static const auto& all =
        *new std::shared_ptr<Comm>(begin());  // never freed: ranks talk until the program has ended
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
