#include "trellis/ranks/thread_ranks.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {
namespace {

using Bytes = std::vector<std::byte>;

// What has come for a rank. No rank begins an exchange before all have begun the one before, so that two are under way at most: even and odd.
struct Inbox {
    std::condition_variable changed;
    std::map<int, std::deque<Bytes>> sent;
    std::array<std::vector<Message>, 2> exchanged;
};

// What the ranks share, under one mutex. Counters over all ranks only grow: collective call k is complete for all when so many calls as
// k for each rank have begun.
struct Hub {
    explicit Hub(int size) : inboxes(static_cast<std::size_t>(size)) {
        for (auto& pieces : gathered) pieces.resize(inboxes.size());
    }

    template <class Ready>
    void wait(std::unique_lock<std::mutex>& lock, int rank, Ready&& ready) {
        inbox(rank).changed.wait(lock, [&] { return failure || ready(); });
        throw_if_failed();
    }

    void throw_if_failed() const {
        if (failure) throw RunError("rank " + std::to_string(failed) + " has failed, and this rank stops");
    }

    // The first to fail is the one that counts: others may do so only because of it.
    void fail(int rank, std::exception_ptr why) {
        const std::lock_guard lock(mutex);
        if (failure) return;
        failure = std::move(why);
        failed = rank;
        wake_all();
    }

    void wake_all() {
        for (Inbox& each : inboxes) each.changed.notify_all();
    }

    Inbox& inbox(int rank) { return inboxes[static_cast<std::size_t>(rank)]; }

    std::mutex mutex;
    std::vector<Inbox> inboxes;
    std::array<std::vector<Bytes>, 2> gathered;  // even and odd, as in Inbox
    std::uint64_t exchanges = 0, gathers = 0;    // begun, all ranks together
    std::exception_ptr failure;
    int failed = -1;
};

class ThreadExchange final : public Exchange {
  public:
    ThreadExchange(Hub& hub, int rank, std::uint64_t number) : hub_(hub), rank_(rank), number_(number) {}

    bool progress() override {
        const std::lock_guard lock(hub_.mutex);
        hub_.throw_if_failed();
        return complete();
    }

    std::vector<Message> finish() override {
        std::unique_lock lock(hub_.mutex);
        hub_.wait(lock, rank_, [&] { return complete(); });
        auto messages = std::exchange(hub_.inbox(rank_).exchanged[number_ % 2], {});
        lock.unlock();
        std::ranges::sort(messages, {}, &Message::rank);
        return messages;
    }

  private:
    bool complete() const { return hub_.exchanges >= number_ * hub_.inboxes.size(); }

    Hub& hub_;
    int rank_;
    std::uint64_t number_;
};

class ThreadComm final : public Comm {
  public:
    ThreadComm(Hub& hub, int rank) : hub_(hub), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(hub_.inboxes.size()); }

    std::unique_ptr<Exchange> begin_exchange(std::vector<Message> messages) override {
        const std::uint64_t number = ++exchanges_;
        for (const Message& message : messages)
            if (message.rank != rank_) count(1, message.bytes.size());
        const std::lock_guard lock(hub_.mutex);
        hub_.throw_if_failed();
        for (Message& message : messages)
            hub_.inbox(message.rank).exchanged[number % 2].push_back({rank_, std::move(message.bytes)});
        if (++hub_.exchanges == number * hub_.inboxes.size()) hub_.wake_all();
        return std::make_unique<ThreadExchange>(hub_, rank_, number);
    }

    void send(int to, std::span<const std::byte> bytes) override {
        Bytes copy(bytes.begin(), bytes.end());
        if (to != rank_) count(1, bytes.size());
        const std::lock_guard lock(hub_.mutex);
        hub_.throw_if_failed();
        hub_.inbox(to).sent[rank_].push_back(std::move(copy));
        hub_.inbox(to).changed.notify_all();
    }

    Bytes receive(int from) override {
        std::unique_lock lock(hub_.mutex);
        auto& queue = hub_.inbox(rank_).sent[from];
        hub_.wait(lock, rank_, [&] { return !queue.empty(); });
        Bytes bytes = std::move(queue.front());
        queue.pop_front();
        return bytes;
    }

    Bytes all_gather(std::span<const std::byte> own) override {
        const std::uint64_t number = ++gathers_;
        auto& pieces = hub_.gathered[number % 2];
        count(hub_.inboxes.size() - 1, own.size());
        std::unique_lock lock(hub_.mutex);
        pieces[static_cast<std::size_t>(rank_)].assign(own.begin(), own.end());
        if (++hub_.gathers == number * hub_.inboxes.size()) hub_.wake_all();
        hub_.wait(lock, rank_, [&] { return hub_.gathers >= number * hub_.inboxes.size(); });
        lock.unlock();  // nobody writes here again before all have begun the next call
        Bytes all;
        for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
        return all;
    }

    [[noreturn]] void abort(const std::string& why, int) override {
        hub_.fail(rank_, std::make_exception_ptr(RunError(why)));
        throw RunError(why);
    }

  private:
    Hub& hub_;
    int rank_;
    std::uint64_t exchanges_ = 0, gathers_ = 0;  // begun by this rank
};

}  // namespace

void run_ranks(int size, const std::function<void(Comm&)>& body) {
    if (size < 1) throw InputError("the number of ranks is " + std::to_string(size) + ", but must be at least 1");
    Hub hub(size);
    const auto run = [&](int rank) {
        try {
            set_thread_count(1);
            ThreadComm comm(hub, rank);
            body(comm);
        } catch (...) {
            hub.fail(rank, std::current_exception());
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (int rank = 0; rank < size; ++rank) threads.emplace_back(run, rank);
        } catch (...) {  // too many threads for this machine: those begun do not wait for the others
            hub.fail(static_cast<int>(threads.size()), std::current_exception());
        }
    }
    if (hub.failure) std::rethrow_exception(hub.failure);
}

}  // namespace trellis
