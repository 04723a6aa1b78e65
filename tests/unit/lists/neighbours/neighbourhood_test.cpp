#include "trellis/lists/neighbours/neighbourhood.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "unit/lists/neighbours/neighbourhood_on.hpp"

namespace trellis::neighbourhood_test {

INSTANTIATE_TEST_SUITE_P(Ranks, NeighbourhoodOn, ranks_and_regions, name_of);

TEST_P(NeighbourhoodOn, has_each_particle_within_reach_once) {
    for_each_search(300, [](Part& part, const Crowd& crowd) { EXPECT_GT(part.expect_all_listed_once(crowd), 0U); });
}

TEST_P(NeighbourhoodOn, has_each_particle_that_comes_within_reach_while_it_holds) {
    for_each_search(std::vector<double>(300, typical), [](Part& part, const Crowd& crowd) {
        Crowd later = crowd;
        models::Random random(3);
        for (auto& at : later.positions) at += 0.25 * skin * typical * random.direction();
        part.move(later);
        EXPECT_TRUE(part.holds());
        part.expect_all_listed_once(later);
    });
}

TEST_P(NeighbourhoodOn, has_each_particle_within_reach_while_it_holds_for_any_motion) {
    std::atomic<int> held = 0, ended = 0;
    for (const double reach : {0.05 * typical, typical})
        for_each_search(uneven_radii(200, reach), [&](Part& part, const Crowd& crowd) {
            models::Random random(5);
            for (int trial = 0; trial < 12; ++trial) {
                Crowd later = crowd;
                const double slow = reach * std::pow(10, random.uniform(-5, -1.5)), growth = 0.02 * (trial % 4);
                const Vec3<double> all = random.in_cube(), shear = 0.3 * slow / typical * random.direction();
                for (auto& at : later.positions) at += slow * random.direction() + all + at.y * shear;
                for (double& radius : later.radii) radius *= 1 + random.uniform(-growth, growth);
                // A few particles are fast, and move from anywhere to a position near another particle.
                for (int k = trial % 3; k > 0; --k)
                    later.positions[random.bits() % 200] =
                        later.positions[random.bits() % 200] + 0.3 * reach * random.direction();
                part.move(later);
                const bool holds = part.holds();
                (holds ? held : ended) += 1;
                if (holds) part.expect_all_listed_once(later);
            }
        });
    EXPECT_GT(held, 0);
    EXPECT_GT(ended, 0);
}

TEST_P(NeighbourhoodOn, holds_until_a_particle_may_have_come_nearer_by_the_skin) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        // The particle with the smallest search radius may miss a neighbour first: the skin is a share of the search
        // radius.
        const auto least = static_cast<std::size_t>(std::ranges::min_element(crowd.radii) - crowd.radii.begin());
        Crowd later = crowd;
        const auto holds_after = [&](double share) {
            later.positions[least] = crowd.positions[least] + Vec3<double>{share * skin * crowd.radii[least], 0, 0};
            part.move(later);
            return part.holds();
        };
        EXPECT_TRUE(holds_after(0));
        EXPECT_TRUE(holds_after(0.98));
        EXPECT_FALSE(holds_after(1.02));
        EXPECT_TRUE(holds_after(0));
    });
}

// As in levels of individual steps on a rank that is alone at its site, after the forces on all particles.
TEST_P(NeighbourhoodOn, of_the_particles_of_a_rank_alone_has_none_of_others_left) {
    for_each_search(500, [&](Part& part, const Crowd&) {
        part.neighbourhood.build(part.own, Position::name, Radii(part.radii), nullptr, part.phases);
        EXPECT_EQ(part.neighbourhood.ghost_tree().size(), 0U);
        for (const auto& group : part.neighbourhood.lists().groups())
            for (const SlotRange& range : group.ranges) EXPECT_LE(range.end, part.own.size());
    });
}

// A third of the particles, two whole blocks and the first of three ranks, near a corner; the remaining ones in a line,
// each outside the search radius of any other particle.
class SparseNeighbourhoodOn : public testing::TestWithParam<int> {
  protected:
    static constexpr std::size_t size = 96, crowded = size / 3;
    static constexpr double period = 150;

    template <class Check>
    void check(Check check) const {
        ParticleSet all = models::uniform_cube(size, 2);
        all.set_region({{0, 0, 0}, {period, period, period}});
        for (std::size_t row = 0; row < crowded; ++row)
            all[position][row] = Vec3<double>{3, 3, 3} + 0.2 * all[position][row];
        for (std::size_t row = crowded; row < size; ++row)
            all[position][row] = (7 + 2.2 * static_cast<double>(row - crowded)) * Vec3<double>{1, 1, 1};
        add_numbers(all);
        const Crowd crowd(all, std::vector<double>(size, 1), Search::symmetric);
        run_ranks(GetParam(), [&](Comm& comm) {
            Part part(comm, all, crowd);
            check(part, crowd);
        });
    }
};
INSTANTIATE_TEST_SUITE_P(Ranks, SparseNeighbourhoodOn, testing::Values(1, 3));

TEST_P(SparseNeighbourhoodOn, holds_while_a_fast_particle_is_far_from_others) {
    check([](Part& part, const Crowd& crowd) {
        Crowd later = crowd;
        later.positions[80] += {0, 1.1, 0};
        part.move(later);
        EXPECT_TRUE(part.holds());
        part.expect_all_listed_once(later);
    });
}

TEST_P(SparseNeighbourhoodOn, ends_when_a_particle_comes_near_from_beyond_the_lists) {
    check([](Part& part, const Crowd& crowd) {
        const std::pair<std::size_t, double> comers[] = {{40, 0}, {95, period}};  // the last one through the faces
        for (const auto& [who, shift] : comers) {
            Crowd later = crowd;
            later.positions[who] = crowd.positions[0] + Vec3<double>{shift, shift + 0.9, shift};
            part.move(later);
            EXPECT_FALSE(part.holds());
        }
    });
}

TEST_P(SparseNeighbourhoodOn, ends_when_a_crowd_comes_near) {
    check([](Part& part, const Crowd& crowd) {
        Crowd later = crowd;
        for (std::size_t who = 0; who < crowded; ++who) later.positions[who] += {3.8, 3.8, 3.8};
        part.move(later);
        EXPECT_FALSE(part.holds());
        for (std::size_t who = 0; who < crowded; ++who)
            later.positions[who] -= {11.2, 11.2, 11.2};  // through the faces
        part.move(later);
        EXPECT_FALSE(part.holds());
    });
}

TEST_P(SparseNeighbourhoodOn, holds_while_two_crowds_pass_each_other_out_of_reach) {
    check([](Part& part, const Crowd& crowd) {
        Crowd later = crowd;
        for (std::size_t who = 0; who < crowded; ++who) later.positions[who] += {0, 0, 1.5};
        part.move(later);
        EXPECT_TRUE(part.holds());
        part.expect_all_listed_once(later);
    });
}

TEST_P(NeighbourhoodOn, holds_when_all_move_by_the_same_vector) {
    for_each_search(300, [](Part& part, Crowd crowd) {
        for (auto& at : part.own[position]) at += {0.4, -0.3, 0.1};
        for (auto& at : crowd.positions) at += {0.4, -0.3, 0.1};
        EXPECT_TRUE(part.holds());
        part.expect_all_listed_once(crowd);
    });
}

TEST_P(NeighbourhoodOn, holds_until_a_reach_has_grown_by_the_skin) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto row = part.row_of(17);
        if (row) part.radii[*row] *= 1 + 0.99 * skin;
        EXPECT_TRUE(part.holds());
        if (row) part.radii[*row] *= (1 + 1.01 * skin) / (1 + 0.99 * skin);
        EXPECT_FALSE(part.holds());
        if (row) part.radii[*row] *= 0.5;
        EXPECT_TRUE(part.holds());
    });
}

TEST_P(NeighbourhoodOn, of_few_particles_leaves_most_ranks_empty) {
    for_each_search(3, [](Part& part, Crowd crowd) {
        part.expect_all_listed_once(crowd);
        EXPECT_TRUE(part.holds());
        for (double& radius : crowd.radii) radius *= 30;
        part.move(crowd);
        if (part.holds()) part.expect_all_listed_once(crowd);
    });
}

TEST_P(NeighbourhoodOn, appends_ghosts_to_the_local_particles) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const SortedColumns columns = part.columns();
        ASSERT_EQ(columns.size(), part.own.size());
        EXPECT_EQ(columns.slots() > columns.size(), part.ranks.comm->size() > 1);
        for (std::size_t slot = 0; slot < columns.size(); ++slot)
            EXPECT_EQ(columns.component(4)[slot], part.own[mass][part.neighbourhood.tree().order()[slot]]);
        for (std::size_t slot = columns.size(); slot < columns.slots(); ++slot)
            EXPECT_FALSE(part.row_of(columns.component(3)[slot]));
    });
}

TEST_P(NeighbourhoodOn, knows_which_groups_list_ghosts) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto groups = part.neighbourhood.lists().groups();
        std::size_t with_ghosts = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            bool listed = false;
            for (const SlotRange& range : groups[g].ranges) listed = listed || range.end > part.own.size();
            EXPECT_EQ(part.neighbourhood.lists_ghosts(g), listed);
            with_ghosts += listed ? 1 : 0;
        }
        EXPECT_EQ(with_ghosts > 0, part.ranks.comm->size() > 1);
    });
}

TEST(NeighbourhoodOf, positions_of_another_column_uses_them) {
    ParticleSet particles = models::uniform_cube(200, 1);
    add_numbers(particles);
    const Crowd crowd(particles, uneven_radii(200, typical), Search::gather);
    particles.add({"then", "", "", 3});
    std::copy_n(particles.column("position").values(), 600, particles.column("then").values());
    for (auto& at : particles[position]) at = 2.0 * at;
    Neighbourhood neighbourhood(Search::gather, 0, 32);
    Phases phases;
    neighbourhood.build(particles, "then", Radii(crowd.radii), nullptr, phases);
    EXPECT_FALSE(neighbourhood.holds(particles, Radii(crowd.radii), phases));
    std::copy_n(particles.column("then").values(), 600, particles.column("position").values());
    EXPECT_TRUE(neighbourhood.holds(particles, Radii(crowd.radii), phases));
}

}  // namespace trellis::neighbourhood_test
