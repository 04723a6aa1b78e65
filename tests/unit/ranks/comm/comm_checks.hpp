// Requirements on every kind of Comm, as functions that all ranks call: threads in tests/unit/ranks, processes in
// tests/mpi.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/comm/deferred_reduction.hpp"

namespace trellis {

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {  // after splitmix64
    std::uint64_t x = (a * 1009 + b) * 1013 + c + 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

inline std::vector<std::byte> noise(std::uint64_t seed, std::size_t length) {
    std::vector<std::byte> bytes(length);
    for (std::size_t k = 0; k < length; k += sizeof(std::uint64_t)) {  // in words: the tests make gigabytes
        const std::uint64_t word = mixed(seed, k, 0);
        std::memcpy(bytes.data() + k, &word, std::min(sizeof(word), length - k));
    }
    return bytes;
}

// The messages of a round from one rank to another, known to every rank: between a third of all pairs, some of them
// empty.
inline bool sends_to(std::uint64_t round, int from, int to) { return mixed(round, from, to) % 3 == 0; }
inline std::vector<std::byte> words(std::uint64_t round, int from, int to) {
    const std::uint64_t seed = mixed(from, to, round);
    return noise(seed, seed % 5 == 0 ? 0 : seed % 300);
}

// Rounds of random destinations, one right after the other. In each, one rank begins late and another finishes late.
inline void check_exchanges_do_not_mix(Comm& comm, std::uint64_t rounds) {
    const int rank = comm.rank(), size = comm.size();
    const auto dawdle = [&](std::uint64_t who) {
        if (who % static_cast<std::uint64_t>(size) == static_cast<std::uint64_t>(rank))
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::vector<Message> mine, expected;
        for (int other = size - 1; other >= 0; --other)
            if (sends_to(round, rank, other)) mine.push_back({other, words(round, rank, other)});
        for (int other = 0; other < size; ++other)
            if (sends_to(round, other, rank)) expected.push_back({other, words(round, other, rank)});
        dawdle(round);
        const auto exchange = comm.begin_exchange(std::move(mine));
        dawdle(round + 1);
        EXPECT_TRUE(exchange->finish() == expected) << "round " << round;
    }
}

// Several exchanges, begun one after the other and finished in a different order on each rank, with other calls in
// between. The first messages are long enough to wait for their receivers.
inline void check_several_exchanges_under_way(Comm& comm, std::uint64_t rounds) {
    constexpr std::uint64_t many = 4;
    const int rank = comm.rank(), size = comm.size();
    const auto long_words = [](std::uint64_t round, int from) { return noise(mixed(round, from, 0), 300'001); };
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::vector<std::unique_ptr<Exchange>> exchanges;
        std::vector<std::vector<Message>> expected(many);
        for (std::uint64_t k = 0; k < many; ++k) {
            const std::uint64_t number = round * many + k;
            std::vector<Message> mine;
            for (int other = 0; other < size; ++other) {
                if (sends_to(number, rank, other))
                    mine.push_back({other, k == 0 ? long_words(number, rank) : words(number, rank, other)});
                if (sends_to(number, other, rank))
                    expected[k].push_back({other, k == 0 ? long_words(number, other) : words(number, other, rank)});
            }
            exchanges.push_back(comm.begin_exchange(std::move(mine)));
            EXPECT_EQ(all_gather(comm, rank).back(), size - 1);
        }
        EXPECT_EQ(all_reduce(comm, rank, [](int, int b) { return b; }), size - 1);
        for (std::uint64_t k = 0; k < many; ++k) {
            const std::uint64_t which = (k + static_cast<std::uint64_t>(rank) + round) % many;
            EXPECT_TRUE(exchanges[which]->finish() == expected[which]) << "round " << round << ", exchange " << which;
        }
    }
}

// All ranks send messages of megabytes to one rank, itself included; progress alone completes the exchange.
inline void check_progress_completes_large_exchange(Comm& comm) {
    const auto large = [](int from) { return noise(static_cast<std::uint64_t>(from), 3'000'001); };
    const auto exchange = comm.begin_exchange({{comm.size() - 1, large(comm.rank())}});
    while (!exchange->progress()) std::this_thread::yield();
    std::vector<Message> expected;
    for (int from = 0; from < comm.size() && comm.rank() == comm.size() - 1; ++from)
        expected.push_back({from, large(from)});
    EXPECT_TRUE(exchange->finish() == expected);
}

// An exchange that every rank begins and gives up, as by an exception, holds up no later one.
inline void check_exchange_may_be_given_up(Comm& comm) {
    const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
    comm.begin_exchange({{next, noise(1, 300'000)}}).reset();
    const std::vector<Message> expected{{previous, noise(2, 10)}};
    EXPECT_TRUE(comm.begin_exchange({{next, noise(2, 10)}})->finish() == expected);
}

// Messages go round the ring; a single rank sends to itself.
inline void check_messages_come_in_order(Comm& comm) {
    const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
    const std::size_t lengths[] = {10, 0, 200'000, 1};
    const auto sends = [&] {
        for (const std::size_t length : lengths)
            comm.send(next, noise(static_cast<std::uint64_t>(comm.rank()), length));
    };
    const auto receives = [&] {
        for (const std::size_t length : lengths)
            EXPECT_EQ(comm.receive(previous), noise(static_cast<std::uint64_t>(previous), length));
    };
    if (comm.rank() == 0) sends();  // a long message may wait for its receiver
    receives();
    if (comm.rank() != 0) sends();
}

inline void check_messages_to_the_same_rank(Comm& comm) {
    comm.send(comm.rank(), bytes_of(comm.rank()));
    comm.send(comm.rank(), {});
    EXPECT_EQ(value_of<int>(comm.receive(comm.rank())), comm.rank());
    EXPECT_TRUE(comm.receive(comm.rank()).empty());
}

inline void check_all_gather(Comm& comm) {
    for (int round = 0; round < 20; ++round) {
        const auto values = all_gather(comm, 100 * comm.rank() + round);
        for (int rank = 0; rank < comm.size(); ++rank)
            EXPECT_EQ(values[static_cast<std::size_t>(rank)], 100 * rank + round);
    }
    EXPECT_TRUE(comm.all_gather({}).empty());
}

inline void check_broadcast(Comm& comm) {
    for (const std::size_t length : {0, 1, 1'000'000}) {
        const auto truth = noise(7, length);
        EXPECT_EQ(broadcast(comm, comm.rank() == 0 ? truth : std::vector<std::byte>{}), truth);
    }
}

// A join that is valid only in the order of the ranks, and a sum whose last bits depend on the order.
inline void check_reduction(Comm& comm) {
    struct Range {
        int first, last;
        bool in_order;
    };
    const auto range = all_reduce(comm, Range{comm.rank(), comm.rank(), true}, [](Range left, Range right) {
        return Range{left.first, right.last, left.in_order && right.in_order && right.first == left.last + 1};
    });
    EXPECT_TRUE(range.in_order);
    EXPECT_EQ(range.first, 0);
    EXPECT_EQ(range.last, comm.size() - 1);

    const auto sum_now = [&] {
        return all_reduce(comm, 1.0 / (3 + comm.rank()), [](double a, double b) { return a + b; });
    };
    const double sum = sum_now();
    EXPECT_EQ(sum_now(), sum);
    for (const double others : all_gather(comm, sum)) EXPECT_EQ(others, sum);
}

// Gathers and reductions in two calls, with other calls in between.
inline void check_async_and_deferred(Comm& comm) {
    const auto add = [](double a, double b) { return a + b; };
    const auto gather = comm.make_deferred_gather();
    DeferredReduction<double> deferred(add);
    for (int round = 0; round < 3; ++round) {
        const double own = 1.0 / (3 + comm.rank() + round);
        const double sum = all_reduce(comm, own, add);
        const auto begun = comm.begin_all_gather(bytes_of(own));
        AsyncReduction reduction(comm, own, add);
        EXPECT_FALSE(gather->pending() || deferred.pending());
        gather->post(bytes_of(comm.rank() + round));
        EXPECT_EQ(deferred.post(comm, own), !comm.spans_sites());
        EXPECT_TRUE(gather->pending() && deferred.pending());
        if (round > 0) comm.begin_exchange({})->finish();
        EXPECT_EQ(reduction.finish(), sum);
        EXPECT_EQ(deferred.collect(), sum);
        const auto values = begun->finish(), ranks = gather->collect();
        for (const auto& messages : {values, ranks}) ASSERT_EQ(messages.size(), static_cast<std::size_t>(comm.size()));
        for (int rank = 0; rank < comm.size(); ++rank) {
            const auto from = static_cast<std::size_t>(rank);
            EXPECT_EQ(values[from].rank, rank);
            EXPECT_EQ(value_of<double>(values[from].bytes), 1.0 / (3 + rank + round));
            EXPECT_EQ(value_of<int>(ranks[from].bytes), rank + round);
        }
    }
}

inline void check_traffic(Comm& comm) {
    const Traffic before = comm.traffic();
    const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
    const bool others = comm.size() > 1;
    comm.send(next, noise(1, 10));
    comm.receive(previous);
    EXPECT_EQ(comm.traffic().messages - before.messages, others ? 1 : 0);
    EXPECT_EQ(comm.traffic().bytes - before.bytes, others ? 10 : 0);
    comm.begin_exchange({{next, noise(1, 500)}})->finish();
    EXPECT_EQ(comm.traffic().messages - before.messages, others ? 2 : 0);
    EXPECT_EQ(comm.traffic().bytes - before.bytes, others ? 510 : 0);
    comm.all_gather(noise(1, 1000));
    EXPECT_EQ(comm.traffic().messages - before.messages, (others ? 2 : 0) + comm.size() - 1);
    EXPECT_EQ(comm.traffic().bytes - before.bytes, (others ? 510 : 0) + 1000 * (comm.size() - 1));
}

inline void check_messages(Comm& comm) {
    SCOPED_TRACE("rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
    check_exchanges_do_not_mix(comm, 10);
    check_several_exchanges_under_way(comm, 5);
    check_messages_come_in_order(comm);
    check_messages_to_the_same_rank(comm);
    check_all_gather(comm);
    check_broadcast(comm);
    check_reduction(comm);
    check_async_and_deferred(comm);
    check_traffic(comm);
}

// Every third rank forms a part, which is then split into the same part and into single ranks; meanwhile the whole has
// an exchange under way.
inline void check_parts(Comm& comm) {
    const int rank = comm.rank(), next = (rank + 1) % comm.size(), previous = (rank + comm.size() - 1) % comm.size();
    const auto around = comm.begin_exchange({{next, noise(static_cast<std::uint64_t>(rank), 200'001)}});
    const auto part = comm.split(rank % 3), whole = part->split(7), alone = part->split(part->rank());
    EXPECT_EQ(part->size(), (comm.size() - rank % 3 + 2) / 3);
    EXPECT_EQ(part->rank(), rank / 3);
    EXPECT_EQ(whole->size(), part->size());
    EXPECT_EQ(whole->rank(), part->rank());
    EXPECT_EQ(alone->size(), 1);
    const auto members = all_gather(*part, rank);
    for (int member = 0; member < part->size(); ++member)
        EXPECT_EQ(members[static_cast<std::size_t>(member)], 3 * member + rank % 3);
    check_messages(*part);
    check_messages(*alone);
    check_exchanges_do_not_mix(*whole, 3);
    EXPECT_TRUE(around->finish() ==
                (std::vector<Message>{{previous, noise(static_cast<std::uint64_t>(previous), 200'001)}}));
    EXPECT_THROW(comm.split(-1), InputError);
}

inline void check_comm(Comm& comm) {
    check_messages(comm);
    check_parts(comm);
}

}  // namespace trellis
