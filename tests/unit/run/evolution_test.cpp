// Fields that evolve beside position and velocity.
#include <gtest/gtest.h>

#include <cmath>

#include "trellis/base/error.hpp"
#include "unit/error_message.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::evolution_test {

using namespace fields;

struct Heat : Field<double, "heat", "", "heat"> {};
struct Heating : Field<double, "heating", "", "its rate"> {};
struct Kind : Field<std::uint64_t, "kind", "", "species"> {};
inline constexpr Heat heat;
inline constexpr Heating heating;

// Slows particles down in proportion to their velocity, which turns their kinetic energy into heat.
class Friction : public PlainForce {
  public:
    explicit Friction(double strength, bool predicts = true) : strength_(strength), predicts_(predicts) {}

    void attach(ParticleSet& particles, std::size_t) override {
        if (!particles.has(Heat::name)) particles.add(heat);
        if (!particles.has(Heating::name)) particles.add(heating);
    }
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases&) override {
        since_kick.push_back(step.since_kick);
        now_.assign(particles[velocity].begin(), particles[velocity].end());
        if (predicts_)
            for (std::size_t row = 0; row < now_.size(); ++row)
                now_[row] += step.since_kick * particles[acceleration][row];
    }
    Work retrieve(ParticleSet& particles, Phases&) override {
        if (std::exchange(fails, false)) throw RunError("it fails");
        for (std::size_t row = 0; row < now_.size(); ++row) {
            particles[acceleration][row] -= strength_ * now_[row];
            particles[heating][row] += strength_ * dot(now_[row], now_[row]);
        }
        return {};
    }
    std::span<const FieldInfo> results() const override { return results_; }
    std::span<const Evolution> evolves() const override { return evolves_; }

    std::vector<double> since_kick;
    bool fails = false;

  private:
    double strength_;
    bool predicts_;
    std::vector<Vec3<double>> now_;
    std::vector<FieldInfo> results_{field_info<Acceleration>(), field_info<Heating>()};
    std::vector<Evolution> evolves_{{"heat", "heating"}};
};

std::shared_ptr<ParticleSet> sliding(std::size_t size) {
    auto particles = std::make_shared<ParticleSet>(models::plummer(size, 1));
    models::Random random(2);
    for (auto& v : (*particles)[velocity]) v = random.direction();
    return particles;
}

// Errors after a unit of time.
struct Errors {
    double velocity, heat;
};

Errors errors(int steps, const std::vector<std::shared_ptr<Force>>& forces) {
    const auto particles = std::make_shared<ParticleSet>(1);
    (*particles)[velocity][0] = {1, 0, 0};
    Simulation sim(particles, 1.0 / steps);
    for (const auto& force : forces) sim.add_force(force);
    sim.run_until(1);
    return {std::abs((*particles)[velocity][0].x - std::exp(-1)),
            std::abs((*particles)[heat][0] - (1 - std::exp(-2)) / 2)};
}

TEST(Evolution, is_of_second_order_where_velocities_are_predicted) {
    for (const int steps : {20, 40}) {
        const Errors coarse = errors(steps, {std::make_shared<Friction>(1)});
        const Errors fine = errors(2 * steps, {std::make_shared<Friction>(1)});
        EXPECT_NEAR(coarse.velocity / fine.velocity, 4, 0.4);
        EXPECT_NEAR(coarse.heat / fine.heat, 4, 0.4);
        EXPECT_LT(fine.heat, 1e-3);
    }
    const Errors coarse = errors(40, {std::make_shared<Friction>(1, false)});
    const Errors fine = errors(80, {std::make_shared<Friction>(1, false)});
    EXPECT_NEAR(coarse.heat / fine.heat, 2, 0.2);
}

TEST(Evolution, follows_the_rates_of_all_forces_together) {
    const Errors one = errors(20, {std::make_shared<Friction>(1)});
    const Errors two = errors(20, {std::make_shared<Friction>(0.25), std::make_shared<Friction>(0.75)});
    EXPECT_NEAR(two.velocity, one.velocity, 1e-15);
    EXPECT_NEAR(two.heat, one.heat, 1e-15);
}

TEST(Evolution, passes_the_time_by_which_positions_are_ahead) {
    const auto friction = std::make_shared<Friction>(1);
    Simulation sim(sliding(5), 0.25);
    sim.add_force(friction);
    sim.step();
    sim.step();
    sim.compute_forces();
    EXPECT_EQ(friction->since_kick, (std::vector<double>{0, 0.125, 0.125, 0}));
}

TEST(Evolution, goes_on_after_a_failure_bit_for_bit) {
    const auto run = [](bool fails) {
        const auto friction = std::make_shared<Friction>(1);
        auto particles = sliding(5);
        Simulation sim(particles, 0.25);
        sim.add_force(std::make_shared<Friction>(0.5));
        sim.add_force(friction);
        sim.step();
        friction->fails = fails;
        if (fails) {
            EXPECT_THROW(sim.step(), RunError);
        }
        sim.step();
        sim.step();
        return particles;
    };
    expect_same_bits(*run(true), *run(false));
}

class EvolutionOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, EvolutionOnRanks, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(EvolutionOnRanks, goes_on_bit_for_bit_after_a_checkpoint_and_as_on_one_rank) {
    const MakeForces forces = [] { return std::vector<std::shared_ptr<Force>>{std::make_shared<Friction>(1)}; };
    const auto start = sliding(100);
    const auto end = run_on_ranks(GetParam(), *start, forces, 25);
    const auto resumed = run_on_ranks(1, *start, forces, 0);
    run_ranks(GetParam(), [&](Comm& comm) {
        const auto first = simulation_on(comm, all_on_first(comm, *start), forces);
        first->ensure_forces();
        while (first->step_count() < 11) first->step();
        const auto second = simulation_on(comm, copy_of(first->particles()), forces);
        second->resume(first->time(), 11, first->domain_state());
        while (second->step_count() < 25) second->step();
        put_by_id(second->particles(), *resumed);
    });
    expect_same_bits(*resumed, *end);
    expect_same_bits(*run_on_ranks(1, *start, forces, 25), *end);
    EXPECT_GT((*end)[heat][0], 0.1);
}

// Requests the given evolution.
class EvolvingForce : public PlainForce {
  public:
    explicit EvolvingForce(Evolution evolution) : evolves_{std::move(evolution)} {}
    std::span<const FieldInfo> results() const override { return results_; }
    std::span<const Evolution> evolves() const override { return evolves_; }

  private:
    std::vector<FieldInfo> results_{field_info<Acceleration>(), field_info<Potential>(), field_info<Kind>()};
    std::vector<Evolution> evolves_;
};

TEST(Evolution, of_columns_that_do_not_fit_is_refused) {
    const auto refusal = [](const Evolution& evolution) {
        return message_of([&] {
            const auto particles = std::make_shared<ParticleSet>(1);
            particles->add(Kind{});
            Simulation(particles, 0.1).add_force(std::make_shared<EvolvingForce>(evolution));
        });
    };
    EXPECT_EQ(refusal({"mass", "potential"}), "");
    EXPECT_EQ(
        refusal({"mass", "acceleration"}),
        "'mass' cannot evolve by 'acceleration': allowed is a result of the force, a number of as many components");
    for (const Evolution& evolution :
         {Evolution{"position", "velocity"}, {"mass", "kind"}, {"id", "potential"}, {"heat", "potential"}})
        EXPECT_NE(refusal(evolution), "") << evolution.value << " by " << evolution.rate;
}

}  // namespace trellis::evolution_test
