// Steps of a gas before signals arrive, against all pairs.
#include "trellis/forces/sph/signal_arrival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "trellis/forces/sph/kernels/fields.hpp"
#include "unit/particle_models.hpp"

namespace trellis::signal_arrival_test {

using namespace fields;

constexpr std::size_t size = 500;

// Particles at random in a box; one of them is much faster than the others.
ParticleSet gas_with_a_hot_particle(bool periodic) {
    models::Random random(5);
    ParticleSet gas(size);
    for (const FieldInfo& field : {field_info<SmoothingLength>(), field_info<SignalSpeed>(), field_info<SignalStep>()})
        gas.add(field);
    if (periodic) gas.set_region({{0, 0, 0}, {1, 1, 1}});
    for (std::size_t row = 0; row < size; ++row) {
        gas[position][row] = random.in_cube();
        gas[velocity][row] = 0.1 * random.direction();
        gas[smoothing_length][row] = random.uniform(0.1, 0.15);
        gas[signal_speed][row] = row == 0 ? 1000 : random.uniform(0.5, 1.5);
        gas[signal_step][row] = 0.3 * gas[smoothing_length][row] / gas[signal_speed][row];
    }
    gas[position][0] = {0.05, 0.05, 0.05};
    return gas;
}

double distance(const ParticleSet& gas, std::size_t i, std::size_t j) {
    Vec3<double> apart = gas[position][i] - gas[position][j];
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (gas.region().periodic(axis)) apart[axis] = std::remainder(apart[axis], 1.0);
    return std::sqrt(dot(apart, apart));
}

// The limit of the header, over all pairs.
double exact_step(const ParticleSet& gas, std::size_t i) {
    double step = gas[signal_step][i];
    for (std::size_t j = 0; j < size; ++j) {
        const double h = std::max(gas[smoothing_length][i], gas[smoothing_length][j]);
        const Vec3<double> w = gas[velocity][i] - gas[velocity][j];
        const double speed = 0.5 * (gas[signal_speed][i] + gas[signal_speed][j]) + std::sqrt(dot(w, w));
        step = std::min(step, 2 * gas[signal_step][j] + std::max(distance(gas, i, j) - h, 0.0) / speed);
    }
    return step;
}

class SignalArrivalIn : public testing::TestWithParam<bool> {};

TEST_P(SignalArrivalIn, is_at_most_the_time_by_all_pairs_and_not_much_shorter) {
    ParticleSet gas = gas_with_a_hot_particle(GetParam());
    std::vector<double> exact(size);
    for (std::size_t i = 0; i < size; ++i) exact[i] = exact_step(gas, i);
    Phases phases;
    Neighbourhood lists(Search::symmetric, 0.1, 16);
    lists.build(gas, Position::name, Radii(std::as_const(gas)[smoothing_length]), nullptr, phases);
    const std::vector<double> alone(gas[signal_step].begin(), gas[signal_step].end());
    SignalArrival(lists, gas).lower_steps(gas, {});
    double shorter = 0;
    std::size_t lowered = 0;
    for (std::size_t i = 0; i < size; ++i) {
        EXPECT_LE(gas[signal_step][i], exact[i] * (1 + 1e-12));
        shorter += gas[signal_step][i] / exact[i] / size;
        lowered += exact[i] < 0.5 * alone[i] ? 1 : 0;
    }
    EXPECT_GT(lowered, size / 2);
    EXPECT_GT(shorter, 0.45);
}

TEST_P(SignalArrivalIn, changes_flagged_rows_alone) {
    ParticleSet gas = gas_with_a_hot_particle(GetParam());
    Phases phases;
    Neighbourhood lists(Search::symmetric, 0.1, 64);
    lists.build(gas, Position::name, Radii(std::as_const(gas)[smoothing_length]), nullptr, phases);
    std::vector<std::uint8_t> rows(size, 0);
    rows[7] = 1;
    const std::vector<double> alone(gas[signal_step].begin(), gas[signal_step].end());
    SignalArrival(lists, gas).lower_steps(gas, rows);
    for (std::size_t i = 0; i < size; ++i) {
        if (i == 7)
            EXPECT_LT(gas[signal_step][i], alone[i]);
        else
            EXPECT_EQ(gas[signal_step][i], alone[i]);
    }
}

INSTANTIATE_TEST_SUITE_P(SignalArrival, SignalArrivalIn, testing::Values(false, true));

}  // namespace trellis::signal_arrival_test
