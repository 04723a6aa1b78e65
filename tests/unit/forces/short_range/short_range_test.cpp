// Short-range forces against the sum over all pairs and images in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

template <class How>
void compare(const Region& region, std::size_t count, double cutoff, const ShortRangeSettings& settings,
             double tolerance) {
    const auto particles = scattered(count, region, 0.2);
    Simulation simulation(particles, 0.1);
    simulation.add_force(short_range_force(Probe<How>{cutoff}, settings));
    simulation.compute_forces();
    EXPECT_GT(expect_exact(*simulation.forces()[0], *particles, tolerance), count);
    EXPECT_LT(simulation.work().pairs, std::uint64_t{count} * count / 2);
}

}  // namespace

TEST(ShortRange, SumsOverThoseWithinAConstantCutoff) { compare<Cutoff>({}, 3000, 0.08, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfI) { compare<Gather<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfJ) { compare<Scatter<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfEither) { compare<Symmetric<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, InDoublePrecisionIsRightToTheLastDigits) {
    compare<Symmetric<Reach>>(cube, 1200, 0, {.precision = Precision::double_}, 1e-14);
}
TEST(ShortRange, SumsOverImagesAcrossEveryPeriodicFace) {
    compare<Cutoff>(cube, 1200, 0.08, {}, 1e-6);
    compare<Cutoff>(slab(), 1200, 0.08, {}, 1e-6);
    compare<Gather<Reach>>(cube, 1200, 0, {}, 1e-6);
    compare<Scatter<Reach>>(cube, 1200, 0, {}, 1e-6);
    compare<Symmetric<Reach>>(slab(), 1200, 0, {}, 1e-6);
}
TEST(ShortRange, TakesDoublePrecisionWherePowersOfValuesLeaveSingle) {
    for (const double unit : {1e-25, 1e25}) {
        const auto particles = scattered(500, {}, 0.2);
        for (auto& x : (*particles)[position]) x *= unit;
        for (auto& r : (*particles)[reach]) r *= unit;
        Simulation simulation(particles, 0.1);
        simulation.add_force(short_range_force(Probe<Symmetric<Reach>>{}));
        simulation.compute_forces();
        double partners_of_all = 0;
        for (std::uint32_t row = 0; row < particles->size(); ++row) {
            double exact[6];
            simulation.forces()[0]->reference(*particles, *particles, row, row, 0, exact);
            EXPECT_NEAR((*particles)[acceleration][row].x, exact[0], 1e-12 * std::abs(exact[0])) << unit;
            EXPECT_EQ((*particles)[partners][row], exact[3]) << unit;
            partners_of_all += exact[3];
        }
        EXPECT_GT(partners_of_all, 500) << unit;
    }
}
TEST(ShortRange, RefusesRadiiBelowZeroAndSettingsOutOfRange) {
    const auto particles = scattered(100, {}, 0.2);
    Simulation simulation(particles, 0.1);
    simulation.add_force(short_range_force(Probe<Gather<Reach>>{}));
    simulation.compute_forces();  // sorts the rows
    (*particles)[reach][17] = -0.5;
    EXPECT_EQ(message_of([&] { simulation.compute_forces(); }),
              "column 'reach' is -0.5 at index 17: allowed is 0 or more");
    EXPECT_EQ(message_of([] { short_range_force(Probe<Cutoff>{-1}); }), "cutoff is -1: allowed is above 0");
    EXPECT_EQ(message_of([] { short_range_force(Probe<Cutoff>{1}, {.skin_ratio = 2}); }),
              "skin_ratio is 2: allowed is 0 to 1");
}
