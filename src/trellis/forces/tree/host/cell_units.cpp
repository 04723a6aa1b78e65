#include "trellis/forces/tree/host/cell_units.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/expansions/cell_unit.hpp"

namespace trellis {

void find_units(const ListedTree& listed, std::span<const std::uint32_t> levels, std::vector<double>& units) {
    const Tree& tree = listed.tree();
    const auto cells = tree.cells();
    const double side = tree.root_box().side;
    const auto unit = [&](std::size_t c, double around) {
        return unit_of_cell(listed.moments().spheres()[c].radius, tree.side(cells[c]), around);
    };
    units.resize(levels.back());
    for (std::size_t root = levels[0]; levels.size() > 1 && root < levels[1]; ++root) units[root] = unit(root, side);
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
        parallel_for(levels[level + 1] - levels[level], [&](std::size_t k) {
            const std::size_t parent = levels[level] + k;
            if (cells[parent].is_leaf()) return;
            for (const std::size_t child : {std::size_t{cells[parent].child}, std::size_t{cells[parent].child} + 1})
                units[child] = unit(child, units[parent]);
        });
}

}  // namespace trellis
