// Gravity whose particles differ in their softenings, on every path against direct summation.
#include "trellis/forces/gravity/gravity_between_softenings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::gravity_between_softenings_test {

using namespace fields;

// Particles with one of two softenings: at random, or the small one in a ball about a place off the centre.
ParticleSet mixed(ParticleSet particles, double small, double large, bool in_a_ball) {
    particles.add(fields::softening);
    models::Random random(5);
    const Vec3<double> centre{0.3, 0.1, -0.2};
    for (std::size_t row = 0; row < particles.size(); ++row) {
        const bool is_small = in_a_ball ? norm(particles[position][row] - centre) < 0.4 : random.uniform(0, 1) < 0.5;
        particles[fields::softening][row] = is_small ? small : large;
    }
    return particles;
}

struct Path {
    const char* name;
    ForceSettings settings;
    friend void PrintTo(const Path& path, std::ostream* out) { *out << path.name; }
};
const Path paths[] = {{"fmm", {.method = Method::fmm}},
                      {"fmm3_double", {.method = Method::fmm, .order = 3, .precision = Precision::double_}},
                      {"tree1", {.method = Method::tree, .order = 1}},
                      {"tree2", {.method = Method::tree, .order = 2}}};

class Softenings : public testing::TestWithParam<Path> {
  protected:
    ForceSettings settings(double accuracy = 1e-3) const {
        ForceSettings all = GetParam().settings;
        all.accuracy = accuracy;
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(paths, Softenings, testing::ValuesIn(paths), testing::PrintToStringParamName());

// The mean distance between the particles of the sphere is 0.09 in its middle.
TEST_P(Softenings, have_the_accuracy_asked_for) {
    for (const double large : {0.02, 0.1, 0.5})
        for (const bool in_a_ball : {false, true})
            for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
                SCOPED_TRACE(testing::Message() << "up to " << large << (in_a_ball ? " in a ball" : " at random")
                                                << ", accuracy " << accuracy);
                const auto force = gravity(SofteningOfEach{}, 1, settings(accuracy));
                const Errors errors =
                    computed_errors(*force, mixed(models::plummer(4000, 1), large / 10, large, in_a_ball));
                EXPECT_LT(errors.acceleration, 1.5 * accuracy);
                EXPECT_LT(errors.potential, 1.5 * accuracy);
            }
}

// Two clumps, each much smaller than its softenings: nearly all of the force is that of the other clump, whose cells
// are all wrong in the same direction.
TEST_P(Softenings, of_two_clumps_have_the_accuracy_asked_for) {
    models::Random positions(11);
    ParticleSet clumps = models::particles_at(600, 1, [&](std::size_t row) {
        return Vec3<double>{row % 2 == 0 ? -0.5 : 0.5, 0, 0} + positions.uniform(0, 1e-3) * positions.direction();
    });
    const auto force = gravity(SofteningOfEach{}, 1, settings(1e-3));
    EXPECT_LT(computed_errors(*force, mixed(std::move(clumps), 0.3, 0.5, false)).acceleration, 1e-3);
}

TEST_P(Softenings, by_an_angle_have_about_the_errors_of_one) {
    ForceSettings by_angle = GetParam().settings;
    by_angle.theta = 0.5;
    for (const bool in_a_ball : {false, true}) {
        const auto one = gravity(0.02, 1, by_angle), each = gravity(SofteningOfEach{}, 1, by_angle);
        const double expected = computed_errors(*one, models::plummer(4000, 1)).acceleration;
        EXPECT_LT(computed_errors(*each, mixed(models::plummer(4000, 1), 0.03, 0.3, in_a_ball)).acceleration,
                  1.5 * expected);
    }
}

TEST_P(Softenings, that_are_equal_give_the_lists_and_the_forces_of_one) {
    ParticleSet expected = models::plummer(3000, 1), found = mixed(models::plummer(3000, 1), 0.05, 0.05, false);
    const Work one = compute(*gravity(0.05, 1, settings()), expected);
    const Work each = compute(*gravity(SofteningOfEach{}, 1, settings()), found);
    EXPECT_EQ(each.pairs, one.pairs);
    EXPECT_EQ(each.expansions, one.expansions);
    for (std::size_t row = 0; row < found.size(); ++row)
        ASSERT_LT(norm(found[acceleration][row] - expected[acceleration][row]),
                  3e-6 * norm(expected[acceleration][row]));
}

TEST_P(Softenings, give_the_same_bits_with_any_number_of_threads) {
    const auto forces = [&](int threads) {
        return with_threads(threads, [&] {
            ParticleSet particles = mixed(models::plummer(3000, 1), 0.02, 0.2, false);
            compute(*gravity(SofteningOfEach{}, 1, settings()), particles);
            return std::vector(particles[acceleration].begin(), particles[acceleration].end());
        });
    };
    EXPECT_EQ(forces(1), forces(3));
}

TEST_P(Softenings, keep_the_accuracy_when_lists_are_reused) {
    ForceSettings reusing = settings();
    reusing.lists = Lists::reuse;
    const auto force = gravity(SofteningOfEach{}, 1, reusing);
    ParticleSet particles = mixed(models::plummer(3000, 1), 0.03, 0.3, true);
    compute(*force, particles);
    const std::vector<Vec3<double>> before(particles[acceleration].begin(), particles[acceleration].end());
    const auto again = [&] {
        for (const FieldInfo& field : force->results())
            std::fill_n(particles.column(field.name).values(), particles.size() * field.components, 0.0);
        Phases phases;
        force->dispatch(particles, {{}, true}, phases);
        force->retrieve(particles, phases);
    };
    again();
    EXPECT_TRUE(std::ranges::equal(particles[acceleration], before));
    models::Random random(7);
    for (auto& place : particles[position]) place = 0.99 * place + 1e-4 * random.direction();
    again();
    EXPECT_EQ(force->list_use().reuses, 2U);
    EXPECT_LT(errors_of(*force, particles).acceleration, 3e-3);
}

TEST(SofteningsOnDevice, have_the_forces_of_the_host) {
    const ForceSettings settings{.accuracy = 1e-3, .method = Method::tree, .order = 1};
    ParticleSet host = mixed(models::plummer(2000, 1), 0.02, 0.2, true);
    ParticleSet device = mixed(models::plummer(2000, 1), 0.02, 0.2, true);
    compute(*gravity(SofteningOfEach{}, 1, settings), host);
    compute(*gravity(SofteningOfEach{}, 1, settings, open_device("cpu")), device);
    for (std::size_t row = 0; row < host.size(); ++row)
        ASSERT_LT(norm(device[acceleration][row] - host[acceleration][row]), 1e-4 * norm(host[acceleration][row]));
}

TEST(SofteningsOfTwo, are_symmetric_in_both_particles) {
    ParticleSet particles(2);
    particles.add(fields::softening);
    particles[position][1] = {3, 0, 4};
    particles[mass][0] = 2;
    particles[mass][1] = 5;
    particles[fields::softening][0] = 12 * std::sqrt(2.0);
    compute(*gravity(SofteningOfEach{}, 10), particles);
    EXPECT_NEAR(particles[potential][0], -10 * 5 / 13.0, 1e-5);
    EXPECT_NEAR(particles[potential][1], -10 * 2 / 13.0, 1e-5);
    EXPECT_NEAR(particles[acceleration][0].x, 10 * 5 * 3 / 2197.0, 1e-6);
    EXPECT_NEAR(particles[acceleration][1].z, -10 * 2 * 4 / 2197.0, 1e-6);
}

TEST(SofteningsConserve, momentum_and_energy) {
    auto particles = std::make_shared<ParticleSet>(mixed(models::plummer(400, 2), 0.02, 0.4, false));
    models::Random random(3);
    for (auto& v : (*particles)[velocity]) v = 0.3 * random.direction();
    Simulation sim(particles, 1.0 / 512);
    sim.add_force(gravity(SofteningOfEach{}, 1, {.accuracy = 1e-5, .precision = Precision::double_}));
    sim.compute_forces();
    const double energy = kinetic_energy(*particles) + potential_energy(*particles);
    const Vec3<double> before = momentum(*particles);
    sim.run_steps(128);
    EXPECT_NEAR(kinetic_energy(*particles) + potential_energy(*particles), energy, 1e-5 * std::abs(energy));
    EXPECT_LT(norm(momentum(*particles) - before), 1e-6);
}

TEST(SofteningsByType, are_set_in_the_particles) {
    const auto of_types = [](std::vector<double> types, const SofteningOfEach& softening) {
        ParticleSet particles = models::plummer(types.size(), 1);
        std::ranges::copy(types, particles.add(particle_type).begin());
        gravity(softening)->attach(particles, 0);
        return std::vector(particles[fields::softening].begin(), particles[fields::softening].end());
    };
    const SofteningOfEach softening{{{"gas", 0.1}, {"halo", 0.5}}};
    EXPECT_EQ(of_types({0, 1, 1, 0}, softening), (std::vector{0.1, 0.5, 0.5, 0.1}));
    EXPECT_EQ(message_of([&] { of_types({0, 4}, softening); }),
              "the particle at index 1 is of type 4 (stars), for which gravity has no softening");
    EXPECT_EQ(message_of([&] { of_types({7}, softening); }),
              "the particle at index 0 is of type 7, for which gravity has no softening");
    EXPECT_EQ(message_of([] { gravity(SofteningOfEach{{{"gass", 0.1}}}); }),
              "softening has 'gass': the types are gas, halo, disk, bulge, stars and boundary");
    EXPECT_EQ(message_of([] { gravity(SofteningOfEach{{{"gas", -0.1}}}); }),
              "softening of gas is -0.1: allowed is 0 or more");
}

TEST(SofteningsThatAreWrong, are_named) {
    const auto message = [](ParticleSet particles, const SofteningOfEach& softening) {
        return message_of([&] { compute(*gravity(softening), particles); });
    };
    EXPECT_EQ(message(models::plummer(9, 1), {}),
              "gravity has the softening of each particle, but the particles have no field 'softening'");
    EXPECT_EQ(message(models::plummer(9, 1), {{{"gas", 1.0}}}),
              "gravity has a softening by type, but the particles have no field 'type'");
    ParticleSet negative = mixed(models::plummer(9, 1), 0.1, 0.1, false);
    negative[fields::softening][4] = -1;
    EXPECT_EQ(message(std::move(negative), {}), "column 'softening' is -1 at index 4: allowed is 0 or more");
    ParticleSet undefined = mixed(models::plummer(9, 1), 0.1, 0.1, false);
    undefined[fields::softening][5] = std::nan("");
    EXPECT_EQ(message(std::move(undefined), {}),
              "column 'softening' is not a number at index 5: only finite values are allowed");
}

TEST(SofteningsLimit, the_step_of_each_particle_that_has_one) {
    ParticleSet particles(3);
    particles.add(fields::softening);
    particles[acceleration][0] = {0, 3, 4};
    particles[acceleration][1] = {1, 0, 0};
    particles[acceleration][2] = {1e3, 0, 0};
    particles[fields::softening][0] = 0.5;
    particles[fields::softening][1] = 0.01;
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    const auto steps_of = [&](const ActiveRows& rows) {
        std::vector<double> steps(rows.count(particles.size()), unlimited);
        gravity(SofteningOfEach{})->allowed_steps(particles, 0, rows, nullptr, steps);
        return steps;
    };
    const double first = std::sqrt(2 * 0.025 / 10), second = std::sqrt(2 * 0.025 / 100);
    EXPECT_EQ(steps_of({}), (std::vector{first, second, unlimited}));
    EXPECT_EQ(steps_of(ActiveRows(std::vector<std::uint32_t>{1, 2})), (std::vector{second, unlimited}));
}

}  // namespace trellis::gravity_between_softenings_test
