// Steps that are far too long, and particles that are far away.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/error_message.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::exploding_test {

using namespace fields;

// Atoms on a cubic lattice in a periodic box.
std::shared_ptr<ParticleSet> lattice(std::size_t side, double spacing) {
    auto atoms = std::make_shared<ParticleSet>(side * side * side);
    for (std::size_t k = 0; k < atoms->size(); ++k) {
        (*atoms)[position][k] =
            spacing * Vec3<double>{static_cast<double>(k % side) + 0.5, static_cast<double>(k / side % side) + 0.5,
                                   static_cast<double>(k / side / side) + 0.5};
        (*atoms)[mass][k] = 1;
    }
    const double length = spacing * static_cast<double>(side);
    atoms->set_region({{0, 0, 0}, {length, length, length}});
    return atoms;
}

TEST(Exploding, atoms_that_overlap_end_with_a_sentence) {
    const auto atoms = lattice(4, 1.2);
    (*atoms)[position][5] = (*atoms)[position][6] + Vec3<double>{0.1, 0, 0};
    Simulation sim(atoms, 0.005);
    sim.add_force(lennard_jones(1, 1, 2));
    EXPECT_EQ(message_of<RunError>([&] { sim.step(); }),
              "the step of 0.005 at t = 0 is too long: the acceleration of the particle of id 6 at (3, 1.8, 0.6) "
              "would move it by 1.2e+10 in it, more than half the 2 within which particles interact; its nearest "
              "neighbour, of id 5, is 0.1 away: shorter steps may help, or a beginning in which no particles overlap");
    EXPECT_EQ(sim.step_count(), 0U);
    EXPECT_EQ(kinetic_energy(*atoms), 0);
}

TEST(Exploding, steps_that_are_too_long_end_before_velocities_are_huge) {
    const auto atoms = lattice(5, 1.2);
    models::Random random(1);
    for (auto& v : (*atoms)[velocity]) v = random.direction();
    Simulation sim(atoms, 0.1);
    sim.add_force(lennard_jones(1, 1, 2.5, Truncation::force_shifted));
    EXPECT_THROW(sim.run_steps(1000), RunError);
    EXPECT_LT(kinetic_energy(*atoms), 1e6);
    const std::uint64_t steps = sim.step_count();
    EXPECT_THROW(sim.step(), RunError);
    EXPECT_EQ(sim.step_count(), steps);
}

// An atom that is fast, and not accelerated, is no explosion; its place is known up to rounding.
TEST(Exploding, lists_have_no_images_of_a_box_that_a_particle_has_left) {
    for (const Lists lists : {Lists::reuse, Lists::rebuild})
        for (const int ranks : {1, 2}) {
            const auto start = lattice(6, 1.2);
            (*start)[velocity][0] = {7.2 * 300 / 0.01, 7.2 * 300 / 0.01, 7.2 * 300 / 0.01};
            const auto forces = [&] {
                return std::vector<std::shared_ptr<Force>>{
                    lennard_jones(1e-12, 1, 2, Truncation::force_shifted, {.lists = lists})};
            };
            const auto end = run_on_ranks(ranks, *start, forces, 5, [&](Simulation& sim) {
                const auto& force = dynamic_cast<const ShortRangeForce&>(*sim.forces()[0]);
                EXPECT_LE(force.neighbourhood().lists().images(), 125U);
            });
            const Vec3<double> place = end->region().wrapped((*end)[position][0]);
            EXPECT_NEAR(place.x, 0.6, 1e-6);
        }
}

TEST(Exploding, periodic_gravity_brings_a_fast_particle_back) {
    const auto start = lattice(4, 0.25);
    (*start)[velocity][3] = {40, 0, 0};  // 0.4 of the box in each step
    const auto end = [&](Lists lists) {
        const auto particles = copy_of(*start);
        Simulation sim(particles, 0.01);
        sim.add_force(gravity(0.02, 1e-6, {.accuracy = 1e-3, .lists = lists, .reuse_steps = 8}));
        sim.run_steps(12);
        return particles->region().wrapped((*particles)[position][3]);
    };
    EXPECT_NEAR(end(Lists::reuse).x, end(Lists::rebuild).x, 1e-9);
}

}  // namespace trellis::exploding_test
