// Particles and cells, local and imported, as the kernels on this process's threads read them: EPJ and SPJ, rounded to
// their precision.
#pragma once

#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/lists/walk/cell_moments.hpp"

namespace trellis {

class HostTables : public CellMoments {
  public:
    explicit HostTables(const CompiledInteraction& interaction) : interaction_(interaction) {}

    // Reads the local particles and cells.
    void describe(const ListedTree& listed);
    // Reads the particles and cells imported since.
    void describe_imported(const ListedTree& listed, const ImportedCells& imported);

    // All tables, without lists and results. Pointers are valid until the next describe.
    const Scene& scene() const { return scene_; }
    const OrderKernels& kernels() const { return at_order_; }
    const std::byte* rows() const { return rows_; }  // see OrderKernels::describe_cells

    std::size_t bytes() const override { return at_order_.expansion_bytes; }
    std::size_t value_bytes() const override { return kernels_->value_bytes; }
    void write(std::uint32_t cell, std::byte* out) const override;
    void join(const Sphere& parent, const std::array<Sphere, 2>& children,
              const std::array<const std::byte*, 2>& moments, std::byte* out) const override;

  private:
    void make_room(std::size_t cells, std::size_t slots);
    void fill(const ListedTree& listed, std::span<const std::uint32_t> levels);
    void point_to(const ListedTree& listed);
    NearInDouble near_in_double(std::size_t particles) const;

    const CompiledInteraction& interaction_;
    const ForceKernels* kernels_ = nullptr;
    OrderKernels at_order_{};
    std::vector<double> units_;                       // unit of length of each cell's expansions
    std::vector<const double*> columns_, cell_sums_;  // see Scene
    Scene scene_{};
    Workspace row_space_, slot_space_;
    std::byte* rows_ = nullptr;
    std::byte* j_particles_ = nullptr;
    std::size_t room_for_cells_ = 0, room_for_slots_ = 0;
    std::size_t imported_cells_ = 0, imported_slots_ = 0;  // at the last step, to reserve memory
};

}  // namespace trellis
