// The order in which forces on devices and forces on the host are computed, whatever the order they were added in, and
// their sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/noting_device.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::all_forces_test {

using namespace fields;

// Records when the host begins with a gas, and when it is done.
class NotingSph : public SphForce {
  public:
    NotingSph(const SphSettings& settings, Notes& notes) : SphForce(settings), notes_(notes) {}
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        notes_.emplace_back("gas");
        SphForce::dispatch(particles, step, phases);
    }
    Work retrieve(ParticleSet& particles, Phases& phases) override {
        const Work work = SphForce::retrieve(particles, phases);
        notes_.emplace_back("gas done");
        return work;
    }

  private:
    Notes& notes_;
};

// A step of a gas with gravity on a device; lists of gravity are reused in it.
struct Step {
    explicit Step(bool gas_first) : particles(std::make_shared<ParticleSet>(random_gas<3>(300, 3))) {
        std::ranges::fill((*particles)[smoothing_length], 0.0);
        SphSettings settings;
        settings.neighbours = 30;
        const auto gas = std::make_shared<NotingSph>(settings, notes);
        const std::shared_ptr<ForceByTree> far = gravity(0.05, 1,
                                                         {.theta = 0.5,
                                                          .method = Method::tree,
                                                          .order = 1,
                                                          .lists = Lists::reuse,
                                                          .reuse_steps = 4,
                                                          .trust_reuse_steps = true},
                                                         std::make_shared<NotingDevice>(notes));
        Simulation sim(particles, 2e-3);
        if (gas_first) sim.add_force(gas);
        sim.add_force(far);
        if (!gas_first) sim.add_force(gas);
        sim.compute_forces();
        at_construction = std::exchange(notes, {});
        sim.step();
        reusing = far->list_use().reuses == 1;
        waited = sim.phases().seconds(Phase::wait_for_device);
    }
    Notes notes, at_construction;
    std::shared_ptr<ParticleSet> particles;
    bool reusing = false;
    double waited = 0;
};

// All that the device is to do is sent before the host begins with the gas; the host waits when that is done.
void expect_gas_meanwhile(const Notes& notes) {
    const auto gas = std::ranges::find(notes, "gas");
    EXPECT_GT(std::count(notes.begin(), gas, "sent"), 1);
    EXPECT_EQ(Notes(gas, notes.end()), (Notes{"gas", "gas done", "wait"}));
}

TEST(AllForces, keep_a_device_at_work_while_the_host_computes_a_gas) {
    for (const bool gas_first : {false, true}) {
        const Step step(gas_first);
        expect_gas_meanwhile(step.at_construction);
        ASSERT_TRUE(step.reusing);
        expect_gas_meanwhile(step.notes);
        EXPECT_EQ(std::ranges::count(step.notes, "wait"), 1);
        EXPECT_GT(step.waited, 0);
    }
}

TEST(AllForces, have_the_same_bits_in_any_order) {
    const Step step(true), other(false);
    EXPECT_TRUE(std::ranges::equal((*step.particles)[position], (*other.particles)[position]));
    EXPECT_TRUE(std::ranges::equal((*step.particles)[acceleration], (*other.particles)[acceleration]));
    EXPECT_TRUE(std::ranges::equal((*step.particles)[internal_energy], (*other.particles)[internal_energy]));
}

using Forces = std::vector<std::shared_ptr<Force>>;

// Accelerations after two short steps of atoms in a lattice by these forces. Before the first one the columns of
// results have other values.
std::vector<Vec3<double>> accelerations_by(const Forces& forces) {
    const auto particles = std::make_shared<ParticleSet>(27);
    std::ranges::fill((*particles)[mass], 1.0);
    for (std::size_t row = 0; row < 27; ++row)
        (*particles)[position][row] = {1.1 * static_cast<double>(row % 3), 1.2 * static_cast<double>(row / 3 % 3),
                                       1.3 * static_cast<double>(row / 9)};
    Simulation sim(particles, 1e-6);
    for (const auto& force : forces) sim.add_force(force);
    std::ranges::fill((*particles)[acceleration], Vec3<double>{7, 7, 7});
    sim.compute_forces();
    for (int k = 0; k < 2; ++k) sim.step();
    return {(*particles)[acceleration].begin(), (*particles)[acceleration].end()};
}

// A force that replaces results if it comes first.
std::shared_ptr<Force> of_atoms(double strength, const char* device = nullptr) {
    ShortRangeSettings settings{.precision = Precision::double_};
    if (device != nullptr) settings.device = open_device(device);
    return lennard_jones(strength, 1, 2.5, Truncation::plain, settings);
}

// A force that always adds to them.
std::shared_ptr<Force> of_masses() { return gravity(0.5, 1, {.theta = 0.5, .precision = Precision::double_}); }

void expect_sum(const std::vector<Vec3<double>>& sum, const std::vector<Vec3<double>>& a,
                const std::vector<Vec3<double>>& b) {
    for (std::size_t row = 0; row < sum.size(); ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(sum[row][axis], a[row][axis] + b[row][axis], 1e-6 * (std::abs(b[row][axis]) + 1));
}

TEST(AllForces, are_added_to_each_other_and_not_to_what_was_there) {
    const auto one = accelerations_by({of_atoms(1)}), three = accelerations_by({of_atoms(3)});
    expect_sum(three, accelerations_by({of_atoms(2)}), one);
    expect_sum(accelerations_by({of_atoms(1), of_atoms(3)}), one, three);
}

TEST(AllForces, that_replace_results_come_before_others_in_any_order) {
    const auto sum = accelerations_by({of_masses(), of_atoms(1)});
    EXPECT_EQ(sum, accelerations_by({of_atoms(1), of_masses()}));
    expect_sum(sum, accelerations_by({of_masses()}), accelerations_by({of_atoms(1)}));
    expect_sum(sum, accelerations_by({of_masses(), of_atoms(1, "cpu")}), std::vector<Vec3<double>>(sum.size()));
}

}  // namespace trellis::all_forces_test
