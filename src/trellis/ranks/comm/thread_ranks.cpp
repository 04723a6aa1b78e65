#include "trellis/ranks/comm/thread_ranks.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/mail.hpp"

namespace trellis {
namespace {

using Bytes = std::vector<std::byte>;

struct Hub;

// The state that all communicators of a run share: one mutex, a condition variable for each rank, and the failure that
// ends the run.
struct Run {
    explicit Run(int size) : changed(static_cast<std::size_t>(size)) {}

    void throw_if_failed() const {
        if (failure) throw RunError("rank " + std::to_string(failed) + " has failed, and this rank stops");
    }

    // Keeps the first failure: later ones may be its consequences.
    void fail(int rank, std::exception_ptr why) {
        const std::scoped_lock lock(mutex);
        if (failure) return;
        failure = std::move(why);
        failed = rank;
        for (auto& of_rank : changed) of_rank.notify_all();
    }

    std::mutex mutex;
    std::vector<std::condition_variable> changed;
    std::exception_ptr failure;
    int failed = -1;
    std::vector<std::unique_ptr<Hub>> hubs;  // one for each communicator, until the run ends
};

// The messages that have arrived for a rank.
struct Inbox {
    std::map<int, std::deque<Bytes>> sent;                    // by sender
    std::map<std::uint64_t, std::vector<Message>> exchanged;  // by the number of the exchange
};

// The state that the ranks of one communicator share.
struct Hub {
    Hub(Run& run, std::vector<int> members) : run(run), members(std::move(members)), inboxes(this->members.size()) {
        for (auto& pieces : gathered) pieces.resize(inboxes.size());
    }

    std::size_t size() const { return members.size(); }
    Inbox& inbox(int rank) { return inboxes[static_cast<std::size_t>(rank)]; }
    int number_in_run(int rank) const { return members[static_cast<std::size_t>(rank)]; }
    std::condition_variable& changed(int rank) { return run.changed[static_cast<std::size_t>(number_in_run(rank))]; }

    template <class Ready>
    void wait(std::unique_lock<std::mutex>& lock, int rank, Ready&& ready) {
        changed(rank).wait(lock, [&] { return run.failure || ready(); });
        run.throw_if_failed();
    }

    void wake_all() {
        for (const int member : members) run.changed[static_cast<std::size_t>(member)].notify_all();
    }

    // Notes that one more rank has begun exchange `number`. Every rank begins exchanges in the order of their numbers.
    void note_begun(std::uint64_t number) {
        if (++begun[number] < size()) return;
        begun.erase(number);
        begun_by_all = number;
        wake_all();
    }

    Run& run;
    std::vector<int> members;  // ranks by their numbers in the run
    std::vector<Inbox> inboxes;
    std::map<std::uint64_t, std::size_t> begun;  // ranks that have begun an exchange, until all ranks have
    std::uint64_t begun_by_all = 0;              // the last exchange that all ranks have begun
    // The values of even and odd calls of all_gather: a rank is at most one call ahead of the others. gathers counts
    // the calls of all ranks together: call k is complete when gathers reaches k size().
    std::array<std::vector<Bytes>, 2> gathered;
    std::uint64_t gathers = 0;
};

class ThreadExchange final : public Exchange {
  public:
    ThreadExchange(Hub& hub, int rank, std::uint64_t number) : hub_(hub), rank_(rank), number_(number) {}

    bool progress() override {
        const std::scoped_lock lock(hub_.run.mutex);
        hub_.run.throw_if_failed();
        return complete();
    }

    std::vector<Message> finish() override {
        std::unique_lock lock(hub_.run.mutex);
        hub_.wait(lock, rank_, [&] { return complete(); });
        auto arrived = hub_.inbox(rank_).exchanged.extract(number_);
        lock.unlock();
        if (arrived.empty()) return {};
        std::ranges::sort(arrived.mapped(), {}, &Message::rank);
        return std::move(arrived.mapped());
    }

  private:
    bool complete() const { return hub_.begun_by_all >= number_; }

    Hub& hub_;
    int rank_;
    std::uint64_t number_;
};

class ThreadComm final : public Comm, public Mail {
  public:
    ThreadComm(Hub& hub, int rank) : hub_(hub), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(hub_.size()); }

    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        const std::uint64_t number = ++exchanges_;
        for (const Message& message : messages)
            if (message.rank != rank_) count(1, message.bytes.size());
        const std::scoped_lock lock(hub_.run.mutex);
        hub_.run.throw_if_failed();
        for (Message& message : messages)
            hub_.inbox(message.rank).exchanged[number].push_back({rank_, std::move(message.bytes)});
        hub_.note_begun(number);
        return std::make_unique<ThreadExchange>(hub_, rank_, number);
    }

    void send(int to, std::span<const std::byte> bytes) override {
        if (to != rank_) count(1, bytes.size());
        post(to, {bytes.begin(), bytes.end()});
    }

    void post(int to, Bytes bytes) override {
        const std::scoped_lock lock(hub_.run.mutex);
        hub_.run.throw_if_failed();
        hub_.inbox(to).sent[rank_].push_back(std::move(bytes));
        hub_.changed(to).notify_all();
    }

    std::optional<Bytes> take(int from) override {
        const std::scoped_lock lock(hub_.run.mutex);
        hub_.run.throw_if_failed();
        auto& queue = hub_.inbox(rank_).sent[from];
        if (queue.empty()) return std::nullopt;
        Bytes bytes = std::move(queue.front());
        queue.pop_front();
        return bytes;
    }

    Bytes receive(int from) override {
        std::unique_lock lock(hub_.run.mutex);
        auto& queue = hub_.inbox(rank_).sent[from];
        hub_.wait(lock, rank_, [&] { return !queue.empty(); });
        Bytes bytes = std::move(queue.front());
        queue.pop_front();
        return bytes;
    }

    Bytes all_gather(std::span<const std::byte> own) override {
        const std::uint64_t number = ++gathers_;
        auto& pieces = hub_.gathered[number % 2];
        count(hub_.size() - 1, own.size());
        std::unique_lock lock(hub_.run.mutex);
        pieces[static_cast<std::size_t>(rank_)].assign(own.begin(), own.end());
        if (++hub_.gathers == number * hub_.size()) hub_.wake_all();
        hub_.wait(lock, rank_, [&] { return hub_.gathers >= number * hub_.size(); });
        lock.unlock();  // pieces stay valid: no rank writes here again before all ranks have begun the next call
        Bytes all;
        for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
        return all;
    }

    [[noreturn]] void abort(const std::string& why, int) override {
        hub_.run.fail(hub_.number_in_run(rank_), std::make_exception_ptr(RunError(why)));
        throw RunError(why);
    }

  private:
    // The first rank of each colour makes the hub, the others receive its address.
    std::shared_ptr<Comm> part(int colour) override {
        const auto colours = trellis::all_gather(*this, colour);
        std::vector<int> ranks, members;
        for (int rank = 0; rank < size(); ++rank)
            if (colours[static_cast<std::size_t>(rank)] == colour) ranks.push_back(rank);
        for (const int rank : ranks) members.push_back(hub_.number_in_run(rank));
        Hub* made = nullptr;
        if (ranks.front() == rank_) {
            const std::scoped_lock lock(hub_.run.mutex);
            made = hub_.run.hubs.emplace_back(std::make_unique<Hub>(hub_.run, members)).get();
        }
        const auto all = trellis::all_gather(*this, made);
        const auto own = std::ranges::find(ranks, rank_) - ranks.begin();
        return std::make_shared<ThreadComm>(*all[static_cast<std::size_t>(ranks.front())], static_cast<int>(own));
    }

    Hub& hub_;
    int rank_;
    std::uint64_t exchanges_ = 0, gathers_ = 0;  // calls begun by this rank
};

}  // namespace

void run_ranks(int size, const std::function<void(Comm&)>& body) {
    if (size < 1) throw InputError("the number of ranks is " + std::to_string(size) + ", but must be at least 1");
    Run run(size);
    std::vector<int> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    Hub hub(run, all);
    const auto run_rank = [&](int rank) {
        try {
            set_thread_count(1);
            ThreadComm comm(hub, rank);
            body(comm);
        } catch (...) {
            run.fail(rank, std::current_exception());
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < size; ++rank) threads.emplace_back(run_rank, rank);
        } catch (...) {  // too many threads for this machine: fail, so that ranks already started stop waiting
            run.fail(static_cast<int>(threads.size()), std::current_exception());
        }
    }
    if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace trellis
