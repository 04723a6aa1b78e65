#include "trellis/lists/essential_values.hpp"

#include <algorithm>

namespace trellis {

namespace {

template <class T>
std::span<T> part(std::vector<T>& values, std::size_t first, std::size_t count) {
    return std::span(values).subspan(first, count);
}

// Of the closed cells of a tree: values of one side by side.
template <class T>
std::span<T> of_closed(std::vector<T>& values, const GraftedTree& tree, const Graft& graft) {
    const std::size_t width = graft.closed.empty() ? 0 : values.size() / graft.closed.size();
    return part(values, tree.first_closed * width, tree.closed_count * width);
}

}  // namespace

void write_values(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments, ByteWriter& out) {
    const Moments& own = listed.moments();
    for (const std::uint32_t cell : tree.cells) out.put(own.spheres()[cell]);
    std::vector<double> weights, sums;
    std::vector<std::byte> higher;
    for (std::size_t k = 0; k < tree.cells.size(); ++k) {
        if (tree.shape.kinds[k] != CellKind::closed) continue;
        const std::uint32_t cell = tree.cells[k];
        weights.push_back(own.weights()[cell]);
        for (std::size_t c = 3; c < listed.source_components(); ++c) sums.push_back(own.sum(c)[cell]);
        higher.resize(higher.size() + moments.bytes());
        moments.write(cell, higher.data() + higher.size() - moments.bytes());
    }
    out.put(std::span<const double>(weights));
    out.put(std::span<const double>(sums));
    out.put(std::span<const std::byte>(higher));
    const auto cells = listed.tree().cells();
    for (std::size_t c = 0; c < listed.source_components(); ++c)
        for (std::size_t k = 0; k < tree.cells.size(); ++k)
            if (tree.shape.kinds[k] == CellKind::leaf)
                out.put(
                    std::span(listed.columns().component(c) + cells[tree.cells[k]].first, cells[tree.cells[k]].count));
}

void read_values(ByteReader& in, const GraftedTree& tree, Graft& graft) {
    for (const std::uint32_t cell : tree.cells) graft.spheres[cell] = in.get<Sphere>();
    in.get(of_closed(graft.closed_weights, tree, graft));
    in.get(of_closed(graft.closed_sums, tree, graft));
    in.get(of_closed(graft.closed_moments, tree, graft));
    for (auto& component : graft.components) in.get(part(component, tree.first_slot, tree.slot_count));
}

std::uint32_t particles_like_a_closed_cell(const ListedTree& listed, const CellMoments& moments) {
    const std::size_t components = listed.source_components(), weight_and_sums = 1 + (components - 3);
    return static_cast<std::uint32_t>((weight_and_sums * sizeof(double) + moments.bytes()) /
                                      (components * sizeof(double)));
}

void take_values(const DomainSummary& summary, const GraftedTree& tree, Graft& graft) {
    graft.spheres[tree.cells[0]] = summary.contents.sphere;
    graft.closed_weights[tree.first_closed] = summary.contents.weight;
    std::ranges::copy(summary.sums, of_closed(graft.closed_sums, tree, graft).begin());
    std::ranges::copy(summary.moments, of_closed(graft.closed_moments, tree, graft).begin());
}

}  // namespace trellis
