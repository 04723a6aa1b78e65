// Round trips to a server in a step, for each method.
#include <gtest/gtest.h>

#include <memory>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/resident/fluid.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::remote_round_trips_test {

constexpr double softening = 0.05, timestep = 1e-3;

ForceSettings settings_of(Lists lists) {
    return {.theta = 0.6137,
            .method = Method::tree,
            .order = 1,
            .group_size = 20,
            .leaf_size = 8,
            .lists = lists,
            .reuse_steps = 4};
}

class RemoteRoundTrips : public testing::Test {
  protected:
    RemoteRoundTrips() {
        server_.server().listen_unix(keys_.socket());
        port_ = server_.server().listen_plain(0);
        server_.start();
    }
    // A device behind a link on which bytes count, unlike a socket of this machine.
    std::shared_ptr<Device> far_device() const {
        return open_device("plain://127.0.0.1:" + std::to_string(port_) + "/cpu");
    }
    std::shared_ptr<Device> device() const { return open_device("unix:" + keys_.socket() + "/cpu"); }

  private:
    KeysFolder keys_;
    RunningServer server_;
    std::uint16_t port_ = 0;
};

// The first steps find the number of batches, up to 64 of them on two queues.
void wait_once_a_step(const std::shared_ptr<Device>& device, Lists lists) {
    Simulation sim(std::make_shared<ParticleSet>(models::plummer(3000, 1)), timestep);
    const auto force = std::shared_ptr<ForceByTree>(gravity(softening, 1, settings_of(lists), device));
    sim.add_force(force);
    std::uint64_t trips = 0;
    for (int k = 0; k < 40; ++k) {
        sim.step();
        const std::uint64_t of_step = force->device_use()->times.round_trips;
        EXPECT_LE(of_step, 1U) << "step " << k;
        trips += of_step;
    }
    EXPECT_GT(trips, 0U);
}

TEST_F(RemoteRoundTrips, are_one_a_step_where_lists_are_sent_each_time) { wait_once_a_step(device(), Lists::rebuild); }
TEST_F(RemoteRoundTrips, are_one_a_step_where_lists_are_reused) { wait_once_a_step(device(), Lists::reuse); }

struct Run {
    Run(const std::shared_ptr<Device>& device, const ForceSettings& settings)
        : particles(moving_plummer(3000)), sim(particles, timestep), force(gravity(softening, 1, settings, device)) {
        sim.add_force(force);
    }
    std::shared_ptr<ParticleSet> particles;
    Simulation sim;
    std::shared_ptr<ForceByTree> force;
};

// Bytes on their way to the device and back for each particle, in a step that reuses its lists, masses unchanged and
// the rows of cells counted: those of the first of them, and of the others. A device here gives the same bits.
void expect_bytes(const std::shared_ptr<Device>& device, bool compress, double first, double others) {
    ForceSettings settings = settings_of(Lists::reuse);
    settings.leaf_size = 16;
    settings.precision = Precision::single_;
    settings.compress = compress;
    Run run(device, settings), here(open_device("cpu"), settings);
    int reused = 0;  // steps, by these lists
    for (int k = 0; k < 12; ++k) {
        const std::uint64_t reuses = run.force->list_use().reuses;
        run.sim.step();
        here.sim.step();
        reused = run.force->list_use().reuses > reuses ? reused + 1 : 0;
        if (reused == 0) continue;
        const QueueTimes& times = run.force->device_use()->times;
        const auto count = static_cast<double>(run.particles->size());
        EXPECT_LE(static_cast<double>(times.bytes_up) / count, reused == 1 ? first : others) << "step " << k;
        EXPECT_LE(static_cast<double>(times.bytes_down) / count, 16) << "step " << k;
    }
    EXPECT_GT(run.force->list_use().reuses, 6U);
    expect_same_bits(*run.particles, *here.particles);
}

TEST_F(RemoteRoundTrips, take_few_bytes_where_lists_are_reused) { expect_bytes(far_device(), false, 19, 14); }
TEST_F(RemoteRoundTrips, take_fewer_bytes_where_digits_suffice) { expect_bytes(far_device(), true, 6, 6); }

ForceSettings with_expansions(ForceSettings settings) {
    settings.method = Method::fmm;
    settings.order = 3;
    return settings;
}

TEST_F(RemoteRoundTrips, are_few_for_particles_that_stay) {
    for (const ForceSettings& settings :
         {settings_of(Lists::rebuild), settings_of(Lists::reuse), with_expansions(settings_of(Lists::reuse))}) {
        ResidentSimulation sim(models::plummer(3000, 1), softening, 1, settings, timestep, device());
        sim.ensure_forces();
        std::uint64_t trips_of_constructions = 0;
        for (int k = 0; k < 40; ++k) {
            const ListUse before = sim.list_use();
            sim.step();
            const std::uint64_t of_step = sim.device_times().round_trips;
            const bool reused = sim.list_use().reuses > before.reuses;
            EXPECT_LE(of_step, reused ? 1U : 4U) << "step " << k;
            if (!reused) trips_of_constructions += of_step;
        }
        // memory that has become too small takes one more, at few of them
        // the number of cells, the cells, and here the end of the step
        const std::uint64_t waits = settings.method == Method::fmm ? 3 : 1;
        EXPECT_LE(trips_of_constructions, waits * sim.list_use().constructions + sim.list_use().early + 2);
    }
}

// Constructions fetch positions and places, and send lists.
TEST_F(RemoteRoundTrips, are_one_a_step_for_atoms_that_stay) {
    const auto begun = [](ParticleSet& atoms, const std::shared_ptr<Device>& on) {
        return std::make_unique<ResidentSimulation>(atoms, lennard_jones(1, 1, 2.5), timestep, on);
    };
    ParticleSet atoms = fluid(1000, 3), here = fluid(1000, 3);
    const auto sim = begun(atoms, device()), beside = begun(here, open_device("cpu"));
    for (int k = 0; k < 40; ++k) {
        const ListUse before = sim->list_use();
        sim->step();
        beside->step();
        const bool reused = sim->list_use().reuses > before.reuses;
        EXPECT_LE(sim->device_times().round_trips, reused ? 1U : 20U) << "step " << k;
    }
    EXPECT_GT(sim->list_use().reuses, 20U);
    sim->save(atoms);
    beside->save(here);
    expect_same_bits(atoms, here);
}

}  // namespace trellis::remote_round_trips_test
