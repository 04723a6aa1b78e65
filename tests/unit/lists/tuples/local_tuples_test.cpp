// Tuples of this rank: found by ids, wherever rows and ranks have them.
#include "trellis/lists/tuples/local_tuples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "trellis/lists/tuples/members.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"

namespace trellis::local_tuples_test {

using namespace fields;

std::shared_ptr<const TupleList> list_of(std::vector<std::uint64_t> members, std::size_t each) {
    return std::make_shared<TupleList>(std::move(members), each);
}

// Particles at positions that follow from their ids.
ParticleSet with_ids(const std::vector<std::uint64_t>& ids) {
    ParticleSet particles(ids.size());
    for (std::size_t row = 0; row < ids.size(); ++row) {
        particles[id][row] = ids[row];
        particles[position][row] = {static_cast<double>(ids[row]), 1, -static_cast<double>(ids[row])};
    }
    return particles;
}

TEST(TupleList, numbers_the_ids_that_occur) {
    const TupleList list({7, 1000, 9, 7}, 2);
    EXPECT_EQ(list.size(), 2U);
    EXPECT_EQ(std::vector(list.ids().begin(), list.ids().end()), (std::vector<std::uint64_t>{7, 9, 1000}));
    EXPECT_EQ(list.number_of(9), 1U);
    EXPECT_EQ(list.number_of(1000), 2U);
    for (const std::uint64_t absent : {0, 8, 999, 1001}) EXPECT_EQ(list.number_of(absent), 3U);
    EXPECT_EQ(list.described(1), "row 1 of pairs, the particles 9 and 7");
    EXPECT_NE(list.digest(), TupleList({7, 1000, 7, 9}, 2).digest());
    EXPECT_EQ(TupleList({}, 4).size(), 0U);
}

TEST(TupleList, finds_the_rows_of_members_among_ids) {
    const TupleList list({7, 1000, 9, 7}, 2);
    const std::vector<std::uint64_t> ids{9, 3, 1000, 7};
    EXPECT_EQ(list.rows(ids, "bonds"), (std::vector<std::uint32_t>{3, 2, 0, 3}));
    EXPECT_EQ(message_of([&] { list.rows(std::span(ids).first(2), "bonds"); }),
              "bonds name particle 7, but no particle has this id");
}

TEST(TupleList, refuses_a_particle_that_is_twice_in_a_tuple) {
    EXPECT_EQ(message_of([] { TupleList({0, 1, 2, 5, 4, 5}, 3); }),
              "row 1 of triples has particle 5 twice: allowed are 3 different ones");
}

TEST(LocalTuples, are_found_by_ids_and_lost_when_rows_are_rearranged) {
    LocalTuples tuples(list_of({3, 8, 8, 5}, 2));
    ParticleSet particles = with_ids({5, 3, 1, 8});
    EXPECT_FALSE(tuples.holds(particles));
    tuples.find(particles, nullptr, false);
    EXPECT_TRUE(tuples.holds(particles));
    EXPECT_EQ(std::vector(tuples.slots(0).begin(), tuples.slots(0).end()), (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(std::vector(tuples.terms(3).begin(), tuples.terms(3).end()), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(std::vector(tuples.terms(0).begin(), tuples.terms(0).end()), (std::vector<std::uint32_t>{3}));
    EXPECT_TRUE(tuples.terms(2).empty());
    particles.permute(std::vector<std::uint32_t>{3, 2, 1, 0});
    EXPECT_FALSE(tuples.holds(particles));
}

TEST(LocalTuples, are_lost_when_members_have_other_ids) {
    LocalTuples tuples(list_of({3, 8, 8, 5}, 2));
    ParticleSet particles = with_ids({5, 3, 1, 8});
    tuples.find(particles, nullptr, false);
    particles[id][2] = 2;
    EXPECT_TRUE(tuples.holds(particles));
    std::swap(particles[id][0], particles[id][1]);
    EXPECT_FALSE(tuples.holds(particles));
}

TEST(LocalTuples, lie_in_the_order_of_their_first_members_and_their_terms_in_that_of_the_list) {
    LocalTuples tuples(list_of({3, 8, 8, 5}, 2));
    tuples.find(with_ids({8, 1, 3, 5}), nullptr, false);
    EXPECT_EQ(tuples.in_list(0), 1U);
    EXPECT_EQ(std::vector(tuples.slots(0).begin(), tuples.slots(0).end()), (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(std::vector(tuples.slots(1).begin(), tuples.slots(1).end()), (std::vector<std::uint32_t>{2, 0}));
    EXPECT_EQ(std::vector(tuples.terms(0).begin(), tuples.terms(0).end()), (std::vector<std::uint32_t>{3, 0}));
}

TEST(LocalTuples, name_an_id_that_no_particle_has_unless_particles_are_some_of_all) {
    LocalTuples tuples(list_of({3, 8, 8, 77}, 2));
    const ParticleSet particles = with_ids({8, 3});
    EXPECT_EQ(message_of([&] { tuples.find(particles, nullptr, false); }),
              "pairs name particle 77, but no particle has this id");
    tuples.find(particles, nullptr, true);
    EXPECT_EQ(tuples.size(), 1U);
    EXPECT_FALSE(tuples.holds(particles));
}

class LocalTuplesOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, LocalTuplesOnRanks, testing::Range(1, 6));

// Each rank has every size-th particle, and finds the triples of a chain with the positions and masses of all their
// members.
TEST_P(LocalTuplesOnRanks, have_all_their_members) {
    constexpr std::uint64_t count = 40;
    std::vector<std::uint64_t> members;
    for (std::uint64_t k = 0; k + 7 < count; ++k) members.insert(members.end(), {k, k + 7, k + 2});
    const auto list = list_of(members, 3);
    run_ranks(GetParam(), [&](Comm& comm) {
        std::vector<std::uint64_t> own;
        for (auto k = static_cast<std::uint64_t>(comm.rank()); k < count; k += static_cast<std::uint64_t>(comm.size()))
            own.insert(own.begin(), k);
        ParticleSet particles = with_ids(own);
        for (std::size_t row = 0; row < own.size(); ++row) particles[mass][row] = 100 + static_cast<double>(own[row]);
        LocalTuples tuples(list);
        tuples.find(particles, &comm, false);
        const std::vector<std::string> columns{"mass"};
        const auto imported = ImportedMembers::finish(*tuples.imported().begin(comm, particles, columns));
        ASSERT_EQ(imported.size(), 4 * tuples.imported().numbers().size());
        const Members values(particles, columns, imported);
        std::size_t with_own = 0;
        for (std::size_t k = 0; k < list->size(); ++k)
            with_own += std::ranges::any_of(list->tuple(k), [&](std::uint32_t number) {
                return std::ranges::find(own, list->ids()[number]) != own.end();
            });
        EXPECT_EQ(tuples.size(), with_own);
        for (std::size_t k = 0; k < tuples.size(); ++k)
            for (std::size_t m = 0; m < 3; ++m) {
                const std::uint32_t slot = tuples.slots(k)[m];
                const auto id = static_cast<double>(list->ids()[list->tuple(tuples.in_list(k))[m]]);
                EXPECT_EQ(values.positions()(slot).x, id);
                EXPECT_EQ(values.value(0, slot), 100 + id);
            }
    });
}

TEST_P(LocalTuplesOnRanks, name_an_id_that_no_rank_has_on_each_rank) {
    const auto list = list_of({0, 1, 98, 99}, 2);
    run_ranks(GetParam(), [&](Comm& comm) {
        const ParticleSet particles =
            with_ids(comm.rank() == 0 ? std::vector<std::uint64_t>{0, 1, 99} : std::vector<std::uint64_t>{});
        LocalTuples tuples(list);
        EXPECT_EQ(message_of([&] { tuples.find(particles, &comm, false); }),
                  "pairs name particle 98, but no particle has this id");
    });
}

TEST(LocalTuples, must_be_the_same_list_on_every_rank) {
    run_ranks(2, [&](Comm& comm) {
        const ParticleSet particles =
            with_ids(comm.rank() == 0 ? std::vector<std::uint64_t>{0, 1, 2} : std::vector<std::uint64_t>{});
        LocalTuples tuples(list_of({0, static_cast<std::uint64_t>(comm.rank() + 1)}, 2));
        EXPECT_EQ(message_of([&] { tuples.find(particles, &comm, false); }),
                  "pairs differ between rank 0 and rank 1: allowed is the same list on every rank");
    });
}

}  // namespace trellis::local_tuples_test
