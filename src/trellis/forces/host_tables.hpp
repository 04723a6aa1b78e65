// What the kernels on this process's threads read of particles and cells, own and grafted: EPJ and SPJ, rounded to their precision.
#pragma once

#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/compiled.hpp"
#include "trellis/lists/cell_moments.hpp"

namespace trellis {

class HostTables : public CellMoments {
  public:
    explicit HostTables(const CompiledInteraction& interaction) : interaction_(interaction) {}

    // Reads the own particles and cells.
    void describe(const ListedTree& listed);
    // Reads what has been grafted since.
    void describe_graft(const ListedTree& listed, const Graft& graft);

    // Everything described, without lists and results. Pointers hold until the next describe.
    Scene scene(const ListedTree& listed) const;
    const ForceKernels& kernels() const { return *kernels_; }
    const std::byte* rows() const { return rows_; }  // see ForceKernels::describe_cells

    std::size_t bytes() const override { return kernels_->moment_bytes(order_); }
    std::size_t value_bytes() const override { return kernels_->value_bytes; }
    void write(std::uint32_t cell, std::byte* out) const override;
    void join(const Sphere& parent, const std::array<Sphere, 2>& children,
              const std::array<const std::byte*, 2>& moments, std::byte* out) const override;

  private:
    void make_room(std::size_t cells, std::size_t slots);
    void find_units(const ListedTree& listed, std::span<const std::uint32_t> levels);
    void fill(const ListedTree& listed, std::span<const std::uint32_t> levels);

    const CompiledInteraction& interaction_;
    const ForceKernels* kernels_ = nullptr;
    int order_ = 1;
    std::vector<double> units_;  // of each cell's expansions
    Workspace row_space_, slot_space_;
    std::byte* rows_ = nullptr;
    std::byte* j_particles_ = nullptr;
    std::size_t room_for_cells_ = 0, room_for_slots_ = 0;
    std::size_t grafted_cells_ = 0, grafted_slots_ = 0;  // of the last graft: room is made ahead
};

}  // namespace trellis
