// Excluded pairs of charges: what they take back, against sums written here, on ranks, with charges of other ranks.
#include "trellis/forces/tree_mesh/excluded_charges.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/forces/bonded/virial_tensor.hpp"
#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::excluded_charges_test {

using namespace fields;

constexpr std::size_t count = 300;
constexpr double softening = 0.1, coupling = 3;

// Pairs of particles that are far from each other in memory, one of them twice.
std::vector<ExcludedPair> pairs() {
    std::vector<ExcludedPair> all;
    for (std::uint64_t k = 0; k < count; ++k) all.push_back({k, (k + 101) % count, 0.25 * static_cast<double>(k % 3)});
    all.push_back({101, 0, 0});
    return all;
}

std::shared_ptr<ParticleSet> charges() {
    auto particles = scattered(count, cube, 0.2);
    particles->add(charge);
    for (std::size_t row = 0; row < count; ++row) {
        (*particles)[charge][row] = std::sin(static_cast<double>(row));
        (*particles)[mass][row] *= 1000;  // the particles hardly move
    }
    return particles;
}

const MakeForces forces = [] {
    return std::vector<std::shared_ptr<Force>>{std::make_shared<ExcludedCharges>(pairs(), softening, coupling)};
};

class ExcludedChargesOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, ExcludedChargesOnRanks, testing::Values(1, 2, 5));

TEST_P(ExcludedChargesOnRanks, take_back_the_energy_of_their_pairs) {
    const auto end = run_on_ranks(GetParam(), *charges(), forces, 3);
    std::vector<Vec3<double>> accelerations(count);
    std::vector<double> energies(count);
    double exact[3][3] = {};
    const NearestImage nearest(end->region());
    const auto all = pairs();
    for (std::size_t k = 0; k < count; ++k) {  // rows are in the order of ids
        const auto [one, other, factor] = all[k];
        const Vec3<double> d = nearest.of((*end)[position][one] - (*end)[position][other]);
        const double r2 = dot(d, d) + softening * softening;
        const double energy = (factor - 1) * coupling * (*end)[charge][one] * (*end)[charge][other] / std::sqrt(r2);
        accelerations[one] += d * (energy / r2 / (*end)[mass][one]);
        accelerations[other] += d * (-energy / r2 / (*end)[mass][other]);
        energies[one] += energy;
        energies[other] += energy;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) exact[a][b] += energy / r2 * d[a] * d[b];
    }
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR((*end)[acceleration][row][axis], accelerations[row][axis], 1e-13);
        EXPECT_NEAR((*end)[potential][row] * (*end)[mass][row], energies[row], 1e-12);
    }
    run_on_ranks(GetParam(), *end, forces, 0, [&](Simulation& sim) {
        EXPECT_LT(sim.force_error(50, 1).maximum, 1e-13);
        const auto found = virial_tensor(sim.comm(), sim.particles(), excluded_charges(pairs(), softening, coupling));
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(found[a][b], exact[a][b], 1e-11);
    });
}

TEST(ExcludedCharges, read_the_charge) {
    const ExcludedCharges force(pairs(), softening, coupling);
    EXPECT_EQ(force.reads(), (std::vector<std::string>{"position", "mass", "id", "charge"}));
    EXPECT_EQ(message_of([] { ExcludedCharges(std::vector<ExcludedPair>{{1, 1, 0}}, 0, 1); }),
              "exclude has the pair 1 and 1: allowed are two different particles");
}

}  // namespace trellis::excluded_charges_test
