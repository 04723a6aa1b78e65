#include "trellis/integrate/rungs/hierarchical_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::hierarchical_steps_test {

using namespace fields;

constexpr Vec3<double> weight{0, 0, 3};

// Springs between all particles, of given rungs, and with own_rungs a weight that acts at particles' own steps.
class Springs final : public LevelForces {
  public:
    Springs(std::vector<unsigned> rungs, double longest, std::vector<unsigned> own_rungs = {})
        : rungs_(std::move(rungs)), own_rungs_(std::move(own_rungs)), longest_(longest) {
        if (!own_rungs_.empty()) costs_.at_own_steps = 1;
    }

    std::span<const std::string> results() const override { return results_; }
    std::span<const Evolution> kicks() const override { return kicks_; }
    const LevelCosts& costs() const override { return costs_; }
    double range() const override { return std::numeric_limits<double>::infinity(); }
    void compute_at_own_steps(ParticleSet&, std::span<const std::uint32_t>, double, const RungTimes&) override {}
    void add_at_own_steps(const ParticleSet&, std::span<const std::uint32_t> rows, std::string_view,
                          std::span<double> sums) const override {
        for (std::size_t k = 0; k < 3 * rows.size(); ++k) sums[k] += weight[k % 3];
    }
    void allowed_at_own_steps(const ParticleSet& all, double, std::span<const std::uint32_t> rows,
                              std::span<double> steps) const override {
        for (std::size_t k = 0; k < rows.size() && !own_rungs_.empty(); ++k)
            steps[k] = std::min(steps[k], step_of(own_rungs_, all[id][rows[k]]));
    }
    // The others alone allow any step.
    void allowed_steps_of_level(const ParticleSet&, double, double, std::span<double>) const override {}
    void compute(ParticleSet& level, std::span<const double>, double) override {
        sizes.push_back(level.size());
        pull(level);
    }
    void allowed_steps(const ParticleSet& all, double time, double, std::span<const std::uint32_t> rows,
                       std::span<double> steps) const override {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::size_t particle = all[id][rows[k]];
            steps[k] = step_of(rungs_, particle) * (time > 0 && particle >= 10 ? later : 1);
        }
    }
    Comm& ranks() const override { return *ranks_; }
    void set_alone(bool) override {}
    bool asks_to_abandon() const override { return false; }
    bool has_other_sites() const override { return false; }
    bool on_any_site(bool here) override { return here; }

    static void pull(ParticleSet& particles) {
        const auto x = particles[position];
        const auto a = particles[acceleration];
        for (std::size_t i = 0; i < particles.size(); ++i) {
            a[i] = {0, 0, 0};
            for (const Vec3<double>& other : x) a[i] += other - x[i];
        }
    }

    std::vector<std::size_t> sizes;  // of the levels that forces were computed for
    double later = 1;                // the factor of steps that begin after the first, but for ten particles

  private:
    double step_of(const std::vector<unsigned>& rungs, std::size_t particle) const {
        return std::ldexp(longest_, -static_cast<int>(rungs[particle]));
    }

    std::vector<unsigned> rungs_, own_rungs_;
    double longest_;
    std::shared_ptr<Comm> ranks_ = serial_comm();
    std::vector<std::string> results_{Acceleration::name};
    std::vector<Evolution> kicks_{{Velocity::name, Acceleration::name}};
    LevelCosts costs_;
};

constexpr double longest = 0.1;

ParticleSet moving(std::size_t count) {
    ParticleSet particles = models::plummer(count, 1);
    models::Random random(2);
    for (auto& v : particles[velocity]) v = random.direction();
    HierarchicalSteps::attach(particles);
    return particles;
}

void kick(ParticleSet& particles, double time) {
    for (std::size_t k = 0; k < particles.size(); ++k) particles[velocity][k] += time * particles[acceleration][k];
}

// A longest step, with the kicks by the forces of all.
void advance(ParticleSet& particles, HierarchicalSteps& steps, Springs& springs) {
    StepClock clock(longest);
    Phases phases;
    clock.begin_step(1, 1);
    Springs::pull(particles);
    steps.begin(particles, clock, springs, phases);
    kick(particles, longest / 2);
    steps.advance(particles, clock, springs, phases);
    Springs::pull(particles);
    kick(particles, longest / 2);
}

TEST(HierarchicalSteps, are_reversible_while_rungs_do_not_change) {
    ParticleSet particles = moving(6);
    const std::vector<Vec3<double>> start(particles[position].begin(), particles[position].end());
    Springs springs({0, 0, 1, 3, 3, 5}, longest);
    HierarchicalSteps steps(0.025);
    for (int direction = 0; direction < 2; ++direction) {
        for (int step = 0; step < 10; ++step) advance(particles, steps, springs);
        double farthest = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            const Vec3<double> way = particles[position][k] - start[k];
            farthest = std::max(farthest, std::sqrt(dot(way, way)));
            particles[velocity][k] = -1.0 * particles[velocity][k];
        }
        if (direction == 0)
            EXPECT_GT(farthest, 0.5);
        else
            EXPECT_LT(farthest, 1e-12);
    }
}

TEST(HierarchicalSteps, compute_forces_on_levels_that_have_a_rung_of_their_own) {
    ParticleSet particles = moving(400);
    std::vector<unsigned> rungs(200, 0);
    rungs.resize(350, 2);
    rungs.resize(400, 4);
    Springs springs(rungs, longest);
    HierarchicalSteps steps(0.025);
    advance(particles, steps, springs);
    // Level 2 has 4 steps and its first forces, level 4 has 16 and its first.
    EXPECT_EQ(std::ranges::count(springs.sizes, 200U), 5);
    EXPECT_EQ(std::ranges::count(springs.sizes, 50U), 17);
    EXPECT_EQ(springs.sizes.size(), 22U);
    EXPECT_EQ(steps.use().level_updates, 5U * 200 + 17 * 50);
    EXPECT_EQ(steps.use().updates, 200U * 1 + 150 * 4 + 50 * 16);
    EXPECT_EQ(steps.use().particles[0], 200U);
    EXPECT_EQ(steps.use().particles[2], 150U);
    EXPECT_EQ(steps.use().particles[4], 50U);
}

// A longest step of springs and a weight, in which the weight acts at particles' own steps.
void advance_with_weight(ParticleSet& particles, HierarchicalSteps& steps, OwnSteps& own, Springs& springs) {
    StepClock clock(longest);
    Phases phases;
    clock.begin_step(1, 1);
    const auto pull = [&] {
        Springs::pull(particles);
        for (auto& a : particles[acceleration]) a += weight;
    };
    pull();
    own.begin(particles);
    steps.begin(particles, clock, springs, phases);
    kick(particles, longest / 2);
    steps.advance(particles, clock, springs, phases, &own);
    pull();
    kick(particles, longest / 2);
    own.end(particles, clock);
}

// A weight moves particles as exactly by short steps as by long ones: so they move as if all took those of the springs.
TEST(HierarchicalSteps, of_forces_at_own_steps_leave_those_of_levels_as_they_are) {
    std::vector<unsigned> rungs(100, 0), own_rungs(200, 0);
    rungs.resize(200, 2);
    for (std::size_t k = 0; k < 200; k += 3) own_rungs[k] = 5;
    ParticleSet particles = moving(200);
    Column& of_weight = particles.add({"_own_acceleration", "", "", 3});
    for (std::size_t k = 0; k < 600; ++k) of_weight.values()[k] = weight[k % 3];
    OwnSteps own(particles, {{Velocity::name, Acceleration::name, "_own_acceleration"}});
    Springs springs(rungs, longest, own_rungs), alone(rungs, longest);
    HierarchicalSteps steps(0.025), plain(0.025);
    ParticleSet others = moving(200);
    double fallen = 0;
    for (int step = 0; step < 3; ++step) {
        advance_with_weight(particles, steps, own, springs);
        advance(others, plain, alone);
        fallen += longest;
    }
    EXPECT_EQ(springs.sizes, alone.sizes);
    EXPECT_EQ(steps.use().updates, 67U * 32 + 66 * 1 + 67 * 4);
    double farthest = 0;
    for (std::size_t k = 0; k < 200; ++k) {
        const Vec3<double> apart = particles[position][k] - others[position][k] - 0.5 * fallen * fallen * weight;
        farthest = std::max(farthest, std::sqrt(dot(apart, apart)));
    }
    EXPECT_LT(farthest, 1e-10);
}

// Springs that ask for shorter steps have to wait for the end of theirs, though the weight's steps end before.
TEST(HierarchicalSteps, of_levels_change_where_they_begin) {
    ParticleSet particles = moving(20);
    Column& of_weight = particles.add({"_own_acceleration", "", "", 3});
    for (std::size_t k = 0; k < 60; ++k) of_weight.values()[k] = weight[k % 3];
    OwnSteps own(particles, {{Velocity::name, Acceleration::name, "_own_acceleration"}});
    std::vector<unsigned> own_rungs(20, 2);
    for (std::size_t k = 10; k < 20; ++k) own_rungs[k] = 3;
    Springs springs(std::vector<unsigned>(20, 0), longest, own_rungs);
    springs.later = 0.2;
    HierarchicalSteps steps(0.025);
    advance_with_weight(particles, steps, own, springs);
    EXPECT_EQ(springs.sizes, std::vector<std::size_t>());
    EXPECT_EQ(steps.use().updates, 10U * 4 + 10 * 8);
}

TEST(HierarchicalSteps, have_an_error_that_falls_with_the_square_of_all_steps) {
    const auto end = [](int divided) {
        ParticleSet particles = moving(6);
        Springs springs({0, 0, 1, 2, 2, 3}, longest);
        HierarchicalSteps steps(0.025);
        StepClock clock(longest / divided);
        Phases phases;
        for (int step = 0; step < 10 * divided; ++step) {
            clock.begin_step(1, 10);
            Springs::pull(particles);
            steps.begin(particles, clock, springs, phases);
            kick(particles, clock.step().length / 2);
            steps.advance(particles, clock, springs, phases);
            Springs::pull(particles);
            kick(particles, clock.step().length / 2);
            clock.end_step();
        }
        return particles[position][5];
    };
    // Rungs follow from the allowed steps, which stay: of a divided longest step particles are on fewer rungs.
    const Vec3<double> exact = end(64);
    const auto error = [&](int divided) {
        const Vec3<double> apart = end(divided) - exact;
        return std::sqrt(dot(apart, apart));
    };
    EXPECT_LT(error(8), 0.1 * error(1));
    EXPECT_LT(error(1), 0.05);
}

}  // namespace trellis::hierarchical_steps_test
