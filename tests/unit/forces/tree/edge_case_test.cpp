// Properties of users' data that textbooks do not mention.
#include <gtest/gtest.h>

#include <limits>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::edge_case_test {

using namespace fields;

struct Path {
    ForceSettings settings;

    friend void PrintTo(const Path& path, std::ostream* out) {
        const ForceSettings& s = path.settings;
        *out << (s.method == Method::tree ? "tree" : "fmm") << s.order
             << (s.criterion == Criterion::relative ? "_relative" : "_geometric")
             << (s.precision == Precision::single_ ? "_single" : "_double");
    }
};

// Small groups and leaves, so that all parts of a path are used.
std::vector<Path> all_paths() {
    std::vector<Path> all;
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const Criterion criterion : {Criterion::geometric, Criterion::relative})
            for (const auto& [method, order] :
                 {std::pair{Method::tree, 1}, {Method::tree, 2}, {Method::fmm, 2}, {Method::fmm, 4}, {Method::fmm, 5}})
                all.push_back({{.theta = criterion == Criterion::geometric ? 0.5 : 0.0,
                                .method = method,
                                .criterion = criterion,
                                .order = order,
                                .group_size = 16,
                                .leaf_size = 4,
                                .precision = precision}});
    return all;
}

class EdgeCase : public testing::TestWithParam<Path> {
  protected:
    ParticleSet computed(ParticleSet particles, double softening) const {
        compute(*gravity(softening, 1, GetParam().settings), particles);
        return particles;
    }
};
INSTANTIATE_TEST_SUITE_P(paths, EdgeCase, testing::ValuesIn(all_paths()), testing::PrintToStringParamName());

void expect_finite(const ParticleSet& particles) {
    for (std::size_t row = 0; row < particles.size(); ++row) {
        const auto& a = particles[acceleration][row];
        ASSERT_TRUE(std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z)) << "row " << row;
        ASSERT_TRUE(std::isfinite(particles[potential][row])) << "row " << row;
    }
}

TEST_P(EdgeCase, no_particles) { EXPECT_EQ(computed(ParticleSet(0), 0.1).size(), 0U); }

TEST_P(EdgeCase, particles_at_one_place_exert_no_force_on_each_other) {
    const ParticleSet particles = computed(models::one_place(100, 1), 0);
    for (const auto& a : particles[acceleration]) EXPECT_EQ(a, (Vec3<double>{0, 0, 0}));
    for (const double phi : particles[potential]) EXPECT_EQ(phi, 0);
}

TEST_P(EdgeCase, softened_particles_at_one_place_have_a_potential) {
    const double softening = 0.5;
    const ParticleSet particles = computed(models::one_place(100, 1), softening);
    double total = 0;
    for (const double m : particles[mass]) total += m;
    for (std::size_t row = 0; row < 100; ++row) {
        EXPECT_LT(norm(particles[acceleration][row]), 1e-12);
        EXPECT_NEAR(particles[potential][row], -(total - particles[mass][row]) / softening, 1e-6 * total / softening);
    }
}

TEST_P(EdgeCase, every_model_without_softening_is_finite) {
    for (const auto& model : models::all_models) {
        SCOPED_TRACE(model.name);
        expect_finite(computed(model.make(500, 3), 0));
    }
}

// Clumps of any tightness for which m / r^3 is within range, on boundaries between cells and off them.
TEST_P(EdgeCase, tight_clumps_without_softening_are_finite) {
    const double smallest = GetParam().settings.precision == Precision::single_ ? 1e-11 : 1e-25;
    for (const Vec3<double>& middle : {Vec3<double>{0, 0, 0}, {0.3, 0.4, -0.2}})
        for (double size = 1e-3; size > smallest; size *= 1e-2) {
            SCOPED_TRACE(size);
            ParticleSet particles = models::uniform_cube(300, 4);
            models::place(particles, 2, {-1, -1, -1});
            models::Random random(6);
            particles[position][0] = {-1, -1, -1};
            particles[position][1] = {1, 1, 1};
            for (std::size_t row = 2; row < 60; ++row) particles[position][row] = middle + size * random.direction();
            expect_finite(computed(std::move(particles), 0));
        }
}

TEST_P(EdgeCase, many_at_one_place_among_others) {
    ParticleSet particles = models::uniform_cube(400, 2);
    for (std::size_t row = 0; row < 400; row += 4)
        particles[position][row] = {0.5, 0.25, 0.75};  // a place on cell boundaries too
    particles = computed(std::move(particles), 0);
    expect_finite(particles);
    const auto force = gravity(0, 1, GetParam().settings);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.02);
}

TEST_P(EdgeCase, particles_without_mass_feel_and_exert_nothing_more) {
    ParticleSet particles = models::plummer(600, 2);
    for (std::size_t row = 0; row < 600; row += 3) particles[mass][row] = 0;
    particles = computed(std::move(particles), 0.01);
    const auto force = gravity(0.01, 1, GetParam().settings);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.02);
}

TEST_P(EdgeCase, nothing_has_mass) {
    ParticleSet particles = models::plummer(300, 2);
    for (double& m : particles[mass]) m = 0;
    particles = computed(std::move(particles), 0.01);
    for (const auto& a : particles[acceleration]) EXPECT_EQ(a, (Vec3<double>{0, 0, 0}));
}

TEST_P(EdgeCase, one_mass_outweighs_all_others) {
    ParticleSet particles = models::plummer(600, 2);
    particles[mass][0] = 1e6;
    particles = computed(std::move(particles), 0.01);
    const auto force = gravity(0.01, 1, GetParam().settings);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.02);
}

TEST_P(EdgeCase, bad_values_are_named) {
    const auto message = [](auto column, std::size_t row, auto value) {
        ParticleSet particles = models::uniform_cube(100, 1);
        particles[column][row] = value;
        return message_of([&] { compute(*gravity(0.1, 1, GetParam().settings), particles); });
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message(position, 17, Vec3<double>{0, nan, 0}),
              "column 'position' is not a number at index 17: only finite values are allowed");
    EXPECT_EQ(message(mass, 99, infinity), "column 'mass' is infinite at index 99: only finite values are allowed");
    EXPECT_EQ(message(mass, 3, -2.5), "column 'mass' is -2.5 at index 3: allowed is 0 or more");
}

// The largest relative error of a single-precision force at the rows [begin, end).
double worst_error(ParticleSet& particles, int order, std::uint32_t group_size, std::uint32_t begin,
                   std::uint32_t end) {
    const auto force = gravity(0, 1,
                               {.theta = 0.5,
                                .method = Method::fmm,
                                .order = order,
                                .group_size = group_size,
                                .leaf_size = group_size,
                                .precision = Precision::single_});
    compute(*force, particles);
    double worst = 0;
    for (std::uint32_t row = begin; row < end; ++row) {
        const Vec3<double> exact = exact_force(*force, particles, row).acceleration;
        worst = std::max(worst, norm(particles[acceleration][row] - exact) / norm(exact));
    }
    return worst;
}

TEST(SinglePrecision, is_enough_for_close_cells_far_from_the_corner) {
    ParticleSet particles(4);
    particles[position][0] = {29.3, 28.1, 27.7};
    particles[position][1] = {29.3007, 28.1003, 27.6995};
    particles[position][2] = {-30, -30, -30};
    particles[position][3] = {30, 30, 30};
    for (double& m : particles[mass]) m = 1;
    EXPECT_LT(worst_error(particles, 2, 1, 0, 2), 1e-6);
}

// Cells of very different sizes act on each other here: powers of their ratios must not be lost.
TEST(SinglePrecision, differs_from_double_by_rounding_alone) {
    for (const auto& model : models::all_models) {
        const std::string name = model.name;
        if (name == "one_place" || name == "on_a_line") continue;  // only rounding is left
        for (const int order : {2, 3, 4, 5})
            for (const std::uint32_t group_size : {1U, 16U}) {
                SCOPED_TRACE(testing::Message() << name << " order " << order << " groups of " << group_size);
                const auto computed = [&](Precision precision) {
                    ParticleSet particles = model.make(1500, 1);
                    compute(*gravity(0.01, 1,
                                     {.theta = 0.5,
                                      .method = Method::fmm,
                                      .order = order,
                                      .group_size = group_size,
                                      .leaf_size = group_size,
                                      .precision = precision}),
                            particles);
                    return particles;
                };
                const ParticleSet single = computed(Precision::single_), whole = computed(Precision::double_);
                for (std::size_t row = 0; row < single.size(); ++row)
                    ASSERT_LT(norm(single[acceleration][row] - whole[acceleration][row]),
                              2e-5 * norm(whole[acceleration][row]));
            }
    }
}

}  // namespace trellis::edge_case_test
