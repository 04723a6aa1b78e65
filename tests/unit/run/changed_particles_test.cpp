// Particles that the caller changes between two steps: the next step is that of a new simulation.
#include <gtest/gtest.h>

#include <functional>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/sites/site_ranks.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::changed_particles_test {

using namespace fields;

using Change = std::function<void(ParticleSet&)>;

std::vector<std::shared_ptr<Force>> by_gravity() {
    return {gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 8})};
}

std::unique_ptr<Simulation> simulation_of(const std::shared_ptr<ParticleSet>& particles, const MakeForces& forces) {
    auto sim = std::make_unique<Simulation>(particles, 0.01);
    sim->keep_order(true);
    for (auto& force : forces()) sim->add_force(std::move(force));
    return sim;
}

// Changed after five steps; then the forces, and the particles one step later, are those of a new simulation.
void expect_as_new(const ParticleSet& start, const MakeForces& forces, const Change& change) {
    const auto particles = copy_of(start);
    const auto sim = simulation_of(particles, forces);
    sim->run_steps(5);
    change(*particles);
    const auto others = copy_of(*particles);
    const auto other = simulation_of(others, forces);
    sim->ensure_forces();
    other->ensure_forces();
    for (const char* name : {Acceleration::name, Potential::name})
        for (std::size_t k = 0; k < particles->size(); ++k)
            EXPECT_EQ(particles->column(name).values()[k], others->column(name).values()[k]) << name << k;
    sim->step();
    other->step();
    EXPECT_EQ(std::memcmp((*particles)[velocity].data(), (*others)[velocity].data(),
                          particles->size() * sizeof(Vec3<double>)),
              0);
}

TEST(ChangedParticles, give_the_forces_of_a_new_simulation) {
    const auto start = moving_plummer(300);
    expect_as_new(*start, by_gravity, [](ParticleSet& particles) { particles[position][1] += Vec3<double>{3, 0, 0}; });
    expect_as_new(*start, by_gravity, [](ParticleSet& particles) { particles[mass][7] *= 50; });
    expect_as_new(*start, by_gravity, [](ParticleSet& particles) {
        for (auto& x : particles[position]) x = -1 * x;
    });
    expect_as_new(*start, by_gravity, [](ParticleSet& particles) { particles.set_region({{-9, -9, -9}, {9, 9, 9}}); });
}

TEST(ChangedParticles, of_a_type_give_other_softenings) {
    ParticleSet start = models::plummer(200, 1);
    for (auto& type : start.add(particle_type)) type = 1;
    const auto forces = [] {
        return std::vector<std::shared_ptr<Force>>{
            gravity(SofteningOfEach{.by_type = {{"halo", 0.01}, {"stars", 0.5}}}, 1, {.accuracy = 1e-3})};
    };
    expect_as_new(start, forces, [](ParticleSet& particles) {
        for (std::size_t k = 0; k < 100; ++k) particles[particle_type][k] = 4;
    });
}

// Velocities cost nothing where forces do not depend on them.
TEST(ChangedParticles, are_compared_in_what_forces_read) {
    const auto particles = moving_plummer(100);
    const auto sim = simulation_of(particles, by_gravity);
    const auto constructions = [&] { return sim->forces()[0]->list_use().constructions; };
    sim->run_steps(3);
    const std::uint64_t before = constructions();
    for (auto& v : (*particles)[velocity]) v = {0, 0, 0};
    sim->step();
    EXPECT_EQ(constructions(), before);
    sim->forces_changed();
    sim->step();
    EXPECT_EQ(constructions(), before + 2);  // a rough force first
}

TEST(ChangedParticles, on_one_rank_give_new_forces_on_all) {
    const auto start = moving_plummer(300);
    const auto end = [&](int ranks) {
        const auto all = copy_of(*start);
        for (std::size_t number = 0; const auto& force : by_gravity()) force->attach(*all, number++);
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, *start), by_gravity);
            sim->run_steps(3);
            for (std::size_t row = 0; row < sim->particles().size(); ++row)
                if (sim->particles()[id][row] == 11) sim->particles()[mass][row] = 20;
            sim->step();
            EXPECT_EQ(sim->forces()[0]->list_use().constructions, 4U);  // two at the start and after the change
            put_by_id(sim->particles(), *all);
        });
        return all;
    };
    const auto alone = end(1), shared = end(3);
    for (std::size_t row = 0; row < 300; ++row)
        EXPECT_NEAR((*alone)[velocity][row].x, (*shared)[velocity][row].x, 2e-4) << row;
}

TEST(ChangedParticles, of_several_sites_are_announced_by_all_ranks) {
    const auto start = moving_plummer(200);
    const auto failures = [&](bool announced) {
        return checks::failures_of_sites({1, 1}, [&](SiteComm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, *start), by_gravity);
            sim->run_steps(2);
            if (comm.rank() == 1) sim->particles()[mass][0] *= 2;
            if (announced) sim->forces_changed();
            sim->step();
        });
    };
    for (const std::exception_ptr& failure : failures(true)) EXPECT_EQ(failure, nullptr);
    EXPECT_EQ(message_of([&] { std::rethrow_exception(failures(false)[1]); }),
              "the particles of rank 1 were changed after a step: allowed over several sites is a change after which "
              "all ranks call forces_changed");
}

TEST(ChangedParticles, of_two_simulations_are_those_of_the_last_one) {
    const auto particles = moving_plummer(20);
    const auto first = simulation_of(particles, by_gravity), last = simulation_of(particles, by_gravity);
    last->step();
    EXPECT_EQ(message_of([&] { first->step(); }),
              "another simulation was made of the particles of this one, which both would move: give it a copy of "
              "them");
    first->claim_particles();
    first->step();
    EXPECT_THROW(last->step(), InputError);
}

TEST(ChangedParticles, have_each_force_once) {
    Simulation sim(moving_plummer(5), 0.01);
    const std::shared_ptr<Force> force = by_gravity()[0];
    sim.add_force(force);
    EXPECT_EQ(message_of([&] { sim.add_force(force); }),
              "a force is added for the second time: allowed is each once, since it keeps its own lists");
}

}  // namespace trellis::changed_particles_test
