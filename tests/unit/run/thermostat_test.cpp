// A thermostat as a step calls it.
#include <gtest/gtest.h>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::thermostat_test {

using namespace fields;

// Pushes each particle by an amount that depends on its id and on the call alone, and keeps account of the energy.
class Pushes : public Thermostat {
  public:
    void act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) override {
        times.push_back(time);
        numbers.push_back(calls);
        const double before = kinetic_energy(comm, particles);
        for (std::size_t row = 0; row < particles.size(); ++row) {
            models::Random random(1000 * calls + particles[id][row]);
            particles[velocity][row] += 0.1 * random.direction();
        }
        bath_ += before - kinetic_energy(comm, particles);
    }
    double temperature() const override { return 1; }
    double bath_energy() const override { return bath_; }
    std::vector<double> state() const override { return {bath_}; }
    void restore(std::span<const double> state) override { bath_ = state[0]; }

    std::vector<double> times;
    std::vector<std::uint64_t> numbers;

  private:
    double bath_ = 0;
};

// Brings all particles to rest.
class Brake : public Thermostat {
  public:
    void act(ParticleSet& particles, double, std::uint64_t, Comm&) override {
        for (auto& v : particles[velocity]) v = {0, 0, 0};
    }
    double temperature() const override { return 0; }
    double bath_energy() const override { return 0; }
    std::vector<double> state() const override { return {}; }
    void restore(std::span<const double>) override {}
};

class Fall : public PlainForce {
  public:
    Work retrieve(ParticleSet& particles, Phases&) override {
        for (auto& a : particles[acceleration]) a += {0, 0, -1};
        return {};
    }
    std::span<const FieldInfo> results() const override { return results_; }

  private:
    std::vector<FieldInfo> results_{field_info<Acceleration>()};
};

TEST(Thermostat, acts_for_half_a_step_at_either_end_of_it) {
    const auto pushes = std::make_shared<Pushes>();
    Simulation sim(moving_plummer(5), 0.25);
    sim.set_thermostat(pushes);
    sim.step();
    sim.step();
    EXPECT_EQ(pushes->times, std::vector<double>(4, 0.125));
    EXPECT_EQ(pushes->numbers, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(Thermostat, acts_outside_the_kicks) {
    const auto particles = std::make_shared<ParticleSet>(1);
    (*particles)[velocity][0] = {5, 5, 5};
    Simulation sim(particles, 0.5);
    sim.add_force(std::make_shared<Fall>());
    sim.set_thermostat(std::make_shared<Brake>());
    for (int step = 1; step <= 3; ++step) {
        sim.step();
        EXPECT_EQ((*particles)[position][0], (Vec3<double>{0, 0, -0.125 * step}));
        EXPECT_EQ((*particles)[velocity][0], (Vec3<double>{0, 0, 0}));
    }
}

TEST(Thermostat, has_no_energy_and_no_state_unless_set) {
    Simulation sim(moving_plummer(5), 0.25);
    sim.step();
    EXPECT_EQ(sim.bath_energy(), 0);
    EXPECT_TRUE(sim.thermostat_state().empty());
    sim.resume(0, 0, {}, std::vector<double>{7});  // state of a run that had a thermostat
    EXPECT_EQ(sim.bath_energy(), 0);
}

class ThermostatOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, ThermostatOnRanks, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(ThermostatOnRanks, conserves_energy_with_its_bath_and_resumes_bit_for_bit) {
    const MakeForces none = [] { return std::vector<std::shared_ptr<Force>>{}; };
    const auto start = moving_plummer(100);
    const auto whole = copy_of(*start), resumed = copy_of(*start);
    run_ranks(GetParam(), [&](Comm& comm) {
        const auto run = [&](Simulation& sim, std::uint64_t steps) {
            while (sim.step_count() < steps) sim.step();
        };
        const auto unbroken = simulation_on(comm, all_on_first(comm, *start), none);
        unbroken->set_thermostat(std::make_shared<Pushes>());
        run(*unbroken, 25);
        put_by_id(unbroken->particles(), *whole);
        EXPECT_NEAR(kinetic_energy(comm, unbroken->particles()) + unbroken->bath_energy(), kinetic_energy(*start),
                    1e-12);
        EXPECT_LT(unbroken->bath_energy(), -0.1);

        const auto first = simulation_on(comm, all_on_first(comm, *start), none);
        first->set_thermostat(std::make_shared<Pushes>());
        run(*first, 11);
        const auto second = simulation_on(comm, copy_of(first->particles()), none);
        second->set_thermostat(std::make_shared<Pushes>());
        second->resume(first->time(), 11, first->domain_state(), first->thermostat_state());
        run(*second, 25);
        put_by_id(second->particles(), *resumed);
        EXPECT_EQ(second->bath_energy(), unbroken->bath_energy());
    });
    expect_same_bits(*resumed, *whole);
}

}  // namespace trellis::thermostat_test
