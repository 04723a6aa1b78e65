// A force that fails when it has changed its results already: they are restored, where that may happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis {

using namespace fields;

namespace {

// Gives all particles the same acceleration, greater at each call.
class Failing : public PlainForce {
  public:
    explicit Failing(bool midway) : midway_(midway) {}

    bool may_fail_after_writing() const override { return midway_; }
    Work retrieve(ParticleSet& particles, Phases&) override {
        if (fails) throw DeviceError("of a test", "failed");
        ++pull.x;
        for (auto& a : particles[acceleration]) a += pull;
        return {};
    }
    std::span<const FieldInfo> results() const override { return results_; }

    bool fails = false;
    Vec3<double> pull{0, 0, 0};

  private:
    bool midway_;
    std::vector<FieldInfo> results_{field_info<Acceleration>()};
};

// True if a step that fails leaves the accelerations of the step before.
bool restored_after_failure(Simulation& sim, Failing& force, bool fails) {
    sim.step();
    const Vec3<double> before = force.pull;
    force.fails = fails;
    EXPECT_THROW(sim.step(), DeviceError);
    return std::ranges::all_of(sim.particles()[acceleration], [&](const auto& a) { return a == before; });
}

TEST(FailingForce, finds_its_last_results_if_it_fails_after_writing) {
    for (const bool midway : {true, false}) {
        const auto force = std::make_shared<Failing>(midway);
        Simulation sim(std::make_shared<ParticleSet>(5), 0.01);
        sim.add_force(force);
        EXPECT_EQ(restored_after_failure(sim, *force, true), midway);
    }
}

TEST(FailingForce, finds_its_last_results_on_all_ranks_if_it_fails_after_writing_on_one) {
    run_ranks(3, [](Comm& comm) {
        const bool here = comm.rank() == 1;
        const auto force = std::make_shared<Failing>(here);
        const auto sim = simulation_on(comm, all_on_first(comm, *moving_plummer(100)),
                                       [&] { return std::vector<std::shared_ptr<Force>>{force}; });
        EXPECT_TRUE(restored_after_failure(*sim, *force, here)) << "rank " << comm.rank();
    });
}

TEST(FailingForce, may_fail_after_writing_if_it_has_a_device_or_checkpoint_columns) {
    const auto device = open_device("cpu");
    EXPECT_FALSE(gravity(0.1)->may_fail_after_writing());
    EXPECT_FALSE(AmongTypes(gravity(0.1), {1}).may_fail_after_writing());
    EXPECT_FALSE(lennard_jones(1, 1, 2.5)->may_fail_after_writing());
    const auto tree = gravity(0.1, 1, {.method = Method::tree, .order = 1}, device);
    EXPECT_TRUE(tree->may_fail_after_writing());
    tree->use_devices(nullptr);
    EXPECT_FALSE(tree->may_fail_after_writing());
    EXPECT_TRUE(
        AmongTypes(gravity(0.1, 1, {.method = Method::tree, .order = 1}, device), {1}).may_fail_after_writing());
    EXPECT_TRUE(lennard_jones(1, 1, 2.5, Truncation::plain, {.device = device})->may_fail_after_writing());
    EXPECT_TRUE(SphForce(SphSettings{}).may_fail_after_writing());
}

}  // namespace
}  // namespace trellis
