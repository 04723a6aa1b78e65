// A gas of which some particles are active: their results are those of a computation of all, others stay as they are.
// Fewer than 512 are left to the host, even where there is a device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/particles/motion.hpp"
#include "unit/forces/sph/gas.hpp"

namespace trellis::active_gas_test {

using namespace fields;

constexpr std::size_t size = 3000;
const Vec3<double> unchanged{7, 7, 7};  // a curl, which is read of active rows alone

// A gas with its first forces; the next ones find the same smoothing lengths.
ParticleSet settled(SphForce& force, std::size_t count = size) {
    models::Random random(4);
    ParticleSet gas(count);
    gas.add(internal_energy);
    gas.set_region(unit_box<3>);
    for (std::size_t row = 0; row < count; ++row) {
        gas[position][row] = random.in_cube();
        gas[mass][row] = 1.0 / static_cast<double>(count);
        gas[internal_energy][row] = 1;
    }
    gas.add(rung);
    force.attach(gas, 0);
    Phases phases;
    force.dispatch(gas, {.rungs = RungTimes()}, phases);
    force.retrieve(gas, phases);
    return gas;
}

Work compute(SphForce& force, ParticleSet& gas, const ActiveRows& active, bool may_reuse = true) {
    Phases phases;
    for (auto& a : gas[acceleration]) a = {0, 0, 0};
    force.dispatch(gas, {.may_reuse = may_reuse, .active = active, .rungs = RungTimes()}, phases);
    return force.retrieve(gas, phases);
}

// The rows of particles within this distance of the middle of the box, or of another place.
std::vector<std::uint32_t> rows_within(double distance, const ParticleSet& gas, Vec3<double> middle = {0.5, 0.5, 0.5}) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < gas.size(); ++row) {
        const Vec3<double> away = gas[position][row] - middle;
        if (dot(away, away) < distance * distance) rows.push_back(row);
    }
    return rows;
}

struct Where {
    const char* device;
    std::uint32_t one_in;  // the number of particles of which one is active
};

class ActiveGasOn : public testing::TestWithParam<Where> {};

TEST_P(ActiveGasOn, has_the_results_of_all_in_active_rows_alone) {
    SphSettings settings;
    settings.neighbours = 40;
    if (GetParam().device != std::string("host")) settings.search.device = open_device(GetParam().device);
    SphForce force(settings), other(settings);
    ParticleSet gas = settled(force), whole = settled(other);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 4; row < size; row += GetParam().one_in) rows.push_back(row);
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
    settings.search.device = open_device(GetParam().device == std::string("host") ? "cpu" : GetParam().device);
    SphForce other(settings);
    ParticleSet gas = settled(force), sorted = settled(other);
    const std::vector<std::uint32_t> rows = rows_within(std::cbrt(0.24 / GetParam().one_in), gas, {0.3, 0.4, 0.5});
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

INSTANTIATE_TEST_SUITE_P(Gas, ActiveGasOn, testing::Values(Where{"host", 50}, Where{"cpu", 50}, Where{"cpu", 5}),
                         [](const auto& of) { return of.param.device + std::to_string(of.param.one_in); });

// A gas on a device whose first forces are known.
struct OnDevice {
    static SphSettings settings() {
        SphSettings settings;
        settings.neighbours = 40;
        settings.search.device = open_device("cpu");
        return settings;
    }
    SphForce force{settings()};
    ParticleSet gas = settled(force, 8000);

    std::uint64_t bytes_up() const { return force.device_use()->times.bytes_up; }
};

// One in 13 is active: the device has them alone to compute, and is sent what is near.
TEST(ActiveGasOnADevice, computes_and_is_sent_what_active_rows_need) {
    OnDevice on;
    const std::vector<std::uint32_t> rows = rows_within(0.265, on.gas);
    ASSERT_GE(rows.size(), 512U);
    models::Random random(6);
    const auto move = [&] {
        for (auto& at : on.gas[position]) at += 1e-4 * random.direction();
    };
    move();
    const auto of_all = static_cast<double>(compute(on.force, on.gas, {}).pairs);
    const auto bytes_of_all = static_cast<double>(on.bytes_up());
    move();
    EXPECT_LT(static_cast<double>(compute(on.force, on.gas, ActiveRows(rows)).pairs), 0.13 * of_all);
    const auto bytes = static_cast<double>(on.bytes_up());
    EXPECT_LT(bytes, 0.3 * bytes_of_all);
    compute(on.force, on.gas, ActiveRows(rows));  // at the same places
    EXPECT_LT(static_cast<double>(on.bytes_up()), 0.1 * bytes);
}

TEST(ActiveGasOnADevice, computes_there_from_512_rows_on) {
    OnDevice on;
    const std::vector<std::uint32_t> rows = rows_within(0.5, on.gas);
    const auto bytes_of = [&](std::size_t count) {
        compute(on.force, on.gas, ActiveRows(std::span(rows).first(count)));
        return on.bytes_up();
    };
    EXPECT_EQ(bytes_of(511), 0U);
    EXPECT_GT(bytes_of(512), 0U);
}

// The lists that are sent when more rows are active than before, also of images in the periodic box.
TEST(ActiveGasOnADevice, has_lists_of_further_rows) {
    OnDevice on;
    SphSettings settings;
    settings.neighbours = 40;
    SphForce other(settings);
    ParticleSet whole = settled(other, 8000);
    for (const double distance : {0.41, 0.45, 0.5, 0.6, 0.7}) {
        const std::vector<std::uint32_t> rows = rows_within(distance, on.gas, {0, 0, 0.5});
        const std::uint64_t made = on.force.list_use().constructions;
        compute(on.force, on.gas, ActiveRows(rows), distance > 0.41);
        EXPECT_EQ(on.force.list_use().constructions, made + (distance == 0.41 ? 1 : 0));
        compute(other, whole, ActiveRows(rows));
        for (const std::uint32_t row : rows) {
            const Vec3<double>&a = on.gas[acceleration][row], &b = whole[acceleration][row];
            ASSERT_NEAR(on.gas[density][row], whole[density][row], 1e-5 * whole[density][row]);
            ASSERT_LT(std::sqrt(dot(a - b, a - b)), 1e-4 * std::sqrt(dot(b, b)) + 1e-4);
        }
    }
}

}  // namespace trellis::active_gas_test
