// A gas of which some particles are active: their results are those of a computation of all, others stay as they are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "unit/forces/sph/gas.hpp"

namespace trellis::active_gas_test {

using namespace fields;

constexpr std::size_t size = 3000;
const Vec3<double> unchanged{7, 7, 7};  // a curl, which is read of active rows alone

// A gas with its first forces; the next ones find the same smoothing lengths.
ParticleSet settled(SphForce& force) {
    models::Random random(4);
    ParticleSet gas(size);
    gas.add(internal_energy);
    gas.set_region(unit_box<3>);
    for (std::size_t row = 0; row < size; ++row) {
        gas[position][row] = random.in_cube();
        gas[mass][row] = 1.0 / size;
        gas[internal_energy][row] = 1;
    }
    gas.add(rung);
    force.attach(gas, 0);
    Phases phases;
    force.dispatch(gas, {.rungs = RungTimes()}, phases);
    force.retrieve(gas, phases);
    return gas;
}

void compute(SphForce& force, ParticleSet& gas, const ActiveRows& active, bool may_reuse = true) {
    Phases phases;
    for (auto& a : gas[acceleration]) a = {0, 0, 0};
    force.dispatch(gas, {.may_reuse = may_reuse, .active = active, .rungs = RungTimes()}, phases);
    force.retrieve(gas, phases);
}

class ActiveGasOn : public testing::TestWithParam<std::string> {};

TEST_P(ActiveGasOn, has_the_results_of_all_in_active_rows_alone) {
    SphSettings settings;
    settings.neighbours = 40;
    if (GetParam() != "host") settings.search.device = open_device(GetParam());
    SphForce force(settings), other(settings);
    ParticleSet gas = settled(force), whole = settled(other);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 5; row < size; row += 50) rows.push_back(row);
    for (auto& curl : gas[velocity_curl]) curl = unchanged;
    const std::vector<double> densities(gas[density].begin(), gas[density].end());
    compute(other, whole, {});
    compute(force, gas, ActiveRows(rows));
    std::size_t next = 0;
    for (std::uint32_t row = 0; row < size; ++row) {
        const bool active = next < rows.size() && rows[next] == row;
        next += active ? 1 : 0;
        const Vec3<double>&a = gas[acceleration][row], &of_all = whole[acceleration][row];
        if (active) {
            EXPECT_NE(gas[velocity_curl][row].x, unchanged.x);
            EXPECT_NEAR(gas[density][row], whole[density][row], 1e-5 * whole[density][row]);
            EXPECT_LT(std::sqrt(dot(a - of_all, a - of_all)), 1e-4 * std::sqrt(dot(of_all, of_all)) + 1e-4);
        } else {
            EXPECT_EQ(dot(a, a), 0);
            EXPECT_EQ(gas[velocity_curl][row].x, unchanged.x);
            EXPECT_EQ(gas[density][row], densities[row]);
        }
    }
    EXPECT_EQ(next, rows.size());
}

// Particles that have moved beyond the skin: where rows are the same, the lists of active rows keep their order, and
// only what they read is computed.
TEST_P(ActiveGasOn, has_the_same_results_when_lists_are_renewed) {
    SphSettings settings;
    settings.neighbours = 40;
    SphForce force(settings);
    settings.search.device = open_device(GetParam() == "host" ? "cpu" : GetParam());
    SphForce other(settings);
    ParticleSet gas = settled(force), sorted = settled(other);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < size; ++row) {
        const Vec3<double> away = gas[position][row] - Vec3<double>{0.3, 0.4, 0.5};
        if (dot(away, away) < 0.01) rows.push_back(row);
    }
    models::Random random(6);
    for (std::uint32_t row = 0; row < size; ++row) {
        const Vec3<double> way = 0.5 * gas[smoothing_length][row] * random.direction();
        gas[position][row] += way;
        sorted[position][row] += way;
        gas[internal_energy][row] = sorted[internal_energy][row] = random.uniform(1, 2);
    }
    compute(force, gas, ActiveRows(rows));
    compute(other, sorted, ActiveRows(rows), false);
    for (const std::uint32_t row : rows) {
        const Vec3<double>&a = gas[acceleration][row], &b = sorted[acceleration][row];
        EXPECT_NEAR(gas[smoothing_length][row], sorted[smoothing_length][row], 1e-5 * sorted[smoothing_length][row]);
        EXPECT_LT(std::sqrt(dot(a - b, a - b)), 1e-4 * std::sqrt(dot(a, a)) + 1e-4);
    }
}

TEST(ActiveGas, has_renewed_lists_of_some_rows_alone) {
    SphSettings settings;
    settings.neighbours = 40;
    SphForce force(settings);
    ParticleSet gas = settled(force);
    const std::vector<std::uint32_t> rows{1, 2, 3};
    for (auto& at : gas[position]) at = 1.2 * at;
    compute(force, gas, ActiveRows(rows));
    const auto constructed = force.list_use().constructions, reused = force.list_use().reuses;
    compute(force, gas, ActiveRows(rows));
    EXPECT_EQ(force.list_use().constructions, constructed);
    EXPECT_EQ(force.list_use().reuses, reused + 1);
    compute(force, gas, {});
    EXPECT_GT(force.list_use().constructions, constructed);
    EXPECT_EQ(force.list_use().reuses, reused + 1);
}

INSTANTIATE_TEST_SUITE_P(Gas, ActiveGasOn, testing::Values("host", "cpu"));

}  // namespace trellis::active_gas_test
