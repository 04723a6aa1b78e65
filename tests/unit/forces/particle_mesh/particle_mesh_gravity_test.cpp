#include "trellis/forces/particle_mesh/particle_mesh_gravity.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/with_threads.hpp"

namespace trellis::particle_mesh_gravity_test {

using namespace fields;

constexpr std::size_t along = 16, number = along * along * along;
constexpr double softening = 1.0 / along / 30;

// Of mass 1 together, in a box of these sides; half of them, if clustered, in clumps.
ParticleSet scattered(const Vec3<double>& side, bool clustered) {
    ParticleSet particles(number);
    particles.set_region({{0, 0, 0}, side});
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> share(0, 1);
    std::normal_distribution<double> normal;
    std::array<Vec3<double>, 4> clumps{};
    for (auto& clump : clumps) clump = {share(random) * side.x, share(random) * side.y, share(random) * side.z};
    for (std::size_t k = 0; k < number; ++k) {
        Vec3<double>& place = particles[position][k];
        place = {share(random) * side.x, share(random) * side.y, share(random) * side.z};
        if (clustered && k % 2 == 0)
            place = clumps[k / 2 % 4] + 0.04 * Vec3<double>{normal(random), normal(random), normal(random)};
        particles[mass][k] = 1.0 / number;
    }
    particles.wrap_positions();
    return particles;
}

// A lattice displaced by a twentieth of its spacing: net forces are small against those between neighbours.
ParticleSet displaced_lattice() {
    ParticleSet particles = scattered({1, 1, 1}, false);
    std::mt19937_64 random(2);
    std::normal_distribution<double> shift(0, 0.05);
    for (std::size_t k = 0; k < number; ++k) {
        const std::array<std::size_t, 3> node{k / (along * along), k / along % along, k % along};
        for (std::size_t axis = 0; axis < 3; ++axis)
            particles[position][k][axis] = (static_cast<double>(node[axis]) + 0.5 + shift(random)) / along;
    }
    return particles;
}

ParticleSet with_forces(ParticleSet start, Force& force) {
    force.attach(start, 0);
    Phases phases;
    force.dispatch(start, {}, phases);
    force.retrieve(start, phases);
    return start;
}

ParticleSet with_forces(ParticleSet start, const ParticleMeshSettings& settings) {
    return with_forces(std::move(start), *particle_mesh_gravity(softening, 2, settings));
}

using Exact = std::vector<std::array<double, 4>>;
constexpr std::uint32_t probe_step = 199;

// Acceleration and potential of some of the particles by the lattice sum.
Exact lattice_sums(ParticleSet start) {
    const auto force = particle_mesh_gravity(softening, 2, {.cells = along});
    Exact exact;
    for (std::uint32_t row = 0; row < number; row += probe_step)
        force->reference(start, start, row, row, exact.emplace_back().data());
    return exact;
}

// RMS error of the accelerations over their RMS, and that of the potentials.
std::pair<double, double> errors(ParticleSet start, const Exact& exact, const ParticleMeshSettings& settings) {
    const ParticleSet found = with_forces(std::move(start), settings);
    std::array<double, 4> error{}, size{};
    for (std::size_t probe = 0; probe < exact.size(); ++probe) {
        const Vec3<double> a = found[acceleration][probe * probe_step];
        const std::array<double, 4> values{a.x, a.y, a.z, found[potential][probe * probe_step]};
        for (std::size_t c = 0; c < 4; ++c) {
            error[c] += (values[c] - exact[probe][c]) * (values[c] - exact[probe][c]);
            size[c] += exact[probe][c] * exact[probe][c];
        }
    }
    return {std::sqrt((error[0] + error[1] + error[2]) / (size[0] + size[1] + size[2])), std::sqrt(error[3] / size[3])};
}

TEST(ParticleMeshGravity, errors_are_below_the_accuracy_asked_for) {
    for (const auto start : {+[] { return scattered({1, 1, 1}, false); }, +[] { return scattered({1, 1, 1}, true); },
                             +[] { return displaced_lattice(); }}) {
        const Exact exact = lattice_sums(start());
        for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
            const auto [of_forces, of_potentials] = errors(start(), exact, particle_mesh_settings(accuracy, along));
            EXPECT_LT(of_forces, accuracy);
            EXPECT_GT(of_forces, accuracy / 30);  // else pairs reach farther than they need to
            EXPECT_LT(of_potentials, 0.01);
        }
    }
}

TEST(ParticleMeshGravity, serves_both_splits_all_orders_and_boxes_that_are_not_cubes) {
    const auto box = [] { return scattered({1, 0.75, 1.25}, true); };
    const Exact exact = lattice_sums(box());
    for (const MeshGradient gradient : {MeshGradient::differences, MeshGradient::spectral})
        for (const int order : {2, 3, 4}) {
            ParticleMeshSettings settings{.cells = 20, .split_length = 5, .cutoff = 5};
            settings.order = order;
            settings.gradient = gradient;
            EXPECT_LT(errors(box(), exact, settings).first, order == 2 ? 1.5e-2 : 6e-3);
            settings.split = SplitShape::gaussian;
            settings.split_length = 1;
            EXPECT_LT(errors(box(), exact, settings).first, order == 2 ? 1.5e-2 : 6e-3);
        }
}

// With the whole by a lattice sum, and the mesh's part by one less the short-range part, both references agree.
TEST(ParticleMeshGravity, mesh_alone_agrees_with_its_own_reference) {
    for (const Split split : {Split{SplitShape::gaussian, 1.5 / 16}, Split{SplitShape::s2, 7.0 / 16}}) {
        MeshForce force({.coupling = -2, .split = split, .mesh = {{16, 16, 16}, 4, MeshGradient::spectral}});
        const ParticleSet particles = with_forces(scattered({1, 1, 1}, false), force);
        for (const std::uint32_t row : {0U, 77U, 2000U}) {
            std::array<double, 4> exact{};
            force.reference(particles, particles, row, row, exact.data());
            const Vec3<double> a = particles[acceleration][row];
            const double size = std::sqrt(exact[0] * exact[0] + exact[1] * exact[1] + exact[2] * exact[2]);
            for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a[c], exact[c], 1e-3 * size);
            EXPECT_NEAR(particles[potential][row], exact[3], 2e-3 * std::abs(exact[3]));
        }
    }
}

TEST(ParticleMeshGravity, conserves_momentum_and_leaves_a_lattice_at_rest) {
    const auto total = [](const ParticleSet& particles) {
        Vec3<double> sum{};
        double size = 0;
        for (std::size_t k = 0; k < number; ++k) {
            sum += particles[acceleration][k];
            size += std::sqrt(dot(particles[acceleration][k], particles[acceleration][k]));
        }
        return std::pair{std::sqrt(dot(sum, sum)), size};
    };
    const auto [sum, size] = total(with_forces(scattered({1, 1, 1}, true), particle_mesh_settings(1e-3, along)));
    EXPECT_LT(sum, 2e-6 * size);
    ParticleSet lattice = displaced_lattice();
    for (Vec3<double>& place : lattice[position])
        for (std::size_t axis = 0; axis < 3; ++axis) place[axis] = (std::floor(place[axis] * along) + 0.5) / along;
    const double between_neighbours = 2.0 / number * along * along;
    EXPECT_LT(total(with_forces(std::move(lattice), particle_mesh_settings(1e-3, along))).second / number,
              1e-5 * between_neighbours);
}

TEST(ParticleMeshGravity, is_the_same_on_any_number_of_ranks_and_threads) {
    const ParticleMeshSettings settings = particle_mesh_settings(1e-3, along);
    const auto forces = [&] { return with_forces(scattered({1, 1, 1}, true), settings); };
    const ParticleSet alone = with_threads(1, forces), on_threads = with_threads(3, forces);
    for (std::size_t k = 0; k < number; ++k) EXPECT_EQ(on_threads[acceleration][k], alone[acceleration][k]);
    double rms = 0;
    for (const Vec3<double>& a : alone[acceleration]) rms += dot(a, a) / number;
    for (const int ranks : {2, 3, 4})
        run_ranks(ranks, [&](Comm& comm) {
            const Multisection cuts = cut_of(alone, comm.size());
            const auto own = std::make_shared<ParticleSet>(share_of(alone, cuts, comm.rank()));
            own->set_region(alone.region());
            Simulation sim(own, 1e-6, {&comm, [](Comm*) {}});
            sim.add_force(particle_mesh_gravity(softening, 2, settings));
            sim.compute_forces();
            double error = 0;
            for (std::size_t k = 0; k < own->size(); ++k) {
                const Vec3<double> d = (*own)[acceleration][k] - alone[acceleration][(*own)[id][k]];
                error = std::max(error, dot(d, d));
            }
            EXPECT_LT(std::sqrt(error / rms), 2e-5);
        });
}

TEST(ParticleMeshGravity, refuses_what_it_cannot_do) {
    ParticleSet open(10), flat(10);
    flat.set_region({{0, 0, 0}, {1, 1, 0.1}});
    EXPECT_THROW(particle_mesh_gravity(0.1, 1, {.cells = 16})->attach(open, 0), InputError);
    EXPECT_THROW(particle_mesh_gravity(0.1, 1, {.cells = 32})->attach(flat, 0), InputError);
    EXPECT_THROW(particle_mesh_settings(1e-5, 16), InputError);
    ParticleMeshSettings beyond{.cells = 64};
    beyond.cutoff = 5;  // S2 of a diameter of 4 cells has nothing there
    flat.set_region({{0, 0, 0}, {1, 1, 1}});
    EXPECT_THROW(particle_mesh_gravity(0.1, 1, beyond)->attach(flat, 0), InputError);
}

}  // namespace trellis::particle_mesh_gravity_test
