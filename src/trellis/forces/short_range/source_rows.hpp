// Rows of j-particles: the values that kernels read of each side by side, since a group takes them from a few places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class SourceRows {
  public:
    // The values of a row: the components, and zeros up to a multiple of four.
    static constexpr std::size_t width_of(std::size_t components) { return (components + 3) / 4 * 4; }

    // Copies the first `components` components of the slots from `first` on, those of ghosts included.
    void copy(const SortedColumns& columns, std::size_t components, std::size_t first);
    // Copies them from the particles, for some blocks of SortedColumns::block_slots slots, by their numbers; other rows
    // stay. order: the row of each slot.
    void gather(const ParticleSet& particles, std::span<const FieldInfo> fields, std::size_t components,
                std::span<const std::uint32_t> order, std::span<const std::uint32_t> blocks);

    // A row for each slot, and padding behind the last one, so that kernels may read whole vectors.
    const double* data() const { return values_.data(); }

  private:
    void make_room(std::size_t slots, std::size_t components);

    std::vector<double> values_;
};

}  // namespace trellis
