// Forces at particles' own steps that a device computes: those of the host, and a spare takes over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "trellis/compile.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/forces/step_limit.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/devices/noting_device.hpp"
#include "unit/error_message.hpp"
#include "unit/run/lost_on_one_rank.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::own_steps_on_devices_test {

struct Heat : Field<double, "heat", "", "heat"> {};
struct Heating : Field<double, "heating", "", "its rate"> {};
inline constexpr Heat heat;
inline constexpr Heating heating;

// Heat flows between particles within a distance of each other.
struct Conduction {
    using Target = Fields<Position, Heat>;
    using Source = Fields<Position, Heat>;
    using Result = Fields<Heating>;
    using Evolves = Rates<Heat, Heating>;
    using Search = Cutoff;
    double cutoff = 0.15;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        sum[heating] += (0.15f - sqrt(dot(d, d))) * (j[heat] - i[heat]);
    }
};

constexpr std::size_t size = 2000;
using Sim = std::unique_ptr<Simulation>;

struct Case {
    const char* name;
    double longest;
    std::function<void(ParticleSet&)> prepare;
    std::function<std::vector<std::shared_ptr<Force>>(const Devices&)> forces;
    const char* result;  // of the forces that are compared
};

std::vector<double> near_the_middle(const ParticleSet& particles, double, const ActiveRows& rows) {
    std::vector<double> steps(rows.count(particles.size()));
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const Vec3<double> away = particles[position][rows[k]] - Vec3<double>{0.5, 0.5, 0.5};
        steps[k] = dot(away, away) < 0.18 ? 0.02 : 1;
    }
    return steps;
}

Case conduction() {
    const auto prepare = [](ParticleSet& particles) {
        particles.add(heat);
        for (std::size_t row = 0; row < size; ++row) particles[heat][row] = static_cast<double>(row % 3);
        for (Vec3<double>& v : particles[velocity]) v *= 0.1;
    };
    const auto forces = [](const Devices& devices) -> std::vector<std::shared_ptr<Force>> {
        return {short_range_force(Conduction{}, ShortRangeSettings{.device = devices}),
                std::make_shared<StepLimit>(near_the_middle, "the limit")};
    };
    return {"conduction", 0.08, prepare, forces, "heating"};
}

// A blast heats more than half of a gas.
void heat_middle(ParticleSet& gas) {
    gas.add(internal_energy);
    for (std::size_t row = 0; row < size; ++row) {
        const Vec3<double> away = gas[position][row] - Vec3<double>{0.5, 0.5, 0.5};
        gas[internal_energy][row] = dot(away, away) < 0.13 ? 50 : 1;
        gas[velocity][row] *= 0.1;
    }
}

Case blast() {
    const auto forces = [](const Devices& devices) -> std::vector<std::shared_ptr<Force>> {
        SphSettings settings;
        settings.neighbours = 40;
        settings.search.device = devices;
        return {std::make_shared<SphForce>(settings)};
    };
    return {"blast", 0.02, heat_middle, forces, "acceleration"};
}

// Gravity, in levels, is softened by the kernel of the gas.
Case softened_blast() {
    const auto prepare = [](ParticleSet& gas) {
        heat_middle(gas);
        gas.set_region({});
    };
    const auto forces = [](const Devices& devices) -> std::vector<std::shared_ptr<Force>> {
        SphSettings settings;
        settings.neighbours = 40;
        settings.adaptive_softening = SelfGravity{0.1};
        settings.search.device = devices;
        return {gravity(0.1, 1, {.theta = 0.5, .method = Method::tree, .order = 1}, devices),
                std::make_shared<SphForce>(settings)};
    };
    return {"softened_blast", 0.02, prepare, forces, "acceleration"};
}

std::shared_ptr<ParticleSet> particles_of(const Case& of) {
    auto particles = std::make_shared<ParticleSet>(size);
    particles->set_region({{0, 0, 0}, {1, 1, 1}});
    models::Random random(4);
    for (std::size_t row = 0; row < size; ++row) {
        (*particles)[position][row] = random.in_cube();
        (*particles)[velocity][row] = random.direction();
        (*particles)[mass][row] = 1.0 / size;
    }
    of.prepare(*particles);
    return particles;
}

Sim individual(const Case& of, std::shared_ptr<ParticleSet> particles, const Devices& devices,
               std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(particles), of.longest, std::move(comm));
    sim->set_individual_steps(0.025);
    for (auto& force : of.forces(devices)) sim->add_force(std::move(force));
    return sim;
}

constexpr std::uint64_t steps = 2;

struct Ended {
    std::shared_ptr<ParticleSet> particles;
    std::uint64_t updates = 0;
    unsigned deepest = 0;
    std::vector<std::string> notes;

    Ended(const Case& of, const Devices& devices, const std::vector<std::string>& spares = {})
        : particles(particles_of(of)) {
        const auto sim = individual(of, particles, devices);
        sim->set_spares(spares);
        for (std::uint64_t step = 0; step < steps; ++step) {
            sim->step();
            updates += sim->rung_use()->updates;
            deepest = std::max(deepest, static_cast<unsigned>(std::ranges::max((*particles)[rung])));
        }
        notes = sim->take_device_notes();
    }
};

std::shared_ptr<ParticleSet> by_id(const ParticleSet& particles) {
    auto sorted = copy_of(particles);
    put_by_id(particles, *sorted);
    return sorted;
}

// The largest difference of a column over its largest value in b.
double apart(const ParticleSet& a, const ParticleSet& b, const char* name) {
    const double *of_a = a.column(name).values(), *of_b = b.column(name).values();
    double difference = 0, largest = 0;
    for (std::size_t k = 0; k < a.size() * a.column(name).info().components; ++k) {
        difference = std::max(difference, std::abs(of_a[k] - of_b[k]));
        largest = std::max(largest, std::abs(of_b[k]));
    }
    return difference / largest;
}

class OwnStepsOnDevices : public testing::TestWithParam<Case> {};

TEST_P(OwnStepsOnDevices, are_those_of_the_host) {
    const Ended host(GetParam(), {}), device(GetParam(), open_device("cpu"));
    const auto a = by_id(*device.particles), b = by_id(*host.particles);
    EXPECT_TRUE(std::ranges::equal((*a)[rung], (*b)[rung]));
    EXPECT_EQ(host.updates, device.updates);
    EXPECT_GE(host.deepest, 2U);
    EXPECT_LT(apart(*a, *b, "position"), 1e-6);
    EXPECT_LT(apart(*a, *b, GetParam().result), 1e-3);
}

std::ptrdiff_t launches_of(const Case& of, std::uint64_t step_count) {
    const auto device = std::make_shared<FaultyDevice>(Fault::none, 0);
    const auto sim = individual(of, particles_of(of), device);
    sim->ensure_forces();
    const auto first = std::ranges::count(device->log(), 'l');
    sim->run_steps(step_count);
    return std::ranges::count(device->log(), 'l') - (step_count > 0 ? first : 0);
}

TEST_P(OwnStepsOnDevices, are_computed_there_within_the_longest_step) {
    EXPECT_GT(launches_of(GetParam(), 1), 2 * launches_of(GetParam(), 0));
}

TEST_P(OwnStepsOnDevices, go_on_with_a_spare_to_the_bit) {
    const Ended unbroken(GetParam(), open_device("cpu"));
    const auto first = static_cast<int>(launches_of(GetParam(), 0));
    for (const Fault fault : {Fault::lost, Fault::wrong})
        for (const int within : {1, 2, 4, 7}) {
            const Ended broken(GetParam(), std::make_shared<FaultyDevice>(fault, first + within), {"cpu"});
            EXPECT_EQ(broken.notes, std::vector<std::string>{"device faulty:0 has failed: cpu takes its place"});
            expect_same_bits(*broken.particles, *unbroken.particles);
        }
}

TEST_P(OwnStepsOnDevices, have_the_bits_of_one_device_on_several) {
    const Ended one(GetParam(), open_device("cpu")), two(GetParam(), OpenDevices().of({"cpu", "rehearsal:0"}));
    expect_same_bits(*one.particles, *two.particles);
}

TEST_P(OwnStepsOnDevices, go_on_from_a_checkpoint_to_the_bit) {
    const auto whole = particles_of(GetParam());
    const auto sim = individual(GetParam(), whole, open_device("cpu"));
    sim->step();
    const auto kept = copy_of(*whole);
    const auto resumed = individual(GetParam(), kept, open_device("cpu"));
    resumed->resume(sim->time(), 1);
    sim->step();
    resumed->step();
    expect_same_bits(*whole, *kept);
}

TEST_P(OwnStepsOnDevices, leave_all_as_it_was_without_a_spare) {
    const auto particles = particles_of(GetParam());
    const auto good_launches = static_cast<int>(launches_of(GetParam(), 0)) + 2;
    const auto sim = individual(GetParam(), particles, std::make_shared<FaultyDevice>(Fault::lost, good_launches));
    sim->ensure_forces();
    const auto before = copy_of(*particles);
    EXPECT_THROW(sim->run_steps(steps), DeviceError);
    EXPECT_EQ(sim->step_count(), 0U);
    for (const char* name : {"position", "velocity", GetParam().result})
        EXPECT_EQ(apart(*particles, *before, name), 0) << name;
}

TEST_P(OwnStepsOnDevices, end_with_the_same_bits_on_ranks_if_one_device_fails) {
    const auto start = particles_of(GetParam());
    const auto make = [](const auto&... arguments) { return individual(GetParam(), arguments...); };
    const auto end_with = [&](int good_launches) { return end_with_lost_device(*start, steps, good_launches, make); };
    const auto unbroken = end_with(-1);
    for (const int good_launches : {2, 9, 14, 15, 16, 17, 18})  // in each loop of a gas
        expect_same_bits(*end_with(good_launches), *unbroken);
}

INSTANTIATE_TEST_SUITE_P(Of, OwnStepsOnDevices, testing::Values(conduction(), blast(), softened_blast()),
                         [](const auto& of) { return std::string(of.param.name); });

// One round trip to a remote device for each loop over neighbours, also where lists are sent.
TEST(OwnStepsOnADevice, wait_once_for_what_is_sent_at_once) {
    for (const Case& of : {conduction(), blast()}) {
        Notes notes;
        individual(of, particles_of(of), std::make_shared<NotingDevice>(notes))->step();
        EXPECT_GT(notes.size(), 8U);
        for (std::size_t k = 0; k < notes.size(); ++k) EXPECT_EQ(notes[k], k % 2 == 0 ? "sent" : "wait") << k;
    }
}

TEST(OwnStepsWithNeighboursDevice, are_refused) {
    Simulation sim(particles_of(blast()), 0.01);
    sim.set_individual_steps(0.025);
    SphSettings settings;
    settings.neighbours_device = open_device("cpu");
    EXPECT_EQ(message_of([&] { sim.add_force(std::make_shared<SphForce>(settings)); }),
              "individual time steps are given, but 'internal_energy' evolves: allowed are a gas without "
              "neighbours_device, interactions of short range, and forces that change velocities alone");
}

}  // namespace trellis::own_steps_on_devices_test
