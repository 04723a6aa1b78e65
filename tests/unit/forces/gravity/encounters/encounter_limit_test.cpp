#include "trellis/forces/gravity/encounters/encounter_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::encounter_limit_test {

using namespace fields;

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double G = 2;

// A sphere within the box, whose particles move, one of them far heavier than the others, and a close pair at a face.
ParticleSet moving(std::size_t count, std::uint64_t seed) {
    ParticleSet particles = models::plummer(count, seed);
    models::Random random(seed);
    for (Vec3<double>& x : particles[position])
        for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = std::clamp(x[axis], -2.9, 3.9);
    for (Vec3<double>& v : particles[velocity]) v = random.direction() * random.uniform(0, 1);
    particles[mass][count / 2] = 3;
    particles[position][0] = {3.9, 1, 1};
    particles[position][1] = {3.9, 1, 1.001};
    return particles;
}

Region box(int periodic_axes) {
    Region region;
    for (int axis = 0; axis < periodic_axes; ++axis) {
        region.low[static_cast<std::size_t>(axis)] = -3;
        region.high[static_cast<std::size_t>(axis)] = 4;
    }
    return region;
}

// The same particles, with softenings from 0 to 0.08.
ParticleSet softened_each(ParticleSet particles) {
    for (std::size_t row = 0; auto& e : particles.add(fields::softening)) e = 0.02 * static_cast<double>(row++ % 5);
    return particles;
}

// softening: of all particles; each has its own where particles have the field.
double softening_of_pair(const ParticleSet& particles, std::uint32_t i, std::uint32_t j, double softening) {
    if (!particles.has(SofteningLength::name)) return softening;
    const auto e = particles[fields::softening];
    return std::sqrt((e[i] * e[i] + e[j] * e[j]) / 2);
}

double s2_of(const Vec3<double>& d, double softening) { return dot(d, d) + softening * softening; }

// The rate of a pair, and the step for eta = 0.025 that it allows in its middle.
struct Pair {
    double rate, step;
};

Pair pair_of(const ParticleSet& particles, std::uint32_t i, std::uint32_t j, double length) {
    const Region& region = particles.region();
    const double softening = softening_of_pair(particles, i, j, length);
    Vec3<double> d = particles[position][j] - particles[position][i];
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis)) d[axis] -= 7 * std::round(d[axis] / 7);
    const Vec3<double> w = particles[velocity][j] - particles[velocity][i];
    const double masses = G * (particles[mass][i] + particles[mass][j]);
    const auto rate_after = [&](double time) {
        const Vec3<double> later = d + time * w, v = w - (time * masses / std::pow(s2_of(d, softening), 1.5)) * d;
        const double s2 = s2_of(later, softening);
        return std::max(std::sqrt(masses / std::pow(s2, 1.5)), std::sqrt(dot(v, v) / s2));
    };
    const double rate = rate_after(0), now = std::sqrt(2 * 0.025) / rate, h = 1e-6 * now;
    const double change = 0.5 * (rate / rate_after(h) - rate / rate_after(-h)) / h;
    return {rate, now / (1 - 0.5 * now * change)};
}

// The steps of rows among each other, by all of their pairs.
std::vector<double> steps_of_all_pairs(const ParticleSet& particles, std::span<const std::uint32_t> rows,
                                       double softening) {
    std::vector<double> steps(rows.size(), unlimited);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        Pair fastest{0, unlimited};
        for (const std::uint32_t j : rows) {
            if (j == rows[k]) continue;
            const Pair pair = pair_of(particles, rows[k], j, softening);
            if (pair.rate > fastest.rate) fastest = pair;
        }
        steps[k] = fastest.step;
    }
    return steps;
}

std::vector<std::uint32_t> every(std::uint32_t stride, const ParticleSet& particles) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < particles.size(); row += stride) rows.push_back(row);
    return rows;
}

std::vector<double> allowed(const ParticleSet& particles, std::span<const std::uint32_t> rows,
                            const GravitySoftening& softening, const std::shared_ptr<Comm>& comm = serial_comm(),
                            Space space = Space::at_rest, double time = 0) {
    std::vector<double> steps(rows.size(), unlimited);
    EncounterLimit(softening, G, 0.025, space).allowed_steps(particles, time, ActiveRows(rows), comm.get(), steps);
    return steps;
}

std::vector<double> allowed(const ParticleSet& particles, std::span<const std::uint32_t> rows, double softening,
                            const std::shared_ptr<Comm>& comm = serial_comm()) {
    return allowed(particles, rows, ComovingSoftening{.comoving = softening}, comm);
}

void expect_equal(std::span<const double> steps, std::span<const double> expected, double tolerance) {
    ASSERT_EQ(steps.size(), expected.size());
    for (std::size_t k = 0; k < steps.size(); ++k) EXPECT_NEAR(steps[k], expected[k], tolerance * expected[k]) << k;
}

class EncounterLimitIn : public testing::TestWithParam<int> {};  // the number of periodic axes

TEST_P(EncounterLimitIn, is_that_of_the_pair_that_changes_fastest) {
    ParticleSet particles = moving(700, 3);
    particles.set_region(box(GetParam()));
    for (const double softening : {0.0, 0.05})
        for (const std::uint32_t stride : {1U, 3U, 50U}) {
            const auto rows = every(stride, particles);
            expect_equal(allowed(particles, rows, softening), steps_of_all_pairs(particles, rows, softening), 1e-5);
        }
}

TEST_P(EncounterLimitIn, is_that_of_pairs_whose_softenings_differ) {
    ParticleSet particles = softened_each(moving(700, 4));
    particles.set_region(box(GetParam()));
    for (const std::uint32_t stride : {1U, 3U}) {
        const auto rows = every(stride, particles);
        const auto found = allowed(particles, rows, SofteningOfEach{});
        expect_equal(found, steps_of_all_pairs(particles, rows, 0), 1e-5);
        EXPECT_NE(found, allowed(particles, rows, 0.04));
    }
}

INSTANTIATE_TEST_SUITE_P(Spaces, EncounterLimitIn, testing::Values(0, 1, 3));

// Particles in physical coordinates.
ParticleSet physical(const ParticleSet& comoving, double a) {
    ParticleSet particles = softened_each(ParticleSet(comoving.size()));
    for (std::uint32_t row = 0; row < comoving.size(); ++row) {
        particles[mass][row] = comoving[mass][row];
        particles[position][row] = a * comoving[position][row];
        particles[velocity][row] = (1 / a) * comoving[velocity][row];
        particles[fields::softening][row] = a * comoving[fields::softening][row];
    }
    return particles;
}

// Steps by comoving coordinates are a^1.5 times shorter (Expansion::allowed).
TEST(EncounterLimit, is_that_of_physical_coordinates_in_expanding_space) {
    const double a = 0.3, longest = 0.015;
    const ParticleSet comoving = softened_each(moving(300, 6));
    ParticleSet now = physical(comoving, a);
    const auto rows = every(1, comoving);
    const auto in_comoving = [&](const GravitySoftening& softening) {
        auto steps = allowed(comoving, rows, softening, serial_comm(), Space::expanding, a);
        for (double& step : steps) step *= std::pow(a, 1.5);
        return steps;
    };
    expect_equal(in_comoving(SofteningOfEach{}), steps_of_all_pairs(now, rows, 0), 1e-5);
    for (double& e : now[fields::softening]) e = std::min(e, longest);
    expect_equal(in_comoving(SofteningOfEach{.by_type = {}, .max_physical = longest}), steps_of_all_pairs(now, rows, 0),
                 1e-5);
    for (double& e : now[fields::softening]) e = longest;
    expect_equal(in_comoving(ComovingSoftening{0.08, longest}), steps_of_all_pairs(now, rows, 0), 1e-5);
}

TEST(EncounterLimit, lowers_steps_that_others_have_limited_before) {
    const ParticleSet particles = moving(1000, 9);
    const auto rows = every(1, particles);
    for (const double eta : {0.001, 0.025, 0.4}) {
        const EncounterLimit limit(ComovingSoftening{.comoving = 0.01}, G, eta, Space::at_rest);
        std::vector<double> alone(rows.size(), unlimited), before(rows.size());
        limit.allowed_steps(particles, 0, ActiveRows(rows), serial_comm().get(), alone);
        models::Random random(2);
        for (std::size_t k = 0; k < rows.size(); ++k) before[k] = random.uniform(0.5, 1.5) * alone[k];
        auto steps = before;
        limit.allowed_steps(particles, 0, ActiveRows(rows), serial_comm().get(), steps);
        for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(steps[k], std::min(before[k], alone[k])) << k;
    }
}

TEST(EncounterLimit, knows_the_particles_of_other_ranks) {
    const ParticleSet all = softened_each(moving(1000, 5));
    const auto rows = every(1, all);
    const std::vector<double> alone = allowed(all, rows, SofteningOfEach{});
    for (const int ranks : {2, 3, 8}) {
        std::vector<double> together(all.size());
        run_ranks(ranks, [&](Comm& comm) {  // in slices along z, so that each has neighbours; the last one has none
            std::vector<std::uint32_t> own;
            const double width = 4.0 / (ranks - 1);
            for (const std::uint32_t row : rows) {
                const double slice = std::clamp((all[position][row].z + 2) / width, 0.0, ranks - 1.5);
                if (static_cast<int>(slice) == comm.rank()) own.push_back(row);
            }
            const auto steps = allowed(all, own, SofteningOfEach{}, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            for (std::size_t k = 0; k < own.size(); ++k) together[own[k]] = steps[k];
        });
        expect_equal(together, alone, 1e-13);
    }
}

TEST(EncounterLimit, has_the_same_bits_for_any_number_of_threads) {
    const ParticleSet particles = moving(2000, 7);
    const auto rows = every(1, particles);
    const auto one = with_threads(1, [&] { return allowed(particles, rows, 0.01); });
    EXPECT_EQ(one, with_threads(3, [&] { return allowed(particles, rows, 0.01); }));
}

TEST(EncounterLimit, is_a_share_of_a_circular_orbit) {
    ParticleSet pair(2);
    pair[mass][0] = pair[mass][1] = 0.5;
    pair[position][1] = {2, 0, 0};
    pair[velocity][1] = {0, std::sqrt(G / 2), 0};
    const double turn = 2 * std::acos(-1.0) * std::sqrt(8 / G);
    const std::vector<double> steps = allowed(pair, every(1, pair), 0);
    EXPECT_NEAR(turn / steps[0], 28.1, 0.1);
    EXPECT_EQ(steps[0], steps[1]);
}

TEST(EncounterLimit, limits_no_particle_alone_and_none_without_mass_at_rest) {
    ParticleSet particles(3);
    for (double& m : particles[mass]) m = 0;
    EXPECT_EQ(allowed(particles, std::vector<std::uint32_t>{1}, 0), std::vector<double>{unlimited});
    EXPECT_EQ(allowed(particles, {}, 0), std::vector<double>{});
    EXPECT_EQ(allowed(particles, every(1, particles), 0), std::vector<double>(3, unlimited));
}

TEST(EncounterLimit, allows_steps_above_0_whatever_eta_is) {
    ParticleSet pair(2);
    pair[mass][0] = pair[mass][1] = 1;
    pair[position][1] = {1, 0, 0};
    pair[velocity][1] = {3, 0, 0};
    for (const double eta : {1e-3, 0.25, 1.0, 10.0}) {
        std::vector<double> steps(2, unlimited);
        EncounterLimit({}, G, eta, Space::at_rest).allowed_steps(pair, 0, {}, nullptr, steps);
        EXPECT_GT(steps[0], std::sqrt(2 * 0.025) / 3);
        EXPECT_LE(steps[0], 4 * std::sqrt(2 * 0.025) / 3);
    }
}

TEST(EncounterLimit, allows_no_step_at_one_place_without_a_softening) {
    ParticleSet pair(2);
    pair[mass][0] = 1;
    EXPECT_EQ(allowed(pair, every(1, pair), 0), std::vector<double>(2, 0.0));
}

}  // namespace trellis::encounter_limit_test
