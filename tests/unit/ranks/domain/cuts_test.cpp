#include "trellis/ranks/domain/cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/ranks/domain/sampled_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::cuts_test {

using models::imbalance, models::one_to_thousand, models::samples_of;

// Calls visit(row, axis) for all rows of a multisection.
template <class Visit>
void for_each_row(const Multisection& cuts, Visit visit) {
    visit(cuts.slabs(), std::size_t{0});
    for (int slab = 0; slab < cuts.shape().slabs; ++slab) {
        visit(cuts.columns(slab), std::size_t{1});
        for (int column = 0; column < cuts.shape().columns; ++column) visit(cuts.domains(slab, column), std::size_t{2});
    }
}

double narrowest(std::span<const double> faces) {
    double width = faces[1] - faces[0];
    for (std::size_t face = 1; face < faces.size(); ++face) width = std::min(width, faces[face] - faces[face - 1]);
    return width;
}

double side_of(const std::vector<Sample>& samples, const Region& region, std::size_t axis) {
    if (region.periodic(axis)) return region.high[axis] - region.low[axis];
    if (samples.empty()) return 1;
    const auto [low, high] =
        std::ranges::minmax_element(samples, {}, [axis](const Sample& sample) { return sample.position[axis]; });
    return high->position[axis] - low->position[axis];
}

void expect_room(const Multisection& cuts, const std::vector<Sample>& samples, const char* name) {
    for_each_row(cuts, [&](Multisection::Row row, std::size_t axis) {
        const double mean_width = side_of(samples, cuts.region(), axis) / static_cast<double>(row.size - 1);
        const auto faces = cuts.faces(row);
        ASSERT_GT(narrowest(faces), 0) << name << ", " << cuts.shape().ranks << " ranks, axis " << axis;
        ASSERT_GE(narrowest(faces), 0.999 * least_width * mean_width)
            << name << ", " << cuts.shape().ranks << " ranks, axis " << axis;
    });
}

TEST(Cuts, leave_every_rank_room) {
    for (const Region& region : models::regions)
        for (const int ranks : one_to_thousand)
            for (const std::size_t size : {0, 1, 2, 3, 10, 1000}) {
                const auto try_with = [&](const char* name, const ParticleSet& particles) {
                    const auto samples = samples_of(particles, region);
                    for (const Vec3<double> sides : {spread(samples), Vec3<double>{1, 1, 1}})
                        expect_room(cut(samples, best_shape(ranks, sides), region), samples, name);
                };
                for (const auto& model : models::all_models) try_with(model.name, model.make(size, 4));
                try_with("on_a_plane", models::on_a_plane(size, 4));
            }
}

TEST(Cuts, give_all_ranks_the_same_number_of_particles) {
    for (const Region& region : models::regions)
        for (const auto& make : {models::uniform_cube, models::uniform_sphere, models::plummer})
            for (const int ranks : one_to_thousand) {
                const auto particles = make(20 * 1000, 6);
                const double mean = 20.0 * 1000 / ranks;
                // One particle may be on the wrong side of each of six faces.
                EXPECT_LE(imbalance(models::cut_for(particles, ranks, region), samples_of(particles, region)),
                          1 + 3 / mean)
                    << ranks;
            }
}

TEST(Cuts, lie_between_samples_by_their_weight) {
    const auto cut_between = [](const std::vector<Sample>& samples) {
        return cut(samples, {2, 2, 1}, {}).domain(0).high.x;
    };
    EXPECT_EQ(cut_between({{{0, 0, 0}, 1}, {{3, 0, 0}, 1}, {{2, 0, 0}, 1}, {{1, 0, 0}, 1}}), 1.5);
    EXPECT_EQ(cut_between({{{0, 0, 0}, 3}, {{10, 0, 0}, 1}}), 2.5);
    EXPECT_EQ(cut_between({{{0, 0, 0}, 1}, {{10, 0, 0}, 3}}), 7.5);
}

TEST(Cuts, divide_clumps_within_clumps) {
    const auto particles = models::unequal_clumps(20 * 1000, 6);
    for (const int ranks : {2, 7, 12, 64})
        EXPECT_LE(imbalance(models::cut_for(particles, ranks, {}), samples_of(particles, {})), 1.01) << ranks;
}

TEST(Cuts, give_all_ranks_the_same_work) {
    models::Random random(8);
    auto samples = samples_of(models::plummer(50 * 1000, 6), {});
    for (Sample& sample : samples)
        sample.weight = random.uniform(0.1, 1) / (0.1 + dot(sample.position, sample.position));
    for (const int ranks : {2, 3, 7, 8, 12, 17, 64})
        EXPECT_LE(imbalance(cut(samples, best_shape(ranks, {1, 1, 1}), {}), samples), 1.02) << ranks;
}

TEST(Cuts, divide_a_line_and_a_plane) {
    EXPECT_EQ(models::cut_for(models::on_a_line(1000, 1), 12, {}).shape(), (Shape{12, 1, 12}));
    EXPECT_EQ(models::cut_for(models::on_a_plane(1000, 1), 16, {}).shape(), (Shape{16, 4, 1}));
}

TEST(Cuts, of_no_samples_are_evenly_spaced) {
    const Region box{{0, 0, 0}, {3, 3, 3}};
    const Multisection cuts = cut({}, {27, 3, 3}, box);
    EXPECT_EQ(cuts.domain(13).low, (Vec3<double>{1, 1, 1}));
    EXPECT_EQ(cuts.domain(13).high, (Vec3<double>{2, 2, 2}));
}

TEST(Cuts, are_the_same_for_any_number_of_threads) {
    const auto particles = models::plummer(5000, 5);
    const auto alone = with_threads(1, [&] { return models::cut_for(particles, 60, {}).values(); });
    for (const int threads : {2, 3})
        EXPECT_EQ(with_threads(threads, [&] { return models::cut_for(particles, 60, {}).values(); }), alone);
}

// Calls attempt(cuts of one model, samples of another) for all pairs of models.
template <class Try>
void for_moves_between_models(int ranks, const Region& region, Try attempt) {
    const Shape shape = best_shape(ranks, {1, 1, 1});
    for (const auto& from : models::all_models)
        for (const auto& to : models::all_models) {
            const auto samples = samples_of(to.make(300, 2), region);
            attempt(cut(samples_of(from.make(300, 1), region), shape, region), samples);
        }
}

TEST(MovedCuts, never_move_by_more_than_a_share_of_the_distance_to_the_next) {
    for (const Region& region : models::regions)
        for (const int ranks : one_to_thousand)
            for (const double share : {0.1, 0.5, 0.9})
                for_moves_between_models(ranks, region, [&](const Multisection& before, const auto& samples) {
                    const Multisection after = move_cuts(before, samples, share);
                    for_each_row(before, [&](Multisection::Row row, std::size_t) {
                        const auto was = before.faces(row), is = after.faces(row);
                        for (std::size_t face = 1; face + 1 < row.size; ++face) {
                            const double down = was[face] - was[face - 1], up = was[face + 1] - was[face];
                            ASSERT_LE(is[face], was[face] + share * up + 1e-12);
                            ASSERT_GE(is[face], was[face] - share * down - 1e-12);
                        }
                    });
                });
}

TEST(MovedCuts, leave_every_part_its_former_or_its_new_width) {
    for (const Region& region : models::regions)
        for (const int ranks : {2, 5, 12, 64})
            for_moves_between_models(ranks, region, [&](Multisection cuts, const auto& samples) {
                for (int step = 0; step < 10; ++step) {
                    const Multisection before = cuts;
                    cuts = move_cuts(before, samples, 0.5);
                    for_each_row(cuts, [&](Multisection::Row row, std::size_t axis) {
                        const double mean_width = side_of(samples, region, axis) / static_cast<double>(row.size - 1);
                        const double least = std::min(narrowest(before.faces(row)), least_width * mean_width);
                        ASSERT_GT(narrowest(cuts.faces(row)), 0);
                        ASSERT_GE(narrowest(cuts.faces(row)), 0.999 * least - 1e-15);
                    });
                }
            });
}

TEST(MovedCuts, arrive_at_the_quantiles) {
    for (const Region& region : models::regions) {
        const auto samples = samples_of(models::plummer(2000, 2), region);
        const Shape shape = best_shape(12, {1, 1, 1});
        Multisection cuts = cut(samples_of(models::unequal_clumps(2000, 1), region), shape, region);
        for (int step = 0; step < 25; ++step) cuts = move_cuts(cuts, samples, 0.5);
        const Multisection wanted = cut(samples, shape, region);
        for_each_row(cuts, [&](Multisection::Row row, std::size_t) {
            for (std::size_t face = 0; face < row.size; ++face)
                EXPECT_NEAR(cuts.faces(row)[face], wanted.faces(row)[face], 1e-14);
        });
    }
}

TEST(Spread, is_a_share_of_the_longest) {
    const std::vector<Sample> samples{{{1, 5, 5}, 1}, {{1, 9, 5}, 1}, {{2, 7, 5}, 2}};
    const Vec3<double> shares = spread(samples);
    EXPECT_EQ(shares.y, 1);
    EXPECT_NEAR(shares.x, 0.5 / std::sqrt(2.0), 1e-15);
    EXPECT_EQ(shares.z, 1e-6);
    EXPECT_EQ(spread({}), (Vec3<double>{1, 1, 1}));
    EXPECT_EQ(spread(std::span(samples).first(1)), (Vec3<double>{1, 1, 1}));
}

}  // namespace trellis::cuts_test
