#include "trellis/lists/essential/essential_tree.hpp"

namespace trellis {

EssentialTree find_essential_tree(std::span<const Cell> cells, const Candidate* candidates, const Opening& opening,
                                  const WalkTarget& target, std::uint32_t few) {
    Opening for_particles = opening;
    for_particles.receiver = Receiver::particle;
    WalkTarget all_at_once = target;
    all_at_once.group = true;
    IndexBuffer closed, super, leaves, deferred, opened;
    const std::uint32_t root = 0;
    TRELLIS_VARIANT(walk_target)
    (candidates, for_particles, all_at_once, {&root, 1}, {closed, super, leaves, deferred, opened});
    EssentialTree tree;
    const std::size_t size = 1 + 2 * opened.size();
    tree.cells.reserve(size);
    tree.cells.push_back(root);
    for (const std::uint32_t child : opened.span(0, opened.size())) {
        tree.cells.push_back(child);
        tree.cells.push_back(child + 1);
    }
    // The walk visits cells in this order. Cells that it dropped, beyond the cutoff, become closed ones: the lists of
    // the receiver drop them again.
    tree.shape.kinds.reserve(size);
    std::size_t next_opened = 0, next_leaf = 0;
    const auto next_on = [](const IndexBuffer& buffer, std::size_t& next, std::uint32_t cell) {
        const bool is_next = next < buffer.size() && buffer[next] == cell;
        if (is_next) ++next;
        return is_next;
    };
    for (const std::uint32_t cell : tree.cells) {
        const bool near = next_on(leaves, next_leaf, cell);
        const bool inner = !cells[cell].is_leaf() && next_on(opened, next_opened, cells[cell].child);
        const bool leaf = near || (cells[cell].is_leaf() && cells[cell].count <= few);
        tree.shape.kinds.push_back(leaf ? CellKind::leaf : inner ? CellKind::inner : CellKind::closed);
        if (leaf) tree.shape.leaf_counts.push_back(cells[cell].count);
    }
    return tree;
}

}  // namespace trellis
