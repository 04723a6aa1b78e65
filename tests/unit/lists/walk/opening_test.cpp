// The lists tested against the criterion of lists/walk/opening.hpp.
#include "trellis/lists/walk/opening.hpp"

#include <gtest/gtest.h>

#include <set>

#include "unit/lists/walk/listed_model.hpp"
#include "unit/particle_models.hpp"

namespace trellis::opening_test {

using namespace fields;

// True if the cell is accepted: s / d < theta and w s^q / d^(q + 2) <= tolerance.
bool accepted(double size, double distance2, double weight, const Opening& opening, int power, double tolerance) {
    if (!(size * size < opening.theta * opening.theta * distance2)) return false;
    return weight * std::pow(size * size / distance2, 0.5 * power) / distance2 <= tolerance;
}

constexpr std::uint32_t group_size = 32;

// The squared distance from a box to a point.
double distance2(const Bounds& box, const Vec3<double>& point) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double outside = std::max({box.low[axis] - point[axis], point[axis] - box.high[axis], 0.0});
        sum += outside * outside;
    }
    return sum;
}

bool accepted_for_particles(const ListedModel& listed, const Opening& opening, std::uint32_t target, std::uint32_t c) {
    const Sphere& sphere = listed.moments.spheres()[c];
    const double size = opening.receiver == Receiver::cell
                            ? sphere.radius
                            : std::max(listed.tree.side(listed.cell(c)), opening.theta * sphere.radius);
    return accepted(size, distance2(listed.moments.bounds()[target], sphere.centre), listed.moments.weights()[c],
                    opening, opening.order + 1, listed.tolerance_of(listed.cell(target)));
}

bool accepted_for_cell(const ListedModel& listed, const Opening& opening, std::uint32_t target, std::uint32_t c) {
    const Sphere &a = listed.moments.spheres()[target], &b = listed.moments.spheres()[c];
    const Vec3<double> apart = b.centre - a.centre;
    return accepted(a.radius + b.radius, dot(apart, apart), listed.moments.weights()[c], opening, opening.order,
                    listed.tolerance_of(listed.cell(target)));
}

struct PlainList {
    std::set<std::uint32_t> far, near;
};

// The walk for one group alone.
void walk_plainly(const ListedModel& listed, const Opening& opening, std::uint32_t group, std::uint32_t c,
                  PlainList& list) {
    const Cell& cell = listed.cell(c);
    if (accepted_for_particles(listed, opening, group, c)) {
        list.far.insert(c);
    } else if (cell.is_leaf()) {
        list.near.insert(c);
    } else {
        walk_plainly(listed, opening, group, cell.child, list);
        walk_plainly(listed, opening, group, cell.child + 1, list);
    }
}

struct Case {
    models::Model model;
    double theta;

    friend void PrintTo(const Case& c, std::ostream* out) {
        *out << c.model.name << "_theta" << static_cast<int>(100 * c.theta);
    }
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto& model : {models::Model{"uniform", models::uniform_cube},
                              {"plummer", models::plummer},
                              {"clustered", models::clustered},
                              {"unequal_clumps", models::unequal_clumps}})
        for (const double theta : {0.3, 0.7, 1.2}) cases.push_back({model, theta});
    return cases;
}

class OpeningWalk : public testing::TestWithParam<Case> {
  protected:
    // Calls check(listed, opening) for several orders of expansion, without tolerances and with one for each particle,
    // with all groups even or no group even.
    template <class Check>
    void for_each_setting(Receiver receiver, Check check) const {
        constexpr std::size_t size = 1500;
        models::Random random(8);
        const bool for_cells = receiver == Receiver::cell;
        for (const double decades : {0.0, 0.3, 5.0})  // 0: no tolerance; 0.3: less than a factor of 2
            for (const int order : {1, 2, 3}) {
                SCOPED_TRACE(testing::Message() << "order " << order << ", tolerances over decades: " << decades);
                std::vector<double> tolerance(decades > 0 ? size : 0);
                for (double& t : tolerance) t = std::pow(10, random.uniform(-decades, 0));
                const Opening opening{receiver, for_cells ? std::min(GetParam().theta, 0.99) : GetParam().theta, order};
                check(ListedModel(GetParam().model.make(size, 6), opening, group_size, 4, tolerance), opening);
            }
    }
};
INSTANTIATE_TEST_SUITE_P(models, OpeningWalk, testing::ValuesIn(all_cases()), testing::PrintToStringParamName());

TEST_P(OpeningWalk, for_particles_lists_are_those_of_a_walk_for_each_group_alone) {
    for_each_setting(Receiver::particle, [](const ListedModel& listed, const Opening& opening) {
        for (const GroupList& group : listed.groups()) {
            PlainList plain;
            walk_plainly(listed, opening, group.cell, 0, plain);
            ASSERT_EQ(std::set(group.far.begin(), group.far.end()), plain.far) << "group " << group.cell;
            ASSERT_EQ(std::set(group.near.begin(), group.near.end()), plain.near) << "group " << group.cell;
        }
    });
}

bool even(const ListedModel& listed, const Cell& cell) {
    if (listed.tolerance.empty()) return true;
    const auto tolerances = std::span(listed.tolerance).subspan(cell.first, cell.count);
    return std::ranges::max(tolerances) <= 2 * std::ranges::min(tolerances);
}

// True if the group, and every cell around it that has few enough particles for a group, has even tolerances.
bool even_group(const ListedModel& listed, const Cell& group) {
    return std::ranges::all_of(listed.tree.cells(), [&](const Cell& cell) {
        const bool around = cell.first <= group.first && group.end() <= cell.end() && cell.count <= group_size;
        return !around || even(listed, cell);
    });
}

bool small_for(const ListedModel& listed, std::uint32_t target, std::uint32_t c, std::uint32_t group) {
    const double least = target == group && even_group(listed, listed.cell(group)) ? 0.35 : 0.7;
    return listed.moments.spheres()[c].radius < least * listed.moments.spheres()[target].radius;
}

TEST_P(OpeningWalk, for_cells_each_accepted_cell_satisfies_the_criterion) {
    for_each_setting(Receiver::cell, [](const ListedModel& listed, Opening opening) {
        opening.theta *= 1 + 1e-12;
        std::size_t accepted = 0;
        for (const GroupList& group : listed.groups()) {
            for (std::size_t k = 0; k < group.far.size(); ++k, ++accepted) {
                ASSERT_TRUE(accepted_for_cell(listed, opening, group.from[k], group.far[k]));
                ASSERT_FALSE(small_for(listed, group.from[k], group.far[k], group.cell));
            }
            for (const std::uint32_t c : group.super) {
                ASSERT_TRUE(accepted_for_particles(listed, opening, group.cell, c));
                ASSERT_TRUE(small_for(listed, group.cell, c, group.cell));
            }
        }
        EXPECT_TRUE(accepted > 0 || !listed.tolerance.empty());
    });
}

TEST_P(OpeningWalk, for_cells_no_leaf_acts_by_particles_that_could_act_as_a_whole) {
    for_each_setting(Receiver::cell, [](const ListedModel& listed, const Opening& opening) {
        for (const GroupList& group : listed.groups())
            for (const std::uint32_t c : group.near)
                ASSERT_FALSE(accepted_for_cell(listed, opening, group.cell, c) &&
                             !small_for(listed, group.cell, c, group.cell));
    });
}

TEST(Opening, zero_tolerance_accepts_nothing_with_weight) {
    for (const Receiver receiver : {Receiver::particle, Receiver::cell}) {
        const ListedModel tree(models::uniform_cube(500, 1), {receiver, 0.5, 2}, 16, 4, std::vector<double>(500, 0.0));
        for (const GroupList& group : tree.groups()) EXPECT_TRUE(group.far.empty());
    }
}

TEST(Opening, cells_without_weight_are_accepted_at_any_tolerance) {
    ParticleSet particles = models::uniform_cube(500, 1);
    for (double& m : particles[mass]) m = 0;
    const Opening opening{Receiver::particle, 0.5, 1};
    const ListedModel bounded(particles, opening, 16, 4, std::vector<double>(500, 0.0)),
        free(particles, opening, 16, 4);
    ASSERT_EQ(bounded.groups().size(), free.groups().size());
    for (std::size_t g = 0; g < free.groups().size(); ++g) EXPECT_EQ(bounded.groups()[g].far, free.groups()[g].far);
}

}  // namespace trellis::opening_test
