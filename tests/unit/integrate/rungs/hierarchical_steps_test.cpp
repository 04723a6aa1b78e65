#include "trellis/integrate/rungs/hierarchical_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::hierarchical_steps_test {

using namespace fields;

// Springs between all particles, of given rungs.
class Springs final : public LevelForces {
  public:
    Springs(std::vector<unsigned> rungs, double longest) : rungs_(std::move(rungs)), longest_(longest) {}

    std::span<const std::string> results() const override { return results_; }
    std::span<const Evolution> kicks() const override { return kicks_; }
    const LevelCosts& costs() const override { return costs_; }
    void compute_at_own_steps(ParticleSet&, std::span<const std::uint32_t>, double, const RungTimes&) override {}
    void add_at_own_steps(const ParticleSet&, std::span<const std::uint32_t>, ParticleSet&) const override {}
    // The others alone allow any step.
    void allowed_steps_of_level(const ParticleSet&, double, double, std::span<double>) const override {}
    void compute(ParticleSet& level, std::span<const double>, double) override {
        sizes.push_back(level.size());
        pull(level);
    }
    void allowed_steps(const ParticleSet& all, double, double, std::span<const std::uint32_t> rows,
                       std::span<double> steps) const override {
        for (std::size_t k = 0; k < rows.size(); ++k)
            steps[k] = std::ldexp(longest_, -static_cast<int>(rungs_[all[id][rows[k]]]));
    }
    void add_over_ranks(RungCounts&) override {}
    double largest_on_ranks(double here) override { return here; }
    bool on_any_rank(bool here) override { return here; }

    static void pull(ParticleSet& particles) {
        const auto x = particles[position];
        const auto a = particles[acceleration];
        for (std::size_t i = 0; i < particles.size(); ++i) {
            a[i] = {0, 0, 0};
            for (const Vec3<double>& other : x) a[i] += other - x[i];
        }
    }

    std::vector<std::size_t> sizes;  // of the levels that forces were computed for

  private:
    std::vector<unsigned> rungs_;
    double longest_;
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
