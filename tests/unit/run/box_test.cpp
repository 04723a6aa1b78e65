// Particles in a periodic box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::box_test {

using namespace fields;

// A box that is open along z.
const Region box{{-1, 0, -Region::infinity}, {1, 0.5, Region::infinity}};

bool within(const Region& region, const Vec3<double>& place) { return region.wrapped(place) == place; }

std::shared_ptr<ParticleSet> flying(std::size_t size) {
    auto particles = std::make_shared<ParticleSet>(models::plummer(size, 1));
    particles->set_region(box);
    models::Random random(2);
    for (auto& v : (*particles)[velocity]) v = 3 * random.direction();
    return particles;
}

MakeForces none() {
    return [] { return std::vector<std::shared_ptr<Force>>{}; };
}

class BoxOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, BoxOnRanks, testing::Values(1, 2, 3, 4), testing::PrintToStringParamName());

TEST_P(BoxOnRanks, takes_particles_that_leave_it_in_again_by_the_opposite_face) {
    const auto start = flying(300);
    const auto end = run_on_ranks(GetParam(), *start, none(), 64, [](Simulation& sim) {
        for (const Vec3<double>& place : sim.particles()[position]) EXPECT_TRUE(within(box, place));
    });
    std::size_t crossings = 0;
    for (std::size_t row = 0; row < start->size(); ++row) {
        const Vec3<double> straight = (*start)[position][row] + 0.64 * (*start)[velocity][row];
        const Vec3<double> moved = straight - (*end)[position][row];
        EXPECT_NEAR(std::remainder(moved.x, 2), 0, 1e-12);
        EXPECT_NEAR(std::remainder(moved.y, 0.5), 0, 1e-12);
        EXPECT_NEAR(moved.z, 0, 1e-12);
        crossings += std::abs(moved.x) > 1;
        EXPECT_EQ((*end)[velocity][row], (*start)[velocity][row]);
    }
    EXPECT_GT(crossings, 50U);
}

TEST_P(BoxOnRanks, goes_on_bit_for_bit_after_a_checkpoint) {
    const auto start = flying(100);
    const auto end = run_on_ranks(GetParam(), *start, none(), 30);
    const auto resumed = copy_of(*start);
    run_ranks(GetParam(), [&](Comm& comm) {
        const auto first = simulation_on(comm, all_on_first(comm, *start), none());
        first->ensure_forces();
        while (first->step_count() < 13) first->step();
        const auto second = simulation_on(comm, copy_of(first->particles()), none());
        second->resume(first->time(), 13, first->domain_state());
        while (second->step_count() < 30) second->step();
        put_by_id(second->particles(), *resumed);
    });
    expect_same_bits(*resumed, *end);
}

// Records how far a particle was moved between forces with the same lists.
class WatchedLists : public PlainForce {
  public:
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases&) override {
        const double now = particles[position][0].x;
        if (step.may_reuse) longest = std::max(longest, std::abs(now - last_));
        if (step.may_reuse && now >= box.high.x) ++beyond;
        last_ = now;
    }
    std::uint32_t reuse_steps() const override { return 5; }

    double longest = 0;
    int beyond = 0;

  private:
    double last_ = 0;
};

TEST(Box, leaves_particles_where_they_are_while_lists_are_reused) {
    const auto particles = std::make_shared<ParticleSet>(1);
    particles->set_region(box);
    (*particles)[velocity][0] = {3, 0, 0};
    const auto force = std::make_shared<WatchedLists>();
    Simulation sim(particles, 0.01);
    sim.add_force(force);
    for (int step = 0; step < 200; ++step) sim.step();
    EXPECT_LT(force->longest, 0.031);
    EXPECT_GT(force->beyond, 0);
    EXPECT_TRUE(within(box, (*particles)[position][0]));
}

TEST(Box, says_which_particle_ran_away) {
    const auto particles = flying(5);
    Simulation sim(particles, 0.01);
    sim.step();
    (*particles)[velocity][3].y = Region::infinity;
    EXPECT_EQ(message_of([&] { sim.step(); }),
              "column 'position' is infinite at index 3: only finite values are allowed");
}

TEST(Box, is_the_same_on_all_ranks) {
    EXPECT_EQ(message_of([] {
                  run_ranks(3, [](Comm& comm) {
                      const auto own = all_on_first(comm, *flying(20));
                      if (comm.rank() == 1) own->set_region({});
                      simulation_on(comm, own, none())->step();
                  });
              }),
              "the box of the particles of rank 1 is (-inf, -inf, -inf) to (inf, inf, inf), but that of rank 0 "
              "(-1, 0, -inf) to (1, 0.5, inf): allowed is the same on all ranks");
}

// Also where the work is as even as can be, for which the last cuts would do.
TEST(Box, is_cut_again_when_it_changes) {
    run_ranks(3, [](Comm& comm) {
        const auto own = all_on_first(comm, *flying(20));
        Domains domains({&comm, [](Comm*) {}});
        Phases phases;
        for (const Region& region : {own->region(), Region{{-2, 0, 0}, {2, 1, 1}}}) {
            own->set_region(region);
            domains.distribute(*own, phases);
            domains.note_costs({1, 3, 1});
            EXPECT_EQ(Multisection(domains.state().cuts).region(), region);
        }
    });
}

TEST(Box, is_refused_by_gravity_of_particles_that_stay_on_a_device) {
    EXPECT_EQ(message_of([&] { ResidentSimulation(*flying(20), 0.05, 1, {}, 0.01, open_device("cpu")); }),
              "the particles' box is periodic along x, which gravity of particles that stay on a device does not take: "
              "allowed are infinite faces along all axes");
}

// A force in which each source adds the width of the box to the acceleration.
class Width : public PlainForce {
  public:
    std::span<const FieldInfo> results() const override { return results_; }
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t, std::int64_t, double,
                   double* values) const override {
        values[0] = (targets.region().high.x - targets.region().low.x) * static_cast<double>(sources.size());
    }

  private:
    std::vector<FieldInfo> results_{field_info<Acceleration>()};
};

TEST_P(BoxOnRanks, is_known_to_direct_summation) {
    const auto error_on = [](Comm& comm) {
        const auto own = flying(20);
        for (auto& a : (*own)[acceleration]) a = {2.0 * 20 * comm.size(), 0, 0};
        return measure_force_error(comm, *own, {std::make_shared<Width>()}, 0, 10, 1).maximum;
    };
    run_ranks(GetParam(), [&](Comm& comm) { EXPECT_EQ(error_on(comm), 0); });
}

}  // namespace trellis::box_test
