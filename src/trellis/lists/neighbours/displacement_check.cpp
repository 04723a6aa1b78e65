#include "trellis/lists/neighbours/displacement_check.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/search/images.hpp"

namespace trellis {

namespace {

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

MovedBox image_of(const MovedBox& box, const Vec3<double>& shift) { return {moved(box.bounds, shift), box.drift}; }

// The largest distance by which a particle of one set may have come nearer to one of the other.
double nearer(const Displacements& a, const Displacements& b) {
    return norm(a.centre - b.centre) + a.radius + b.radius;
}

// True if length exceeds the period of a periodic axis: any number of images may then be near.
bool exceeds_a_period(double length, const Region& region) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region.periodic(axis) && length > region.high[axis] - region.low[axis]) return true;
    return false;
}

}  // namespace

DisplacementCheck::DisplacementCheck(const SearchTree& tree, std::span<const Vec3<double>> now, const Radii& radii,
                                     double skin, double widened)
    : tree_(tree), skin_(skin), widened_(widened), cells_(tree.cells().size()), blocks_(tree.block_count()) {
    update(now, radii, {});
}

void DisplacementCheck::update(std::span<const Vec3<double>> now, const Radii& radii,
                               std::span<const std::uint8_t> flags) {
    const auto cells = tree_.cells();
    const auto leaves = tree_.leaves();
    parallel_tasks(leaves.size(), [&](std::size_t k, int) {
        if (!flags.empty() && flags[k] == 0) return;
        const Cell& leaf = cells[leaves[k]];
        SearchGroup* blocks = &blocks_[tree_.first_block(leaves[k])];
        for (std::uint32_t b = 0; b < SearchTree::blocks_of(leaf.count); ++b) {
            const std::uint32_t first = leaf.first + b * SearchTree::block_size;
            blocks[b] = group_of_slots(first, std::min(first + SearchTree::block_size, leaf.end()), now, radii);
            blocks[b].moved.bounds = tree_.block(leaves[k], b).bounds;
        }
        cells_[leaves[k]] = joined(blocks_of(leaves[k]));
    });
    for (std::size_t cell = cells.size(); cell-- > 1;)  // children come after their cell
        if (!cells[cell].is_leaf()) cells_[cell] = joined(std::span(cells_).subspan(cells[cell].child, 2));
    if (!cells_.empty())
        cells_[0] = joined(blocks_);  // from the blocks: spheres joined level by level become too large
}

std::span<const DisplacementCheck::SearchGroup> DisplacementCheck::blocks_of(std::uint32_t leaf) const {
    return std::span(blocks_).subspan(tree_.first_block(leaf), SearchTree::blocks_of(tree_.cells()[leaf].count));
}

// The drift, reach and allowance of up to block_size particles; the caller sets their bounds.
DisplacementCheck::SearchGroup DisplacementCheck::group_of_slots(std::uint32_t first, std::uint32_t end,
                                                                 std::span<const Vec3<double>> now,
                                                                 const Radii& radii) const {
    const std::uint32_t* rows = tree_.order().data();
    SearchGroup block{{}, 0, std::numeric_limits<double>::infinity()};
    block.moved.drift =
        TRELLIS_VARIANT(displacements_of)(now.data(), rows + first, tree_.positions().data() + first, end - first);
    for (std::uint32_t slot = first; slot < end; ++slot) {
        const double radius = widened_ * radii[rows[slot]];
        block.reach = std::max(block.reach, radius);
        block.allowed = std::min(block.allowed, (1 + skin_) * tree_.radii()[slot] - radius);
    }
    return block;
}

DisplacementCheck::SearchGroup DisplacementCheck::joined(std::span<const SearchGroup> parts) {
    SearchGroup all = parts[0];
    Extent centres{all.moved.drift.centre, all.moved.drift.centre};
    for (const SearchGroup& part : parts) {
        centres = join(centres, {part.moved.drift.centre, part.moved.drift.centre});
        all.moved.bounds = join(all.moved.bounds, part.moved.bounds);
        all.reach = std::max(all.reach, part.reach);
        all.allowed = std::min(all.allowed, part.allowed);
    }
    Displacements& drift = all.moved.drift = {0.5 * (centres.low + centres.high), 0};
    for (const SearchGroup& part : parts)
        drift.radius = std::max(drift.radius, norm(part.moved.drift.centre - drift.centre) + part.moved.drift.radius);
    return all;
}

// False for a pair beyond (1 + skin) times the former search radius that cannot have come nearer by more than is
// allowed, or that was too far apart to be within the search radius now.
bool DisplacementCheck::SearchGroup::may_interact(const MovedBox& others) const {
    const double come = nearer(moved.drift, others.drift), farthest = reach + come;
    return come > allowed && gap2(moved.bounds, others.bounds) < farthest * farthest;
}

bool DisplacementCheck::may_interact(const SearchGroup& some, const SearchGroup& others, const Direction& direction) {
    if (some.may_interact(image_of(others.moved, direction.shift))) return true;
    return direction.both && others.may_interact(image_of(some.moved, -1.0 * direction.shift));
}

bool DisplacementCheck::leaf_may_interact(std::uint32_t leaf, std::uint32_t cell, const Direction& direction) const {
    if (!may_interact(cells_[leaf], cells_[cell], direction)) return false;
    const Cell& other = tree_.cells()[cell];
    if (!other.is_leaf())
        return leaf_may_interact(leaf, other.child, direction) || leaf_may_interact(leaf, other.child + 1, direction);
    return std::ranges::any_of(blocks_of(leaf),
                               [&](const SearchGroup& block) { return block_may_interact(block, cell, direction); });
}

// A block always interacts with its own particles, but their images must be listed.
bool DisplacementCheck::block_may_interact(const SearchGroup& block, std::uint32_t leaf,
                                           const Direction& direction) const {
    const bool images = direction.shift != Vec3<double>{0, 0, 0};
    return may_interact(block, cells_[leaf], direction) &&
           std::ranges::any_of(blocks_of(leaf), [&](const SearchGroup& other) {
               return (images || &other != &block) && may_interact(block, other, direction);
           });
}

MovedRank DisplacementCheck::moved(std::span<const std::uint8_t> flags) const {
    if (cells_.empty()) return {};
    const MovedBox& all = cells_[0].moved;
    if (flags.empty()) return {all, all, true, true};
    std::vector<SearchGroup> flagged;
    for (std::size_t k = 0; k < flags.size(); ++k)
        if (flags[k] != 0) flagged.push_back(cells_[tree_.leaves()[k]]);
    return {all, flagged.empty() ? MovedBox{} : joined(flagged).moved, true, !flagged.empty()};
}

// The images of boxes of other ranks that may be near.
std::vector<MovedBox> DisplacementCheck::near_images(const MovedBox& box, const Region& region) const {
    const auto& [whole, reach, allowed] = cells_[0];
    std::vector<MovedBox> images;
    for (const Vec3<double>& shift :
         shifts_near(region, box.bounds, whole.bounds, reach + nearer(whole.drift, box.drift)))
        images.push_back(image_of(box, shift));
    return images;
}

bool DisplacementCheck::suspected(const Region& region, std::span<const MovedRank> elsewhere,
                                  std::span<const std::uint8_t> flags) const {
    const auto& [whole, reach, allowed] = cells_[0];
    const double come = nearer(whole.drift, whole.drift);
    if (exceeds_a_period(come, region)) return true;
    const auto shifts = shifts_near(region, whole.bounds, whole.bounds, reach + come);
    std::vector<MovedBox> others, flagged_others;
    for (const MovedRank& remote : elsewhere) {
        if (exceeds_a_period(nearer(whole.drift, remote.all.drift), region)) return true;
        std::ranges::copy(near_images(remote.all, region), std::back_inserter(others));
        if (remote.any_flagged)
            std::ranges::copy(near_images(remote.flagged, region), std::back_inserter(flagged_others));
    }
    const auto leaves = tree_.leaves();
    std::atomic<bool> any = false;
    parallel_tasks(leaves.size(), [&](std::size_t k, int) {
        if (any) return;
        const bool here = flags.empty() || flags[k] != 0;
        const auto of_image = [&](const Vec3<double>& shift) {
            return leaf_may_interact(leaves[k], 0, {shift, !flags.empty()});
        };
        const auto of_rank = [&](const MovedBox& remote) {
            const auto near = [&](const SearchGroup& some) { return some.may_interact(remote); };
            return near(cells_[leaves[k]]) && std::ranges::any_of(blocks_of(leaves[k]), near);
        };
        if ((here && std::ranges::any_of(shifts, of_image)) ||
            std::ranges::any_of(here ? others : flagged_others, of_rank))
            any = true;
    });
    return any;
}

}  // namespace trellis
