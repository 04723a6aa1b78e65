// Coulomb's force by a mesh and a tree, compared with Ewald's sum.
#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::tree_mesh_coulomb_test {

using namespace fields;

constexpr std::size_t along = 12;

// Charges between -1 and 1 or, of one sign, between 0.5 and 1; masses of electrons and of ions.
ParticleSet charged(const std::string& model, bool mixed, std::size_t side = along) {
    ParticleSet particles = in_box(model, side);
    models::Random random(6);
    for (double& m : particles[mass]) m = random.uniform(0, 1) < 0.5 ? 1e-3 : 1;
    for (double& q : particles.add(charge)) q = random.uniform(mixed ? -1 : 0.5, 1);
    return particles;
}

MakeForces by_tree_and_mesh(const ForceSettings& settings) {
    return [=] { return std::vector<std::shared_ptr<Force>>{tree_mesh_coulomb(0.002, 3, settings)}; };
}

// The error of the fields over their root mean square: light particles would hide what heavy ones feel.
double error_of_fields(const ParticleSet& particles) {
    const auto force = tree_mesh_coulomb(0.002, 3);
    double wrong = 0, size = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += 29) {
        const double per_field = particles[mass][row] / particles[charge][row];
        const Vec3<double> exact = per_field * exact_force(*force, particles, row).acceleration;
        const Vec3<double> difference = per_field * particles[acceleration][row] - exact;
        wrong += dot(difference, difference);
        size += dot(exact, exact);
    }
    return std::sqrt(wrong / size);
}

class TreeMeshCoulomb : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(charges, TreeMeshCoulomb, testing::Bool(),
                         [](const auto& of) { return of.param ? "mixed" : "of_one_sign"; });

TEST_P(TreeMeshCoulomb, is_as_accurate_as_asked_for_over_the_net_field) {
    for (const char* model : {"random", "clustered"})
        for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
            const auto end = run_on_ranks(1, charged(model, GetParam()), by_tree_and_mesh({.accuracy = accuracy}), 0);
            EXPECT_LT(error_of_fields(*end), accuracy) << model << accuracy;
        }
}

TEST_P(TreeMeshCoulomb, on_any_number_of_ranks_is_that_of_Ewald) {
    for (const int ranks : {2, 3}) {
        const auto end = run_on_ranks(ranks, charged("random", GetParam()), by_tree_and_mesh({}), 0);
        EXPECT_LT(error_of_fields(*end), 1e-3) << ranks;
    }
}

TEST(TreeMeshCoulombOf, potentials_are_those_of_Ewald) {
    const auto end = run_on_ranks(1, charged("random", true), by_tree_and_mesh({}), 0);
    const auto force = tree_mesh_coulomb(0.002, 3);
    double wrong = 0, size = 0;
    for (std::uint32_t row = 0; row < end->size(); row += 29) {
        const double energy = (*end)[mass][row] * exact_force(*force, *end, row).potential;
        wrong += std::pow((*end)[mass][row] * (*end)[potential][row] - energy, 2);
        size += energy * energy;
    }
    EXPECT_LT(std::sqrt(wrong / size), 5e-3);
}

// Ions at distance 1, four along each side.
ParticleSet rock_salt() {
    ParticleSet ions(64);
    ions.set_region({{0, 0, 0}, {4, 4, 4}});
    const auto charges = ions.add(charge);
    for (std::size_t row = 0; row < ions.size(); ++row) {
        const std::size_t x = row % 4, y = row / 4 % 4, z = row / 16;
        ions[position][row] = {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        ions[mass][row] = 2;
        charges[row] = (x + y + z) % 2 == 0 ? 1 : -1;
    }
    return ions;
}

// Energies per mass of the ions, times it: at an accuracy, and by a finer mesh in double precision.
TEST(TreeMeshCoulombOf, rock_salt_has_the_Madelung_constant) {
    constexpr double constant = -1.7475645946332;
    const auto check = [](const ForceSettings& settings, const TreeMeshSettings& mesh, double error) {
        ParticleSet ions = rock_salt();
        compute(*tree_mesh_coulomb(0, 1, settings, mesh), ions);
        for (std::size_t row = 0; row < ions.size(); ++row) {
            EXPECT_NEAR(2 * ions[potential][row] / constant, 1, error);
            EXPECT_LT(norm(ions[acceleration][row]), error);
        }
    };
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) check({.accuracy = accuracy}, {}, accuracy);
    check({.accuracy = 1e-6, .precision = Precision::double_}, {.cells = 48, .cutoff = 20}, 1e-5);
}

TEST(TreeMeshCoulombOf, neutral_particles_feel_nothing_and_do_not_act) {
    ParticleSet ions = rock_salt();
    for (std::size_t row = 0; row < ions.size(); row += 2) ions[charge][row] = 0;
    compute(*tree_mesh_coulomb(0), ions);
    for (std::size_t row = 0; row < ions.size(); row += 2) EXPECT_EQ(norm(ions[acceleration][row]), 0);
    const auto others = copy_of(ions);
    for (std::size_t row = 0; row < ions.size(); row += 2) (*others)[mass][row] = 1e6;
    compute(*tree_mesh_coulomb(0), *others);
    for (std::size_t row = 1; row < ions.size(); row += 2)
        EXPECT_EQ((*others)[acceleration][row], ions[acceleration][row]);
}

TEST(TreeMeshCoulombOf, what_it_cannot_do_is_refused) {
    ParticleSet uncharged = in_box("random", 4);
    EXPECT_EQ(message_of([&] { tree_mesh_coulomb(0)->attach(uncharged, 0); }),
              "the particles have no field 'charge': they have position, velocity, mass, id, acceleration, potential");
    ParticleSet in_the_open = charged("random", true, 4);
    in_the_open.set_region({});
    EXPECT_EQ(message_of([&] { tree_mesh_coulomb(0)->attach(in_the_open, 0); }),
              "a force with a mesh needs a box that is periodic along all axes: along x space is open");
    EXPECT_EQ(message_of([] { tree_mesh_coulomb(0, 0); }), "coupling is 0: allowed are finite numbers other than 0");
    EXPECT_EQ(message_of([] { tree_mesh_coulomb(-1); }), "softening is -1: allowed is 0 or more");
}

}  // namespace trellis::tree_mesh_coulomb_test
