// Steps that are chosen, steps of particles' own, and their limits; and the gas, which limits them.
#include <gtest/gtest.h>

#include "c/handles.hpp"
#include "c/kernels.h"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis::c_tests {

namespace {

constexpr double softening = 0.01, longest = 1.0 / 16, eta = 0.025;
double eps2 = softening * softening;

Handle<trellis_simulation> simulation_of(const Handle<trellis_particles>& particles, double timestep,
                                         const std::vector<trellis_force*>& forces) {
    auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), timestep, to); });
    for (trellis_force* force : forces) EXPECT_EQ(trellis_add_force(simulation.get(), force), 0) << trellis_error();
    return simulation;
}

void take_individual_steps(const Handle<trellis_simulation>& simulation, int order, int steps) {
    EXPECT_EQ(trellis_set_individual_steps(simulation.get(), eta, order), 0) << trellis_error();
    EXPECT_EQ(trellis_step(simulation.get(), steps), 0) << trellis_error();
}

std::vector<double> values_of(const ParticleSet& set, const char* name) {
    const Column& column = set.column(name);
    return {column.values(), column.values() + set.size() * column.info().components};
}

// The step that gravity allows by the acceleration, of a softening that is given.
void step_by_acceleration(void* of_user, double, std::size_t count, std::size_t stride, const double* fields,
                          double* steps) {
    const double length = *static_cast<const double*>(of_user);
    for (std::size_t k = 0; k < count; ++k) {
        const double a = std::hypot(fields[k], fields[stride + k], fields[2 * stride + k]);
        steps[k] = std::sqrt(2 * eta * length / a);
    }
}

// The step of a particle is its mass, without a limit for those of mass 0.
void step_of_mass(void*, double, std::size_t count, std::size_t, const double* fields, double* steps) {
    for (std::size_t k = 0; k < count; ++k)
        if (fields[k] > 0) steps[k] = fields[k];
}

Handle<trellis_force> limit_of(const Handle<trellis_particles>& particles, const char* fields, trellis_limit* limit,
                               const void* of_user = nullptr) {
    return made<trellis_force>(
        [&](auto* to) { return trellis_step_limit(particles.get(), fields, limit, const_cast<void*>(of_user), to); });
}

// Two bodies of mass 1/2 at a distance of 1 on a circle, whose period is 2 pi.
Handle<trellis_particles> circle() {
    ParticleSet set(2);
    const double x[] = {0.5, 0, 0, -0.5, 0, 0};
    std::copy_n(x, 6, set.column("position").values());
    std::fill_n(set.column("mass").values(), 2, 0.5);
    auto particles = particles_of(set);
    double* v = column(particles, "velocity", 3);
    v[1] = 0.5;
    v[4] = -0.5;
    return particles;
}

}  // namespace

// Particles with the positions and masses of others: those that the calls have.
std::shared_ptr<ParticleSet> at_rest(const ParticleSet& others) {
    auto particles = std::make_shared<ParticleSet>(others.size());
    for (const char* name : {"position", "mass"})
        std::copy_n(others.column(name).values(), others.column(name).info().components * others.size(),
                    particles->column(name).values());
    return particles;
}

TEST(StepsInC, OfEachParticleAreThoseOfCpp) {
    for (const int order : {2, 4}) {
        const auto ours = particles_of(models::plummer(300, 7));
        const auto force = made<trellis_force>([](auto* to) { return trellis_gravity(softening, 1e-4, nullptr, to); });
        const auto simulation = simulation_of(ours, longest, {force.get()});
        take_individual_steps(simulation, order, 4);

        const auto theirs = at_rest(models::plummer(300, 7));
        Simulation sim(theirs, longest);
        sim.add_force(gravity(softening, 1, {.accuracy = 1e-4}));
        sim.set_individual_steps(eta, static_cast<unsigned>(order));
        sim.keep_order(true);
        sim.run_steps(4);
        EXPECT_EQ(by_id(ours, "position", 3), values_of(*theirs, "position"));
        EXPECT_EQ(by_id(ours, "rung", 1), values_of(*theirs, "rung"));
        EXPECT_GT(std::ranges::max(by_id(ours, "rung", 1)), 1);
    }
}

// A kernel of the program over a tree in levels, with a limit of the program, beside the gravity that is ready-made.
TEST(StepsInC, TakeAKernelAndALimitOfTheProgram) {
    const auto run = [](bool of_program) {
        const auto particles = particles_of(models::plummer(300, 7));
        const auto force = made<trellis_force>([&](auto* to) {
            return of_program ? trellis_tree_force_d(particles.get(), "position", "position mass",
                                                     "acceleration potential", gravity_kernel_d, &eps2, 0.2, 0, 0, to)
                              : trellis_gravity(softening, 1e-6, nullptr, to);
        });
        const auto limit = limit_of(particles, "acceleration", step_by_acceleration, &softening);
        std::vector<trellis_force*> forces{force.get()};
        if (of_program) forces.push_back(limit.get());
        const auto simulation = simulation_of(particles, longest, forces);
        double kinetic = 0, potential = 0, kinetic_after = 0, potential_after = 0;
        EXPECT_EQ(trellis_energies(simulation.get(), &kinetic, &potential), 0) << trellis_error();
        take_individual_steps(simulation, 2, 4);
        EXPECT_EQ(trellis_energies(simulation.get(), &kinetic_after, &potential_after), 0) << trellis_error();
        EXPECT_NEAR((kinetic_after + potential_after) / (kinetic + potential), 1, 2e-3);
        return std::pair(by_id(particles, "rung", 1), by_id(particles, "position", 3));
    };
    const auto [rungs, positions] = run(true);
    const auto [ready_rungs, ready_positions] = run(false);
    EXPECT_GT(std::ranges::max(rungs), 1);
    EXPECT_LT(difference(rungs, ready_rungs), 0.05);
    EXPECT_LT(difference(positions, ready_positions), 1e-3);
}

TEST(StepsInC, AreChosenForATimestepOfZero) {
    const auto particles = particles_of(models::plummer(50, 2));
    double* masses = column(particles, "mass", 1);
    std::fill_n(masses, 50, 1.0);
    masses[17] = 0.003;
    const auto limit = limit_of(particles, "mass position", step_of_mass);
    const auto simulation = simulation_of(particles, 0, {limit.get()});
    double before = 0, time = 0;
    EXPECT_EQ(trellis_step(simulation.get(), 60), 0) << trellis_error();  // which begin with shorter ones
    EXPECT_EQ(trellis_time(simulation.get(), &before), 0);
    EXPECT_EQ(trellis_step(simulation.get(), 1), 0) << trellis_error();
    EXPECT_EQ(trellis_time(simulation.get(), &time), 0);
    EXPECT_NEAR(time - before, 0.003, 1e-15);
}

// Levels have rows of their own.
TEST(StepsInC, AreThoseThatAFunctionSets) {
    const auto particles = particles_of(models::plummer(50, 2));
    double* masses = column(particles, "mass", 1);
    for (int k = 0; k < 50; ++k) masses[k] = k % 2 == 0 ? 0 : k < 25 ? 1 : 0.25;
    const auto limit = limit_of(particles, "mass", step_of_mass);
    const auto simulation = simulation_of(particles, 8, {limit.get()});
    take_individual_steps(simulation, 2, 2);
    const auto rungs = by_id(particles, "rung", 1);
    for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(rungs[k], k % 2 == 0 ? 0 : k < 25 ? 3 : 5) << k;
}

// An encounter of both bodies allows sqrt(2 eta) over the angular velocity, 1, and the tides of one of them, on the
// other, 1 / sqrt(1/2) of it: a step of 1 becomes 1/8 and 1/4.
TEST(StepsInC, AreLimitedByEncountersAndTides) {
    for (const bool tides : {false, true}) {
        const auto particles = circle();
        const auto force = made<trellis_force>([](auto* to) { return trellis_gravity(0, 1e-6, nullptr, to); });
        const auto limit = made<trellis_force>([&](auto* to) {
            return tides ? trellis_tidal_limit(0, nullptr, to) : trellis_encounter_limit(0, eta, to);
        });
        const auto simulation = simulation_of(particles, 1, {force.get(), limit.get()});
        take_individual_steps(simulation, 2, 1);
        EXPECT_EQ(by_id(particles, "rung", 1), std::vector<double>(2, tides ? 2 : 3)) << tides;
    }
}

TEST(StepsInC, OfAGasAreThoseOfCpp) {
    for (const int beside_others : {0, 1}) {
        const auto ours = particles_of(models::uniform_cube(500, 4));
        std::fill_n(column(ours, "internal_energy", 1), 500, 1.5);
        const auto force =
            made<trellis_force>([&](auto* to) { return trellis_gas(1.4, 40, 0.2, beside_others, nullptr, to); });
        const auto simulation = simulation_of(ours, 0, {force.get()});
        EXPECT_EQ(trellis_step(simulation.get(), 3), 0) << trellis_error();

        const auto theirs = at_rest(models::uniform_cube(500, 4));
        theirs->add(InternalEnergy());
        std::fill_n(theirs->column("internal_energy").values(), 500, 1.5);
        SphSettings settings;
        settings.gas = IdealGas{1.4};
        settings.neighbours = 40;
        settings.courant = 0.2;
        if (beside_others == 1) settings.conduction = Conduction::flow;
        Simulation sim(theirs, std::nullopt);
        sim.add_force(std::make_shared<SphForce>(settings));
        sim.keep_order(true);
        sim.run_steps(3);
        for (const char* name : {"internal_energy", "density", "smoothing_length"})
            EXPECT_EQ(by_id(ours, name, 1), values_of(*theirs, name)) << name;
        double time = 0;
        EXPECT_EQ(trellis_time(simulation.get(), &time), 0);
        EXPECT_EQ(time, sim.time());
    }
}

TEST(StepsInC, OfAnIsothermalGasAreThoseOfCpp) {
    const auto ours = particles_of(models::uniform_cube(500, 4));
    const auto force = made<trellis_force>([](auto* to) { return trellis_isothermal_gas(0.8, 40, 0.2, nullptr, to); });
    const auto simulation = simulation_of(ours, 0, {force.get()});
    EXPECT_EQ(trellis_step(simulation.get(), 3), 0) << trellis_error();

    const auto theirs = at_rest(models::uniform_cube(500, 4));
    Simulation sim(theirs, std::nullopt);
    SphSettings settings;
    settings.gas = IsothermalGas{0.8};
    settings.neighbours = 40;
    settings.courant = 0.2;
    sim.add_force(std::make_shared<SphForce>(settings));
    sim.keep_order(true);
    sim.run_steps(3);
    for (const char* name : {"isothermal_energy", "density", "smoothing_length"})
        EXPECT_EQ(by_id(ours, name, 1), values_of(*theirs, name)) << name;
}

}  // namespace trellis::c_tests
