#include "trellis/lists/neighbours/tables/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr std::uint32_t group_size = 128;

struct Found {
    std::uint32_t row;
    double distance2;
    auto operator<=>(const Found&) const = default;
};

// A j-particle of a group.
struct Other {
    Vec3<double> position, shift;
    double radius;
    std::uint32_t row;
};

void check(const ParticleSet& particles, std::span<const double> radii) {
    particles.check_finite(Position::name);
    if (radii.size() != 1 && radii.size() != particles.size())
        throw InputError("there are " + std::to_string(radii.size()) + " radii for " +
                         std::to_string(particles.size()) + " particles: allowed is one for all or one for each");
    for (const double radius : radii)
        if (!(radius >= 0 && std::isfinite(radius)))
            throw InputError("radius is " + to_text(radius) + ": allowed is 0 or more");
}

// The j-particles of a group by their numbers; see NeighbourGroup.
std::vector<Other> others_of(const SearchTree& tree, const NeighbourLists& lists, const NeighbourGroup& group) {
    std::vector<Other> others;
    others.reserve(group.j_count);
    const auto add = [&](std::uint32_t first, std::uint32_t end, const Vec3<double>& shift) {
        for (std::uint32_t slot = first; slot < end; ++slot)
            others.push_back({tree.positions()[slot], shift, tree.radii()[slot], tree.order()[slot]});
    };
    add(group.first, group.first + group.count, {0, 0, 0});
    for (const SlotRange& range : group.ranges) add(range.first, range.end, lists.shift(range.image));
    return others;
}

// The neighbours of a group's particles, one particle after another; calls note(row, number of neighbours) for each.
template <class Note>
std::vector<Found> neighbours_of(const NeighbourGroup& group, std::span<const Other> others, Search search,
                                 Note&& note) {
    std::vector<Found> found;
    for (std::uint32_t self = 0; self < group.count; ++self) {
        const Other& i = others[self];
        const std::size_t before = found.size();
        const auto test = [&](const Other& j) {
            const Vec3<double> d = (j.position - i.position) + j.shift;  // exactly the opposite of that from j to i
            const double distance2 = dot(d, d), reach = reach_of(search, i.radius, j.radius);
            if (distance2 < reach * reach) found.push_back({j.row, distance2});
        };
        const std::uint32_t block = self / SearchTree::block_size, first = block * SearchTree::block_size;
        for (std::uint32_t k = first; k < std::min(first + SearchTree::block_size, group.count); ++k)
            if (k != self) test(others[k]);
        for (const std::uint32_t k : group.list(block)) test(others[k]);
        std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
        note(i.row, found.size() - before);
    }
    return found;
}

}  // namespace

NeighbourTable find_neighbours(const ParticleSet& particles, std::span<const double> radii, Search search) {
    check(particles, radii);
    std::vector<Vec3<double>> positions(particles.size());
    parallel_for(positions.size(),
                 [&](std::size_t row) { positions[row] = particles.region().wrapped(particles[position][row]); });
    Phases phases;
    SearchTree tree;
    tree.build(positions, Radii(radii), group_size, phases);
    NeighbourLists lists;
    lists.make(tree, SearchTree(), search, 0, particles.region(), phases);

    const auto groups = lists.groups();
    NeighbourTable table;
    table.begins.assign(particles.size() + 1, 0);
    std::vector<std::vector<Found>> found(groups.size());
    parallel_tasks(groups.size(), [&](std::size_t g, int) {
        found[g] = neighbours_of(groups[g], others_of(tree, lists, groups[g]), search,
                                 [&](std::uint32_t row, std::size_t count) { table.begins[row + 1] = count; });
    });
    std::partial_sum(table.begins.begin(), table.begins.end(), table.begins.begin());
    table.rows.resize(table.begins.back());
    table.distances.resize(table.begins.back());
    parallel_tasks(groups.size(), [&](std::size_t g, int) {
        auto next = found[g].begin();
        for (std::uint32_t slot = groups[g].first; slot < groups[g].first + groups[g].count; ++slot) {
            const std::uint32_t row = tree.order()[slot];
            for (std::uint64_t k = table.begins[row]; k < table.begins[row + 1]; ++k, ++next) {
                table.rows[k] = next->row;
                table.distances[k] = std::sqrt(next->distance2);
            }
        }
    });
    return table;
}

NeighbourTable find_neighbours(const ParticleSet& particles, double radius) {
    return find_neighbours(particles, {&radius, 1});
}

}  // namespace trellis
