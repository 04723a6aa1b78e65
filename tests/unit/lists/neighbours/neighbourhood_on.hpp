// A neighbourhood of uniform particles on ranks, in regions of all kinds.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "trellis/lists/neighbours/neighbourhood.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/lists/neighbours/expected_neighbours.hpp"
#include "unit/lists/neighbours/regions.hpp"

namespace trellis::neighbourhood_test {

using namespace fields;

constexpr double skin = 0.2, typical = 0.1;
inline const std::vector<FieldInfo> read{field_info<Position>(), field_info<Number>(), field_info<Mass>()};

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

inline std::string name_of(const testing::TestParamInfo<std::tuple<int, NamedRegion>>& of) {
    const auto& [ranks, in] = of.param;
    return std::to_string(ranks) + '_' + in.name;
}
inline const auto ranks_and_regions = testing::Combine(testing::Values(1, 2, 3, 5, 8), testing::ValuesIn(all_regions));

}  // namespace trellis::neighbourhood_test
