// Forces over given tuples, by functions written by hand: sums, images, ranks, threads, and what is refused.
#include "trellis/forces/bonded/bonded_force.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "trellis/forces/bonded/virial_tensor.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::bonded_force_test {

using namespace fields;

// k / 2 |a - b|^2 for the steps a, b of a triple; k: the value of each tuple, times a parameter.
void straight(const double* parameters, const double* tuple, double* outcome, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) {
        const auto at = [&](std::size_t c) { return tuple[c * tuples_at_once + t]; };
        const double k = parameters[0] * at(6);
        double energy = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double d = at(axis) - at(3 + axis);
            energy += 0.5 * k * d * d;
            outcome[(1 + axis) * tuples_at_once + t] = k * d;
            outcome[(4 + axis) * tuples_at_once + t] = -k * d;
        }
        outcome[t] = energy;
    }
}

constexpr std::size_t count = 300;

// Triples of particles that are far from each other in memory.
TuplePotential of_triples() {
    std::vector<std::uint64_t> members;
    auto function = std::make_shared<TupleFunction>();
    *function = {"straight", straight, {2.0}, 1, {}};
    for (std::uint64_t k = 0; k + 1 < count; ++k) {
        members.insert(members.end(), {k, (k + 101) % count, (k + 17) % count});
        function->of_each_tuple.push_back(1 + static_cast<double>(k % 5));
    }
    return {std::make_shared<TupleList>(std::move(members), 3), std::move(function)};
}

std::unique_ptr<BondedForce> triples() { return std::make_unique<BondedForce>(of_triples()); }

const MakeForces forces = [] { return std::vector<std::shared_ptr<Force>>{triples()}; };

void expect_reference(const ParticleSet& particles) {
    const auto force = triples();
    for (std::uint32_t row = 0; row < particles.size(); ++row) {
        std::vector<double> exact(components_of(force->results()));
        force->reference(particles, particles, row, row, 0, exact.data());
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_NEAR(particles[acceleration][row][c], exact[c], 1e-12 * (1 + std::abs(exact[c])));
        EXPECT_NEAR(particles[potential][row], exact[3], 1e-12 * exact[3]);
        EXPECT_NEAR(particles[virial][row], exact[4], 1e-12 * std::abs(exact[4]));
    }
}

double energy_of(const ParticleSet& particles) {
    double energy = 0;
    for (std::size_t row = 0; row < particles.size(); ++row)
        energy += 0.5 * particles[mass][row] * particles[potential][row];
    return energy;
}

class BondedOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, BondedOnRanks, testing::Range(1, 6));

TEST_P(BondedOnRanks, is_the_sum_over_tuples_wherever_their_members_are) {
    for (const Region& region : {Region{}, slab(), cube}) {
        const auto start = scattered(count, region, 0.2);
        for (auto& m : (*start)[mass]) m *= 1000;  // the particles hardly move
        const auto alone = run_on_ranks(1, *start, forces, 3);
        expect_reference(*alone);
        const auto end = run_on_ranks(GetParam(), *start, forces, 3);
        expect_reference(*end);
        for (std::size_t row = 0; row < count; ++row)
            EXPECT_EQ((*end)[acceleration][row].x, (*alone)[acceleration][row].x);
    }
}

TEST_P(BondedOnRanks, is_compared_with_direct_summation_on_ranks) {
    run_on_ranks(GetParam(), *scattered(count, cube, 0.2), forces, 0,
                 [](Simulation& sim) { EXPECT_LT(sim.force_error(50, 1).maximum, 1e-13); });
}

// The energy k / 2 |d|^2, d = a - b, has the tensor -k d d.
TEST_P(BondedOnRanks, has_a_virial_tensor) {
    const auto start = scattered(count, cube, 0.2);
    const NearestImage nearest(start->region());
    const TuplePotential potential = of_triples();
    double exact[3][3] = {};
    for (std::size_t t = 0; t < potential.tuples->size(); ++t) {
        const auto ids = potential.tuples->ids();
        const auto numbers = potential.tuples->tuple(t);
        const auto at = [&](std::size_t m) { return (*start)[position][ids[numbers[m]]]; };
        const Vec3<double> d = nearest.of(at(1) - at(0)) - nearest.of(at(2) - at(1));
        const double k = 2 * potential.function->of_each_tuple[t];
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) exact[a][b] -= k * d[a] * d[b];
    }
    run_on_ranks(GetParam(), *start, forces, 0, [&](Simulation& sim) {
        const auto found = virial_tensor(sim.comm(), sim.particles(), potential);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(found[a][b], exact[a][b], 1e-12 * std::abs(exact[a][a]));
    });
}

TEST(BondedForce, has_the_gradient_of_its_energy_and_no_net_force) {
    const auto start = scattered(count, cube, 0.2);
    const auto energy_with = [&](std::uint32_t row, std::size_t axis, double shift) {
        const auto moved = copy_of(*start);
        (*moved)[position][row][axis] += shift;
        return energy_of(*run_on_ranks(1, *moved, forces, 0));
    };
    const auto here = run_on_ranks(1, *start, forces, 0);
    for (const std::uint32_t row : {0U, 1U, 200U, 299U})
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double slope = (energy_with(row, axis, 1e-5) - energy_with(row, axis, -1e-5)) / 2e-5;
            EXPECT_NEAR((*here)[acceleration][row][axis] * (*here)[mass][row], -slope, 1e-5);
        }
    Vec3<double> total{0, 0, 0};
    for (std::size_t row = 0; row < count; ++row) total += (*here)[acceleration][row] * (*here)[mass][row];
    EXPECT_LT(std::sqrt(dot(total, total)), 1e-11);
}

TEST(BondedForce, has_the_same_bits_for_any_number_of_threads) {
    const auto of_threads = [](int threads) {
        return with_threads(threads, [] {
            const auto particles = scattered(count, cube, 0.2);
            Simulation sim(particles, 0.01);
            sim.add_force(triples());
            for (int k = 0; k < 5; ++k) sim.step();
            std::vector<double> values;
            for (std::size_t row = 0; row < count; ++row) values.push_back((*particles)[position][row].y);
            return values;
        });
    };
    EXPECT_EQ(of_threads(1), of_threads(4));
}

TEST(BondedForce, refuses_a_mass_of_a_member_that_is_not_above_0) {
    const auto particles = scattered(count, {}, 0.2);
    (*particles)[mass][3] = 0;
    Simulation sim(particles, 0.01);
    sim.add_force(triples());
    EXPECT_EQ(message_of([&] { sim.compute_forces(); }),
              "the mass of particle 3 is 0, but it is in triples of straight: allowed is above 0");
}

TEST(BondedForce, names_a_tuple_whose_energy_is_not_finite) {
    const TuplePotential potential = of_triples();
    const auto function = std::make_shared<TupleFunction>(*potential.function);
    function->of_each_tuple[130] = std::numeric_limits<double>::infinity();
    Simulation sim(scattered(count, cube, 0.2), 0.01);
    sim.add_force(std::make_shared<BondedForce>(TuplePotential{potential.tuples, function}));
    EXPECT_EQ(
        message_of([&] { sim.compute_forces(); }),
        "the potential straight is not finite where the members of row 130 of triples, the particles 130, 231 and "
        "147, are");
}

TEST(NearestImage, is_at_most_half_a_side_away) {
    const NearestImage nearest(Vec3<double>{2, 0.7, 0});
    for (double step = -3; step <= 3; step += 0.01) {
        const Vec3<double> d = nearest.of({step, step, step});
        EXPECT_EQ(d.x, step - 2 * std::rint(step / 2));
        EXPECT_LE(std::abs(d.y), 0.35 * (1 + 1e-15));
        EXPECT_NEAR(std::remainder(d.y - step, 0.7), 0, 1e-14);
        EXPECT_EQ(d.z, step);
    }
}

}  // namespace trellis::bonded_force_test
