#include "trellis/forces/gravity/periodic/far_images.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::far_images_test {

const PeriodicCube cube{{0.5, -1, 3}, 2};

struct Sources {
    std::vector<Vec3<double>> positions;
    std::vector<double> strengths, widened;
};

constexpr double widening = 1e-3;  // w of each pair

Sources some(std::size_t count) {
    models::Random random(1);
    Sources sources;
    for (std::size_t k = 0; k < count; ++k) {
        sources.positions.push_back(cube.centre + cube.side * (random.in_cube() - Vec3<double>{0.5, 0.5, 0.5}));
        sources.strengths.push_back(random.uniform(0.5, 1.5));
        sources.widened.push_back(widening * sources.strengths.back());
    }
    return sources;
}

struct Found {
    double value = 0;
    Vec3<double> gradient{0, 0, 0};
};

FarImages images_of(const Sources& sources) {
    FarImages images;
    images.act(cube, spread_onto_points(cube, sources.positions, sources.strengths),
               spread_onto_points(cube, sources.positions, sources.widened), false);
    return images;
}

Found found_at(const FarImages& images, const Vec3<double>& place) {
    Found found;
    images.add({&place, 1}, {}, 1, {&found.value, 1}, {&found.gradient, 1});
    return found;
}

TEST(FarImages, have_the_field_of_the_lattice_without_the_nearest_27) {
    const Sources sources = some(20);
    const FarImages images = images_of(sources);
    models::Random random(2);
    for (int k = 0; k < 20; ++k) {
        const Vec3<double> at = cube.centre + 2 * cube.reach() * (random.in_cube() - Vec3<double>{0.5, 0.5, 0.5});
        double exact = 0;
        for (std::size_t j = 0; j < sources.positions.size(); ++j) {
            const Vec3<double> d = (sources.positions[j] - at) / cube.side;
            FarLattice far{};
            far_lattice({&d, 1}, all_periodic, {&far, 1});
            exact +=
                sources.strengths[j] * (far.points - 0.5 * widening / (cube.side * cube.side) * far.cubes) / cube.side;
        }
        EXPECT_NEAR(found_at(images, at).value, exact, 2e-6);
    }
}

TEST(FarImages, have_a_gradient_that_is_the_slope_of_their_value) {
    const FarImages images = images_of(some(20));
    const Vec3<double> at = cube.centre + Vec3<double>{0.9, -0.3, 0.6};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3<double> up = at, down = at;
        up[axis] += 1e-4;
        down[axis] -= 1e-4;
        EXPECT_NEAR(found_at(images, at).gradient[axis],
                    (found_at(images, up).value - found_at(images, down).value) / 2e-4, 1e-6);
    }
}

TEST(FarImages, spread_all_strength_with_the_same_bits_for_any_number_of_threads) {
    const Sources sources = some(5000);
    const auto spread = [&] { return spread_onto_points(cube, sources.positions, sources.strengths); };
    const auto by_three = with_threads(3, spread), by_one = with_threads(1, spread);
    EXPECT_EQ(by_three, by_one);
    EXPECT_NEAR(std::accumulate(by_one.begin(), by_one.end(), 0.0),
                std::accumulate(sources.strengths.begin(), sources.strengths.end(), 0.0), 1e-9);
}

}  // namespace trellis::far_images_test
