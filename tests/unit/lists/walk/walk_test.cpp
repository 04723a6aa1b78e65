#include "trellis/lists/walk/walk.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/particles/nearest_images.hpp"
#include "unit/lists/walk/listed_model.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::walk_test {

constexpr std::size_t size = 1500;

struct Case {
    models::Model model;
    Receiver receiver;

    friend void PrintTo(const Case& c, std::ostream* out) {
        *out << c.model.name << (c.receiver == Receiver::cell ? "_for_cells" : "_for_particles");
    }
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto& model : models::all_models)
        for (const Receiver receiver : {Receiver::particle, Receiver::cell}) cases.push_back({model, receiver});
    return cases;
}

// Tolerances of particles: none, similar ones, or very different ones.
enum class Bear { any_error, like_errors, unlike_errors };

std::vector<double> tolerances(Bear bear) {
    models::Random random(8);
    std::vector<double> tolerance(bear == Bear::any_error ? 0 : size);
    for (double& t : tolerance)
        t = bear == Bear::like_errors ? random.uniform(1e-3, 1.9e-3) : std::pow(10, random.uniform(-5, -2));
    return tolerance;
}

class Walk : public testing::TestWithParam<Case> {
  protected:
    // Calls check(listed, group size) for criteria from strict to loose and groups from small to large.
    template <class Check>
    void for_each_setting(Check check) const {
        const int order = GetParam().receiver == Receiver::cell ? 4 : 1;
        for (const double theta : {0.3, 0.9})
            for (const Bear bear : {Bear::any_error, Bear::like_errors, Bear::unlike_errors})
                for (const auto& [group, leaf] : {std::pair{1U, 1U}, {64U, 8U}, {5000U, 16U}}) {
                    SCOPED_TRACE(testing::Message() << "theta " << theta << " can bear " << static_cast<int>(bear)
                                                    << " group size " << group);
                    check(ListedModel(GetParam().model.make(size, 6), {GetParam().receiver, theta, order}, group, leaf,
                                      tolerances(bear)),
                          group);
                }
    }
};
INSTANTIATE_TEST_SUITE_P(models, Walk, testing::ValuesIn(all_cases()), testing::PrintToStringParamName());

void expect_groups_hold_every_particle_once_and_are_no_larger_than_asked(const ListedModel& listed,
                                                                         std::uint32_t group_size) {
    std::vector<int> visits(size, 0);
    for (const GroupList& group : listed.groups()) {
        const Cell& cell = listed.cell(group.cell);
        EXPECT_TRUE(cell.count <= group_size || cell.is_leaf());
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) ++visits[slot];
    }
    EXPECT_EQ(visits, std::vector<int>(size, 1));
}

void expect_groups_are_as_large_as_they_may_be(const ListedModel& listed, std::uint32_t group_size, Receiver receiver) {
    const auto uneven = [&](const Cell& cell) {
        if (listed.tolerance.empty() || receiver == Receiver::particle) return false;
        const auto first = listed.tolerance.begin();
        const auto [least, most] = std::minmax_element(first + cell.first, first + cell.end());
        return *most > even_tolerances * *least;
    };
    std::vector<std::uint32_t> parents(listed.tree.cells().size(), 0);
    for (std::uint32_t c = 0; c < parents.size(); ++c)
        if (!listed.cell(c).is_leaf()) parents[listed.cell(c).child] = parents[listed.cell(c).child + 1] = c;
    for (const GroupList& group : listed.groups()) {
        const Cell &cell = listed.cell(group.cell), &parent = listed.cell(parents[group.cell]);
        EXPECT_TRUE(cell.is_leaf() || !uneven(cell));
        if (group.cell != 0) {
            EXPECT_TRUE(parent.count > group_size || uneven(parent));
        }
    }
}

void expect_each_list_holds_every_particle_once(const ListedModel& listed, std::uint32_t image = 0) {
    for (const GroupList& group : listed.groups(image)) {
        std::vector<int> visits(size, 0);
        for (const auto* cells : {&group.far, &group.super, &group.near})
            for (const std::uint32_t c : *cells)
                for (std::uint32_t slot = listed.cell(c).first; slot < listed.cell(c).end(); ++slot) ++visits[slot];
        ASSERT_EQ(visits, std::vector<int>(size, 1)) << "group " << group.cell << ", image " << image;
    }
}

void expect_no_group_is_part_of_what_acts_on_it_as_a_whole(const ListedModel& listed) {
    for (const GroupList& group : listed.groups())
        for (const auto* cells : {&group.far, &group.super})
            for (const std::uint32_t c : *cells) {
                const Cell &far = listed.cell(c), &own = listed.cell(group.cell);
                ASSERT_TRUE(far.end() <= own.first || own.end() <= far.first) << "group " << group.cell << " in " << c;
            }
}

void expect_near_cells_are_leaves(const ListedModel& listed) {
    for (const GroupList& group : listed.groups())
        for (const std::uint32_t c : group.near) ASSERT_TRUE(listed.cell(c).is_leaf());
}

// One walk, tested for all properties of its lists.
TEST_P(Walk, has_valid_lists) {
    for_each_setting([](const ListedModel& listed, std::uint32_t group_size) {
        expect_groups_hold_every_particle_once_and_are_no_larger_than_asked(listed, group_size);
        expect_groups_are_as_large_as_they_may_be(listed, group_size, GetParam().receiver);
        expect_each_list_holds_every_particle_once(listed);
        expect_no_group_is_part_of_what_acts_on_it_as_a_whole(listed);
        expect_near_cells_are_leaves(listed);
    });
}

TEST_P(Walk, is_the_same_for_any_number_of_threads) {
    std::vector<std::vector<GroupList>> expected;
    for_each_setting([&](const ListedModel& listed, std::uint32_t) { expected.push_back(listed.groups()); });
    for (const int threads : {1, 3}) {
        std::size_t setting = 0;
        with_threads(threads, [&] {
            for_each_setting([&](const ListedModel& listed, std::uint32_t) {
                const auto groups = listed.groups();
                const auto& same = expected[setting++];
                ASSERT_EQ(groups.size(), same.size());
                for (std::size_t g = 0; g < groups.size(); ++g) {
                    ASSERT_EQ(groups[g].cell, same[g].cell);
                    ASSERT_EQ(groups[g].far, same[g].far);
                    ASSERT_EQ(groups[g].super, same[g].super);
                    ASSERT_EQ(groups[g].near, same[g].near);
                }
            });
        });
    }
}

// Tests the cells of an image that act as wholes against the opening angle at the position of the image.
TEST(WalkInABox, lists_every_particle_of_each_image_once) {
    const auto images = nearest_images({{0, 0, 0}, {1, 1, 1}});
    for (const Receiver receiver : {Receiver::particle, Receiver::cell}) {
        const Opening opening{receiver, 0.5, receiver == Receiver::cell ? 4 : 1};
        const ListedModel listed(models::uniform_cube(size, 6), opening, 64, 8, {}, images);
        const auto& spheres = listed.moments.spheres();
        for (std::uint32_t image = 0; image < images.size(); ++image) {
            expect_each_list_holds_every_particle_once(listed, image);
            for (const GroupList& group : listed.groups(image))
                for (std::size_t k = 0; k < group.far.size(); ++k) {
                    const Sphere &far = spheres[group.far[k]], &from = spheres[group.from[k]];
                    const Vec3<double> apart = far.centre + images[image] - from.centre;
                    ASSERT_LT(far.radius + (receiver == Receiver::cell ? from.radius : 0),
                              0.5 * std::sqrt(dot(apart, apart)))
                        << "group " << group.cell << ", image " << image;
                }
        }
    }
}

TEST(WalkOfNothing, has_no_lists) {
    const ListedModel listed(ParticleSet(0), {}, 64, 8);
    EXPECT_TRUE(listed.groups().empty());
    EXPECT_EQ(listed.lists.bytes(), 0U);
}

TEST(WalkOfMany, lists_once_the_cells_that_several_groups_share) {
    const ListedModel listed(models::uniform_cube(60'000, 1), {Receiver::cell, 0.5, 4}, 64, 8);
    std::size_t on_paths = 0, stored = listed.lists.trunk.far.size();
    for (const Branch& branch : listed.lists.branches()) stored += branch.far.size();
    for (const GroupList& group : listed.groups()) on_paths += group.far.size();
    EXPECT_GT(listed.lists.branches().size(), 100U) << "too few for many threads";
    EXPECT_LT(stored, on_paths);
    EXPECT_GE(listed.lists.bytes(), stored * sizeof(std::uint32_t));
}

}  // namespace trellis::walk_test
