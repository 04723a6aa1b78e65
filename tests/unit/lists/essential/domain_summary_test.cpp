#include "trellis/lists/essential/domain_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/lists/walk/walk_table.hpp"
#include "unit/lists/walk/weighed_tree.hpp"
#include "unit/particle_models.hpp"

namespace trellis::domain_summary_test {

using namespace fields;

constexpr Opening openings[] = {{Receiver::particle, 0.5, 1}, {Receiver::particle, 1.5, 1}, {Receiver::cell, 0.4, 3}};

ParticleSet part(const ParticleSet& all, std::size_t begin, std::size_t end) {
    ParticleSet some(end - begin);
    std::copy_n(all[position].begin() + static_cast<std::ptrdiff_t>(begin), end - begin, some[position].begin());
    std::copy_n(all[mass].begin() + static_cast<std::ptrdiff_t>(begin), end - begin, some[mass].begin());
    return some;
}

DomainSummary summary(const ParticleSet& particles, const Opening& opening, const std::vector<double>& tolerance = {}) {
    const WeighedTree tree(particles, opening, 8, tolerance);
    return summary_of(tree.listed, Inertia(&tree));
}

Inertia::Values inertia_of(const DomainSummary& summary) {
    Inertia::Values values;
    std::memcpy(&values, summary.moments.data(), sizeof values);
    return values;
}

// EXPECTs the properties of every summary of these particles, however it was made.
void expect_describes(const DomainSummary& summary, const ParticleSet& particles, const Opening& opening) {
    ASSERT_EQ(summary.count, particles.size());
    const CellContents& contents = summary.contents;
    double weight = 0, inertia = 0;
    Vec3<double> centre{0, 0, 0}, low = particles[position][0], high = low;
    for (std::size_t k = 0; k < particles.size(); ++k) {
        const Vec3<double> at = particles[position][k], offset = at - contents.sphere.centre;
        weight += particles[mass][k];
        centre += particles[mass][k] * at;
        inertia += particles[mass][k] * dot(offset, offset);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], at[axis]);
            high[axis] = std::max(high[axis], at[axis]);
        }
        EXPECT_LE(std::sqrt(dot(offset, offset)), contents.sphere.radius * (1 + 1e-12));
    }
    EXPECT_NEAR(contents.weight, weight, 1e-12 * weight);
    for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(contents.sphere.centre[axis], centre[axis] / weight, 1e-12 * (1 + std::abs(high[axis])));
    EXPECT_EQ(contents.bounds.low, low);
    EXPECT_EQ(contents.bounds.high, high);
    ASSERT_EQ(summary.sums.size(), 1U);
    EXPECT_NEAR(summary.sums[0], weight, 1e-12 * weight);
    EXPECT_NEAR(inertia_of(summary).mass, weight, 1e-12 * weight);
    EXPECT_NEAR(inertia_of(summary).inertia, inertia, 1e-10 * inertia);
    const double side = largest(high - low), radius = contents.sphere.radius;
    if (opening.receiver == Receiver::particle) {
        EXPECT_GE(summary.size, std::max(side, opening.theta * radius) * (1 - 1e-12));
        EXPECT_LE(summary.size, std::max(side, opening.theta * radius) * (1 + 1e-9) + 1e-15);
    } else {
        EXPECT_EQ(summary.size, radius);
    }
}

TEST(DomainSummary, describes_the_particles_of_a_tree) {
    for (const Opening& opening : openings)
        for (const auto& model : models::all_models) {
            SCOPED_TRACE(model.name);
            const ParticleSet all = model.make(300, 2);
            expect_describes(summary(all, opening), all, opening);
        }
}

TEST(DomainSummary, joined_describes_the_particles_of_both) {
    for (const Opening& opening : openings)
        for (const auto& model : models::all_models) {
            SCOPED_TRACE(model.name);
            const ParticleSet all = model.make(300, 2);
            const DomainSummary both =
                join(summary(part(all, 0, 80), opening), summary(part(all, 80, 300), opening), opening, Inertia());
            expect_describes(both, all, opening);
        }
}

TEST(DomainSummary, has_the_smallest_tolerance) {
    const ParticleSet all = models::plummer(4, 1);
    const DomainSummary a = summary(all, {}, {4, 3, 5, 6}), b = summary(all, {}, {9, 8, 2, 7});
    EXPECT_EQ(a.tolerance, 3);
    EXPECT_EQ(join(a, b, {}, Inertia()).tolerance, 2);
    EXPECT_EQ(join(b, a, {}, Inertia()).tolerance, 2);
    EXPECT_EQ(summary(all, {}).tolerance, any_error);
}

TEST(DomainSummary, of_no_particles_leaves_the_other_unchanged) {
    const DomainSummary nothing = summary(ParticleSet(0), {}), some = summary(models::plummer(30, 1), {});
    EXPECT_TRUE(nothing.empty());
    for (const DomainSummary& both : {join(nothing, some, {}, Inertia()), join(some, nothing, {}, Inertia())}) {
        EXPECT_EQ(both.count, 30U);
        EXPECT_EQ(both.contents.weight, some.contents.weight);
        EXPECT_EQ(both.moments, some.moments);
    }
    EXPECT_TRUE(join(nothing, nothing, {}, Inertia()).empty());
}

TEST(DomainSummary, travels_bit_for_bit_and_takes_the_same_bytes_if_it_is_empty) {
    const DomainSummary sent = summary(models::plummer(30, 1), {}, std::vector<double>(30, 0.25));
    ByteWriter out, of_none, again;
    sent.write(out);
    summary(ParticleSet(0), {}).write(of_none);
    const auto bytes = out.take();
    EXPECT_EQ(of_none.size(), bytes.size());
    ByteReader in(bytes);
    const DomainSummary got = DomainSummary::read(in);
    EXPECT_TRUE(in.at_end());
    got.write(again);
    EXPECT_EQ(again.take(), bytes);
    EXPECT_EQ(got.count, 30U);
    EXPECT_EQ(got.size, sent.size);
    EXPECT_EQ(got.tolerance, 0.25);
    EXPECT_EQ(got.contents.sphere.centre, sent.contents.sphere.centre);
    EXPECT_EQ(inertia_of(got).inertia, inertia_of(sent).inertia);
}

TEST(DomainSummary, of_moved_particles_has_their_size) {
    ParticleSet particles = models::plummer(100, 1);
    WeighedTree tree(particles, {}, 8);
    const double before = summary_of(tree.listed, Inertia(&tree)).size;
    models::place(particles, 3, {0, 0, 0});
    Phases phases;
    tree.listed.refresh(particles, phases);
    EXPECT_NEAR(summary_of(tree.listed, Inertia(&tree)).size, 3 * before, 1e-9 * before);
}

// The criterion written out, at random positions in the target and at the one nearest to the source.
TEST(DomainSummary, acts_as_a_whole_on_targets_all_of_which_accept_it) {
    models::Random random(5);
    int accepted_by_all = 0;
    for (int trial = 0; trial < 600; ++trial) {
        const Opening& opening = openings[trial % 3];
        ParticleSet near = models::plummer(20, 1), away = models::uniform_cube(20, 2);
        models::place(away, 2, std::pow(10, random.uniform(0.5, 2.5)) * random.direction());
        const double tolerance = std::pow(10, random.uniform(-6, 1));
        const DomainSummary source = summary(near, opening),
                            target = summary(away, opening, std::vector<double>(20, tolerance));
        const auto accepts = [&](const Vec3<double>& at) {
            const Vec3<double> apart = source.contents.sphere.centre - at;
            const double ratio = source.size / std::sqrt(dot(apart, apart));
            return ratio < opening.theta &&
                   source.contents.weight * std::pow(ratio, opening.order + 1) / dot(apart, apart) <= tolerance;
        };
        Vec3<double> nearest = source.contents.sphere.centre;
        const auto& [low, high] = target.contents.bounds;
        for (std::size_t axis = 0; axis < 3; ++axis) nearest[axis] = std::clamp(nearest[axis], low[axis], high[axis]);
        const bool whole = acts_as_whole(source, target, opening);
        EXPECT_EQ(whole, accepts(nearest));
        accepted_by_all += whole ? 1 : 0;
        for (int k = 0; k < 20 && whole; ++k) {
            const Vec3<double> share = random.in_cube();
            EXPECT_TRUE(accepts({low.x + share.x * (high.x - low.x), low.y + share.y * (high.y - low.y),
                                 low.z + share.z * (high.z - low.z)}));
        }
    }
    EXPECT_GT(accepted_by_all, 100);
    EXPECT_LT(accepted_by_all, 500);
}

TEST(DomainSummary, as_a_target_stands_for_all_its_particles) {
    const DomainSummary some = summary(models::plummer(30, 1), {}, std::vector<double>(30, 0.25));
    const WalkTarget target = target_of(some);
    EXPECT_EQ(target.bounds.low, some.contents.bounds.low);
    EXPECT_EQ(target.bounds.high, some.contents.bounds.high);
    EXPECT_EQ(target.centre, some.contents.sphere.centre);
    EXPECT_EQ(target.radius, some.contents.sphere.radius);
    EXPECT_EQ(target.smallest_tolerance, 0.25);
    EXPECT_TRUE(target.group);
}

}  // namespace trellis::domain_summary_test
