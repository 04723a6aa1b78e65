#include "trellis/lists/essential/imported_trees.hpp"

namespace trellis {

namespace {

// The first cell of each level of a tree; the last entry is the number of its cells.
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

// Numbers the cells of all trees level by level. Returns the first cell of each level of the imported cells.
std::vector<std::uint32_t> number_cells(std::span<const EssentialShape> shapes, std::vector<ImportedTree>& trees) {
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

void add_tree(const EssentialShape& shape, ImportedTree& tree, ImportedCells& imported, std::uint32_t& slots) {
    tree.first_closed = imported.closed.size();
    tree.first_slot = slots;
    std::size_t next_child = 1, next_leaf = 0;
    for (std::size_t k = 0; k < shape.kinds.size(); ++k) {
        Cell& cell = imported.cells[tree.cells[k]];
        cell = {slots, 0, 0, 0};
        switch (shape.kinds[k]) {
            case CellKind::inner:
                cell.count = 1;  // not closed; the true count is not needed
                cell.child = tree.cells[next_child];
                next_child += 2;
                break;
            case CellKind::leaf:
                cell.count = shape.leaf_counts[next_leaf++];
                slots += cell.count;
                break;
            case CellKind::closed:
                imported.closed.push_back(tree.cells[k]);
                break;
        }
        if (!shape.sizes.empty()) imported.sizes[tree.cells[k]] = shape.sizes[k];
    }
    tree.closed_count = imported.closed.size() - tree.first_closed;
    tree.slot_count = slots - tree.first_slot;
}

}  // namespace

ImportedCells make_imported_cells(std::span<const EssentialShape> shapes, std::size_t components,
                                  std::size_t moment_bytes, std::vector<ImportedTree>& trees, bool softened) {
    ImportedCells imported;
    trees.assign(shapes.size(), {});
    imported.levels = number_cells(shapes, trees);
    imported.cells.resize(imported.levels.back());
    imported.spheres.resize(imported.cells.size());
    if (!shapes.empty() && !shapes[0].sizes.empty()) imported.sizes.resize(imported.cells.size());
    std::uint32_t slots = 0;
    for (std::size_t t = 0; t < shapes.size(); ++t) add_tree(shapes[t], trees[t], imported, slots);
    imported.closed_weights.resize(imported.closed.size());
    imported.closed_sums.resize(imported.closed.size() * (components - 3));
    imported.closed_moments.resize(imported.closed.size() * moment_bytes);
    imported.closed_softenings.resize(softened ? imported.closed.size() : 0);
    imported.components.assign(components, std::vector<double>(slots));
    return imported;
}

}  // namespace trellis
