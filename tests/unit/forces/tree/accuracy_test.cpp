// Every path of the gravity force against direct summation in double precision.
// ctest runs these for each instruction set (tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::accuracy_test {

using namespace fields;

constexpr double softening = 0.01;

struct Path {
    Method method;
    int order;
    Precision precision;
    double bound;  // bound of the RMS error at theta 0.4, smooth models

    ForceSettings settings(double theta) const {
        return {.theta = theta, .method = method, .order = order, .precision = precision};
    }
    // The error from rounding alone.
    double rounding() const { return precision == Precision::single_ ? 1e-6 : 1e-13; }

    friend void PrintTo(const Path& path, std::ostream* out) {
        *out << (path.method == Method::tree ? "tree" : "fmm") << path.order
             << (path.precision == Precision::single_ ? "_single" : "_double");
    }
};

std::vector<Path> all_paths() {
    std::vector<Path> paths;
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const auto& [method, order, bound] : {std::tuple{Method::tree, 1, 4e-3},
                                                   {Method::tree, 2, 5e-4},
                                                   {Method::fmm, 2, 1.5e-2},
                                                   {Method::fmm, 3, 4e-3},
                                                   {Method::fmm, 4, 1.5e-3},
                                                   {Method::fmm, 5, 5e-4}})
            paths.push_back({method, order, precision, bound});
    return paths;
}

constexpr std::array<models::Model, 3> smooth_models{
    {{"uniform_cube", models::uniform_cube}, {"uniform_sphere", models::uniform_sphere}, {"plummer", models::plummer}}};

class Accuracy : public testing::TestWithParam<Path> {
  protected:
    Errors errors(const ParticleSet& particles, ForceSettings settings) const {
        const auto force = gravity(softening, 1, settings);
        ParticleSet copy(particles.size());
        std::ranges::copy(particles[position], copy[position].begin());
        std::ranges::copy(particles[mass], copy[mass].begin());
        return computed_errors(*force, std::move(copy));
    }
};
INSTANTIATE_TEST_SUITE_P(paths, Accuracy, testing::ValuesIn(all_paths()), testing::PrintToStringParamName());

TEST_P(Accuracy, is_within_bounds) {
    for (const auto& model : smooth_models) {
        SCOPED_TRACE(model.name);
        const Errors found = errors(model.make(2000, 1), GetParam().settings(0.4));
        EXPECT_LT(found.acceleration, GetParam().bound);
        EXPECT_LT(found.potential, GetParam().bound / 5);
        EXPECT_LT(found.worst, 30 * GetParam().bound);
    }
}

TEST_P(Accuracy, grows_as_theta_shrinks) {
    for (const auto& model : smooth_models) {
        const ParticleSet particles = model.make(2000, 1);
        double wider = 1;
        for (const double theta : {0.8, 0.4, 0.2}) {
            SCOPED_TRACE(testing::Message() << model.name << " theta " << theta);
            const double found = errors(particles, GetParam().settings(theta)).acceleration;
            EXPECT_LT(found, 0.5 * wider + GetParam().rounding());
            wider = found;
        }
    }
}

TEST_P(Accuracy, is_that_of_direct_summation_as_theta_vanishes) {
    for (const auto& model : models::all_models) {
        const std::string name = model.name;
        if (name == "one_place") continue;                       // all forces are zero
        const double cancelled = name == "on_a_line" ? 1e3 : 1;  // large forces that nearly cancel
        SCOPED_TRACE(name);
        const Errors found = errors(model.make(1000, 1), GetParam().settings(1e-9));
        EXPECT_LT(found.acceleration, cancelled * GetParam().rounding());
        EXPECT_LT(found.potential, GetParam().rounding());
    }
}

TEST_P(Accuracy, grows_as_less_error_is_allowed) {
    for (const auto& model : smooth_models) {
        const ParticleSet particles = model.make(2000, 1);
        ForceSettings settings = GetParam().settings(0);
        settings.criterion = Criterion::relative;
        double rougher = 1;
        for (const double accuracy : {1e-1, 1e-3, 1e-5}) {
            SCOPED_TRACE(testing::Message() << model.name << " accuracy " << accuracy);
            settings.accuracy = accuracy;
            const double found = errors(particles, settings).acceleration;
            EXPECT_LT(found, 0.2 * rougher + GetParam().rounding());
            rougher = found;
        }
        EXPECT_LT(rougher, 1e-4);
    }
}

TEST_P(Accuracy, does_not_depend_on_the_sizes_of_groups_and_leaves) {
    const ParticleSet particles = models::plummer(2100, 1);
    for (const auto& [group, leaf] : {std::pair{1U, 1U},
                                      {2U, 1U},
                                      {7U, 3U},
                                      {8U, 8U},
                                      {64U, 1U},
                                      {100U, 13U},
                                      {511U, 16U},
                                      {2048U, 64U},
                                      {2048U, 2048U},
                                      {5000U, 8U}}) {
        SCOPED_TRACE(testing::Message() << "groups of " << group << ", leaves of " << leaf);
        ForceSettings settings = GetParam().settings(0.4);
        settings.group_size = group;
        settings.leaf_size = leaf;
        EXPECT_LT(errors(particles, settings).acceleration, 3 * GetParam().bound);
        settings.theta = 1e-9;
        EXPECT_LT(errors(particles, settings).acceleration, GetParam().rounding());
    }
}

TEST_P(Accuracy, does_not_depend_on_the_number_of_particles) {
    for (const std::size_t size : {1UL, 2UL, 3UL, 7UL, 15UL, 16UL, 17UL, 63UL, 64UL, 65UL, 1000UL}) {
        SCOPED_TRACE(size);
        const ParticleSet particles = models::uniform_sphere(size, size);
        if (size == 1) {
            ParticleSet alone = models::uniform_sphere(1, 1);
            compute(*gravity(softening, 1, GetParam().settings(0.4)), alone);
            EXPECT_EQ(alone[acceleration][0], (Vec3<double>{0, 0, 0}));
            EXPECT_EQ(alone[potential][0], 0);
            continue;
        }
        EXPECT_LT(errors(particles, GetParam().settings(0.4)).acceleration, 2 * GetParam().bound);
        EXPECT_LT(errors(particles, GetParam().settings(1e-9)).acceleration, 2 * GetParam().rounding());
    }
}

class AccuracyOfOrders : public testing::TestWithParam<models::Model> {};
INSTANTIATE_TEST_SUITE_P(models, AccuracyOfOrders, testing::ValuesIn(smooth_models), testing::PrintToStringParamName());

TEST_P(AccuracyOfOrders, grows_with_the_order) {
    const auto error = [](Method method, int order) {
        const auto force = gravity(softening, 1, {.theta = 0.4, .method = method, .order = order});
        return computed_errors(*force, GetParam().make(2000, 1)).acceleration;
    };
    EXPECT_LT(error(Method::tree, 2), error(Method::tree, 1) / 3);
    for (const int order : {3, 4, 5})
        EXPECT_LT(error(Method::fmm, order), error(Method::fmm, order - 1) / 1.5) << order;
}

TEST_P(AccuracyOfOrders, of_the_fifth_in_double_precision_is_high) {
    const auto force =
        gravity(softening, 1, {.theta = 0.2, .method = Method::fmm, .order = 5, .precision = Precision::double_});
    EXPECT_LT(computed_errors(*force, GetParam().make(2000, 1)).acceleration, 5e-6);
}

TEST_P(AccuracyOfOrders, is_about_what_was_asked_for) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        const auto force = gravity(softening, 1, {.accuracy = accuracy});
        EXPECT_LT(computed_errors(*force, GetParam().make(4000, 1)).acceleration, 2 * accuracy) << accuracy;
    }
}

}  // namespace trellis::accuracy_test
