// Method G4 against the same run by methods G2 and G3, on the same device.
#include "trellis/resident/resident_simulation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::resident_simulation_test {

using namespace fields;

constexpr double softening = 0.05, timestep = 0.01;

ForceSettings settings_of(Lists lists, Precision precision = Precision::double_) {
    return {.theta = 0.6137,
            .method = Method::tree,
            .order = 1,
            .group_size = 50,
            .leaf_size = 8,
            .precision = precision,
            .lists = lists,
            .reuse_steps = 4};
}

ParticleSet moving(std::size_t size) {
    ParticleSet particles = models::plummer(size, 1);
    models::Random random(2);
    for (auto& v : particles[velocity]) v = 0.3 * random.direction();
    return particles;
}

// The largest difference, particles compared by id: a simulation on the host reorders its rows.
double largest_difference(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    std::vector<std::size_t> row_of_id(b.size());
    for (std::size_t row = 0; row < b.size(); ++row) row_of_id[b[id][row]] = row;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const std::size_t other = row_of_id[a[id][row]];
        largest =
            std::max({largest, norm(a[position][row] - b[position][other]), norm(a[velocity][row] - b[velocity][other]),
                      norm(a[acceleration][row] - b[acceleration][other]),
                      std::abs(a[potential][row] - b[potential][other]), std::abs(a[mass][row] - b[mass][other])});
    }
    return largest;
}

double energy_of(const ParticleSet& particles) { return kinetic_energy(particles) + potential_energy(particles); }

ForceSettings with_expansions(ForceSettings settings, Method method = Method::fmm) {
    settings.method = method;
    settings.order = method == Method::fmm ? 4 : 2;
    return settings;
}

class DeviceResidentRun : public testing::TestWithParam<std::tuple<Lists, int>> {
  protected:
    static ForceSettings settings(Precision precision = Precision::double_) {
        const auto [lists, order] = GetParam();
        const ForceSettings settings = settings_of(lists, precision);
        return order == 1 ? settings : with_expansions(settings, order == 2 ? Method::tree : Method::fmm);
    }
};

TEST_P(DeviceResidentRun, is_that_of_the_host) {
    for (const Precision precision : {Precision::double_, Precision::single_}) {
        const auto particles = std::make_shared<ParticleSet>(moving(2000));
        ParticleSet there = moving(2000);
        const double start_energy = [&] {
            ResidentSimulation still(there, softening, 1, settings(), timestep, open_device("cpu"));
            still.ensure_forces();
            ParticleSet first = moving(2000);
            still.download(first);
            return energy_of(first);
        }();
        Simulation host(particles, timestep);
        const auto force = std::shared_ptr<ForceByTree>(gravity(softening, 1, settings(precision), open_device("cpu")));
        host.add_force(force);
        ResidentSimulation resident(there, softening, 1, settings(precision), timestep, open_device("cpu"));
        for (int k = 0; k < 10; ++k) {
            host.step();
            resident.step();
        }
        EXPECT_EQ(resident.step_count(), 10U);
        EXPECT_DOUBLE_EQ(resident.time(), host.time());
        resident.download(there);
        EXPECT_LT(largest_difference(there, *particles), precision == Precision::single_ ? 2e-5 : 1e-11);
        EXPECT_NEAR(energy_of(there), start_energy, 2e-4 * std::abs(start_energy));
        EXPECT_EQ(resident.list_use().constructions, force->list_use().constructions);
        EXPECT_EQ(resident.list_use().reuses, force->list_use().reuses);
        EXPECT_EQ(resident.list_use().early, 0U);
        EXPECT_EQ(resident.work().pairs, host.work().pairs);
        EXPECT_EQ(resident.work().expansions, host.work().expansions);
    }
}

INSTANTIATE_TEST_SUITE_P(With, DeviceResidentRun,
                         testing::Combine(testing::Values(Lists::rebuild, Lists::reuse), testing::Values(1, 2, 4)),
                         [](const auto& of) {
                             return (std::get<0>(of.param) == Lists::reuse ? "reuse_order_" : "rebuild_order_") +
                                    std::to_string(std::get<1>(of.param));
                         });

// A run is stopped and resumed after every step, also while lists are reused. One particle is so far away that many
// other particles have the same key: their order then is that of steps ago.
void stop_and_resume_after_every_step(const ForceSettings& settings) {
    ParticleSet start = moving(1000), kept = moving(1000), expected = moving(1000);
    start[position][0].x = 4e5;
    const auto begin = [&](const ParticleSet& particles, double time) {
        auto sim =
            std::make_unique<ResidentSimulation>(particles, softening, 1, settings, timestep, open_device("cpu"));
        sim->set_time(time);
        return sim;
    };
    const auto unbroken = begin(start, 0.5);
    begin(start, 0.5)->save(kept);  // saved without forces or lists
    ListUse use;
    for (std::uint64_t step = 0; step < 10; ++step) {
        unbroken->step();
        const auto resumed = begin(kept, 0.5);
        if (step > 0) resumed->resume(0.5 + timestep * static_cast<double>(step), step, kept);
        resumed->step();
        resumed->save(kept);
        use.constructions += resumed->list_use().constructions;
        use.early += resumed->list_use().early;
        use.reuses += resumed->list_use().reuses;
        unbroken->download(expected);
        ASSERT_EQ(largest_difference(kept, expected), 0) << "step " << step;
        EXPECT_DOUBLE_EQ(resumed->time(), unbroken->time());
    }
    EXPECT_EQ(use.constructions, unbroken->list_use().constructions);
    EXPECT_EQ(use.early, unbroken->list_use().early);
    EXPECT_EQ(use.reuses, unbroken->list_use().reuses);
    EXPECT_EQ(use.early > 0, settings.opening_growth < 0.01);
}

ForceSettings by_acceleration(double growth) {
    ForceSettings settings = settings_of(Lists::reuse);
    settings.theta = 0;
    settings.opening_growth = growth;
    return settings;
}

TEST(DeviceResidentSimulation, resumed_has_the_bits_of_the_unbroken_run) {
    for (const ForceSettings& settings :
         {settings_of(Lists::rebuild), settings_of(Lists::reuse), by_acceleration(0.1), by_acceleration(0.001),
          with_expansions(by_acceleration(0.1)), with_expansions(by_acceleration(0.001)),
          with_expansions(by_acceleration(0.1), Method::tree)})
        stop_and_resume_after_every_step(settings);
}

TEST(DeviceResidentSimulation, resumed_without_saved_columns_makes_lists_again_and_refuses_invalid_device_indices) {
    ParticleSet particles = moving(100);
    ResidentSimulation sim(particles, softening, 1, settings_of(Lists::reuse), timestep, open_device("cpu"));
    sim.resume(0, 1, particles);
    sim.step();
    EXPECT_EQ(sim.list_use().constructions, 1U);
    EXPECT_EQ(sim.list_use().early, 0U);
    sim.save(particles);
    particles[DevicePlace{}][7] = 100;
    EXPECT_EQ(message_of([&] { sim.resume(0, 2, particles); }),
              "column '_device_place' is 100 at index 7: allowed is 0 to 99");
}

TEST(DeviceResidentSimulation, makes_lists_early_when_they_are_no_longer_valid) {
    ParticleSet particles = moving(2000);
    ForceSettings settings = settings_of(Lists::reuse);
    settings.reuse_steps = 1000;
    ResidentSimulation careful(particles, softening, 1, settings, 0.1, open_device("cpu"));
    settings.lists = Lists::rebuild;
    ResidentSimulation rebuilding(particles, softening, 1, settings, 0.1, open_device("cpu"));
    settings.lists = Lists::reuse;
    settings.trust_reuse_steps = true;
    ResidentSimulation trusting(particles, softening, 1, settings, 0.1, open_device("cpu"));
    for (int k = 0; k < 10; ++k)
        for (ResidentSimulation* each : {&careful, &rebuilding, &trusting}) each->step();
    EXPECT_GT(careful.list_use().early, 0U);
    EXPECT_EQ(careful.list_use().constructions, 1 + careful.list_use().early);
    EXPECT_EQ(careful.list_use().early + careful.list_use().reuses, 10U);
    EXPECT_EQ(trusting.list_use().early, 0U);
    EXPECT_EQ(trusting.list_use().reuses, 10U);
    EXPECT_EQ(rebuilding.list_use().constructions, 11U);
    ParticleSet a = moving(2000), b = moving(2000);
    careful.download(a);
    rebuilding.download(b);
    EXPECT_LT(largest_difference(a, b), 0.05);
}

TEST(DeviceResidentSimulation, runs_with_any_particles) {
    for (const models::Model& model : models::all_models)
        for (const std::size_t size : {0, 1, 2, 9, 300})
            for (const ForceSettings& settings : {settings_of(Lists::reuse), with_expansions(by_acceleration(0.1))}) {
                ParticleSet particles = model.make(size, 1);
                ResidentSimulation sim(particles, softening, 1, settings, timestep, open_device("cpu"));
                sim.run_until(6 * timestep);
                EXPECT_EQ(sim.step_count(), 6U);
                sim.download(particles);
                EXPECT_LT(norm(momentum(particles)), 2e-3);
                particles.check_finite(Position::name);
            }
}

// The same as for a simulation on the host: see run/fixed_steps_test.cpp.
TEST(DeviceResidentSimulation, reaches_an_end_exactly_by_a_shorter_last_step) {
    const ForceSettings settings = settings_of(Lists::reuse);
    const auto particles = std::make_shared<ParticleSet>(moving(500));
    Simulation host(particles, timestep);
    host.add_force(gravity(softening, 1, settings, open_device("cpu")));
    ParticleSet there = moving(500);
    ResidentSimulation resident(there, softening, 1, settings, timestep, open_device("cpu"));
    const auto go = [](auto& sim) {
        sim.set_time(1);
        sim.run_until(1 + 3.4 * timestep);
        EXPECT_EQ(sim.time(), 1 + 3.4 * timestep);
        sim.run_until(1 + 5.2 * timestep, false);
        EXPECT_DOUBLE_EQ(sim.time(), 1 + 5.4 * timestep);
        sim.run_steps(2);
        EXPECT_DOUBLE_EQ(sim.time(), 1 + 7.4 * timestep);
        EXPECT_TRUE(sim.reached(1 + 7.4 * timestep));
        EXPECT_FALSE(sim.reached(1 + 7.41 * timestep));
        EXPECT_EQ(sim.step_count(), 8U);
    };
    go(host);
    go(resident);
    EXPECT_EQ(resident.time(), host.time());
    resident.download(there);
    EXPECT_LT(largest_difference(there, *particles), 1e-11);
    EXPECT_EQ(resident.total_work().pairs, host.total_work().pairs);
}

TEST(DeviceResidentSimulation, brings_every_particle_back_to_its_row) {
    ParticleSet particles = moving(1000);
    const ParticleSet start = moving(1000);
    ResidentSimulation sim(particles, softening, 1, settings_of(Lists::rebuild), 1e-9, open_device("cpu"));
    sim.step();
    sim.step();
    sim.download(particles);
    for (std::size_t row = 0; row < particles.size(); ++row) {
        EXPECT_LT(norm(particles[position][row] - start[position][row]), 1e-8);
        EXPECT_LT(norm(particles[velocity][row] - start[velocity][row]), 1e-6);
        EXPECT_EQ(particles[mass][row], start[mass][row]);
    }
}

TEST(DeviceResidentSimulation, has_the_same_bits_with_any_number_of_threads) {
    const ForceSettings settings = settings_of(Lists::reuse, Precision::single_);
    for (const ForceSettings& each : {settings, with_expansions(settings)}) {
        ParticleSet alone = moving(3000), together = moving(3000);
        const auto run = [&](ParticleSet& particles, int threads) {
            ResidentSimulation sim(particles, softening, 1, each, timestep, make_cpu_device(1U << 30, threads));
            sim.run_until(6 * timestep);
            sim.download(particles);
        };
        run(alone, 1);
        run(together, 3);
        EXPECT_EQ(largest_difference(alone, together), 0);
    }
}

TEST(DeviceResidentSimulation, reports_the_times_of_the_device) {
    ResidentSimulation sim(moving(3000), softening, 1, settings_of(Lists::rebuild), timestep, open_device("cpu"));
    sim.step();
    sim.step();
    const QueueTimes& device = sim.device_times();
    const auto all = [&] {
        double sum = 0;
        for (std::size_t p = 0; p < phase_names.size(); ++p) sum += sim.phases().seconds(static_cast<Phase>(p));
        return sum;
    };
    EXPECT_NEAR(all(), device.kernel, 1e-9);
    for (const Phase phase : {Phase::set_root_cell, Phase::calculate_key, Phase::sort_key, Phase::reorder_particles,
                              Phase::link_tree_cell, Phase::calculate_moments, Phase::make_interaction_list,
                              Phase::copy_all, Phase::force_kernel, Phase::copy_forces, Phase::integration})
        EXPECT_GT(sim.phases().seconds(phase), 0) << phase_names[static_cast<std::size_t>(phase)];
    EXPECT_EQ(sim.phases().seconds(Phase::check_lists), 0);
    EXPECT_EQ(device.bytes_up, 0U);
    EXPECT_LT(device.bytes_down, 10000U);  // no column of particles is downloaded
    const double kernels = device.kernel;
    sim.step();
    sim.device_times();
    EXPECT_GT(device.kernel, 0);
    EXPECT_NEAR(all(), device.kernel, 1e-9);
    EXPECT_NE(device.kernel, kernels);
}

TEST(DeviceResidentSimulation, names_what_is_wrong) {
    const auto make = [](const ParticleSet& particles, double epsilon, double step) {
        return message_of(
            [&] { ResidentSimulation(particles, epsilon, 1, settings_of(Lists::rebuild), step, open_device("cpu")); });
    };
    ParticleSet particles = moving(10);
    EXPECT_EQ(make(particles, 0.1, 0), "timestep is 0: allowed is above 0");
    EXPECT_EQ(make(particles, -1, 0.1), "softening is -1: allowed is 0 or more");
    ForceSettings tuned = settings_of(Lists::rebuild);
    tuned.tune_sizes = true;
    EXPECT_EQ(message_of([&] { ResidentSimulation(particles, 1, 1, tuned, 0.1, open_device("cpu")); }),
              "tune_sizes is on, but particles that stay on a device take no trial steps: allowed is off");
    ForceSettings sent = settings_of(Lists::rebuild);
    sent.send = Send::particles;
    EXPECT_EQ(message_of([&] { ResidentSimulation(particles, 1, 1, sent, 0.1, open_device("cpu")); }),
              "send is particles, but particles that stay on a device are not sent: allowed is indices");
    ForceSettings mesh = settings_of(Lists::rebuild);
    mesh.method = Method::treepm;
    mesh.order = 5;
    EXPECT_EQ(message_of([&] { ResidentSimulation(particles, 1, 1, mesh, 0.1, open_device("cpu")); }),
              "method is treepm, but particles that stay on a device have no mesh: allowed are tree and fmm; treepm,"
              " where particles do not stay there");
    particles[velocity][3].y = std::numeric_limits<double>::infinity();
    EXPECT_EQ(make(particles, 0.1, 0.1), "column 'velocity' is infinite at index 3: only finite values are allowed");
    particles[velocity][3].y = 0;
    particles[mass][4] = -1;
    EXPECT_EQ(make(particles, 0.1, 0.1), "column 'mass' is -1 at index 4: allowed is 0 or more");
    particles[mass][4] = 1;
    ResidentSimulation sim(particles, 0.1, 1, settings_of(Lists::rebuild), 0.1, open_device("cpu"));
    ParticleSet fewer(9);
    EXPECT_EQ(message_of([&] { sim.download(fewer); }), "the set to download into has 9 particles: allowed is 10");
}

TEST(DeviceResidentSimulation, fails_where_the_device_is_too_small_or_a_force_not_finite) {
    const auto make = [](std::size_t memory) {
        return ResidentSimulation(moving(5000), softening, 1, settings_of(Lists::rebuild), timestep,
                                  make_cpu_device(memory, 1));
    };
    EXPECT_THROW(make(1000000), DeviceError);
    ParticleSet particles = moving(100);
    particles[velocity][5].x = 1e308;  // the position is beyond the largest number after a step
    ResidentSimulation sim(particles, softening, 1, settings_of(Lists::rebuild), 100, open_device("cpu"));
    EXPECT_THROW(sim.run_until(1000), DeviceError);
}

}  // namespace trellis::resident_simulation_test
