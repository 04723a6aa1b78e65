#include "trellis/lists/neighbours/search/images.hpp"

#include <gtest/gtest.h>

#include <set>

#include "trellis/lists/neighbours/search/search.hpp"
#include "unit/lists/neighbours/regions.hpp"
#include "unit/particle_models.hpp"

namespace trellis::images_test {

constexpr int most_periods = 6;  // the largest number that the trials need

Extent random_box(models::Random& random, double low, double high) {
    Extent box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double a = random.uniform(low, high), b = random.uniform(low, high);
        box.low[axis] = std::min(a, b);
        box.high[axis] = random.bits() % 4 == 0 ? box.low[axis] : std::max(a, b);
    }
    return box;
}

template <class Visit>
void for_each_shift(const Region& region, Visit visit) {
    int most[3];
    for (std::size_t axis = 0; axis < 3; ++axis) most[axis] = region.periodic(axis) ? most_periods : 0;
    const auto along = [&](std::size_t axis, int n) { return n == 0 ? 0 : n * (region.high[axis] - region.low[axis]); };
    for (int x = -most[0]; x <= most[0]; ++x)
        for (int y = -most[1]; y <= most[1]; ++y)
            for (int z = -most[2]; z <= most[2]; ++z) visit(Vec3<double>{along(0, x), along(1, y), along(2, z)});
}

class Images : public testing::TestWithParam<NamedRegion> {
  protected:
    // Boxes within the region and beyond it, search radii up to more than a period.
    template <class Check>
    void for_each_trial(Check check) const {
        models::Random random(1);
        for (int trial = 0; trial < 40; ++trial)
            for (const double reach : {0.0, 0.1, 0.6, 1.7}) {
                SCOPED_TRACE(testing::Message() << "trial " << trial << " reach " << reach);
                const double beyond = trial % 2 == 0 ? 0 : 1;
                check(random_box(random, -beyond, 1 + beyond), random_box(random, 0, 1), reach);
            }
    }
};
INSTANTIATE_TEST_SUITE_P(In, Images, testing::ValuesIn(all_regions), testing::PrintToStringParamName());

TEST_P(Images, are_all_that_come_within_reach_each_once) {
    const Region& region = GetParam().region;
    for_each_trial([&](const Extent& what, const Extent& to, double reach) {
        const auto shifts = shifts_near(region, what, to, reach);
        std::multiset<std::array<double, 3>> found;
        for (const auto& shift : shifts) found.insert({shift.x, shift.y, shift.z});
        for_each_shift(region, [&](const Vec3<double>& shift) {
            const std::size_t times = found.count({shift.x, shift.y, shift.z});
            if (gap2(moved(what, shift), to) < reach * reach) {
                EXPECT_EQ(times, 1U);
            } else {
                EXPECT_LE(times, 1U);
            }
            found.erase({shift.x, shift.y, shift.z});
        });
        EXPECT_TRUE(found.empty());
    });
}

TEST_P(Images, do_not_stay_away_along_an_axis) {
    for_each_trial([&](const Extent& what, const Extent& to, double reach) {
        for (const auto& shift : shifts_near(GetParam().region, what, to, reach)) {
            const Extent at = moved(what, shift);
            for (std::size_t axis = 0; axis < 3; ++axis)
                EXPECT_LE(std::max(at.low[axis] - to.high[axis], to.low[axis] - at.high[axis]), reach + 1e-12);
        }
    });
}

TEST_P(Images, begin_with_the_zero_shift) {
    const Extent box{{0.1, 0.3, 0.1}, {0.8, 0.9, 0.9}};
    for (const double reach : {0.0, 0.5, 3.0})
        EXPECT_EQ(shifts_near(GetParam().region, box, box, reach)[0], (Vec3<double>{0, 0, 0}));
}

TEST(ImagesOf, a_box_that_is_moved_by_a_period_are_moved_back) {
    const Region cube{{0, 0, 0}, {1, 1, 1}};
    const Extent box{{0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}};
    EXPECT_EQ(shifts_near(cube, moved(box, {2, 0, -1}), box, 0.1), (std::vector<Vec3<double>>{{-2, 0, 1}}));
}

TEST(ImagesOf, a_box_far_away_in_open_space_do_not_exist) {
    EXPECT_TRUE(shifts_near({}, {{0, 0, 0}, {1, 1, 1}}, {{0, 3, 0}, {1, 4, 1}}, 1.5).empty());
    EXPECT_EQ(shifts_near({}, {{0, 0, 0}, {1, 1, 1}}, {{0, 3, 0}, {1, 4, 1}}, 2).size(), 1U);
}

}  // namespace trellis::images_test
