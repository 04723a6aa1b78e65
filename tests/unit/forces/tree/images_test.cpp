// The images of a periodic box that are imported as other ranks' particles are.
#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/particle_models.hpp"

namespace trellis::images_test {

using namespace fields;

// The sum of all masses that act: integers, which add without rounding.
struct MassSum : Field<double, "mass_sum", "mass", "mass of all that act"> {};
inline constexpr MassSum mass_sum;
struct CountMass {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<MassSum>;
    void operator()(const auto&, const auto& j, auto& sum) const { sum[mass_sum] += j[mass]; }
};

struct NothingFarther : PeriodicComplement {
    void check(const Region&, double) const override {}
    void gather(ParticleSet&, const Ranks*, Phases&) override {}
    ReferenceForces forces(Phases&) override { return {1, 1}; }
    double strength_of(const ParticleSet&) const override { return 1; }
    ReferenceForces forces_of(const Region&, double, double) const override { return {1, 1}; }
    void add(ParticleSet&, Phases&) override {}
    void reference(const ParticleSet&, const ParticleSet&, std::uint32_t, std::int64_t, double*) const override {}
};

std::unique_ptr<TreeForce> counting(const ForceSettings& settings, std::unique_ptr<PeriodicComplement> lattice) {
    return std::make_unique<TreeForce>(make_kernels<CountMass>(), std::make_shared<const CountMass>(), 1, settings,
                                       Devices{}, std::move(lattice));
}

struct Case {
    int ranks;
    Region region;
    double images;
};

// A flat box with few particles has images that act on some ranks as one cell.
TEST(BoxImages, act_once_each_on_any_number_of_ranks) {
    constexpr double far = Region::infinity;
    const Case cases[] = {{1, {{0, 0, 0}, {1, 1, 1}}, 27},
                          {2, {{0, 0, 0}, {1, 1, 1}}, 27},
                          {5, {{0, 0, 0}, {1, 1, 1}}, 27},
                          {7, {{0, 0, -far}, {1, 20, far}}, 9},
                          {3, {{-far, -far, 0}, {far, far, 1}}, 3}};
    for (const auto& [ranks, region, images] : cases)
        for (const LetScheme scheme : {LetScheme::all_to_all, LetScheme::all_gather, LetScheme::domain_tree})
            for (const bool compress : {false, true})
                run_ranks(ranks, [&](Comm& comm) {
                    ParticleSet all = models::uniform_cube(300, 1);
                    for (double& m : all[mass]) m = 1;
                    const Multisection cuts = cut_of(all, comm.size());
                    ParticleSet own = share_of(all, cuts, comm.rank());
                    own.set_region(region);
                    const Ranks shared{std::shared_ptr<Comm>(&comm, [](Comm*) {}), domain_tree(cuts.shape())};
                    const auto force =
                        counting({.theta = 0.7, .group_size = 16, .leaf_size = 4, .let = scheme, .compress = compress},
                                 std::make_unique<NothingFarther>());
                    force->attach(own, 0);
                    compute_shared(*force, own, {{}, false, &shared});
                    for (const double sum : own[mass_sum]) ASSERT_EQ(sum, images * 300 - 1) << ranks;
                });
}

TEST(BoxImages, are_refused_where_nothing_sums_those_beyond) {
    ParticleSet particles = models::uniform_cube(5, 1);
    particles.set_region({{0, 0, 0}, {1, 1, 1}});
    const auto force = counting({}, nullptr);
    force->attach(particles, 0);
    Phases phases;
    EXPECT_THROW(force->dispatch(particles, {}, phases), InputError);
}

}  // namespace trellis::images_test
