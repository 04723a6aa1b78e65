#include "trellis/lists/essential/tree_values.hpp"

#include <algorithm>
#include <cstring>

namespace trellis {

namespace {

template <class R>
void read_moments(const std::byte* bytes, std::size_t closed, TreeValues& values) {
    for (std::size_t m = 0; m < values.moments.size(); ++m) {
        R value;
        std::memcpy(&value, bytes + m * sizeof(R), sizeof(R));
        values.moments[m][closed] = static_cast<double>(value);
    }
}

template <class R>
void write_moments(const TreeValues& values, std::size_t closed, std::byte* bytes) {
    for (std::size_t m = 0; m < values.moments.size(); ++m) {
        const R value = static_cast<R>(values.moments[m][closed]);
        std::memcpy(bytes + m * sizeof(R), &value, sizeof(R));
    }
}

TreeValues room(std::size_t cells, std::size_t closed, std::size_t slots, std::size_t components, bool softened,
                const CellMoments& moments) {
    TreeValues values;
    values.spheres.resize(cells);
    values.weights.resize(closed);
    values.sums.assign(components - 3, std::vector<double>(closed));
    values.moments.assign(moments.bytes() / moments.value_bytes(), std::vector<double>(closed));
    values.single = moments.value_bytes() == sizeof(float);
    values.softenings.resize(softened ? closed : 0);
    values.components.assign(components, std::vector<double>(slots));
    return values;
}

}  // namespace

TreeValues values_of(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments) {
    std::size_t closed = 0, slots = 0;
    for (const CellKind kind : tree.shape.kinds) closed += kind == CellKind::closed ? 1 : 0;
    for (const std::uint32_t count : tree.shape.leaf_counts) slots += count;
    const bool softened = listed.softening().has_value();
    TreeValues values = room(tree.cells.size(), closed, slots, listed.source_components(), softened, moments);
    const Moments& own = listed.moments();
    std::vector<std::byte> higher(moments.bytes());
    closed = slots = 0;
    for (std::size_t k = 0; k < tree.cells.size(); ++k) {
        const std::uint32_t cell = tree.cells[k];
        values.spheres[k] = {own.spheres()[cell].centre + tree.shift, own.spheres()[cell].radius};
        if (tree.shape.kinds[k] == CellKind::closed) {
            values.weights[closed] = own.weights()[cell];
            for (std::size_t c = 0; c < values.sums.size(); ++c) values.sums[c][closed] = own.sum(c + 3)[cell];
            if (softened) values.softenings[closed] = own.softenings()[cell];
            moments.write(cell, higher.data());
            values.single ? read_moments<float>(higher.data(), closed, values)
                          : read_moments<double>(higher.data(), closed, values);
            ++closed;
        } else if (tree.shape.kinds[k] == CellKind::leaf) {
            const Cell& leaf = listed.tree().cells()[cell];
            for (std::size_t c = 0; c < values.components.size(); ++c)
                std::copy_n(listed.columns().component(c) + leaf.first, leaf.count,
                            values.components[c].data() + slots);
            slots += leaf.count;
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (double& coordinate : values.components[axis]) coordinate += tree.shift[axis];
    return values;
}

TreeValues room_for(const ImportedTree& tree, const ImportedCells& imported, const CellMoments& moments) {
    return room(tree.cells.size(), tree.closed_count, tree.slot_count, imported.components.size(),
                !imported.closed_softenings.empty(), moments);
}

void put_values(const TreeValues& values, const ImportedTree& tree, ImportedCells& imported) {
    for (std::size_t k = 0; k < tree.cells.size(); ++k) imported.spheres[tree.cells[k]] = values.spheres[k];
    std::ranges::copy(values.weights, imported.closed_weights.begin() + static_cast<std::ptrdiff_t>(tree.first_closed));
    std::ranges::copy(values.softenings,
                      imported.closed_softenings.begin() + static_cast<std::ptrdiff_t>(tree.first_closed));
    const std::size_t sums = values.sums.size();
    const std::size_t moment_bytes = values.moments.size() * (values.single ? sizeof(float) : sizeof(double));
    for (std::size_t k = 0; k < tree.closed_count; ++k) {
        const std::size_t closed = tree.first_closed + k;
        for (std::size_t c = 0; c < sums; ++c) imported.closed_sums[closed * sums + c] = values.sums[c][k];
        std::byte* bytes = imported.closed_moments.data() + closed * moment_bytes;
        values.single ? write_moments<float>(values, k, bytes) : write_moments<double>(values, k, bytes);
    }
    for (std::size_t c = 0; c < values.components.size(); ++c)
        std::ranges::copy(values.components[c],
                          imported.components[c].begin() + static_cast<std::ptrdiff_t>(tree.first_slot));
}

}  // namespace trellis
