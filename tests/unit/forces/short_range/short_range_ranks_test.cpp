// Short-range forces on several ranks: sums, reused lists, checkpoints.
#include <gtest/gtest.h>

#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::short_range_ranks_test {

using namespace fields;

template <class I>
MakeForces by(const I& interaction, const ShortRangeSettings& settings) {
    return [=] { return std::vector<std::shared_ptr<Force>>{short_range_force(interaction, settings)}; };
}

// Spheres that repel each other, less and less up to the cutoff, so that rounding there does no harm.
struct SoftSpheres {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration>;
    using Search = Cutoff;
    double cutoff;

    void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = i[position] - j[position];
        const float cutoff2 = static_cast<float>(cutoff * cutoff);
        sum[acceleration] += 3.0f * j[mass] * (1.0f - dot(d, d) / cutoff2) * d;
    }
};

std::shared_ptr<ParticleSet> moving(std::size_t size, const Region& region) {
    auto particles = scattered(size, region, 0.3);
    models::Random random(4);
    for (auto& v : (*particles)[velocity]) v = 0.4 * random.direction();
    return particles;
}

constexpr std::uint64_t end_of_run = 30;
constexpr double cutoff = 0.1;

ShortRangeSettings kept(std::uint32_t steps, double skin) {
    return {.lists = Lists::reuse, .reuse_steps = steps, .skin_ratio = skin, .precision = Precision::double_};
}
const ShortRangeSettings rebuilt{.lists = Lists::rebuild, .precision = Precision::double_};

class ShortRangeOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, ShortRangeOnRanks, testing::Range(1, 9));

template <class How>
void compare(int ranks, const Region& region, double constant) {
    const auto start = scattered(400, region, 0.2);
    const auto force = by(Probe<How>{constant}, {});
    EXPECT_GT(expect_exact(*force()[0], *run_on_ranks(ranks, *start, force, 0), 1e-6), start->size());
}

TEST_P(ShortRangeOnRanks, sums_over_those_within_reach_wherever_they_are) {
    for (const Region& region : {Region{}, slab(), cube}) {
        compare<Cutoff>(GetParam(), region, 0.08);
        compare<Gather<Reach>>(GetParam(), region, 0);
        compare<Scatter<Reach>>(GetParam(), region, 0);
        compare<Symmetric<Reach>>(GetParam(), region, 0);
    }
}

TEST_P(ShortRangeOnRanks, compares_with_direct_summation_over_all_ranks) {
    const ShortRangeSettings exact{.precision = Precision::double_};
    run_on_ranks(GetParam(), *scattered(200, cube, 0.2), by(Probe<Cutoff>{0.08}, exact), 0,
                 [](Simulation& sim) { EXPECT_LT(sim.force_error(50, 1).maximum, 1e-12); });
}

// Masses in one corner, hence on few ranks, are beyond single precision: all ranks compute in double precision.
TEST_P(ShortRangeOnRanks, computes_in_the_precision_that_suits_the_values_of_all_ranks) {
    const auto start = scattered(300, Region{}, 1);
    for (std::size_t row = 0; row < start->size(); ++row)
        if ((*start)[position][row].x < 0.2) (*start)[mass][row] *= 1e18;
    const auto force = by(Probe<Cutoff>{0.15}, {});
    const auto end = run_on_ranks(GetParam(), *start, force, 0);
    for (std::uint32_t row = 0; row < end->size(); ++row) {
        if ((*end)[position][row].x < 0.4) continue;
        double exact[6];
        force()[0]->reference(*end, *end, row, row, 0, exact);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR((*end)[acceleration][row][c], exact[c], 1e-13);
    }
}

// The particles at the end of a run, and the numbers of lists built and reused, which are the same on all ranks.
std::pair<std::shared_ptr<ParticleSet>, ListUse> run(int ranks, const ParticleSet& start,
                                                     const ShortRangeSettings& settings) {
    std::vector<ListUse> uses(static_cast<std::size_t>(ranks));
    const auto end = run_on_ranks(ranks, start, by(SoftSpheres{cutoff}, settings), end_of_run, [&](Simulation& sim) {
        uses[static_cast<std::size_t>(sim.comm().rank())] =
            dynamic_cast<const ShortRangeForce&>(*sim.forces()[0]).list_use();
    });
    for (const ListUse& use : uses) {
        EXPECT_EQ(use.constructions, uses[0].constructions);
        EXPECT_EQ(use.reuses, uses[0].reuses);
        EXPECT_EQ(use.early, uses[0].early);
        EXPECT_EQ(use.prunings, uses[0].prunings);
    }
    return {end, uses[0]};
}

double apart(const ParticleSet& a, const ParticleSet& b) {
    double most = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        Vec3<double> d = a[position][row] - b[position][row];
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (a.region().periodic(axis)) d[axis] -= std::round(d[axis]);
        most = std::max(most, std::sqrt(dot(d, d)));
    }
    return most;
}

TEST_P(ShortRangeOnRanks, moves_particles_by_kept_lists_as_by_new_ones) {
    for (const Region& region : {Region{}, cube}) {
        const auto start = moving(300, region);
        const auto [exact, made_each_step] = run(1, *start, rebuilt);
        EXPECT_EQ(made_each_step.constructions, end_of_run + 1);
        EXPECT_EQ(made_each_step.reuses, 0U);
        EXPECT_GT(apart(*exact, *start), 0.1);
        const auto [wide, seldom] = run(GetParam(), *start, kept(4, 1));
        EXPECT_LT(apart(*wide, *exact), 1e-11);
        EXPECT_EQ(seldom.constructions, 8U);
        EXPECT_EQ(seldom.reuses, 23U);
        EXPECT_EQ(seldom.early, 0U);
        EXPECT_GE(seldom.prunings, 8U);  // at least at the first step that reuses each set of lists
        EXPECT_LT(seldom.prunings, 23U);
        const auto [narrow, often] = run(GetParam(), *start, kept(8, 0.2));
        EXPECT_LT(apart(*narrow, *exact), 1e-11);
        EXPECT_GT(often.early, 0U);
        EXPECT_GT(often.reuses, 0U);
        EXPECT_EQ(often.constructions + often.reuses, end_of_run + 1);
    }
}

TEST_P(ShortRangeOnRanks, goes_on_from_a_checkpoint_bit_for_bit) {
    // At some checkpoints lists have been made and not pruned yet, and what was pruned before would still hold.
    for (const auto& [size, reuse_steps, skin] :
         {std::tuple{200, 8U, 1.0}, {200, 8U, 0.2}, {1500, 2U, 1.0}, {3, 8U, 1.0}}) {
        const auto start = moving(static_cast<std::size_t>(size), cube);
        if (reuse_steps == 2)
            for (auto& v : (*start)[velocity]) v = 0.1 * v;
        const auto forces = by(SoftSpheres{cutoff}, kept(reuse_steps, skin));
        run_ranks(GetParam(), [&](Comm& comm) {
            const auto whole = simulation_on(comm, all_on_first(comm, *start), forces);
            whole->ensure_forces();
            struct Checkpoint {
                std::shared_ptr<ParticleSet> particles;
                DomainState domain;
                double time;
                std::uint64_t step;
            };
            std::vector<Checkpoint> checkpoints;
            for (; whole->step_count() < end_of_run; whole->step())
                if (whole->step_count() % 5 == 3)
                    checkpoints.push_back(
                        {copy_of(whole->particles()), whole->domain_state(), whole->time(), whole->step_count()});
            for (const Checkpoint& from : checkpoints) {
                SCOPED_TRACE(testing::Message() << "rank " << comm.rank() << " resumed at step " << from.step);
                const auto resumed = simulation_on(comm, from.particles, forces);
                resumed->resume(from.time, from.step, from.domain);
                while (resumed->step_count() < end_of_run) resumed->step();
                expect_same_bits(resumed->particles(), whole->particles());
            }
        });
    }
}

}  // namespace trellis::short_range_ranks_test
