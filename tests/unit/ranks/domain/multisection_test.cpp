#include "trellis/ranks/domain/multisection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/ranks/domain/cuts.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/domain/sampled_models.hpp"

namespace trellis::multisection_test {

using models::one_to_thousand;

bool has(const Extent& domain, const Vec3<double>& position) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (position[axis] < domain.low[axis] || position[axis] >= domain.high[axis]) return false;
    return true;
}

// Positions within the cuts, far outside, and at corners of domains.
std::vector<Vec3<double>> critical_positions(const Multisection& cuts) {
    std::vector<Vec3<double>> positions{{0, 0, 0}, {1e300, -1e300, 1e300}, {-1e300, 1e300, -1e300}};
    models::Random random(7);
    for (int k = 0; k < 30; ++k) {
        positions.push_back(4 * random.in_cube() - Vec3<double>{1.5, 1.5, 1.5});
        const auto rank = random.bits() % static_cast<std::uint64_t>(cuts.shape().ranks);
        const auto& [low, high] = cuts.domain(static_cast<int>(rank));
        for (const Vec3<double>& corner : {low, high})
            positions.push_back({std::isfinite(corner.x) ? corner.x : 0, std::isfinite(corner.y) ? corner.y : 0,
                                 std::isfinite(corner.z) ? corner.z : 0});
    }
    return positions;
}

TEST(Multisection, gives_every_position_to_the_one_rank_whose_domain_contains_it) {
    for (const Region& region : models::regions)
        for (const auto& model : models::all_models)
            for (const int ranks : one_to_thousand) {
                const Multisection cuts = models::cut_for(model.make(500, 2), ranks, region);
                for (const Vec3<double>& position : critical_positions(cuts)) {
                    const Vec3<double> inside = region.wrapped(position);
                    int owners = 0;
                    for (int rank = 0; rank < ranks; ++rank) owners += has(cuts.domain(rank), inside) ? 1 : 0;
                    ASSERT_EQ(owners, 1) << model.name << ", " << ranks << " ranks";
                    ASSERT_TRUE(has(cuts.domain(cuts.owner(position)), inside))
                        << model.name << ", " << ranks << " ranks";
                }
            }
}

TEST(Multisection, tiles_a_box) {
    for (const int ranks : one_to_thousand) {
        const Multisection cuts = models::cut_for(models::clustered(500, 2), ranks, models::regions[1]);
        double volume = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const Vec3<double> sides = cuts.domain(rank).high - cuts.domain(rank).low;
            volume += sides.x * sides.y * sides.z;
        }
        EXPECT_NEAR(volume, 8, 1e-12);
    }
}

TEST(Multisection, of_open_space_has_no_outer_faces) {
    const Multisection cuts({27, 3, 3}, {});
    EXPECT_EQ(cuts.domain(0).low, (Vec3<double>{-Region::infinity, -Region::infinity, -Region::infinity}));
    EXPECT_EQ(cuts.domain(26).high, (Vec3<double>{Region::infinity, Region::infinity, Region::infinity}));
    EXPECT_NEAR(cuts.domain(13).low.y, 1.0 / 3, 1e-15);
    EXPECT_NEAR(cuts.domain(13).high.z, 2.0 / 3, 1e-15);
}

TEST(Multisection, gives_images_to_the_owner_of_the_position_in_the_box) {
    const Multisection cuts = models::cut_for(models::plummer(500, 2), 17, models::regions[1]);
    models::Random random(5);
    for (int k = 0; k < 1000; ++k) {
        const Vec3<double> position = 2 * random.in_cube() - Vec3<double>{1, 1, 1};
        EXPECT_EQ(cuts.owner(position + Vec3<double>{2, -4, 6}), cuts.owner(cuts.region().wrapped(position)));
    }
}

TEST(Multisection, is_the_same_from_its_values) {
    for (const Region& region : models::regions)
        for (const int ranks : one_to_thousand) {
            const Multisection cuts = models::cut_for(models::plummer(500, 2), ranks, region);
            const Multisection again(cuts.values());
            EXPECT_EQ(again.shape(), cuts.shape());
            EXPECT_EQ(again.region(), cuts.region());
            EXPECT_EQ(again.values(), cuts.values());
            EXPECT_LE(cuts.values().size(), 10 + 5 * static_cast<std::size_t>(ranks));
        }
}

TEST(Multisection, refuses_values_of_no_multisection) {
    const auto good = Multisection({7, 2, 2}, models::regions[1]).values();
    const auto message_with = [&](std::size_t index, double value) {
        auto values = good;
        values[index] = value;
        return message_of([&] { const Multisection cuts(values); });
    };
    EXPECT_EQ(message_with(0, 7), "");
    EXPECT_EQ(message_with(0, 0),
              "these values begin with 0, 2 and 2, no multisection's ranks, slabs and columns: allowed is what another "
              "multisection gave as its values");
    EXPECT_NE(message_with(0, 6.5), "");
    EXPECT_NE(message_with(0, 8), "");
    EXPECT_NE(message_with(1, 8), "");
    EXPECT_NE(message_with(2, 4), "");
    EXPECT_NE(message_with(2, std::nan("")), "");
    EXPECT_NE(message_with(3, 5), "");
    for (std::size_t face = 9; face < good.size(); ++face) {
        EXPECT_NE(message_with(face, 17), "") << face;
        EXPECT_NE(message_with(face, std::nan("")), "") << face;
    }
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, good.size() - 1})
        EXPECT_NE(message_of([&] { const Multisection cuts{std::span(good).first(count)}; }), "");
}

}  // namespace trellis::multisection_test
