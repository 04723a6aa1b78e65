#include "trellis/forces/sph/viscosity.hpp"

#include <gtest/gtest.h>

namespace trellis::viscosity_test {

// Gas compressed at a rate of 1 in a kernel of radius 1, ever faster.
const FlowState shock{.h = 1, .divergence = -1, .divergence_rate = -5, .curl = 0, .sound_speed = 1, .signal_speed = 2};
const FlowState at_rest{.h = 1, .divergence = 0, .divergence_rate = 0, .curl = 0, .sound_speed = 1, .signal_speed = 2};

FlowState with_curl(FlowState flow, double curl) {
    flow.curl = curl;
    return flow;
}

TEST(Balsara, tells_compression_from_shear) {
    EXPECT_NEAR(balsara(shock), 1, 1e-3);
    EXPECT_NEAR(balsara(with_curl(shock, 1)), 0.5, 1e-3);
    EXPECT_NEAR(balsara(with_curl(at_rest, 1)), 0, 1e-3);
    EXPECT_EQ(balsara(at_rest), 0);
    EXPECT_EQ(balsara({.h = 1}), 1) << "cold and at rest: 0 / 0";
}

TEST(ConstantViscosity, is_there_in_compression_and_not_in_shear) {
    const ConstantViscosity constant{.alpha = 0.8};
    EXPECT_NEAR(constant(0, shock, 0.1), 0.8, 1e-3);
    EXPECT_NEAR(constant(0.8, with_curl(at_rest, 1), 0.1), 0, 1e-3);
}

TEST(MorrisMonaghanViscosity, solves_its_differential_equation) {
    const MorrisMonaghanViscosity switched;
    const double alpha = 0.4, dt = 1e-6;
    const double rate = -(alpha - 0.1) * 2 * 0.2 + (1 - alpha) * balsara(shock);
    EXPECT_NEAR((switched(alpha, shock, dt) - alpha) / dt, rate, 1e-5);
    EXPECT_NEAR(switched(switched(alpha, shock, 0.3), shock, 0.4), switched(alpha, shock, 0.7), 1e-14);
}

TEST(MorrisMonaghanViscosity, stays_between_its_bounds) {
    const MorrisMonaghanViscosity switched;
    FlowState strong = shock;
    strong.divergence = -1e3;
    EXPECT_NEAR(switched(0.1, strong, 1), 1, 1e-3);
    EXPECT_LE(switched(0.1, strong, 1), 1);
    EXPECT_NEAR(switched(1, at_rest, 100), 0.1, 1e-12);
    EXPECT_EQ(switched(0.5, {.h = 1}, 1), 0.5) << "nothing happens in cold gas at rest";
}

TEST(CullenDehnenViscosity, rises_at_once_and_decays_behind_the_shock) {
    const CullenDehnenViscosity switched;
    EXPECT_DOUBLE_EQ(switched(0, shock, 1e-9), 2 * 5.0 / (5 + 1));
    EXPECT_DOUBLE_EQ(switched(1.9, at_rest, 3), 1.9 * std::exp(-0.3));
    FlowState strong = shock;
    strong.divergence_rate = -1e9;
    EXPECT_NEAR(switched(0, strong, 1e-9), 2, 1e-6);
    EXPECT_EQ(switched(0.5, {.h = 1}, 1), 0.5) << "nothing happens in cold gas at rest";
}

TEST(CullenDehnenViscosity, is_for_gas_that_steepens_only) {
    const CullenDehnenViscosity switched;
    FlowState relaxing = shock, expanding = shock;
    relaxing.divergence_rate = 5;
    expanding.divergence = 1;
    EXPECT_EQ(switched(0, relaxing, 0.1), 0);
    EXPECT_EQ(switched(0, expanding, 0.1), 0);
    EXPECT_LT(switched(0, with_curl(shock, 30), 0.1), 0.02) << "shear";
}

}  // namespace trellis::viscosity_test
