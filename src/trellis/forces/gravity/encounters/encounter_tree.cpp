#include "trellis/forces/gravity/encounters/encounter_tree.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// Makes [centre - half, centre + half] contain both ranges; exact for two equal points.
void join(double& centre, double& half, double other_centre, double other_half) {
    const double low = std::min(centre - half, other_centre - other_half);
    const double high = std::max(centre + half, other_centre + other_half);
    centre = 0.5 * (low + high);
    half = 0.5 * (high - low);
}

Bodies joined(Bodies a, const Bodies& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        join(a.position[axis], a.reach[axis], b.position[axis], b.reach[axis]);
        join(a.velocity[axis], a.spread[axis], b.velocity[axis], b.spread[axis]);
    }
    a.mass = std::max(a.mass, b.mass);
    a.widening = std::min(a.widening, b.widening);
    return a;
}

Groups grouped(const Groups& below) {
    Groups groups(below.blocks().size());
    parallel_for(groups.size(), [&](std::size_t block) {
        const std::size_t first = block * Groups::block_size;
        Bodies all = below[first];
        for (std::size_t k = 1; k < below.size_of_block(block); ++k) all = joined(all, below[first + k]);
        groups.set(block, all);
    });
    return groups;
}

}  // namespace

Groups::Groups(std::size_t count) : count_(count), blocks_((count + block_size - 1) / block_size) {}

void Groups::set(std::size_t group, const Bodies& bodies) {
    Block& block = blocks_[group / block_size];
    const std::size_t k = group % block_size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        block.position[axis][k] = bodies.position[axis];
        block.reach[axis][k] = bodies.reach[axis];
        block.velocity[axis][k] = bodies.velocity[axis];
        block.spread[axis][k] = bodies.spread[axis];
    }
    block.mass[k] = bodies.mass;
    block.widening[k] = bodies.widening;
}

Bodies Groups::operator[](std::size_t group) const {
    const Block& block = blocks_[group / block_size];
    const std::size_t k = group % block_size;
    const auto at = [&](const std::array<Block::Values, 3>& values) {
        return Vec3<double>{values[0][k], values[1][k], values[2][k]};
    };
    return {at(block.position), at(block.reach), at(block.velocity),
            at(block.spread),   block.mass[k],   block.widening[k]};
}

EncounterTree::EncounterTree(std::span<const Bodies> bodies) {
    Groups& single = levels_.emplace_back(bodies.size());
    parallel_for(single.blocks().size(), [&](std::size_t block) {  // a cache line of one thread
        const std::size_t first = block * Groups::block_size;
        for (std::size_t k = first; k < first + single.size_of_block(block); ++k) single.set(k, bodies[k]);
    });
    while (levels_.back().blocks().size() > 1) levels_.push_back(grouped(levels_.back()));
}

}  // namespace trellis
