#include "trellis/lists/essential/domain_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/ranks/domain/multisection.hpp"
#include "unit/particle_models.hpp"

namespace trellis::domain_walk_test {

using RankSet = std::uint64_t;  // a bit for each of 64 ranks

// The ranks that a summary contains; EXPECTs that no rank is joined twice.
class RankSets : public CellMoments {
  public:
    std::size_t bytes() const override { return sizeof(RankSet); }
    std::size_t value_bytes() const override { return sizeof(double); }
    void write(std::uint32_t, std::byte*) const override {}
    void join(const Sphere&, const std::array<Sphere, 2>&, const std::array<const std::byte*, 2>& moments,
              std::byte* out) const override {
        const RankSet a = of(moments[0]), b = of(moments[1]), both = a | b;
        EXPECT_EQ(a & b, 0U);
        std::memcpy(out, &both, sizeof both);
    }
    static RankSet of(const std::byte* bytes) {
        RankSet set;
        std::memcpy(&set, bytes, sizeof set);
        return set;
    }
};

RankSet set_of(const DomainSummary& summary) { return RankSets::of(summary.moments.data()); }
RankSet bit_of(int rank) { return RankSet{1} << rank; }

// A box of particles in this rank's domain, scaled about its middle; empty on all but a share of the ranks.
DomainSummary random_summary(const Shape& shape, int rank, std::uint64_t seed, double share, const Opening& opening) {
    const Extent domain = Multisection(shape, {{0, 0, 0}, {1, 1, 1}}).domain(rank);
    models::Random random(seed * 1000 + static_cast<std::uint64_t>(rank));
    DomainSummary summary;
    summary.sums = {0};
    summary.moments.resize(sizeof(RankSet));
    if (random.uniform(0, 1) >= share) return summary;
    const double shrink = random.uniform(0.02, 0.98);
    const Vec3<double> half = 0.5 * shrink * (domain.high - domain.low), middle = 0.5 * (domain.low + domain.high);
    summary.count = 1 + random.bits() % 100;
    summary.contents = {{middle, std::sqrt(dot(half, half))}, {middle - half, middle + half}, random.uniform(0.1, 10)};
    summary.size = opening.receiver == Receiver::particle ? 2 * largest(half) : summary.contents.sphere.radius;
    summary.tolerance = random.uniform(1, 1e3);
    summary.sums = {summary.contents.weight};
    const RankSet own = bit_of(rank);
    std::memcpy(summary.moments.data(), &own, sizeof own);
    return summary;
}

Ranks ranks_of(Comm& comm, const Shape& shape) {
    return {std::shared_ptr<Comm>(&comm, [](Comm*) {}), domain_tree(shape)};
}

// The result of a walk: far cells in their order, and neighbours.
struct Got {
    std::vector<RankSet> far;
    std::vector<int> near;
    RankSet all_far() const {
        RankSet all = 0;
        for (const RankSet set : far) all |= set;
        return all;
    }
    RankSet all_near() const {
        RankSet all = 0;
        for (const int rank : near) all |= bit_of(rank);
        return all;
    }
    friend bool operator==(const Got&, const Got&) = default;
};

Got got(const DomainWalkResult& all) {
    Got what;
    for (const DomainSummary& far : all.far) what.far.push_back(set_of(far));
    for (const auto& near : all.near) what.near.push_back(near.rank);
    return what;
}

void check_each_once(const Got& what, int rank, const std::vector<DomainSummary>& ranks) {
    RankSet seen = what.all_near();
    EXPECT_EQ(static_cast<std::size_t>(std::popcount(seen)), what.near.size());
    EXPECT_TRUE(std::ranges::is_sorted(what.near));
    for (const RankSet set : what.far) {
        EXPECT_EQ(seen & set, 0U) << "a rank acts twice on rank " << rank;
        seen |= set;
    }
    RankSet expected = 0;
    for (std::size_t other = 0; other < ranks.size(); ++other)
        if (!ranks[other].empty() && static_cast<int>(other) != rank) expected |= bit_of(static_cast<int>(other));
    if (ranks[static_cast<std::size_t>(rank)].empty()) {
        EXPECT_EQ(seen & ~expected,
                  0U);  // cells far from a node are far from its empty ranks too; they do not act there
        EXPECT_TRUE(what.near.empty());
    } else {
        EXPECT_EQ(seen, expected) << "rank " << rank;
    }
}

// Far cells contain the particles of their ranks, and act as a whole on this rank; neighbours are too near for that.
void check_cells(const DomainWalkResult& all, int rank, const std::vector<DomainSummary>& ranks,
                 const Opening& opening) {
    const DomainSummary& own = ranks[static_cast<std::size_t>(rank)];
    for (const DomainSummary& far : all.far) {
        std::uint64_t count = 0;
        double weight = 0;
        for (std::size_t other = 0; other < ranks.size(); ++other) {
            if ((set_of(far) & bit_of(static_cast<int>(other))) == 0) continue;
            count += ranks[other].count;
            weight += ranks[other].contents.weight;
        }
        EXPECT_EQ(far.count, count);
        EXPECT_NEAR(far.sums[0], weight, 1e-12 * weight);
        EXPECT_TRUE(own.empty() || acts_as_whole(far, own, opening));
    }
    for (const auto& near : all.near) {
        const DomainSummary& other = ranks[static_cast<std::size_t>(near.rank)];
        EXPECT_EQ(set_of(near.summary), bit_of(near.rank));
        EXPECT_EQ(near.summary.count, other.count);
        EXPECT_FALSE(acts_as_whole(other, own, opening) && acts_as_whole(own, other, opening));
    }
}

struct Setting {
    Opening opening;
    double share;  // share of the ranks that have particles
    std::uint64_t seed;
};

class DomainWalkOnRanks : public testing::TestWithParam<int> {
  protected:
    template <class Check>
    static void for_each_setting(Check check) {
        const Shape shape = best_shape(GetParam(), {1, 1, 1});
        for (const Opening& opening : {Opening{Receiver::particle, 0.6, 1}, Opening{Receiver::cell, 0.8, 3}})
            for (const double share : {1.0, 0.5, 0.1, 0.0})
                for (const std::uint64_t seed : {1, 2}) check(shape, Setting{opening, share, seed});
    }
    static std::vector<DomainSummary> all_summaries(const Shape& shape, const Setting& of) {
        std::vector<DomainSummary> all;
        for (int rank = 0; rank < shape.ranks; ++rank)
            all.push_back(random_summary(shape, rank, of.seed, of.share, of.opening));
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Of, DomainWalkOnRanks, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 64));

TEST_P(DomainWalkOnRanks, contains_every_other_rank_once_with_its_values) {
    for_each_setting([](const Shape& shape, const Setting& setting) {
        const auto ranks = all_summaries(shape, setting);
        run_ranks(shape.ranks, [&](Comm& comm) {
            Verdicts verdicts;
            const DomainWalkResult all =
                walk_domains(ranks_of(comm, shape), ranks[static_cast<std::size_t>(comm.rank())], setting.opening,
                             RankSets(), verdicts);
            check_each_once(got(all), comm.rank(), ranks);
            check_cells(all, comm.rank(), ranks, setting.opening);
        });
    });
}

// A rank that acts on another as a part of a far cell is acted on by that rank as a part of a far cell.
TEST_P(DomainWalkOnRanks, is_mutual) {
    for_each_setting([](const Shape& shape, const Setting& setting) {
        const auto ranks = all_summaries(shape, setting);
        run_ranks(shape.ranks, [&](Comm& comm) {
            Verdicts verdicts;
            const Got what = got(walk_domains(ranks_of(comm, shape), ranks[static_cast<std::size_t>(comm.rank())],
                                              setting.opening, RankSets(), verdicts));
            const auto far = all_gather(comm, what.all_far()), near = all_gather(comm, what.all_near());
            for (int other = 0; other < comm.size(); ++other) {
                const auto index = static_cast<std::size_t>(other);
                if (ranks[index].empty() || ranks[static_cast<std::size_t>(comm.rank())].empty()) continue;
                EXPECT_EQ((what.all_far() & bit_of(other)) != 0, (far[index] & bit_of(comm.rank())) != 0);
                EXPECT_EQ((what.all_near() & bit_of(other)) != 0, (near[index] & bit_of(comm.rank())) != 0);
            }
        });
    });
}

// All summaries have grown: a new walk would find fewer far cells.
TEST_P(DomainWalkOnRanks, keeps_its_verdicts_when_lists_are_reused) {
    const Shape shape = best_shape(GetParam(), {1, 1, 1});
    const Opening opening{Receiver::particle, 0.6, 1};
    run_ranks(shape.ranks, [&](Comm& comm) {
        const Ranks ranks = ranks_of(comm, shape);
        DomainSummary own = random_summary(shape, comm.rank(), 3, 0.8, opening);
        Verdicts verdicts, fresh;
        const auto walk = [&](Verdicts& by) { return walk_domains(ranks, own, opening, RankSets(), by); };
        const Got first = got(walk(verdicts));
        own.size *= 50;
        own.sums[0] = own.contents.weight *= 3;
        verdicts.begin_reuse();
        const DomainWalkResult later = walk(verdicts);
        EXPECT_EQ(got(later).far, first.far);
        for (const DomainSummary& far : later.far)
            EXPECT_NEAR(far.sums[0], far.contents.weight, 1e-12 * far.sums[0]) << "values of before";
        const auto far_then = all_gather(comm, first.far.size());
        const auto far_afresh = all_gather(comm, walk(fresh).far.size());
        if (comm.size() > 8) {
            EXPECT_NE(far_then, far_afresh) << "a walk that tests nothing";
        }
        verdicts.begin_construction();
        EXPECT_EQ(walk(verdicts).far.size(), far_afresh[static_cast<std::size_t>(comm.rank())]);
    });
}

// Ranks in a row: on each level a node has few neighbours.
TEST(DomainWalkOnManyRanks, sends_messages_that_grow_with_the_logarithm_of_the_ranks) {
    const Opening opening{Receiver::particle, 0.6, 1};
    std::vector<std::uint64_t> most;
    for (const int size : {16, 64, 256}) {
        const Shape shape{size, size, 1};
        std::vector<std::uint64_t> sent(static_cast<std::size_t>(size));
        run_ranks(size, [&](Comm& comm) {
            const double at = comm.rank();
            DomainSummary own;
            own.count = 1;
            own.contents = {{{at + 0.5, 0.5, 0.5}, 0.9}, {{at, 0, 0}, {at + 1, 1, 1}}, 1};
            own.size = 1;
            own.tolerance = any_error;
            Verdicts verdicts;
            walk_domains(ranks_of(comm, shape), own, opening, NoCellMoments(), verdicts);
            sent[static_cast<std::size_t>(comm.rank())] = comm.traffic().messages;
        });
        most.push_back(std::ranges::max(sent));
    }
    EXPECT_LE(most[2] - most[1], most[1] - most[0]);  // the same increase for each factor of 4
    EXPECT_LT(most[2], 60U);
}

}  // namespace trellis::domain_walk_test
