#include "trellis/lists/grafting.hpp"

namespace trellis {

namespace {

// Where each level of a tree begins; the last entry is the number of its cells.
std::vector<std::uint32_t> levels_of(const EssentialShape& shape) {
    std::vector<std::uint32_t> levels{0};
    for (std::uint32_t begin = 0, end = 1; begin != end;) {
        levels.push_back(end);
        std::uint32_t inner = 0;
        for (std::uint32_t k = begin; k < end; ++k) inner += shape.kinds[k] == CellKind::inner ? 1 : 0;
        begin = end;
        end += 2 * inner;
    }
    return levels;
}

// Numbers the cells of all trees level by level. Returns where each level of the graft begins.
std::vector<std::uint32_t> number_cells(std::span<const EssentialShape> shapes, std::vector<GraftedTree>& trees) {
    std::vector<std::vector<std::uint32_t>> levels;
    for (const EssentialShape& shape : shapes) levels.push_back(levels_of(shape));
    std::vector<std::uint32_t> begins{0};
    for (std::size_t level = 0;; ++level) {
        std::uint32_t next = begins.back();
        for (std::size_t t = 0; t < shapes.size(); ++t)
            if (level + 1 < levels[t].size())
                for (std::uint32_t k = levels[t][level]; k < levels[t][level + 1]; ++k)
                    trees[t].cells.push_back(next++);
        if (next == begins.back()) return begins;
        begins.push_back(next);
    }
}

void add_tree(const EssentialShape& shape, GraftedTree& tree, Graft& graft, std::uint32_t& slots) {
    tree.first_closed = graft.closed.size();
    tree.first_slot = slots;
    std::size_t next_child = 1, next_leaf = 0;
    for (std::size_t k = 0; k < shape.kinds.size(); ++k) {
        Cell& cell = graft.cells[tree.cells[k]];
        cell = {slots, 0, 0, 0};
        switch (shape.kinds[k]) {
            case CellKind::inner:
                cell.count = 1;  // not closed; nobody asks for more
                cell.child = tree.cells[next_child];
                next_child += 2;
                break;
            case CellKind::leaf:
                cell.count = shape.leaf_counts[next_leaf++];
                slots += cell.count;
                break;
            case CellKind::closed:
                graft.closed.push_back(tree.cells[k]);
                break;
        }
        if (!shape.sizes.empty()) graft.sizes[tree.cells[k]] = shape.sizes[k];
    }
    tree.closed_count = graft.closed.size() - tree.first_closed;
    tree.slot_count = slots - tree.first_slot;
}

}  // namespace

Graft make_graft(std::span<const EssentialShape> shapes, std::size_t components, std::size_t moment_bytes,
                 std::vector<GraftedTree>& trees) {
    Graft graft;
    trees.assign(shapes.size(), {});
    graft.levels = number_cells(shapes, trees);
    graft.cells.resize(graft.levels.back());
    graft.spheres.resize(graft.cells.size());
    if (!shapes.empty() && !shapes[0].sizes.empty()) graft.sizes.resize(graft.cells.size());
    std::uint32_t slots = 0;
    for (std::size_t t = 0; t < shapes.size(); ++t) add_tree(shapes[t], trees[t], graft, slots);
    graft.closed_weights.resize(graft.closed.size());
    graft.closed_sums.resize(graft.closed.size() * (components - 3));
    graft.closed_moments.resize(graft.closed.size() * moment_bytes);
    graft.components.assign(components, std::vector<double>(slots));
    return graft;
}

}  // namespace trellis
