#include "trellis/lists/neighbours/neighbourhood.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"

namespace trellis::neighbourhood_test {

using namespace fields;

constexpr double skin = 0.2, typical = 0.1;
const std::vector<FieldInfo> read{field_info<Position>(), field_info<Number>(), field_info<Mass>()};

// The particles of one rank and their neighbourhood.
struct Part {
    Part(Comm& comm, const ParticleSet& all, const Crowd& crowd)
        : own(share_of(all, cut_of(all, comm.size()), comm.rank())),
          ranks{std::shared_ptr<Comm>(&comm, [](Comm*) {}), {}},
          neighbourhood(crowd.search, skin, 32) {
        own.set_region(all.region());
        for (const double who : own[number]) radii.push_back(crowd.radii[static_cast<std::size_t>(who)]);
        neighbourhood.build(own, Position::name, Radii(radii), comm.size() > 1 ? &ranks : nullptr, phases);
    }

    void move(const Crowd& later) {
        for (std::size_t row = 0; row < own.size(); ++row) {
            const auto who = static_cast<std::size_t>(own[number][row]);
            own[position][row] = later.positions[who];
            radii[row] = later.radii[who];
        }
    }
    bool holds(std::span<const std::uint8_t> rows = {}) { return neighbourhood.holds(own, Radii(radii), phases, rows); }
    void build(std::span<const std::uint8_t> rows) {
        neighbourhood.build(own, Position::name, Radii(radii), ranks.comm->size() > 1 ? &ranks : nullptr, phases, rows);
    }
    // Flags for particles within a distance of a place, and for the groups that have one.
    std::vector<std::uint8_t> rows_near(const Vec3<double>& place, double distance) const {
        std::vector<std::uint8_t> rows;
        for (const Vec3<double>& at : own[position])
            rows.push_back(dot(at - place, at - place) < distance * distance ? 1 : 0);
        return rows;
    }
    std::vector<std::uint8_t> groups_of(std::span<const std::uint8_t> rows) const {
        std::vector<std::uint8_t> groups;
        neighbourhood.flag_groups(rows, groups);
        return groups;
    }
    std::size_t expect_all_listed_once(const Crowd& crowd) {
        return trellis::expect_all_listed_once(neighbourhood.lists(), columns(), crowd);
    }
    // Position and number of all particles, mass of the local ones.
    SortedColumns columns() const {
        SortedColumns columns;
        columns.gather(own, read, neighbourhood.tree().order());
        if (const auto exchange = neighbourhood.begin_ghosts(columns, 4))
            neighbourhood.finish_ghosts(*exchange, 4, columns);
        return columns;
    }
    // The row of a particle, if it is on this rank.
    std::optional<std::size_t> row_of(double who) const {
        for (std::size_t row = 0; row < own.size(); ++row)
            if (own[number][row] == who) return row;
        return std::nullopt;
    }

    ParticleSet own;
    Ranks ranks;
    Neighbourhood neighbourhood;
    std::vector<double> radii;
    Phases phases;
};

class NeighbourhoodOn : public testing::TestWithParam<std::tuple<int, NamedRegion>> {
  protected:
    template <class Check>
    void for_each_search(std::size_t size, Check check) const {
        for_each_search(uneven_radii(size, typical), check);
    }
    template <class Check>
    void for_each_search(const std::vector<double>& radii, Check check) const {
        const auto& [ranks, in] = GetParam();
        ParticleSet all = models::uniform_cube(radii.size(), 2);
        all.set_region(in.region);
        add_numbers(all);
        for (const Search search : {Search::gather, Search::scatter, Search::symmetric}) {
            const Crowd crowd(all, radii, search);
            run_ranks(ranks, [&](Comm& comm) {
                Part part(comm, all, crowd);
                check(part, crowd);
            });
        }
    }
};
std::string name_of(const testing::TestParamInfo<std::tuple<int, NamedRegion>>& of) {
    const auto& [ranks, in] = of.param;
    return std::to_string(ranks) + '_' + in.name;
}
INSTANTIATE_TEST_SUITE_P(Ranks, NeighbourhoodOn,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8), testing::ValuesIn(all_regions)), name_of);

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

TEST_P(NeighbourhoodOn, makes_lists_for_some_rows_alone_and_adds_others) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        part.build(rows);
        const auto wanted = part.groups_of(rows);
        const auto groups = part.neighbourhood.lists().groups();
        for (std::size_t g = 0; g < groups.size(); ++g) EXPECT_EQ(groups[g].made(), wanted[g] == 1);
        trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), crowd, wanted);
        part.neighbourhood.add_lists({}, part.phases);
        EXPECT_GT(part.expect_all_listed_once(crowd), 0U);
    });
}

TEST_P(NeighbourhoodOn, has_each_particle_within_reach_when_it_is_renewed) {
    for_each_search(300, [](Part& part, const Crowd& crowd) {
        const bool alone = part.ranks.comm->size() == 1;
        EXPECT_EQ(part.neighbourhood.may_be_renewed(skin), alone);
        EXPECT_FALSE(part.neighbourhood.may_be_renewed(2 * skin));
        if (!alone) return;
        Crowd later = crowd;
        models::Random random(4);
        for (auto& at : later.positions) at += typical * random.direction();
        for (double& radius : later.radii) radius *= random.uniform(0.8, 1.2);
        part.move(later);
        const std::vector<std::uint32_t> order(part.neighbourhood.tree().order().begin(),
                                               part.neighbourhood.tree().order().end());
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        part.neighbourhood.renew(part.own, Radii(part.radii), part.phases, rows);
        EXPECT_TRUE(std::ranges::equal(part.neighbourhood.tree().order(), order));
        trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), later, part.groups_of(rows));
        part.neighbourhood.add_lists({}, part.phases);
        EXPECT_GT(part.expect_all_listed_once(later), 0U);
    });
}

TEST_P(NeighbourhoodOn, selects_the_blocks_that_some_rows_and_their_neighbours_are_in) {
    for_each_search(300, [](Part& part, const Crowd&) {
        const auto rows = part.rows_near({0.3, 0.3, 0.3}, 0.2);
        NeighbourSelection selection;
        part.neighbourhood.select(rows, selection);
        const auto groups = part.neighbourhood.lists().groups();
        std::set<std::size_t> own, read;
        const auto note = [&](std::set<std::size_t>& blocks, std::size_t first, std::size_t end) {
            for (std::size_t slot = first; slot < std::min(end, part.own.size()); ++slot)
                blocks.insert(slot / SortedColumns::block_slots);
        };
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (part.groups_of(rows)[g] == 0) continue;
            note(own, groups[g].first, groups[g].first + groups[g].count);
            for (const SlotRange& range : groups[g].ranges) note(read, range.first, range.end);
        }
        read.insert(own.begin(), own.end());
        EXPECT_EQ(selection.groups, part.groups_of(rows));
        EXPECT_TRUE(std::ranges::equal(selection.own_blocks, own));
        EXPECT_TRUE(std::ranges::equal(selection.blocks, read));
    });
}

TEST_P(NeighbourhoodOn, has_each_particle_within_reach_of_some_while_it_holds_for_them) {
    std::atomic<int> held = 0, ended = 0;
    for_each_search(uneven_radii(200, typical), [&](Part& part, const Crowd& crowd) {
        part.build(std::vector<std::uint8_t>(part.own.size(), 0));
        models::Random random(5);
        for (int trial = 0; trial < 24; ++trial) {
            Crowd later = crowd;
            const double slow = typical * std::pow(10, random.uniform(-3, -1)), growth = 0.1 * (trial % 4);
            const Vec3<double> place = random.in_cube();
            for (std::size_t who = 0; who < later.radii.size(); ++who) {
                // Far from those that count, particles move beyond the skin.
                const Vec3<double> away = crowd.positions[who] - place;
                later.positions[who] += (dot(away, away) < 0.2 ? slow : typical) * random.direction();
                if (who % 7 == 0) later.radii[who] *= 1 + random.uniform(0, growth);
            }
            part.move(later);
            const auto rows = part.rows_near(place, 0.15);
            const bool holds = part.holds(rows);
            (holds ? held : ended) += 1;
            if (!holds) continue;
            part.neighbourhood.add_lists(rows, part.phases);
            trellis::expect_all_listed_once(part.neighbourhood.lists(), part.columns(), later, part.groups_of(rows));
        }
    });
    EXPECT_GT(held, 0);
    EXPECT_GT(ended, 0);
}

// The lists of one particle, whose own radius stays: another's grows until it reaches that particle.
TEST_P(NeighbourhoodOn, holds_for_some_until_the_radius_of_another_reaches_them) {
    for_each_search(std::vector<double>(300, typical), [](Part& part, const Crowd& crowd) {
        const std::size_t one = 17;
        std::size_t other = 0;
        double nearest = 1;  // beyond the skin, and far enough to be in another group
        for (std::size_t who = 0; who < crowd.positions.size(); ++who) {
            const Vec3<double> away = crowd.positions[who] - crowd.positions[one];
            const double distance = std::sqrt(dot(away, away));
            if (distance < 0.5 || distance > nearest) continue;
            nearest = distance;
            other = who;
        }
        std::vector<std::uint8_t> rows(part.own.size(), 0);
        if (const auto row = part.row_of(static_cast<double>(one))) rows[*row] = 1;
        part.build(rows);
        EXPECT_TRUE(part.holds(rows));
        if (const auto row = part.row_of(static_cast<double>(other))) part.radii[*row] = 1.01 * nearest;
        EXPECT_FALSE(part.holds(rows));
    });
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
