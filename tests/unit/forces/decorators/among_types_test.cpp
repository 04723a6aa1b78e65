// A force among particles of some types; particles of other types neither move by it nor act in it.
#include "trellis/forces/decorators/among_types.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "trellis/forces/allowed_steps.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::among_types_test {

using namespace fields;

constexpr std::size_t size = 400, gas_size = 150;
constexpr std::uint64_t end_of_run = 13;

std::unique_ptr<Force> probe() {
    const ShortRangeSettings kept{
        .lists = Lists::reuse, .reuse_steps = 5, .skin_ratio = 1, .precision = Precision::double_};
    return short_range_force(Probe<Cutoff>{0.15}, kept);
}
std::vector<std::shared_ptr<Force>> among_all() { return {probe()}; }
std::vector<std::shared_ptr<Force>> among_gas() {
    return {std::make_shared<AmongTypes>(probe(), std::vector<double>{0, 3})};
}

// Gas in the first rows, of two types; the remaining rows, of two other types, have the same distribution.
std::shared_ptr<ParticleSet> gas_and_dust() {
    auto particles = scattered(size, cube, 0.3);
    models::Random random(4);
    for (auto& v : (*particles)[velocity]) v = 0.4 * random.direction();
    const auto types = particles->add(particle_type);
    for (std::size_t row = 0; row < size; ++row)
        types[row] = static_cast<double>(row < gas_size ? 3 * (row % 2) : 1 + row % 2);
    return particles;
}

std::shared_ptr<ParticleSet> gas_of(const ParticleSet& all) {
    auto gas = copy_of(all);
    std::vector<std::uint32_t> rows(gas_size);
    std::iota(rows.begin(), rows.end(), 0U);
    gas->replace_rows(rows, 0);
    return gas;
}

class AmongTypesOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, AmongTypesOnRanks, testing::Values(1, 2, 3));

TEST_P(AmongTypesOnRanks, others_are_as_if_they_were_not_there) {
    const auto start = gas_and_dust();
    const auto exact = run_on_ranks(1, *gas_of(*start), among_all, end_of_run);
    const auto found = run_on_ranks(GetParam(), *start, among_gas, end_of_run,
                                    [](Simulation& sim) { EXPECT_GT(sim.forces()[0]->list_use().reuses, 5U); });
    for (std::size_t row = 0; row < size; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (row < gas_size) {
                EXPECT_NEAR((*found)[acceleration][row][axis], (*exact)[acceleration][row][axis], 1e-9);
                EXPECT_NEAR((*found)[velocity][row][axis], (*exact)[velocity][row][axis], 1e-11);
            } else {
                EXPECT_EQ((*found)[acceleration][row][axis], 0);
                EXPECT_EQ((*found)[velocity][row][axis], (*start)[velocity][row][axis]);
            }
        }
    for (std::size_t row = 0; row < size; ++row)
        EXPECT_EQ((*found)[partners][row], row < gas_size ? (*exact)[partners][row] : 0);
}

TEST_P(AmongTypesOnRanks, go_on_from_a_checkpoint_bit_for_bit) {
    const auto start = gas_and_dust();
    run_ranks(GetParam(), [&](Comm& comm) {
        const auto whole = simulation_on(comm, all_on_first(comm, *start), among_gas);
        whole->ensure_forces();
        while (whole->step_count() < 8) whole->step();  // step 8 is in the middle of a cycle of five
        const auto particles = copy_of(whole->particles());
        const auto resumed = simulation_on(comm, particles, among_gas);
        resumed->resume(whole->time(), whole->step_count(), whole->domain_state());
        for (const auto& sim : {whole.get(), resumed.get()})
            while (sim->step_count() < end_of_run) sim->step();
        expect_same_bits(resumed->particles(), whole->particles());
    });
}

TEST_P(AmongTypesOnRanks, types_may_change_while_lists_are_kept) {
    const auto start = gas_and_dust();
    run_ranks(GetParam(), [&](Comm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, *start), among_gas);
        while (sim->step_count() < 8) sim->step();
        const auto types = sim->particles()[particle_type];
        for (std::size_t row = 0; row < types.size(); ++row)
            if (comm.rank() == comm.size() - 1 && sim->particles()[id][row] % 2 == 0) types[row] = 0;
        sim->step();
        const auto found = copy_of(sim->particles());
        sim->compute_forces();
        ASSERT_EQ(sim->particles().size(), found->size());
        for (std::size_t row = 0; row < found->size(); ++row)
            EXPECT_EQ(sim->particles()[partners][row], (*found)[partners][row]);
    });
}

TEST(AmongTypes, compares_with_direct_summation_among_them) {
    const auto particles = run_on_ranks(1, *gas_and_dust(), among_gas, 0);
    const auto force = among_gas()[0];
    force->attach(*particles, 0);
    EXPECT_GT(expect_exact(*force, *particles, 1e-12), size);
}

TEST(AmongTypes, all_count_where_there_are_no_types) {
    const auto start = gas_of(*gas_and_dust());
    auto plain = std::make_shared<ParticleSet>(gas_size);
    plain->set_region(start->region());
    plain->add(reach);
    for (const auto& column : plain->columns())
        std::copy_n(start->column(column->info().name).values(), gas_size * column->info().components,
                    column->values());
    const auto exact = run_on_ranks(1, *plain, among_all, end_of_run);
    expect_same_bits(*run_on_ranks(1, *plain, among_gas, end_of_run), *exact);
}

TEST(AmongTypes, limits_the_steps_of_those_that_count) {
    class Crowd : public PlainForce {
        void allowed_steps(const ParticleSet& particles, double, const ActiveRows& rows, Comm* /*ranks*/,
                           std::span<double> steps) const override {
            lower_steps(rows, steps, [&](std::uint32_t row) {
                return static_cast<double>(particles.size()) + particles[mass][row];
            });
        }
    };
    auto start = gas_and_dust();
    const AmongTypes gas(std::make_unique<Crowd>(), {0, 3}), dust(std::make_unique<Crowd>(), {1});
    constexpr double before = 1e9;  // by another force
    std::vector<double> of_gas(size, before), of_dust(size, before);
    gas.allowed_steps(*start, 0, {}, nullptr, of_gas);
    dust.allowed_steps(*start, 0, {}, nullptr, of_dust);
    for (std::size_t row = 0; row < size; ++row) {
        const double type = (*start)[particle_type][row], m = (*start)[mass][row];
        const bool is_gas = type == 0 || type == 3;
        EXPECT_EQ(of_gas[row], is_gas ? gas_size + m : before);
        EXPECT_EQ(of_dust[row], type == 1 ? (size - gas_size) / 2 + m : before);
    }
}

TEST(AmongTypes, needs_a_type) {
    EXPECT_EQ(message_of([] { AmongTypes(probe(), {}); }), "types is empty: allowed is at least one type of particles");
}

}  // namespace trellis::among_types_test
