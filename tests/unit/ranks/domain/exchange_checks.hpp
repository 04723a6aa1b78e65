// Requirements on an exchange of particles, for ranks of any kind.
#pragma once

#include <array>
#include <numeric>
#include <stdexcept>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/domain/exchange_particles.hpp"
#include "trellis/ranks/domain/identities.hpp"
#include "unit/particles/numbered_particles.hpp"
#include "unit/ranks/comm/watched_comm.hpp"

namespace trellis::checks {

using namespace fields;

using Ids = std::vector<std::uint64_t>;

// The number of rows that each rank begins with, and their owners.
struct Scene {
    const char* name;
    std::size_t (*rows)(int rank, int size);
    int (*owner)(std::uint64_t id, int from, int size);
};

inline int anywhere(std::uint64_t id, int, int size) {
    return static_cast<int>(value_bits(id, 100, 0) % static_cast<unsigned>(size));
}

inline constexpr std::array<Scene, 8> scenes{{
    {"all on rank 0, to anywhere", [](int rank, int) { return std::size_t{rank == 0 ? 3000U : 0U}; }, anywhere},
    {"all to the last rank", [](int, int) { return std::size_t{100}; },
     [](std::uint64_t, int, int size) { return size - 1; }},
    {"one particle", [](int rank, int size) { return std::size_t{rank == size / 2 ? 1U : 0U}; },
     [](std::uint64_t, int, int) { return 0; }},
    {"nothing at all", [](int, int) { return std::size_t{0}; }, anywhere},
    {"most ranks without any", [](int rank, int) { return std::size_t{rank % 5 == 1 ? 500U : 0U}; }, anywhere},
    {"anywhere", [](int rank, int) { return std::size_t{200} + static_cast<unsigned>(rank) * 37; }, anywhere},
    {"all to the next rank", [](int, int) { return std::size_t{50}; },
     [](std::uint64_t, int from, int size) { return (from + 1) % size; }},
    {"a few to the rank before", [](int, int) { return std::size_t{400}; },
     [](std::uint64_t id, int from, int size) { return id % 100 == 0 ? (from + size - 1) % size : from; }},
}};

// The ids of the first rows of a rank: different on all ranks, in no order.
inline Ids ids_on(int rank, std::size_t rows) {
    Ids ids(rows);
    for (std::size_t row = 0; row < rows; ++row)
        ids[row] = (static_cast<std::uint64_t>(rank) * 1'000'000 + row) * 0xda942042e4dd58b5;
    return ids;
}

inline std::vector<int> owners(const Ids& ids, const Scene& scene, int from, int size) {
    std::vector<int> owner;
    for (const std::uint64_t own : ids) owner.push_back(scene.owner(own, from, size));
    return owner;
}

// The message of the exception that body throws; empty if it throws nothing.
template <class Body>
std::string sentence_of(Body&& body) {
    try {
        body();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

inline Moved exchange_and_check(Comm& comm, ParticleSet& particles, std::span<const int> owner) {
    ArrivalCheck check;
    const Moved moved = exchange_particles(comm, particles, owner, check);
    check.finish();
    return moved;
}

inline void rows_of_a_scene_arrive(Comm& comm, const Scene& scene) {
    const int rank = comm.rank(), size = comm.size();
    Ids expected;
    std::uint64_t stayed = 0;
    for (int turn = 0; turn <= size; ++turn) {
        const int from = turn == 0 ? rank : turn - 1;  // rows that stay come first
        if (turn > 0 && from == rank) continue;
        for (const std::uint64_t own : ids_on(from, scene.rows(from, size)))
            if (scene.owner(own, from, size) == rank) expected.push_back(own);
        if (turn == 0) stayed = expected.size();
    }
    const Ids before = ids_on(rank, scene.rows(rank, size));
    ParticleSet particles = numbered_particles(before);
    const Moved moved = exchange_and_check(comm, particles, owners(before, scene, rank, size));
    EXPECT_EQ(moved.left, before.size() - stayed);
    EXPECT_EQ(moved.came, expected.size() - stayed);
    expect_numbered(particles, expected);
}

// The error of an exchange of ten rows from each rank to the next, with a watch on the messages.
inline std::string sentence_of_exchange(Comm& comm, const WatchedComm::Watch& watch) {
    WatchedComm watched(comm, watch);
    ParticleSet particles = numbered_particles(ids_on(comm.rank(), 10));
    const std::vector<int> owner(10, (comm.rank() + 1) % comm.size());
    return sentence_of([&] { exchange_and_check(watched, particles, owner); });
}

inline void rows_arrive_in_order(Comm& comm) {
    for (const Scene& scene : scenes) {
        SCOPED_TRACE(scene.name);
        rows_of_a_scene_arrive(comm, scene);
    }
}

inline void a_cluster_moves_round_all_ranks(Comm& comm) {
    const int rank = comm.rank(), size = comm.size();
    // The cluster begins on rank 0; the other particles stay on their ranks.
    Ids own = ids_on(rank, 100);
    if (rank == 0)
        for (std::uint64_t member = 0; member < 1000; ++member) own.push_back(2 * member + 1);
    const auto in_cluster = [](std::uint64_t id) { return id < 2000 && id % 2 == 1; };
    ParticleSet particles = numbered_particles(own);
    for (int step = 0; step < 3 * size; ++step) {
        std::vector<int> owner;
        for (const std::uint64_t id : particles[fields::id]) owner.push_back(in_cluster(id) ? (step + 1) % size : rank);
        exchange_and_check(comm, particles, owner);
        EXPECT_EQ(particles.size(), rank == (step + 1) % size ? 1100U : 100U);
        check_identities(comm, particles);
    }
    expect_numbered(particles, own);
}

inline void rows_on_their_rank_stay(Comm& comm) {
    const int rank = comm.rank(), last = comm.size() - 1;
    const Ids own = ids_on(rank, 20);
    ParticleSet particles = numbered_particles(own);
    const auto arrangement = particles.arrangement();
    const void* memory = particles.column("spin").data();
    std::vector<int> owner(own.size(), rank);
    WatchedComm watched(comm, [](const std::vector<Message>&) { ADD_FAILURE() << "nothing moves anywhere"; });
    exchange_and_check(watched, particles, owner);
    EXPECT_EQ(particles.arrangement(), arrangement);
    EXPECT_EQ(particles.column("spin").data(), memory);
    // A row from the first to the last rank changes these two ranks only.
    if (rank == 0) owner[7] = last;
    const Moved moved = exchange_and_check(comm, particles, owner);
    const bool concerned = last > 0 && (rank == 0 || rank == last);
    EXPECT_EQ(particles.arrangement(), arrangement + (concerned ? 1 : 0));
    EXPECT_EQ(particles.column("spin").data() != memory, concerned);
    EXPECT_EQ(moved.left + moved.came, concerned ? 1U : 0U);
}

inline void only_ranks_that_receive_rows_are_sent_to(Comm& comm) {
    std::vector<int> sent_to;
    EXPECT_EQ(sentence_of_exchange(comm,
                                   [&](const std::vector<Message>& messages) {
                                       for (const Message& message : messages) sent_to.push_back(message.rank);
                                   }),
              "");
    EXPECT_EQ(sent_to, comm.size() > 1 ? std::vector{(comm.rank() + 1) % comm.size()} : std::vector<int>{});
}

inline void changed_lost_and_doubled_particles_are_noticed(Comm& comm) {
    const int size = comm.size();
    if (size == 1) return;  // there are no messages
    const std::string all = std::to_string(10 * size) + " particles: the sum of the ids was ";
    // Ids are the fourth column, behind a header and seven numbers for each row.
    const std::size_t first_id = 16 + 10 * 7 * 8;
    const auto changed = sentence_of_exchange(comm, [&](std::vector<Message>& messages) {
        if (comm.rank() == 1) messages[0].bytes[first_id] ^= std::byte{4};
    });
    EXPECT_EQ(changed.find("the exchange changed the ids of " + all), 0U) << changed;
    const auto lost = sentence_of_exchange(comm, [&](std::vector<Message>& messages) {
        if (comm.rank() == size - 1) messages.clear();
    });
    EXPECT_EQ(lost.find("the exchange lost 10 of " + all), 0U) << lost;
    const auto doubled = sentence_of_exchange(comm, [&](std::vector<Message>& messages) {
        if (comm.rank() == 0) messages.push_back({0, messages[0].bytes});
    });
    EXPECT_EQ(doubled.find("the exchange doubled 10 of " + all), 0U) << doubled;
}

inline void different_columns_are_named(Comm& comm) {
    const int rank = comm.rank(), last = comm.size() - 1, odd = (comm.size() + 1) / 2;
    if (last == 0) return;
    // Ranks from `odd` on have no particles and lack a column; the last one has another column.
    ParticleSet particles(rank < odd ? 5 : 0);
    if (rank < odd) particles.add(Kind{});
    if (rank == last && odd < last) particles.add(Spin{});
    const std::vector<int> owner(particles.size(), rank);
    const std::string usual = "position 3, velocity 3, mass 1, id 1 integer, acceleration 3, potential 1";
    EXPECT_EQ(sentence_of([&] { exchange_and_check(comm, particles, owner); }),
              "the particles of rank " + std::to_string(odd) + " have the columns " + usual + ", but those of rank 0 " +
                  usual + ", kind 1 integer: allowed are the same on all ranks, in this order");
}

inline void duplicate_ids_are_named(Comm& comm) {
    const int rank = comm.rank(), last = comm.size() - 1;
    Ids own(300);
    std::iota(own.begin(), own.end(), 1000 + 300 * static_cast<std::uint64_t>(rank));
    ParticleSet particles = numbered_particles(own);
    check_identities(comm, particles);
    const std::string why =
        ": each particle belongs to one rank and has an id of its own, but the ids of a new particle set count from 0 "
        "on every rank; make particles on rank 0 only, and none on the others (in Python: if tr.rank() == 0; "
        "in C++: world()->rank() == 0)";
    // First an id twice on the last rank, then also a lower id on the first and the last rank.
    if (rank == last) particles[id][17] = particles[id][250] = ~std::uint64_t{0};
    EXPECT_EQ(sentence_of([&] { check_identities(comm, particles); }),
              "id 18446744073709551615 is twice on rank " + std::to_string(last) + why);
    if (rank == last) particles[id][100] = 17;
    if (rank == 0) particles[id][200] = 17;
    const std::string where =
        last == 0 ? "id 17 is twice on rank 0" : "id 17 is on rank 0 and on rank " + std::to_string(last);
    EXPECT_EQ(sentence_of([&] { check_identities(comm, particles); }), where + why);
}

}  // namespace trellis::checks
