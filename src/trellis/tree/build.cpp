// Paper section 4.3, local tree construction: (1) keys, (2) sort, (3) order, (4) link cells level by level.
#include "trellis/base/parallel.hpp"
#include "trellis/tree/morton.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

namespace {

struct KeysOf {
    std::span<const KeyIndex> sorted;
    std::uint64_t operator[](std::uint32_t slot) const { return sorted[slot].key; }
};

}  // namespace

void Tree::build(std::span<const Vec3<double>> positions, std::uint32_t leaf_size, Workspace& space, Phases& phases) {
    const std::size_t count = positions.size();
    space.start(2 * Workspace::bytes_of<KeyIndex>(count));
    const std::span pairs(space.take<KeyIndex>(count), count), sorted(space.take<KeyIndex>(count), count);
    {
        const PhaseTimer timer(phases, Phase::set_root_cell);
        root_ = bounding_cube(positions);
    }
    const KeyMaker key(root_);
    {
        const PhaseTimer timer(phases, Phase::calculate_key);
        parallel_for(count,
                     [&](std::size_t row) { pairs[row] = {key(positions[row]), static_cast<std::uint32_t>(row)}; });
    }
    {
        const PhaseTimer timer(phases, Phase::sort_key);
        radix_sort(pairs, sorted, sort_space_);
        order_.resize(count);
        parallel_for(count, [&](std::size_t slot) { order_[slot] = sorted[slot].index; });
    }
    const PhaseTimer timer(phases, Phase::link_tree_cell);
    link({positions, key, sorted, pairs}, leaf_size);
}

void Tree::link(const Sorted& sorted, std::uint32_t leaf_size) {
    cells_.clear();
    levels_.assign(1, 0);
    imported_levels_.assign(1, 0);
    if (order_.empty()) return;
    cells_.push_back(cell_of(KeysOf{sorted.pairs}, 0, static_cast<std::uint32_t>(order_.size())));
    levels_.push_back(1);
    for (std::uint32_t begin = 0, end = 1; begin != end;) {
        const std::uint32_t next = link_level(sorted, begin, end, leaf_size);
        begin = end;
        end = next;
        if (begin != end) levels_.push_back(end);
    }
    imported_levels_[0] = levels_.back();
}

void Tree::add_imported(const ImportedCells& imported) {
    const auto own = static_cast<std::uint32_t>(local_cells());
    const auto slots = static_cast<std::uint32_t>(order_.size());
    cells_.resize(own + imported.cells.size());
    parallel_for(imported.cells.size(), [&](std::size_t k) {
        Cell cell = imported.cells[k];
        cell.first += slots;
        if (!cell.is_leaf()) cell.child += own;
        cells_[own + k] = cell;
    });
    imported_levels_ = imported.levels;
    for (std::uint32_t& level : imported_levels_) level += own;
}

// Splits the cells [begin, end) with too many particles. Returns the end of the next level, which begins at `end`.
std::uint32_t Tree::link_level(const Sorted& sorted, std::uint32_t begin, std::uint32_t end, std::uint32_t leaf_size) {
    std::uint32_t next = end;
    for (std::uint32_t c = begin; c < end; ++c) {
        if (cells_[c].count <= leaf_size) continue;
        if (cells_[c].depth == most_depth || (cells_[c].depth == key_bits && !refine(cells_[c], sorted))) continue;
        cells_[c].child = next;
        next += 2;
    }
    cells_.resize(next);
    parallel_for(end - begin, [&](std::size_t k) {
        const Cell& cell = cells_[begin + k];
        if (cell.is_leaf()) return;
        make_children(cell, KeysOf{sorted.pairs}, cells_.data());
    });
    return next;
}

// Gives the particles of a cell, which have the same key, finer ones, and sorts them by these; false: those are the
// same, too. Particles far away from all others make the root cell so large that its keys do not part the others.
bool Tree::refine(Cell& cell, const Sorted& sorted) {
    const std::span own = sorted.pairs.subspan(cell.first, cell.count);
    const std::span space = sorted.space.subspan(cell.first, cell.count);
    parallel_for(own.size(),
                 [&](std::size_t k) { space[k] = {sorted.key.finer(sorted.positions[own[k].index]), own[k].index}; });
    radix_sort(space, own, sort_space_);
    parallel_for(own.size(), [&](std::size_t k) { order_[cell.first + k] = own[k].index; });
    const int shared = cell_of(KeysOf{sorted.pairs}, cell.first, cell.end()).depth;
    if (shared == key_bits) return false;
    cell.depth = key_bits + shared;
    return true;
}

}  // namespace trellis
