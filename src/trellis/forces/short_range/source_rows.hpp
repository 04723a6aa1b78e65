// Rows of j-particles: the values that kernels read of each side by side, since a group takes them from a few places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trellis/forces/short_range/kernels/row_kinds.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class SourceRows {
  public:
    // The values of a row: the components, and zeros up to a multiple of four.
    static constexpr std::size_t width_of(std::size_t components) { return (components + 3) / 4 * 4; }

    explicit SourceRows(const std::optional<RowKinds>& kinds) : kinds_(kinds) {}

    // Makes room for rows of this many components; those there stay, unless their width changes.
    void make_room(std::size_t slots, std::size_t components);
    // Copies the first components, for which there is room, of the slots from `first` to `end`.
    void copy(const SortedColumns& columns, std::size_t first, std::size_t end);
    // Copies those of ghosts, behind the rows that are there.
    void append(const SortedColumns& columns, std::size_t components);
    // Copies the components from the particles, for some blocks of SortedColumns::block_slots slots, by their numbers;
    // other rows stay. order: the row of each slot.
    void gather(const ParticleSet& particles, std::span<const FieldInfo> fields, std::size_t components,
                std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks);

    // A row for each slot, and padding behind the last one, so that kernels may read whole vectors.
    const double* data() const { return values_.data(); }

  private:
    void round_kinds(std::size_t first, std::size_t end);

    std::optional<RowKinds> kinds_;
    std::size_t components_ = 0;
    std::vector<double> values_;
};

}  // namespace trellis
