// A group and the leaves that act on it, arranged by hand, so that a force kernel can be timed on a list that stays in
// the cache.
#pragma once

#include <random>
#include <vector>

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace bench {

// The j-particles on the list: particles that act on the group, or, for expansions, superparticles that act on the cell
// around it and multipoles that act on each of its particles.
enum class Sources { particles, superparticles, multipoles };

class HandMadeScene {
  public:
    // list_length: cells in the list; it names the leaves in turn, repeatedly if it is longer than their number.
    HandMadeScene(const trellis::ForceKernels& kernels, trellis::Receiver receiver, int order, Sources sources,
                  std::uint32_t group_size, std::uint32_t leaf_size, std::uint32_t leaves, std::size_t list_length)
        : kernels_(kernels.at_order(order)) {
        add_particles(group_size, leaf_size, leaves);
        const std::size_t j_stride = trellis::padded_slots(order_.size());
        scene_ = {.cells = cells_,
                  .spheres = spheres_.data(),
                  .units = sides_.data(),
                  .corner = {0, 0, 0},
                  .columns = column_starts_,
                  .source_components = 4,
                  .j_particles = nullptr,
                  .j_stride = j_stride,
                  .cell_sums = cell_sums_,
                  .cell_softenings = nullptr,
                  .order = order_.data(),
                  .lists = &lists_,
                  .part = trellis::Part::whole,
                  .results = results_,
                  .receiver = receiver,
                  .near_in_double = trellis::NearInDouble::none};
        const std::size_t j_bytes = 4 * j_stride * kernels.value_bytes;
        const std::size_t row_bytes = kernels_.row_bytes;
        tables_.start(trellis::Workspace::bytes_of<std::byte>(j_bytes) + (cells_.size() + 3) * row_bytes);
        auto* j_particles = tables_.take<std::byte>(j_bytes);
        table_ = tables_.take<std::byte>(cells_.size() * row_bytes);
        locals_ = tables_.take<std::byte>(2 * row_bytes);
        kernels.j_particles(scene_, first_leaf, cells_.size(), j_particles);
        scene_.j_particles = j_particles;
        kernels_.describe_cells(scene_, 3, group, cells_.size(), table_);
        fill_list(receiver == trellis::Receiver::cell && sources == Sources::superparticles, sources, leaves,
                  list_length);
    }
    HandMadeScene(const HandMadeScene&) = delete;
    HandMadeScene& operator=(const HandMadeScene&) = delete;

    trellis::Work evaluate(const trellis::Gravity& gravity) {
        return kernels_.evaluate(&gravity, scene_, lists_.trunk, table_, locals_, nullptr, workspace_);
    }

  private:
    static constexpr std::uint32_t root = 0, group = 1, first_leaf = 2;

    // Each cell fills a unit cube; the group's is at the origin, the leaves stand in a row beside it.
    void add_particles(std::uint32_t group_size, std::uint32_t leaf_size, std::uint32_t leaves) {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> within(-0.5, 0.5);
        const std::size_t size = group_size + std::size_t{leaf_size} * leaves;
        cells_.push_back({0, static_cast<std::uint32_t>(size), group, 0});
        for (std::uint32_t cell = 0; cell <= leaves; ++cell)
            cells_.push_back(
                {cell == 0 ? 0 : group_size + (cell - 1) * leaf_size, cell == 0 ? group_size : leaf_size, 0, 1});
        for (auto& column : columns_) column.assign(trellis::padded_slots(size), 0.0);
        for (const trellis::Cell& cell : cells_) {
            const double place = 3.0 * static_cast<double>(&cell - cells_.data());
            spheres_.push_back({{place, 0, 0}, 0.87});
            sides_.push_back(1);
            masses_.push_back(cell.count);
            if (&cell == cells_.data()) continue;
            for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot)
                for (std::size_t c = 0; c < 4; ++c)
                    columns_[c][slot] = c == 3 ? 1.0 : within(random) + (c == 0 ? place : 0.0);
        }
        for (std::uint32_t row = 0; row < size; ++row) order_.push_back(row);
        for (const auto& column : columns_) column_starts_.push_back(column.data());
        cell_sums_ = {masses_.data()};
        values_.assign(4 * size, 0.0);
        for (std::size_t c = 0; c < 4; ++c) results_.push_back({values_.data() + c * size, 1});
    }

    // Two targets: the root, with an empty list, and the group; for a local expansion the second target is no group, so
    // that only the expansion is computed.
    void fill_list(bool local, Sources sources, std::uint32_t leaves, std::size_t list_length) {
        trellis::Branch& branch = lists_.trunk;
        trellis::IndexBuffer& buffer = sources == Sources::particles    ? branch.near
                                       : sources == Sources::multipoles ? branch.super
                                                                        : branch.far;
        buffer.make_room(list_length);
        for (std::size_t k = 0; k < list_length; ++k)
            buffer.begin()[k] = first_leaf + static_cast<std::uint32_t>(k) % leaves;
        buffer.set_size(list_length);
        const auto end_of = [](const trellis::IndexBuffer& cells) { return static_cast<std::uint32_t>(cells.size()); };
        branch.lists = {{0, end_of(branch.far), end_of(branch.super), end_of(branch.near)}};
        branch.targets = {{root, 0, 0, false}, {group, 0, 1, !local}};
    }

    trellis::OrderKernels kernels_;
    std::vector<trellis::Cell> cells_;
    std::vector<trellis::Sphere> spheres_;
    std::vector<double> sides_, masses_, columns_[4], values_;
    std::vector<std::uint32_t> order_;
    std::vector<const double*> column_starts_, cell_sums_;
    std::vector<trellis::ResultComponent> results_;
    trellis::InteractionLists lists_;
    trellis::Scene scene_{};
    trellis::Workspace tables_, workspace_;
    std::byte* table_ = nullptr;
    std::byte* locals_ = nullptr;
};

}  // namespace bench
