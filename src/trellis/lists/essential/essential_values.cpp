#include "trellis/lists/essential/essential_values.hpp"

#include <algorithm>

namespace trellis {

namespace {

template <class T>
std::span<T> part(std::vector<T>& values, std::size_t first, std::size_t count) {
    return std::span(values).subspan(first, count);
}

// The values of a tree's closed cells; those of one cell are side by side.
template <class T>
std::span<T> of_closed(std::vector<T>& values, const ImportedTree& tree, const ImportedCells& imported) {
    const std::size_t width = imported.closed.empty() ? 0 : values.size() / imported.closed.size();
    return part(values, tree.first_closed * width, tree.closed_count * width);
}

}  // namespace

void write_values(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments, ByteWriter& out) {
    const Moments& own = listed.moments();
    for (const std::uint32_t cell : tree.cells) {
        const auto& [centre, radius] = own.spheres()[cell];
        out.put(Sphere{centre + tree.shift, radius});
    }
    std::vector<double> weights, sums;
    std::vector<std::byte> higher;
    std::vector<CellSoftening> softenings;
    for (std::size_t k = 0; k < tree.cells.size(); ++k) {
        if (tree.shape.kinds[k] != CellKind::closed) continue;
        const std::uint32_t cell = tree.cells[k];
        weights.push_back(own.weights()[cell]);
        for (std::size_t c = 3; c < listed.source_components(); ++c) sums.push_back(own.sum(c)[cell]);
        higher.resize(higher.size() + moments.bytes());
        moments.write(cell, higher.data() + higher.size() - moments.bytes());
        if (listed.softening()) softenings.push_back(own.softenings()[cell]);
    }
    out.put(std::span<const double>(weights));
    out.put(std::span<const double>(sums));
    out.put(std::span<const std::byte>(higher));
    out.put(std::span<const CellSoftening>(softenings));
    const auto cells = listed.tree().cells();
    std::vector<double> values;
    for (std::size_t c = 0; c < listed.source_components(); ++c) {
        values.clear();
        for (std::size_t k = 0; k < tree.cells.size(); ++k)
            if (tree.shape.kinds[k] == CellKind::leaf) {
                const double* first = listed.columns().component(c) + cells[tree.cells[k]].first;
                values.insert(values.end(), first, first + cells[tree.cells[k]].count);
            }
        if (c < 3)
            for (double& coordinate : values) coordinate += tree.shift[c];
        out.put(std::span<const double>(values));
    }
}

void read_values(ByteReader& in, const ImportedTree& tree, ImportedCells& imported) {
    for (const std::uint32_t cell : tree.cells) imported.spheres[cell] = in.get<Sphere>();
    in.get(of_closed(imported.closed_weights, tree, imported));
    in.get(of_closed(imported.closed_sums, tree, imported));
    in.get(of_closed(imported.closed_moments, tree, imported));
    in.get(of_closed(imported.closed_softenings, tree, imported));
    for (auto& component : imported.components) in.get(part(component, tree.first_slot, tree.slot_count));
}

std::uint32_t particles_like_a_closed_cell(const ListedTree& listed, const CellMoments& moments) {
    const std::size_t components = listed.source_components(), weight_and_sums = 1 + (components - 3);
    return static_cast<std::uint32_t>((weight_and_sums * sizeof(double) + moments.bytes()) /
                                      (components * sizeof(double)));
}

void take_values(const DomainSummary& summary, const ImportedTree& tree, ImportedCells& imported) {
    imported.spheres[tree.cells[0]] = summary.contents.sphere;
    imported.closed_weights[tree.first_closed] = summary.contents.weight;
    std::ranges::copy(summary.sums, of_closed(imported.closed_sums, tree, imported).begin());
    std::ranges::copy(summary.moments, of_closed(imported.closed_moments, tree, imported).begin());
    std::ranges::fill(of_closed(imported.closed_softenings, tree, imported), summary.softening);
}

}  // namespace trellis
