// Gravity by a mesh and a tree on several sites, each of which solves the whole mesh, compared with Ewald's sum and
// with one rank.
#include <gtest/gtest.h>

#include <vector>

#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/ranks/sites/site_ranks.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::tree_mesh_on_sites_test {

using namespace fields;

constexpr std::size_t along = 16;
constexpr double epsilon = 0.02 * box_side / along;

MakeForces by_tree_and_mesh(const ForceSettings& settings) {
    return [=] { return std::vector<std::shared_ptr<Force>>{tree_mesh_gravity(epsilon, 2, settings)}; };
}

// The particles with their forces.
std::shared_ptr<ParticleSet> forces_on_sites(const std::vector<int>& ranks, const ParticleSet& start,
                                             const ForceSettings& settings) {
    const auto end = copy_of(start);
    tree_mesh_gravity(epsilon, 2, settings)->attach(*end, 0);
    checks::run_sites(ranks, [&](SiteComm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, start), by_tree_and_mesh(settings));
        sim->ensure_forces();
        put_by_id(sim->particles(), *end);
    });
    return end;
}

TEST(TreeMeshOnSites, is_that_of_Ewald_and_of_one_rank) {
    for (const std::string model : {"clustered", "grid"})
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            const ParticleSet start = in_box(model, along);
            const ForceSettings settings{.accuracy = 1e-3, .precision = precision};
            const auto alone = run_on_ranks(1, start, by_tree_and_mesh(settings), 0);
            for (const std::vector<int>& ranks : {std::vector{2, 2}, std::vector{2, 2, 2}}) {
                const auto found = forces_on_sites(ranks, start, settings);
                const NetErrors errors = net_errors(*gravity(epsilon, 2), *found);
                EXPECT_LT(errors.acceleration, 1e-3) << model;
                double apart = 0;
                for (std::size_t row = 0; row < start.size(); ++row) {
                    const Vec3<double> difference = (*found)[acceleration][row] - (*alone)[acceleration][row];
                    apart += dot(difference, difference) / static_cast<double>(start.size());
                }
                EXPECT_LT(std::sqrt(apart), 1.2e-3 * errors.net) << model;
            }
        }
}

// Three particles on six ranks: some sites have none.
TEST(TreeMeshOnSites, is_that_of_Ewald_where_sites_have_no_particles) {
    ParticleSet start(3);
    start.set_region(unit_box);
    for (std::size_t k = 0; k < start.size(); ++k) {
        const auto number = static_cast<double>(k);
        start[position][k] = {-0.9 + 0.1 * number, 0.5 + 0.3 * number, 1.2};
        start[mass][k] = 1 + number;
        start[id][k] = static_cast<std::int64_t>(k);
    }
    const auto found = forces_on_sites({2, 2, 2}, start, {.accuracy = 1e-3});
    EXPECT_LT(net_errors(*gravity(epsilon, 2), *found).acceleration, 1e-3);
}

// Trips between sites that follow one another, in steps that rebuild lists, in a box: one for the reference forces,
// with which the densities of a mesh or the sums for far images travel, one for roots, one for essential trees; and
// five more in every eighth step, which cuts space again.
TEST(TreeMeshOnSites, takes_as_many_trips_as_all_images) {
    const MakeForces by_mesh = by_tree_and_mesh({.accuracy = 1e-3, .lists = Lists::rebuild});
    const MakeForces by_images = [] {
        return std::vector<std::shared_ptr<Force>>{gravity(epsilon, 2, {.accuracy = 1e-3, .lists = Lists::rebuild})};
    };
    for (const MakeForces& forces : {by_mesh, by_images})
        checks::run_sites({1, 2, 1}, [&](SiteComm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, in_box("random", 8)), forces);
            sim->ensure_forces();
            while (sim->step_count() < 16) sim->step();
            const std::uint64_t before = comm.wide_traffic().critical_path_hops;
            while (sim->step_count() < 32) sim->step();
            EXPECT_LE(comm.wide_traffic().critical_path_hops - before, 16 * 3 + 2 * 5);
        });
}

TEST(TreeMeshOnSites, a_run_that_goes_on_from_a_checkpoint_has_the_same_bits) {
    const auto forces = by_tree_and_mesh({.accuracy = 1e-3});
    ParticleSet start = in_box("random", 8);
    models::Random random(3);
    for (auto& v : start[velocity]) v = 0.6 * random.direction();
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        const auto whole = simulation_on(comm, all_on_first(comm, start), forces);
        whole->ensure_forces();
        while (whole->step_count() < 6) whole->step();
        const auto saved = copy_of(whole->particles());
        const auto resumed = simulation_on(comm, saved, forces);
        resumed->resume(whole->time(), 6, whole->domain_state());
        for (int step = 0; step < 4; ++step) {
            whole->step();
            resumed->step();
        }
        expect_same_bits(resumed->particles(), whole->particles());
    });
}

// The first forces of a run that is resumed are those of a level, of some particles of one site.
TEST(TreeMeshOnSites, is_that_of_all_sites_for_the_levels_of_a_resumed_run) {
    ParticleSet start = in_box("clustered", 12);
    std::ranges::transform(start[id], start.add(particle_type).begin(), [](std::uint64_t each) { return each % 3; });
    for (const bool among_types : {false, true})
        checks::run_sites({1, 2}, [&](SiteComm& comm) {
            const auto in_a_box = [&](std::shared_ptr<ParticleSet> own) {
                auto sim = simulation_on(comm, std::move(own), [] { return std::vector<std::shared_ptr<Force>>(); });
                sim->set_individual_steps(0.005);
                std::unique_ptr<Force> force = tree_mesh_gravity(epsilon, 1, {.accuracy = 1e-3});
                if (among_types) force = std::make_unique<AmongTypes>(std::move(force), std::vector<double>{1, 2});
                sim->add_force(std::move(force));
                return sim;
            };
            const auto whole = in_a_box(all_on_first(comm, start));
            whole->run_steps(3);
            const auto kept = copy_of(whole->particles());
            const DomainState domains = whole->domain_state();
            const double time = whole->time();
            whole->run_steps(2);
            const auto resumed = in_a_box(kept);
            resumed->resume(time, 3, domains);
            resumed->run_steps(2);
            expect_same_bits(resumed->particles(), whole->particles());
            EXPECT_GT(std::ranges::max(resumed->particles()[rung]), 0);
        });
}

}  // namespace trellis::tree_mesh_on_sites_test
