#include "trellis/tree/moments.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::moments_test {

using namespace fields;

struct Charge : Field<double, "charge", "e", "electric charge"> {};

// Tree and moments of position, mass and charge, weighted with the mass or the charge.
struct Scene {
    explicit Scene(const ParticleSet& particles, std::size_t weight = 3) {
        Phases phases;
        tree.build(particles[position], 8, phases);
        const std::vector<FieldInfo> fields{field_info<Position>(), field_info<Mass>(), field_info<Charge>()};
        columns.gather(particles, fields, tree.order());
        moments.compute(tree, columns, weight);
    }
    Vec3<double> place(std::uint32_t slot) const {
        return {columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
    }

    Tree tree;
    SortedColumns columns;
    Moments moments;
};

ParticleSet with_charges(ParticleSet particles) {
    models::Random random(9);
    for (double& charge : particles.add(Charge{})) charge = random.uniform(-1, 1);
    return particles;
}

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

TEST(MomentsOfSoftenings, are_the_mean_of_their_squares_and_their_range) {
    ParticleSet particles = with_charges(models::plummer(2000, 3));
    for (double& softening : particles[Charge{}]) softening = std::abs(softening);
    const Scene scene(particles);
    Moments moments;
    moments.compute(scene.tree, scene.columns, 3, 4);
    const double *masses = scene.columns.component(3), *softenings = scene.columns.component(4);
    for (std::size_t c = 0; c < scene.tree.cells().size(); ++c) {
        const Cell& cell = scene.tree.cells()[c];
        double weight = 0, squares = 0;
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
            weight += masses[slot];
            squares += masses[slot] * softenings[slot] * softenings[slot];
        }
        const auto [smallest, largest] = std::minmax_element(softenings + cell.first, softenings + cell.end());
        const CellSoftening& found = moments.softenings()[c];
        ASSERT_EQ(found.smallest, *smallest);
        ASSERT_EQ(found.largest, *largest);
        ASSERT_NEAR(found.mean * found.mean, squares / weight, 1e-13);
        ASSERT_EQ(moments.sum(4)[c], found.mean);
    }
    EXPECT_TRUE(scene.moments.softenings().empty());
}

class MomentsOfModel : public testing::TestWithParam<models::Model> {
  protected:
    ParticleSet particles_ = with_charges(GetParam().make(2000, 3));
};
INSTANTIATE_TEST_SUITE_P(models, MomentsOfModel, testing::ValuesIn(models::all_models),
                         testing::PrintToStringParamName());

TEST_P(MomentsOfModel, centre_weight_and_sums_are_those_of_the_particles) {
    for (const std::size_t weight : {3UL, 4UL}) {
        const Scene scene(particles_, weight);
        const double* weights = scene.columns.component(weight);
        for (std::size_t c = 0; c < scene.tree.cells().size(); ++c) {
            const Cell& cell = scene.tree.cells()[c];
            double total = 0, sums[2] = {0, 0};
            Vec3<double> weighted{0, 0, 0};
            for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
                total += std::abs(weights[slot]);
                weighted += std::abs(weights[slot]) * scene.place(slot);
                sums[0] += scene.columns.component(3)[slot];
                sums[1] += scene.columns.component(4)[slot];
            }
            EXPECT_NEAR(scene.moments.weights()[c], total, 1e-12 * total);
            EXPECT_LT(norm(scene.moments.spheres()[c].centre - weighted / total),
                      1e-12 * scene.tree.root_box().side + 1e-14);
            EXPECT_NEAR(scene.moments.sum(3)[c], sums[0], 1e-12 * sums[0]);
            EXPECT_NEAR(scene.moments.sum(4)[c], sums[1], 1e-12 * cell.count);
        }
    }
}

TEST_P(MomentsOfModel, sphere_and_box_hold_every_particle) {
    const Scene scene(particles_);
    for (std::size_t c = 0; c < scene.tree.cells().size(); ++c) {
        const Cell& cell = scene.tree.cells()[c];
        const Sphere& sphere = scene.moments.spheres()[c];
        const Bounds& bounds = scene.moments.bounds()[c];
        Vec3<double> low = scene.place(cell.first), high = low;
        double radius = 0;
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
            const Vec3<double> at = scene.place(slot);
            radius = std::max(radius, norm(at - sphere.centre));
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], at[axis]);
                high[axis] = std::max(high[axis], at[axis]);
            }
        }
        EXPECT_GE(sphere.radius + 1e-15, radius);
        EXPECT_LE(sphere.radius, 2 * norm(high - low) + 1e-15) << "far too large";
        EXPECT_EQ(bounds.low, low);
        EXPECT_EQ(bounds.high, high);
    }
}

TEST(Moments, are_the_same_for_any_number_of_threads) {
    ParticleSet particles =
        with_charges(models::plummer(100'000, 3));  // levels of more cells than a thread takes at once
    for (double& softening : particles[Charge{}]) softening = std::abs(softening);
    const Scene scene(particles);
    const auto moments = [&](int threads) {
        return with_threads(threads, [&] {
            Moments made;
            made.compute(scene.tree, scene.columns, 3, 4);
            return made;
        });
    };
    const Moments alone = moments(1), together = moments(3);
    const auto same = [](const Sphere& a, const Sphere& b) { return a.centre == b.centre && a.radius == b.radius; };
    EXPECT_TRUE(std::ranges::equal(together.spheres(), alone.spheres(), same));
    EXPECT_EQ(together.weights(), alone.weights());
    EXPECT_EQ(together.softenings(), alone.softenings());
}

TEST(Moments, without_mass_particles_count_equally) {
    ParticleSet particles = with_charges(models::uniform_cube(500, 4));
    for (double& m : particles[mass]) m = 0;
    const Scene scene(particles);
    for (std::size_t c = 0; c < scene.tree.cells().size(); ++c) {
        EXPECT_EQ(scene.moments.weights()[c], 0);
        EXPECT_EQ(scene.moments.sum(3)[c], 0);
        const Cell& cell = scene.tree.cells()[c];
        if (!cell.is_leaf()) continue;
        Vec3<double> sum{0, 0, 0};
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) sum += scene.place(slot);
        EXPECT_LT(norm(scene.moments.spheres()[c].centre - sum / double(cell.count)), 1e-12);
    }
}

TEST(Moments, keep_their_digits_far_from_the_origin) {
    ParticleSet near = with_charges(models::uniform_cube(500, 4)), far = with_charges(models::uniform_cube(500, 4));
    const Vec3<double> away{1 << 14, 1 << 14, -(1 << 14)};
    for (auto& at : near[position])  // rounded to digits that the sum can keep
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = std::ldexp(std::round(std::ldexp(at[axis], 30)), -30);
    std::ranges::copy(near[position], far[position].begin());
    models::place(far, 1, away);
    const Scene here(near), there(far);
    ASSERT_EQ(here.tree.cells()[0].count, there.tree.cells()[0].count);
    EXPECT_LT(norm(there.moments.spheres()[0].centre - away - here.moments.spheres()[0].centre), 1e-11);
    EXPECT_NEAR(there.moments.spheres()[0].radius, here.moments.spheres()[0].radius, 1e-11);
}

}  // namespace trellis::moments_test
