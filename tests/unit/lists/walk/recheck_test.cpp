#include "trellis/lists/walk/recheck.hpp"

#include <gtest/gtest.h>

#include "trellis/lists/walk/listed_tree.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::recheck_test {

using namespace fields;

class Recheck : public testing::TestWithParam<Receiver> {
  protected:
    Recheck() : particles_(models::plummer(5000, 1)), listed_(fields(), 4, 3, opening(), 64, 8) {
        const std::vector<double> tolerance(particles_.size(), 0.01);
        listed_.build(particles_, Position::name, tolerance, phases_);
        listed_.start_local_lists().make_all_branches();
    }

    // True if the lists are still valid after move has moved every particle.
    template <class Move>
    bool hold_after(Move&& move, double skin) {
        ParticleSet moved(particles_.size());
        for (std::size_t row = 0; row < moved.size(); ++row) {
            moved[position][row] = move(particles_[position][row], row);
            moved[mass][row] = particles_[mass][row];
        }
        listed_.refresh(moved, phases_);
        return listed_.local_lists_valid(skin, phases_);
    }

    static Opening opening() { return {GetParam(), 0.6, GetParam() == Receiver::cell ? 3 : 1}; }
    static std::vector<FieldInfo> fields() { return {field_info<Position>(), field_info<Mass>()}; }

    ParticleSet particles_;
    ListedTree listed_;
    Phases phases_;
};

using Place = Vec3<double>;
constexpr double rounding = 1e-9;

TEST_P(Recheck, lists_valid_while_nothing_moves) {
    EXPECT_TRUE(hold_after([](const Place& x, std::size_t) { return x; }, 0));
}

TEST_P(Recheck, lists_valid_for_a_common_motion_of_all) {
    EXPECT_TRUE(hold_after([](const Place& x, std::size_t) { return x + Place{3, 40, -500}; }, rounding));
    EXPECT_TRUE(hold_after([](const Place& x, std::size_t) { return Place{x.y, -x.x, x.z}; }, rounding));
}

TEST_P(Recheck, lists_valid_while_particles_stay_near_within_the_skin) {
    models::Random random(3);
    const auto jitter = [&](const Place& x, std::size_t) { return x + 1e-5 * random.direction(); };
    EXPECT_TRUE(hold_after(jitter, 0.1));
}

TEST_P(Recheck, more_skin_allows_more) {
    const auto squeezed = [](const Place& x, std::size_t) { return Place{x.x, x.y, 0.8 * x.z}; };
    EXPECT_FALSE(hold_after(squeezed, 0.02));
    EXPECT_TRUE(hold_after(squeezed, 0.6));
}

TEST_P(Recheck, one_particle_that_crosses_the_system_is_noticed) {
    std::size_t outer = 0;
    for (std::size_t row = 0; row < particles_.size(); ++row)
        if (dot(particles_[position][row], particles_[position][row]) >
            dot(particles_[position][outer], particles_[position][outer]))
            outer = row;
    const auto mirrored = [&](const Place& x, std::size_t row) { return row == outer ? -x : x; };
    EXPECT_FALSE(hold_after(mirrored, 0.1));
}

TEST_P(Recheck, finds_the_same_with_any_number_of_threads) {
    const auto squeezed = [](const Place& x, std::size_t) { return Place{x.x, x.y, 0.97 * x.z}; };
    for (const double skin : {0.0, 0.01, 0.1}) {
        const bool alone = with_threads(1, [&] { return hold_after(squeezed, skin); });
        EXPECT_EQ(with_threads(4, [&] { return hold_after(squeezed, skin); }), alone);
    }
}

INSTANTIATE_TEST_SUITE_P(ForReceiver, Recheck, testing::Values(Receiver::particle, Receiver::cell),
                         [](const auto& of) { return of.param == Receiver::cell ? "cell" : "particle"; });

// Each clump acts on the other as a whole; positions within a clump do not change.
TEST(RecheckOfClumps, notices_that_they_have_come_near) {
    const auto clumps = [](double distance) {
        ParticleSet particles = models::uniform_sphere(2000, 1);
        for (std::size_t row = 0; row < 1000; ++row) particles[position][row].x += distance;
        return particles;
    };
    for (const Receiver receiver : {Receiver::particle, Receiver::cell}) {
        ListedTree listed({field_info<Position>(), field_info<Mass>()}, 4, 3, {receiver, 0.6, 2}, 64, 8);
        Phases phases;
        listed.build(clumps(40), Position::name, {}, phases);
        listed.start_local_lists().make_all_branches();
        listed.refresh(clumps(39), phases);
        EXPECT_TRUE(listed.local_lists_valid(0.1, phases));
        listed.refresh(clumps(2.5), phases);
        EXPECT_FALSE(listed.local_lists_valid(0.1, phases));
    }
}

TEST(RecheckOfHomologous, contraction_changes_no_angle) {
    ParticleSet particles = models::plummer(3000, 1);
    for (const Receiver receiver : {Receiver::particle, Receiver::cell}) {
        ListedTree listed({field_info<Position>(), field_info<Mass>()}, 4, 3, {receiver, 0.6, 2}, 64, 8);
        Phases phases;
        listed.build(particles, Position::name, {}, phases);
        listed.start_local_lists().make_all_branches();
        ParticleSet smaller = models::plummer(3000, 1);
        models::place(smaller, 0.3, {0, 0, 0});
        listed.refresh(smaller, phases);
        EXPECT_TRUE(listed.local_lists_valid(rounding, phases));
    }
}

}  // namespace trellis::recheck_test
