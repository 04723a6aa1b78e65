// Built-in fields: the force is minus the gradient of the potential, wherever it is asked for.
#include "trellis/forces/external/built_in_fields.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/forces/external/compiled_field.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"

namespace trellis::built_in_fields_test {

using namespace fields;
namespace built_in = trellis::external;

constexpr Vec3<double> centre{0.1, -0.2, 0.3};

struct Given {
    Vec3<double> acceleration;
    double potential;
};

Given given_by(const ExternalField& field, const Vec3<double>& place, double time = 0) {
    ParticleSet particle(1);
    particle[position][0] = place;
    double values[4];
    field.evaluate({particle, 0, 1, time}, values);
    return {{values[0], values[1], values[2]}, values[3]};
}

using Field = std::shared_ptr<const ExternalField>;

std::vector<Field> all_fields() {
    return {
        external_field(built_in::UniformField{.acceleration = {1, -2, 3}}),
        external_field(built_in::HarmonicTrap{.frequency = {1, 2, 0}, .centre = centre}),
        external_field(built_in::MeanDensity{.density = 2, .centre = centre, .G = 3}),
        external_field(built_in::PointMass{.mass = 2, .centre = centre, .G = 3}),
        external_field(built_in::Plummer{.mass = 2, .scale_radius = 0.5, .centre = centre, .G = 3}),
        external_field(built_in::Nfw{.mass = 2, .scale_radius = 0.5, .centre = centre, .G = 3}),
        external_field(built_in::LogarithmicHalo{.speed = 2, .core_radius = 0.2, .flattening = 0.8, .centre = centre}),
        external_field(
            built_in::MiyamotoNagai{.mass = 2, .scale_length = 0.5, .scale_height = 0.1, .centre = centre, .G = 3}),
        external_field(built_in::RotatingBar{.mass = 2,
                                             .half_length = 0.8,
                                             .width = 0.1,
                                             .thickness = 0.05,
                                             .pattern_speed = 1.5,
                                             .angle = 0.4,
                                             .centre = centre,
                                             .G = 3})};
}

TEST(BuiltInFields, pull_down_their_potential) {
    models::Random random(1);
    for (std::size_t number = 0; const Field& field : all_fields()) {
        for (int k = 0; k < 50; ++k) {
            const Vec3<double> place = centre + std::exp(random.uniform(-2, 2)) * random.direction();
            const double time = random.uniform(0, 5), step = 1e-4;
            const Vec3<double> a = given_by(*field, place, time).acceleration;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto phi = [&](double steps) {
                    Vec3<double> beside = place;
                    beside[axis] += steps * step;
                    return given_by(*field, beside, time).potential;
                };
                const double slope = (8 * (phi(1) - phi(-1)) - (phi(2) - phi(-2))) / (12 * step);
                EXPECT_NEAR(a[axis], -slope, 1e-6 * (1 + std::sqrt(dot(a, a)))) << "field " << number;
            }
        }
        ++number;
    }
}

// Near the centre an NFW halo pulls with G M / 2 r_s^2, and its potential is -G M / r_s: the series joins the formula.
TEST(BuiltInFields, are_right_at_the_centre_of_a_cusp) {
    const Field halo = external_field(built_in::Nfw{.mass = 2, .scale_radius = 0.5});
    const Given at_centre = given_by(*halo, {0, 0, 0});
    EXPECT_EQ(at_centre.potential, -4);
    EXPECT_EQ(at_centre.acceleration, (Vec3<double>{0, 0, 0}));
    EXPECT_NEAR(given_by(*halo, {0, 1e-9, 0}).acceleration.y, -4, 1e-7);
    const double below = given_by(*halo, {0.01 - 1e-12, 0, 0}).acceleration.x;
    const double above = given_by(*halo, {0.01 + 1e-12, 0, 0}).acceleration.x;
    EXPECT_NEAR(above / below, 1, 1e-9);
}

TEST(BuiltInFields, are_finite_at_their_centres_and_far_away) {
    for (const Field& field : all_fields())
        for (const Vec3<double>& place : {centre, Vec3<double>{1e12, 1e12, -1e12}, Vec3<double>{-1e12, 0, 0}}) {
            const auto [a, phi] = given_by(*field, place, 2);
            EXPECT_TRUE(std::isfinite(dot(a, a)) && std::isfinite(phi));
        }
}

// Half a turn of the bar is no change; a quarter of a turn exchanges the axes.
TEST(BuiltInFields, a_bar_turns) {
    const double quarter = std::acos(-1.0) / 2;
    const Field bar = external_field(
        built_in::RotatingBar{.mass = 1, .half_length = 1, .width = 0, .thickness = 0.1, .pattern_speed = 1});
    const Given along = given_by(*bar, {1.5, 0, 0}), across = given_by(*bar, {0, 1.5, 0});
    EXPECT_LT(along.acceleration.x, 1.3 * across.acceleration.y);
    EXPECT_NEAR(given_by(*bar, {1.5, 0, 0}, 2 * quarter).acceleration.x, along.acceleration.x, 1e-14);
    EXPECT_NEAR(given_by(*bar, {0, 1.5, 0}, quarter).acceleration.y, along.acceleration.x, 1e-14);
    EXPECT_NEAR(given_by(*bar, {1.5, 0, 0}, quarter).potential, across.potential, 1e-14);
}

TEST(BuiltInFields, refuse_numbers_that_mean_nothing) {
    const auto refusal = [](const auto& formula) { return message_of([&] { external_field(formula); }); };
    EXPECT_EQ(refusal(built_in::PointMass{.mass = 0}), "mass is 0: allowed is above 0");
    EXPECT_EQ(refusal(built_in::Plummer{.mass = 1, .scale_radius = -1}), "scale_radius is -1: allowed is above 0");
    EXPECT_EQ(refusal(built_in::UniformField{.acceleration = {0, std::nan(""), 0}}),
              "acceleration is (0, nan, 0): allowed is three finite numbers");
    EXPECT_EQ(refusal(built_in::HarmonicTrap{.frequency = {1, -1, 0}}), "frequency is -1: allowed is 0 or more");
    EXPECT_EQ(refusal(built_in::MiyamotoNagai{.mass = 1, .scale_length = 0, .scale_height = 0}),
              "scale_height is 0: allowed is above 0");
    EXPECT_EQ(refusal(built_in::MiyamotoNagai{.mass = 1, .scale_length = 0, .scale_height = 1}), "");
}

}  // namespace trellis::built_in_fields_test
