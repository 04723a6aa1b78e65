// The neighbours found by testing all pairs and images, and those in lists.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/tree/sorted_columns.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

// An identity that particles keep when they are copied elsewhere.
struct Number : Field<double, "number", "", "identity"> {};
inline constexpr Number number;

inline void add_numbers(ParticleSet& particles) {
    double next = 0;
    for (double& value : particles.add(number)) value = next++;
}

// Search radii: most are similar; a few are a tenth of it, or three times as large.
inline std::vector<double> uneven_radii(std::size_t size, double typical) {
    models::Random random(11);
    std::vector<double> radii;
    for (std::size_t row = 0; row < size; ++row)
        radii.push_back(random.uniform(0.5, 1) * typical * (row % 50 == 7 ? 3 : row % 50 == 19 ? 0.1 : 1));
    return radii;
}

// An image of a particle.
struct NeighbourImage {
    std::size_t who;
    std::array<int, 3> periods;  // shift in periods
    auto operator<=>(const NeighbourImage&) const = default;
};

// Particles, indexed by their numbers.
struct Crowd {
    std::vector<Vec3<double>> positions;
    std::vector<double> radii;
    Search search;
    Region region;

    Crowd(const ParticleSet& all, std::vector<double> radii_of, Search how)
        : positions(all[position].begin(), all[position].end()),
          radii(std::move(radii_of)),
          search(how),
          region(all.region()) {}

    double reach(std::size_t i, std::size_t j) const {
        if (search == Search::gather) return radii[i];
        return search == Search::scatter ? radii[j] : std::max(radii[i], radii[j]);
    }
    double period(std::size_t axis) const { return region.high[axis] - region.low[axis]; }

    std::vector<NeighbourImage> neighbours_of(std::size_t i) const {
        std::vector<NeighbourImage> all;
        for (std::size_t j = 0; j < positions.size(); ++j) {
            const Vec3<double> d = positions[j] - positions[i];
            std::array<int, 3> most{}, n{};
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (region.periodic(axis))
                    most[axis] = static_cast<int>(std::ceil((std::abs(d[axis]) + reach(i, j)) / period(axis)));
            for (n[0] = -most[0]; n[0] <= most[0]; ++n[0])
                for (n[1] = -most[1]; n[1] <= most[1]; ++n[1])
                    for (n[2] = -most[2]; n[2] <= most[2]; ++n[2]) {
                        Vec3<double> away = d;
                        for (std::size_t axis = 0; axis < 3; ++axis)
                            if (n[axis] != 0) away[axis] += n[axis] * period(axis);
                        const bool itself = i == j && n == std::array<int, 3>{};
                        if (!itself && dot(away, away) < reach(i, j) * reach(i, j)) all.push_back({j, n});
                    }
        }
        return all;
    }
};

// A particle at the position where it acts.
struct Listed {
    std::size_t who;
    Vec3<double> at;
};

// The particles that a group's lists refer to, in the order of their numbers within the group. columns: position and
// number of each slot.
inline std::vector<Listed> listed_of(const NeighbourLists& lists, const NeighbourGroup& group,
                                     const SortedColumns& columns) {
    std::vector<Listed> listed;
    const auto add = [&](std::uint32_t first, std::uint32_t end, const Vec3<double>& shift) {
        for (std::uint32_t slot = first; slot < end; ++slot)
            listed.push_back({static_cast<std::size_t>(columns.component(3)[slot]),
                              shift + Vec3<double>{columns.component(0)[slot], columns.component(1)[slot],
                                                   columns.component(2)[slot]}});
    };
    add(group.first, group.first + group.count, {0, 0, 0});
    for (const SlotRange& range : group.ranges) add(range.first, range.end, lists.shift(range.image));
    EXPECT_EQ(listed.size(), group.j_count);
    return listed;
}

// The particles within the search radius of particle self, among those of its block and those of the block's list.
inline std::vector<NeighbourImage> found_in(const std::vector<Listed>& listed, std::span<const std::uint32_t> list,
                                            std::uint32_t first, std::uint32_t end, std::uint32_t self,
                                            const Crowd& crowd) {
    std::vector<std::uint32_t> others(list.begin(), list.end());
    for (std::uint32_t k = first; k < end; ++k)
        if (k != self) others.push_back(k);
    const Listed& i = listed[self];
    std::vector<NeighbourImage> found;
    for (const std::uint32_t other : others) {
        const auto& [who, at] = listed[other];
        const Vec3<double> d = at - i.at, moved = at - crowd.positions[who];
        if (!(dot(d, d) < crowd.reach(i.who, who) * crowd.reach(i.who, who))) continue;
        NeighbourImage image{who, {}};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (crowd.region.periodic(axis))
                image.periods[axis] = static_cast<int>(std::lround(moved[axis] / crowd.period(axis)));
        found.push_back(image);
    }
    std::ranges::sort(found);
    return found;
}

// EXPECTs that lists have all particles within the search radius, each image once: those of flagged groups, or of all
// without flags. Returns their number.
inline std::size_t expect_all_listed_once(const NeighbourLists& lists, const SortedColumns& columns, const Crowd& crowd,
                                          std::span<const std::uint8_t> flags = {}) {
    std::size_t pairs = 0;
    for (std::size_t g = 0; g < lists.groups().size(); ++g) {
        if (!flags.empty() && flags[g] == 0) continue;
        const NeighbourGroup& group = lists.groups()[g];
        const auto listed = listed_of(lists, group, columns);
        for (std::uint32_t self = 0; self < group.count; ++self) {
            const std::uint32_t block = self / SearchTree::block_size, first = block * SearchTree::block_size;
            const auto expected = crowd.neighbours_of(listed[self].who);
            const auto found = found_in(listed, group.list(block), first,
                                        std::min(first + SearchTree::block_size, group.count), self, crowd);
            EXPECT_TRUE(found == expected)
                << "particle " << listed[self].who << " has " << found.size() << " neighbours, not " << expected.size();
            pairs += found.size();
        }
    }
    return pairs;
}

}  // namespace trellis
