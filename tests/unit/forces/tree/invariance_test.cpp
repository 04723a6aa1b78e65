// Forces do not depend on where the particles are, in which units, in which order, or by how many threads.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::invariance_test {

using namespace fields;

struct Path {
    Method method;
    int order;
    friend void PrintTo(const Path& path, std::ostream* out) {
        *out << (path.method == Method::tree ? "tree" : "fmm") << path.order;
    }
};

class Invariance : public testing::TestWithParam<Path> {
  protected:
    ForceSettings settings(Precision precision = Precision::automatic) const {
        return {.theta = 0.5, .method = GetParam().method, .order = GetParam().order, .precision = precision};
    }
    // Forces of a Plummer sphere with scale radius scale at offset, made dimensionless: times scale^2 and scale.
    ParticleSet scaled_forces(double scale, const Vec3<double>& offset, double softening) const {
        ParticleSet particles = models::plummer(1500, 1);
        models::place(particles, scale, offset);
        compute(*gravity(softening * scale, 1, settings()), particles);
        for (auto& a : particles[acceleration]) a = scale * (scale * a);
        for (double& phi : particles[potential]) phi *= scale;
        return particles;
    }
};
INSTANTIATE_TEST_SUITE_P(paths, Invariance,
                         testing::Values(Path{Method::tree, 1}, Path{Method::tree, 2}, Path{Method::fmm, 2},
                                         Path{Method::fmm, 4}, Path{Method::fmm, 5}),
                         testing::PrintToStringParamName());

double largest_difference(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const double apart = norm(a[acceleration][row] - b[acceleration][row]) / norm(b[acceleration][row]);
        if (!(apart <= largest)) largest = apart;  // NaN counts as the largest
    }
    return largest;
}

TEST_P(Invariance, extent_does_not_matter_without_softening) {
    const ParticleSet expected = scaled_forces(1, {0, 0, 0}, 0);
    for (double scale = 1e-30; scale < 2e30; scale *= 1e5)
        EXPECT_LT(largest_difference(scaled_forces(scale, {0, 0, 0}, 0), expected), 1e-4) << scale;
}

TEST_P(Invariance, extent_does_not_matter_with_softening) {
    const ParticleSet expected = scaled_forces(1, {0, 0, 0}, 0.01);
    for (double scale = 1e-30; scale < 2e30; scale *= 1e5)
        EXPECT_LT(largest_difference(scaled_forces(scale, {0, 0, 0}, 0.01), expected), 1e-4) << scale;
}

TEST_P(Invariance, distance_from_the_origin_does_not_matter) {
    const auto force = gravity(0.01, 1, settings());
    const auto error = [&](double distance) {
        ParticleSet particles = models::plummer(1500, 1);
        models::place(particles, 1, {distance, -distance, distance});
        return computed_errors(*force, std::move(particles)).acceleration;
    };
    const double here = error(0);
    for (const double sizes : {10.0, 1e4}) EXPECT_LT(error(30 * sizes), 1.2 * here) << sizes;
}

TEST_P(Invariance, unit_of_mass_and_g_do_not_matter) {
    const auto forces = [&](double unit, double g) {
        ParticleSet particles = models::plummer(1500, 1);
        for (double& m : particles[mass]) m *= unit;
        compute(*gravity(0.01, g, settings()), particles);
        for (auto& a : particles[acceleration]) a *= 1 / (unit * g);
        return particles;
    };
    const ParticleSet expected = forces(1, 1);
    EXPECT_LT(largest_difference(forces(1e10, 43007.1), expected), 1e-4);
    EXPECT_LT(largest_difference(forces(1e-35, 1), expected), 1e-4);
    EXPECT_LT(largest_difference(forces(1e41, 6.6743e-8), expected), 1e-4);  // masses in grams
}

TEST_P(Invariance, relative_criterion_knows_g) {
    const auto work = [&](double g) {
        ForceSettings relative = settings();
        relative.theta = 0;
        relative.criterion = Criterion::relative;
        ParticleSet particles = models::plummer(1500, 1);
        return compute(*gravity(0.01, g, relative), particles);
    };
    EXPECT_NEAR(static_cast<double>(work(1e5).pairs), static_cast<double>(work(1).pairs), 1e-3 * work(1).pairs);
}

TEST_P(Invariance, order_of_the_rows_does_not_matter) {
    ParticleSet sorted = models::plummer(1500, 1), reversed = models::plummer(1500, 1);
    std::ranges::reverse(reversed[position]);
    std::ranges::reverse(reversed[mass]);
    compute(*gravity(0.01, 1, settings()), sorted);
    compute(*gravity(0.01, 1, settings()), reversed);
    std::ranges::reverse(reversed[acceleration]);
    EXPECT_LT(largest_difference(reversed, sorted), 1e-5);
}

TEST_P(Invariance, threads_give_the_same_bits) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const Criterion criterion : {Criterion::geometric, Criterion::relative}) {
            const auto forces = [&](int threads) {
                ForceSettings chosen = settings(precision);
                chosen.criterion = criterion;
                if (criterion == Criterion::geometric) chosen.theta = 0.5;
                ParticleSet particles = models::plummer(3000, 1);
                with_threads(threads, [&] { compute(*gravity(0.01, 1, chosen), particles); });
                return particles;
            };
            const ParticleSet alone = forces(1);
            for (const int threads : {2, 3}) {
                const ParticleSet together = forces(threads);
                EXPECT_TRUE(std::ranges::equal(together[acceleration], alone[acceleration]));
                EXPECT_TRUE(std::ranges::equal(together[potential], alone[potential]));
            }
        }
}

TEST_P(Invariance, a_force_can_be_computed_again) {
    ParticleSet particles = models::plummer(1500, 1), fewer = models::plummer(100, 2);
    const auto force = gravity(0.01, 1, settings());
    compute(*force, particles);
    const std::vector<Vec3<double>> first(particles[acceleration].begin(), particles[acceleration].end());
    compute(*force, fewer);
    compute(*force, particles);
    EXPECT_TRUE(std::ranges::equal(particles[acceleration], first));
}

TEST_P(Invariance, a_force_is_added_to_what_is_there) {
    ParticleSet particles = models::plummer(200, 1);
    for (auto& a : particles[acceleration]) a = {1000, 0, 0};
    Phases phases;
    const auto force = gravity(0.01, 1, settings());
    force->dispatch(particles, {}, phases);
    force->retrieve(particles, phases);
    ParticleSet alone = models::plummer(200, 1);
    compute(*gravity(0.01, 1, settings()), alone);
    for (std::size_t row = 0; row < 200; ++row) {
        const Vec3<double> apart = particles[acceleration][row] - alone[acceleration][row];
        EXPECT_LT(norm(apart - Vec3<double>{1000, 0, 0}), 1e-10);
    }
}

}  // namespace trellis::invariance_test
